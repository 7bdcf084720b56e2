//! Numbers for parameters: where a search needs some, any that the declaration allows will do.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::symbolic::{Constraint, Polynomial, Program, Scope, Symbol, Value};

use super::simplex::{Feasibility, Row, feasible};
use crate::logic::kernel::Hypotheses;

/// Several such values: one for all, and then each parameter larger than the others.
pub(super) fn points(program: &Program<'_>, hypotheses: &Hypotheses) -> Vec<BTreeMap<Symbol, Polynomial>> {
    const LARGER: i64 = 16;
    let base = parameters_at(program, hypotheses);
    let mut all = vec![base.clone()];
    if base.len() > 1 {
        for name in base.keys() {
            let mut point = base.clone();
            point.insert(name.clone(), Polynomial::constant(LARGER));
            let is_number = |c: &Constraint| c.polynomial.substitute(&point).and_then(|p| p.as_constant());
            let holds = |c: &Constraint| is_number(c).is_none_or(|value| c.relation.holds(&value));
            if hypotheses.constraints.iter().all(holds) {
                all.push(point);
            }
        }
    }
    all
}

/// A value for every parameter that is left open: 1 if that is allowed, else one that satisfies what is linear.
pub(crate) fn parameters_at(program: &Program<'_>, hypotheses: &Hypotheses) -> BTreeMap<Symbol, Polynomial> {
    let names = program.declaration.parameters().filter_map(|binder| {
        let Some(Value::Number(p)) = program.lookup(&binder.name.text, None) else { return None };
        p.variables().into_iter().next()
    });
    let open: BTreeSet<Symbol> = names.collect();
    let ones: BTreeMap<Symbol, Polynomial> =
        open.iter().map(|name| (name.clone(), Polynomial::constant(1))).collect();
    let about: Vec<&Constraint> = hypotheses
        .constraints
        .iter()
        .filter(|constraint| constraint.polynomial.variables().iter().all(|name| open.contains(name)))
        .collect();
    let holds = |constraint: &&Constraint| {
        let value = constraint.polynomial.substitute(&ones).and_then(|p| p.as_constant());
        value.is_none_or(|value| constraint.relation.holds(&value))
    };
    if about.iter().all(holds) {
        return ones;
    }
    let places: Vec<&Symbol> = open.iter().collect();
    let row = |constraint: &&Constraint| {
        let mut row =
            Row { coefficients: Vec::new(), constant: Default::default(), relation: constraint.relation };
        for (monomial, coefficient) in constraint.polynomial.terms() {
            match monomial.powers() {
                [] => row.constant = coefficient.clone(),
                [(name, 1)] => {
                    let place = places.iter().position(|known| *known == name)?;
                    row.coefficients.push((place, coefficient.clone()));
                }
                _ => return None,
            }
        }
        Some(row)
    };
    let rows: Vec<Row> = about.iter().filter_map(row).collect();
    match feasible(places.len(), &rows, program.watch()) {
        Some(Feasibility::Feasible(point)) => {
            places.into_iter().cloned().zip(point.into_iter().map(Polynomial::constant)).collect()
        }
        Some(Feasibility::Infeasible(_)) | None => ones,
    }
}
