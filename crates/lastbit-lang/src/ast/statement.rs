//! Statements.

use super::{ExprId, Name, Shape, Type};
use crate::Span;

/// A variable or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// The element.
    pub index: Option<ExprId>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The kind of statement.
    pub kind: StatementKind,
    /// The span with its `;`; for `if` and `for`, only the part before `{`.
    pub span: Span,
}

impl Statement {
    /// The expressions, without those of its blocks.
    pub fn expressions(&self) -> Vec<ExprId> {
        let with = |place: &Place, values: &[ExprId]| place.index.iter().chain(values).copied().collect();
        match &self.kind {
            StatementKind::Declare(_, ty) => match ty.shape {
                Shape::Array(length) => vec![length],
                Shape::One | Shape::List => Vec::new(),
            },
            StatementKind::Sample(place, distribution) => with(place, &distribution.arguments()),
            StatementKind::Assign(place, value) => with(place, &[*value]),
            StatementKind::If { condition, .. } => vec![*condition],
            StatementKind::For { from, to, .. } => vec![*from, *to],
            StatementKind::Return(value) => vec![*value],
        }
    }

    /// The blocks.
    pub fn blocks(&self) -> Vec<&[Statement]> {
        match &self.kind {
            StatementKind::If { then, otherwise, .. } => vec![&then.statements, &otherwise.statements],
            StatementKind::For { body, .. } => vec![&body.statements],
            _ => Vec::new(),
        }
    }
}

/// The kinds of statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `var z: real[3];`
    Declare(Name, Type),
    /// `u <$ unif(0,1];`
    Sample(Place, Distribution),
    /// `w := x + z;`
    Assign(Place, ExprId),
    /// `if c { … } else { … }`; without `else`, `otherwise` is empty.
    If {
        /// The condition.
        condition: ExprId,
        /// The statements to execute if it holds.
        then: Block,
        /// The statements to execute if not.
        otherwise: Block,
    },
    /// `for i in 0..3 { … }`
    For {
        /// The variable.
        variable: Name,
        /// Its first value.
        from: ExprId,
        /// The value after its last.
        to: ExprId,
        /// The block that is repeated.
        body: Block,
    },
    /// `return r;`
    Return(ExprId),
}

/// Statements in braces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// The offset where the closing brace ends.
    pub end: usize,
}

/// The distributions that `<$` draws from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// `unif(0,1]`, or `unif(0,1)` if not `closed`.
    Unif {
        /// Whether 1 is a value.
        closed: bool,
    },
    /// `sign`: −1 or 1, equally likely.
    Sign,
    /// `bernoulli(p)`: true with probability `p`.
    Bernoulli(ExprId),
    /// `lap(b)`: Laplace of scale `b`.
    Lap(ExprId),
    /// `expo(b)`: exponential of mean `b`.
    Expo(ExprId),
    /// `dlap(b, k)`: discrete Laplace of scale `b` on the multiples of `2^k`.
    Dlap(ExprId, ExprId),
    /// `choose(w1, …, wn)`: the index `i` with probability proportional to `wi`, from 0.
    Choose(Vec<ExprId>),
}

impl Distribution {
    /// Its arguments.
    pub(crate) fn arguments(&self) -> Vec<ExprId> {
        match self {
            Distribution::Unif { .. } | Distribution::Sign => Vec::new(),
            Distribution::Bernoulli(a) | Distribution::Lap(a) | Distribution::Expo(a) => vec![*a],
            Distribution::Dlap(scale, exponent) => vec![*scale, *exponent],
            Distribution::Choose(weights) => weights.clone(),
        }
    }

    /// The distribution's spelling in the language.
    pub fn text(&self) -> &'static str {
        match self {
            Distribution::Unif { .. } => "unif",
            Distribution::Sign => "sign",
            Distribution::Bernoulli(_) => "bernoulli",
            Distribution::Lap(_) => "lap",
            Distribution::Expo(_) => "expo",
            Distribution::Dlap(..) => "dlap",
            Distribution::Choose(_) => "choose",
        }
    }
}
