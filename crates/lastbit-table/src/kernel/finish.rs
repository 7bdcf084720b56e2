//! From totals to the integers that answer: most are totals themselves, and others are functions of the totals of their group.

use crate::plan::{Component, Plan, Tally};

/// The integers of all groups.
pub(super) fn integers(plan: &Plan, totals: Vec<i128>) -> Vec<i128> {
    let components = || plan.queries.iter().flat_map(|query| &query.components);
    if components().all(is_total) {
        return totals;
    }
    let groups = totals.chunks(plan.tallied);
    groups.flat_map(|totals| components().flat_map(|component| of_group(component, totals))).collect()
}

fn is_total(component: &Component) -> bool {
    match component.tally {
        Tally::Units
        | Tally::Rows
        | Tally::Sum { .. }
        | Tally::Centred { .. }
        | Tally::Present { .. }
        | Tally::Bins { .. } => true,
        Tally::Values { .. } => false,
    }
}

/// The integers of a component in a group with these totals.
fn of_group(component: &Component, totals: &[i128]) -> Vec<i128> {
    let own = &totals[component.tallied.clone()];
    match component.tally {
        Tally::Values { .. } => vec![own.iter().filter(|units| **units > 0).count() as i128],
        _ => own.to_vec(),
    }
}
