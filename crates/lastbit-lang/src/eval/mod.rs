//! Both readings of an expression at given inputs: the real one enclosed as tightly as asked, the float one bit for bit.
//!
//! A choice reads its condition and the branch that it takes; what the other branch would have run into does not matter. That is
//! why every node has a result of its own.
//!
//! ```
//! use lastbit_lang::fpcore;
//! use lastbit_lang::eval::{LibmModel, eval_float, eval_real};
//! use lastbit_real::Rational;
//!
//! let mut programs = fpcore::read("(FPCore (x) :pre (<= 1 x 2) (/ 1 (+ x 2)))");
//! let program = programs.remove(0)?;
//! let inputs = [Rational::ONE];
//! let float: f64 = eval_float(&program, &inputs, LibmModel::Nearest)?;
//! assert_eq!(float, 1.0 / 3.0);
//! let third = Rational::new(1, 3).expect("3 is not zero");
//! assert!(eval_real(&program, &inputs, 100)?.contains(&third));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod float;
pub mod grid;
mod libm;
mod real;
mod value;

use crate::NodeId;
use thiserror::Error;

pub use float::{MachineFloat, eval_float, eval_float_exact, eval_float_nodes};
pub use libm::LibmModel;
pub use real::{eval_real, eval_real_nodes, eval_real_value};
pub use value::RealValue;

/// The reason why an expression has no value at an input.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The wrong number of inputs was given.
    #[error("the program has {expected} inputs, and {found} were given")]
    InputCount {
        /// The number that the program has.
        expected: usize,
        /// The number of inputs that were given.
        found: usize,
    },
    /// An input that has to be a float of the format is none.
    #[error("the input {name} is not a float of the format")]
    InputNotFloat {
        /// Its name.
        name: String,
    },
    /// A division by zero.
    #[error("node {node} divides by zero")]
    DivisionByZero {
        /// The quotient.
        node: NodeId,
    },
    /// The logarithm of a number that is not positive.
    #[error("node {node} is the logarithm of a number that is not positive")]
    LnOfNonPositive {
        /// The logarithm.
        node: NodeId,
    },
    /// The square root of a negative number.
    #[error("node {node} is the square root of a negative number")]
    SqrtOfNegative {
        /// The root.
        node: NodeId,
    },
    /// A clamp to the empty interval.
    #[error("node {node} clamps with a negative bound")]
    NegativeBound {
        /// The clamp.
        node: NodeId,
    },
    /// The float is infinite, or the real number larger than what is computed with.
    #[error("node {node} overflows")]
    Overflow {
        /// The node that overflows.
        node: NodeId,
    },
    /// A grid whose step is not within `2^±1048576`.
    #[error("node {node} rounds to a grid that is too fine or too coarse to compute with")]
    Grid {
        /// The rounding.
        node: NodeId,
    },
    /// The real value is too close to where a node changes its course, or to zero, to tell with so many bits.
    #[error("node {node} is not decided with {bits} bits")]
    Undecided {
        /// The node.
        node: NodeId,
        /// The working precision.
        bits: u32,
    },
}
