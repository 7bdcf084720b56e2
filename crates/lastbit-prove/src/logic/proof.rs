//! What a privacy proof is, as data, and why one is not accepted. The [kernel](super::kernel) says what it proves.

use std::collections::BTreeMap;

use lastbit_lang::Diagnostic;
use lastbit_lang::symbolic::{Constraint, Polynomial, Symbol};
use lastbit_lang::watch::Stopped;
use lastbit_real::Rational;

/// A proof for one way in which inputs can be neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// No inputs are neighbours in this way.
    Vacuous,
    /// CASE: a constraint holds, or one of those that hold if it does not.
    Split(Constraint, Vec<Leaf>),
    /// ALIGN.
    Align(Alignment),
    /// EVENT.
    Event(Event),
    /// Enumeration.
    Finite(Finite),
}

/// A proof that a declaration is private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The privacy loss ε that is proved, over the parameters.
    pub cost: Polynomial,
    /// For every direction that must be shown, one proof for each [`Hypotheses`](super::kernel::Hypotheses), in the order of [`hypotheses`](super::kernel::hypotheses()).
    pub leaves: Vec<Leaf>,
    /// The lemmas that the leaves rest on.
    pub lemmas: Vec<Lemma>,
}

/// A theorem: for neighbouring inputs, no event is more than `e^cost` times as likely with one as with the other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Theorem {
    /// The loss.
    pub cost: Polynomial,
    /// The claimed cost, which the proved cost does not exceed, if the declaration claims a number.
    pub claim: Option<Polynomial>,
    /// The number of premises that were checked.
    pub premises: usize,
}

/// The map of a sample of one run to a sample of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Map {
    /// A map to `v + shift`, or to `shift - v`; for a uniform sample, it acts on `ln(u)`.
    Affine {
        /// Whether it is `shift - v`.
        negate: bool,
        /// The shift, free of samples.
        shift: Polynomial,
    },
    /// The number of each value's image.
    Permute(Vec<usize>),
}

/// A piece of the map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Only where the first run returns this, see `label`.
    pub label: Option<String>,
    /// Only where these samples have these values.
    pub choices: BTreeMap<Symbol, usize>,
    /// Only where this holds.
    pub guard: Vec<Constraint>,
    /// The maps of samples, with their costs. Samples that are not named stay, at no cost.
    pub maps: BTreeMap<Symbol, (Map, Polynomial)>,
}

/// A proof by ALIGN.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// The axioms about `exp` and reciprocals that are used.
    pub axioms: Vec<Axiom>,
    /// The map.
    pub pieces: Vec<Piece>,
}

/// A proof by EVENT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The variable `w`.
    pub variable: String,
    /// The number of the sign with which `ln(u)` is added: 0 for `s = 1`.
    pub positive: usize,
    /// PW-EQ, for countable outputs; otherwise PW-INT.
    pub pointwise: bool,
}

/// A proof by enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finite {
    /// The axioms about `exp` and reciprocals that are used.
    pub axioms: Vec<Axiom>,
}

/// A true statement about `exp` or a reciprocal, under a premise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axiom {
    /// `e^p > 0`
    ExpPositive(Polynomial),
    /// `e^p >= 1 + p`
    ExpTangent(Polynomial),
    /// If `Σ left <= Σ right` then `Π e^left <= Π e^right`.
    ExpAtMost(Vec<Polynomial>, Vec<Polynomial>),
    /// If `p > 0` then `p·(1/p) = 1` and `1/p > 0`.
    Reciprocal(Polynomial),
}

/// Constraints that cannot hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lemma {
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// The refutation of the constraints.
    pub refutation: Refutation,
}

/// A proof that some constraints cannot hold together: a sum of products of them is negative although each product is not.
///
/// With one factor in each product this is Farkas' lemma; with more, a certificate in the manner of Handelman.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refutation {
    /// Positive numbers, each times a product of constraints `p >= 0` or `p > 0`, by their places. The empty product is 1.
    pub products: Vec<(Rational, Vec<usize>)>,
    /// Any polynomials, each times a constraint `p = 0`.
    pub multiples: Vec<(Polynomial, usize)>,
}

/// The reason why a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The program cannot be run on symbols.
    #[error("{}", .0.message)]
    Program(Diagnostic),
    /// A lemma is wrong.
    #[error("a lemma is wrong: {0}")]
    Lemma(&'static str),
    /// A premise of a rule has no lemma.
    #[error("{rule}: {premise} is not shown")]
    Open {
        /// The rule.
        rule: &'static str,
        /// The premise without a lemma.
        premise: String,
        /// The constraints that would have to be refuted.
        open: Vec<Constraint>,
    },
    /// A rule does not apply.
    #[error("{rule}: {reason}")]
    Rule {
        /// The rule.
        rule: &'static str,
        /// The reason why it does not apply.
        reason: String,
    },
    /// The proof does not have the form it must have.
    #[error("{0}")]
    Form(String),
    /// The check was stopped.
    #[error("{0}")]
    Stopped(Stopped),
}

impl From<Diagnostic> for KernelError {
    fn from(diagnostic: Diagnostic) -> KernelError {
        KernelError::Program(diagnostic)
    }
}
