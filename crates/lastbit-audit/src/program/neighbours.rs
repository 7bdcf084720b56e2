//! Whether the two inputs of an audit are neighbours by the text.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Binder, ClauseKind, Declaration, Scalar, Shape};
use lastbit_lang::{Bindings, File};
use lastbit_real::Rational;

use crate::discrete::{self, Argument, Inputs, Parameters};

/// Whether the inputs satisfy the text's `adjacent` and `assume`: a claim is about such neighbours only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Neighbours {
    /// They do.
    Yes,
    /// They do not: what is found says nothing about the claim.
    No,
    /// The text has no such clause, or one that cannot be evaluated here.
    Undecided,
}

impl Neighbours {
    /// By all clauses of the text, `adjacent` and `assume`, exactly.
    pub(crate) fn of(
        file: &File,
        declaration: &Declaration,
        bindings: &Bindings,
        inputs: [&BTreeMap<String, Rational>; 2],
    ) -> Neighbours {
        let says = |kind: &ClauseKind| matches!(kind, ClauseKind::Adjacent(..) | ClauseKind::Assume(_));
        if !declaration.clauses.iter().any(|clause| says(&clause.kind)) {
            return Neighbours::Undecided;
        }
        let is_parameter = |name: &String| declaration.parameters().any(|binder| binder.name.text == *name);
        let given = bindings.values.iter().filter(|(name, _)| is_parameter(name));
        let parameters: Parameters = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        let [Some(first), Some(second)] = inputs.map(|input| arguments(declaration, input)) else {
            return Neighbours::Undecided;
        };
        match discrete::unmet(file, declaration, &parameters, [&first, &second]) {
            Ok(unmet) if unmet.is_empty() => Neighbours::Yes,
            Ok(_) => Neighbours::No,
            Err(_) => Neighbours::Undecided,
        }
    }
}

/// The arguments of a run, if none is an array.
fn arguments(declaration: &Declaration, input: &BTreeMap<String, Rational>) -> Option<Inputs> {
    let binders = declaration.arguments.iter().chain(declaration.queries());
    let numbers = binders.filter(|binder| binder.ty.scalar != Scalar::Data);
    let one = |binder: &Binder| {
        let value = input.get(&binder.name.text).filter(|_| binder.ty.shape == Shape::One)?;
        let argument = match binder.ty.scalar {
            Scalar::Bool => Argument::Bool(!value.is_zero()),
            _ => Argument::Number(value.clone()),
        };
        Some((binder.name.text.clone(), argument))
    };
    numbers.map(one).collect()
}
