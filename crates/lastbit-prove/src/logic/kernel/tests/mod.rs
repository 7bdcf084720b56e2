//! The rules are sound as far as tests can tell: every side condition is needed, and what is not private is not proved.

mod attacks;
mod conditions;
mod fallacies;
mod fallacies_align;
mod random;
mod trace;

use lastbit_lang::ast::File;
use lastbit_lang::symbolic::{Polynomial, Program, Symbol};
use lastbit_real::Rational;

use super::{Alignment, KernelError, Leaf, Lemma, Map, Piece, Proof, check_leaves};
use crate::logic::search::Finder;

/// A text without mistakes.
pub(crate) fn parsed(text: &str) -> File {
    let (file, messages) = lastbit_lang::parse(text);
    assert!(messages.is_empty(), "{messages:?} in {text}");
    let messages = lastbit_lang::check(&file);
    assert!(messages.is_empty(), "{messages:?} in {text}");
    file
}

/// A mechanism on a real number that claims `eps`.
fn mechanism(body: &str) -> String {
    format!(
        "mechanism m(x: real) -> real\n  param eps: real > 0\n  adjacent |x<1> - x<2>| <= 1\n  claim pure eps\n{{ {body} }}"
    )
}

fn program(file: &File) -> Program<'_> {
    Program::new(file, &file.declarations[0], &Default::default()).expect("a program")
}

fn variable(name: &str) -> Polynomial {
    Polynomial::variable(name)
}

fn number(text: &str) -> Polynomial {
    Polynomial::constant(text.parse::<Rational>().expect("a number"))
}

/// How far the inputs are apart.
fn distance() -> Polynomial {
    &variable("x<1>") - &variable("x<2>")
}

fn eps() -> Polynomial {
    variable("eps")
}

/// A sample that is shifted, at a cost.
fn shift(name: &str, by: Polynomial, cost: Polynomial) -> (Symbol, (Map, Polynomial)) {
    (name.into(), (Map::Affine { negate: false, shift: by }, cost))
}

/// A sample that becomes its negative, for nothing.
fn mirror(name: &str) -> (Symbol, (Map, Polynomial)) {
    (name.into(), (Map::Affine { negate: true, shift: Polynomial::zero() }, Polynomial::zero()))
}

/// A sample whose values are permuted, at a cost.
fn permute(name: &str, images: &[usize], cost: Polynomial) -> (Symbol, (Map, Polynomial)) {
    (name.into(), (Map::Permute(images.to_vec()), cost))
}

fn piece(maps: impl IntoIterator<Item = (Symbol, (Map, Polynomial))>) -> Piece {
    Piece { maps: maps.into_iter().collect(), ..Piece::default() }
}

fn align(pieces: impl IntoIterator<Item = Piece>) -> Leaf {
    Leaf::Align(Alignment { axioms: Vec::new(), pieces: pieces.into_iter().collect() })
}

/// Every sample stays what it is.
fn identity() -> Leaf {
    align([Piece::default()])
}

/// Leaves with the lemmas that a search finds for them, besides those that are given.
fn proof(file: &File, cost: &Polynomial, leaves: &[Leaf], lemmas: Vec<Lemma>) -> Result<Proof, KernelError> {
    let mut finder = Finder::default();
    lemmas.into_iter().for_each(|lemma| finder.suggest(lemma));
    check_leaves(&program(file), cost, leaves, &mut finder)?;
    Ok(Proof { cost: cost.clone(), leaves: leaves.to_vec(), lemmas: finder.lemmas })
}
