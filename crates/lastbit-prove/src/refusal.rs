//! Why there is no bound.

use lastbit_lang::NodeId;
use lastbit_real::{Enclosure, Rational, Rounding};

/// A premise that fails, and at which node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct Refusal {
    /// The node.
    pub node: NodeId,
    /// The premise.
    pub reason: Reason,
}

/// The premise that fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The result may be infinite.
    #[error("may overflow: the value lies in {}", show(.0))]
    MayOverflow(Enclosure),
    /// The divisor may be 0.
    #[error("division by an interval containing 0: {}", show(.0))]
    DivisionByZero(Enclosure),
    /// The argument of a logarithm may be 0 or negative.
    #[error("ln of a non-positive value: the argument lies in {}", show(.0))]
    LnOfNonPositive(Enclosure),
    /// The argument of a square root may be negative.
    #[error("NaN possible: the argument of sqrt lies in {}", show(.0))]
    SqrtOfNegative(Enclosure),
    /// The bound of a clamp may be negative.
    #[error("the bound of clamp may be negative: it lies in {}", show(.0))]
    NegativeBound(Enclosure),
    /// The grid of a rounding is finer or coarser than the floats.
    #[error("the grid 2^{0} lies outside of the format's numbers")]
    GridOutsideFormat(i64),
    /// A library function is declared to be better than any, or so bad that its values may be infinite.
    #[error("a library function of {0} ulp: the accuracy must lie between 1/2 and 2^20")]
    Accuracy(Box<Rational>),
    /// No float lies in the range of an input.
    #[error("no float lies in the range of `{0}`")]
    EmptyRange(String),
}

/// An interval in decimals, rounded outward.
fn show(range: &Enclosure) -> String {
    let [lo, hi] = [(range.lo(), Rounding::Down), (range.hi(), Rounding::Up)]
        .map(|(end, rounding)| Rational::from(end).to_decimal(6, rounding));
    format!("[{lo}, {hi}]")
}
