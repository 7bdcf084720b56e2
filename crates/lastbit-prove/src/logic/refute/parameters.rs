//! Numbers for parameters that are left open.

use std::collections::BTreeMap;

use lastbit_lang::ast::Scalar;
use lastbit_lang::symbolic::{Constraint, Polynomial, Program, Scope, Symbol, Value};
use lastbit_real::Rational;

use crate::logic::kernel::KernelError;

/// Most settings that are looked at.
const MOST: usize = 6;

/// Values for all parameters: the given ones, and for the others a few that the declaration allows. Those of the claim come in several
/// sizes, because a wrong scale may show at some of them only.
pub(super) fn candidates(
    program: &Program<'_>,
    values: &BTreeMap<String, Rational>,
    claim: &Polynomial,
) -> Result<Vec<BTreeMap<String, Rational>>, KernelError> {
    let claimed = claim.variables();
    let number = |numerator: i64, denominator: i64| Rational::new(numerator, denominator).unwrap_or_default();
    let mut choices: Vec<(String, Vec<Rational>)> = Vec::new();
    for binder in program.declaration.parameters() {
        let name = &binder.name.text;
        let is_open =
            matches!(program.lookup(name, None), Some(Value::Number(p)) if p.as_constant().is_none());
        if is_open {
            let sizes = match claimed.iter().any(|symbol| **symbol == **name) {
                true => vec![number(1, 1), number(1, 2), number(2, 1), number(1, 4)],
                false => vec![number(0, 1), number(1, 1), number(-1, 1), number(1, 2), number(10, 1)],
            };
            let whole = matches!(binder.ty.scalar, Scalar::Int);
            let sizes = sizes.into_iter().filter(|size| !whole || size.is_integer()).collect();
            choices.push((name.clone(), sizes));
        }
    }
    let facts = program.facts()?;
    let is_allowed = |point: &BTreeMap<String, Rational>| {
        let values: BTreeMap<Symbol, Polynomial> =
            point.iter().map(|(name, value)| (name.as_str().into(), value.clone().into())).collect();
        let is_broken = |constraint: &Constraint| {
            let value = constraint.polynomial.substitute(&values).and_then(|p| p.as_constant());
            value.is_some_and(|value| !constraint.relation.holds(&value))
        };
        facts.iter().any(|fact| !fact.constraints.iter().any(is_broken))
    };
    let mut all = vec![(0, values.clone())];
    for (name, sizes) in &choices {
        let with = |(rank, point): &(usize, BTreeMap<String, Rational>)| {
            let (rank, point) = (*rank, point.clone());
            sizes.iter().enumerate().map(move |(i, size)| {
                let mut point = point.clone();
                point.insert(name.clone(), size.clone());
                (rank + i, point)
            })
        };
        all = all.iter().flat_map(with).filter(|(_, point)| is_allowed(point)).collect();
        // The usual ones first; more would only be thrown away.
        all.sort_by_key(|(rank, _)| *rank);
        all.truncate(MOST * MOST);
    }
    Ok(all.into_iter().map(|(_, point)| point).take(MOST).collect())
}
