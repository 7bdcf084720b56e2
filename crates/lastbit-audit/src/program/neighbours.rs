//! Whether the two inputs of an audit are neighbours by the text.

use std::collections::BTreeMap;

use lastbit_lang::ast::Declaration;
use lastbit_lang::values::distance_of_neighbours;
use lastbit_lang::{Bindings, File};
use lastbit_real::Rational;

/// Whether the inputs satisfy the text's `adjacent`: a claim is about neighbours only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// They do.
    Yes,
    /// They do not: what is found says nothing about the claim.
    No,
    /// The text has no such clause, or one that is not read here.
    Undecided,
}

impl Neighbours {
    /// By a clause `|x<1> - x<2>| <= d` of a text with one argument, which is a number.
    pub(crate) fn of(
        file: &File,
        declaration: &Declaration,
        bindings: &Bindings,
        inputs: [&BTreeMap<String, Rational>; 2],
    ) -> Neighbours {
        let [argument] = declaration.arguments.as_slice() else { return Neighbours::Undecided };
        let [first, second] = inputs.map(|input| input.get(&argument.name.text));
        match (first, second, distance_of_neighbours(file, declaration, bindings)) {
            (Some(first), Some(second), Ok(most)) if (first - second).abs() <= most => Neighbours::Yes,
            (Some(_), Some(_), Ok(_)) => Neighbours::No,
            _ => Neighbours::Undecided,
        }
    }

    /// In JSON.
    pub fn name(self) -> &'static str {
        match self {
            Neighbours::Yes => "yes",
            Neighbours::No => "no",
            Neighbours::Undecided => "undecided",
        }
    }
}
