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
        Tally::Ranks { .. } | Tally::Values { .. } => false,
    }
}

/// The integers of a component in a group with these totals.
fn of_group(component: &Component, totals: &[i128]) -> Vec<i128> {
    let own = &totals[component.tallied.clone()];
    match component.tally {
        Tally::Values { .. } => vec![own.iter().filter(|units| **units > 0).count() as i128],
        Tally::Ranks { part, of, .. } => scores(own, part, of),
        Tally::Units
        | Tally::Rows
        | Tally::Sum { .. }
        | Tally::Centred { .. }
        | Tally::Present { .. }
        | Tally::Bins { .. } => own.to_vec(),
    }
}

/// The score of each edge as the quantile at `part / of`, from the numbers of rows below the first edge, at it, between it and the next one, and so on.
///
/// An edge with `below` rows below it and `at` rows that are it stands for the ranks from `below` to `below + at`. Its score is how far the rank that
/// is asked for, `part / of` of all rows, is from these, times `-of`: 0 of a quantile, and else negative.
fn scores(ranks: &[i128], part: i128, of: i128) -> Vec<i128> {
    // There are fewer than 2^63 rows, and `of` is below 2^30.
    let asked = part * ranks.iter().sum::<i128>();
    let mut below = 0;
    let pairs = ranks.as_chunks::<2>().0;
    pairs
        .iter()
        .map(|&[between, at]| {
            below += between;
            let [first, last] = [of * below, of * (below + at)];
            below += at;
            (asked - first).min(last - asked).min(0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::scores;

    #[test]
    fn scores_are_distances_of_ranks() {
        // Values 1, 2, 2, 2, 5, 9 among the edges 2, 3, 9.
        let ranks = [1, 3, 0, 0, 1, 1, 0];
        assert_eq!(scores(&ranks, 1, 2), [0, -2, -4]);
        assert_eq!(scores(&ranks, 9, 10), [-14, -14, 0]);
        assert_eq!(scores(&ranks, 1, 10), [-4, -34, -44]);
        assert_eq!(scores(&[0; 7], 1, 2), [0; 3]);
    }
}
