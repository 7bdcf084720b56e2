//! A language for noise mechanisms.
//!
//! [`StraightLine`] is the part that the floating-point error semantics reads: an expression over the reals and, operation by
//! operation, over floats.

#![forbid(unsafe_code)]

mod diagnostic;
mod straight;

pub use diagnostic::{Diagnostic, Span};
pub use straight::{
    Accuracy, Comparison, Format, Input, InputKind, Libm, Node, NodeId, Op, StraightLine, Tie,
};
