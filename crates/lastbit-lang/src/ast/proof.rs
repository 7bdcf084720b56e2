//! Proofs, as syntax: what they mean is the logic's business.

use super::{ExprId, Interval, Name, Place};
use crate::Span;

/// `proof by_events { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The name, if it has one.
    pub name: Option<Name>,
    /// The steps.
    pub steps: Vec<ProofStep>,
    /// The span from `proof` to the closing brace.
    pub span: Span,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofStep {
    /// The kind of step.
    pub kind: ProofStepKind,
    /// The span with its `;`; for a step with braces, only the part before `{`.
    pub span: Span,
    /// The offset where the whole step ends.
    pub end: usize,
}

/// The kinds of step in a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofStepKind {
    /// `pointwise e;` fixes an output `e`.
    Pointwise(Name),
    /// `preimage r = e as w in [a, b);` the `w` that give the output; the names of the ends are bound here.
    Preimage {
        /// `r = e`
        equation: ExprId,
        /// `w`
        variable: Place,
        /// `[a, b)`
        interval: Interval,
    },
    /// `event (u, s) cost eps;` compares the probabilities of events of these samples.
    Event(Vec<Place>, ExprId),
    /// `case c { … }`
    Case(ExprId, Vec<ProofStep>),
    /// `case c by mirror (s -> -s, x -> -x);`
    Mirror(ExprId, Vec<MirrorRule>),
    /// `let K = exp(eps);`
    Let(Name, ExprId),
    /// `align (u, s) cost eps { guard => (image, image); … };`
    Align {
        /// The samples.
        places: Vec<Place>,
        /// The privacy cost.
        cost: ExprId,
        /// The map, piece by piece.
        pieces: Vec<Piece>,
    },
    /// `have w<1> = w<2>;`
    Have(ExprId),
    /// `lap z shift (x<1> - x<2>) cost eps;`
    Shift {
        /// Of which law the sample is.
        law: ShiftLaw,
        /// The sample.
        place: Place,
        /// By how much the second run's sample is larger.
        by: ExprId,
        /// The privacy cost.
        cost: ExprId,
    },
    /// `endpoint u by error;` the threshold of a float sample, enclosed by the error semantics.
    Endpoint(Place),
    /// `audit exact;` by computing all probabilities.
    AuditExact,
    /// `step axunif u cost eps: pre => post;` one application of a rule, as in the papers' derivations.
    Rule {
        /// The rule.
        rule: Name,
        /// The statement it treats, by the variable that is set.
        place: Option<Place>,
        /// Its cost, if it is stated.
        cost: Option<ExprId>,
        /// The precondition.
        pre: Assertion,
        /// The postcondition.
        post: Assertion,
    },
}

/// `exists k: w<1> + k = w<2>`, or a condition by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// Logical variables: the condition holds for some values of them.
    pub exists: Vec<Name>,
    /// The condition that holds of them.
    pub condition: ExprId,
}

/// `s -> -s`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorRule {
    /// The place that is replaced.
    pub from: Place,
    /// The expression that replaces it.
    pub to: ExprId,
}

/// `guard => (image, image);`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The condition under which the piece is used.
    pub guard: ExprId,
    /// The image of each sample.
    pub images: Vec<ExprId>,
    /// The span with its `;`.
    pub span: Span,
}

/// A law with a shift rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftLaw {
    /// `lap`
    Lap,
    /// `expo`
    Expo,
    /// `dlap`
    Dlap,
}

impl ShiftLaw {
    /// All laws, as they are spelled.
    pub const ALL: [(ShiftLaw, &'static str); 3] =
        [(ShiftLaw::Lap, "lap"), (ShiftLaw::Expo, "expo"), (ShiftLaw::Dlap, "dlap")];

    /// The law's spelling in the language.
    pub fn text(self) -> &'static str {
        ShiftLaw::ALL.iter().find(|(law, _)| *law == self).map_or("", |(_, text)| text)
    }
}
