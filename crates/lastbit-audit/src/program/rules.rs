//! How the value of an operation changes as a variable grows.
//!
//! The operations of floats that IEEE 754 rounds correctly are the real operation followed by a rounding. Rounding to nearest never
//! decreases, so a real operation that is weakly monotone in an operand, the others fixed, stays so in floats. If an operation is
//! monotone in each operand, and each operand moves in the direction in which it carries the result the same way, then so does the
//! result: move them one after the other.
//!
//! That is so of numbers, and of the zeros as well: in the order of all floats, where `-0` is less than `+0`, and in which outputs are
//! walked through. A monotone function takes what is not a zero to either side of both zeros or to the zero of its own side, so that
//! what is left to look at is the sign of a zero.
//!
//! - `-a` flips the sign bit, which reverses the order of all floats.
//! - `|a|` clears it: both zeros go to `+0`, the least of what comes out.
//! - `a + b`, `b` fixed. A sum of floats underflows to 0 only if it is 0. If `b` is not 0 then the sum is 0 at one `a` only, `-b`, where it is
//!   `+0`, with negative numbers before and positive ones after. If `b` is `+0` then both zeros go to `+0`; if `b` is `-0` then the sum is `a`.
//! - `a - b` is `a + (-b)`, also of zeros.
//! - `a·b` has the sign bits' difference as its sign, whatever is lost to underflow, and a magnitude that grows with `|a|` and `|b|`. If `b` has
//!   the sign `+` then what has the sign `-` stays below what has `+`. So *the sign bit* of the other factor must be fixed, not only the
//!   sign of the number: for `b = -0`, `a·b` is `+0` for negative and `-0` for positive `a`, and falls.
//! - `a/b`, where `b` is not 0: the same.
//! - `a·b + c`, rounded once, is a function of the exact product `p`, which has a sign even if it is 0 and is monotone as above, and of `c`. The exact
//!   sum grows with both; if it is negative then what it rounds to is `-0` at most, if positive `+0` at least. If it is 0 with `p` and `c`
//!   not 0, then the result is `+0`, between these. If both are zeros then it is `-0` if both have the sign `-`, and else `+0`: it grows
//!   with both.
//! - The square root of `-0` is `-0`, and that of `+0` is `+0`. Where the logarithm is 0 it is `+0`, at 1 only; no exponential is `-0`.
//! - The minimum and the maximum are those of the order of all floats.
//! - Clamping leaves what is between the bounds as it is, and else gives the bound with the sign of `a`, so that `-0` and `+0`
//!   for a bound of 0.
//! - Rounding to a grid gives `+0` wherever it gives 0.
//! - A choice is monotone if its branches are, and its jump goes their way, also if it is one from zero to zero. Its condition
//!   compares numbers: what is monotone in the order of all floats is so as a number.

use lastbit_lang::{NodeId, Op};

use super::number::Number;

/// How a value changes as a variable grows, weakly: an increasing one may stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    /// Not at all.
    Constant,
    /// The value never decreases.
    Increasing,
    /// The value never increases.
    Decreasing,
}

use Direction::{Constant, Decreasing, Increasing};

impl Direction {
    /// That of the negated value.
    pub(crate) fn reversed(self) -> Direction {
        match self {
            Constant => Constant,
            Increasing => Decreasing,
            Decreasing => Increasing,
        }
    }

    /// The direction of what both carry with them, unless they pull in opposite ones.
    pub(crate) fn with(self, other: Direction) -> Option<Direction> {
        match (self, other) {
            (Constant, direction) | (direction, Constant) => Some(direction),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// The reason why an operation is not known to be monotone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// One operand makes the value grow, another makes it shrink.
    #[error("its operands pull in opposite directions")]
    Opposite,
    /// The effect of an operand depends on the sign of another, or its own, which changes.
    #[error("the sign of an operand changes")]
    MixedSign,
    /// A condition may change its truth more than once.
    #[error("its condition may change more than once")]
    Condition,
    /// A choice whose condition depends on a library function that is only known up to an error.
    #[error("its condition depends on a library function that is not correctly rounded")]
    LibraryCondition,
    /// A choice jumps against the direction of its branches.
    #[error("where the condition changes, the value jumps against the direction of the branches")]
    Jump,
    /// An operation that has no value at an end of the range.
    #[error("it has no value at an end of the range of u")]
    Undefined,
}

/// What is known of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<F> {
    /// How it changes with the variable.
    pub(crate) direction: Direction,
    /// Its least and its greatest value, in the order of all floats.
    pub(crate) range: [F; 2],
}

impl<F: Number> Operand<F> {
    /// Its direction where the result is multiplied by a float of `factor`'s sign bit: the rule for products.
    fn times_sign_of(self, factor: Operand<F>) -> Result<Direction, Reason> {
        match (self.direction, factor.range.map(F::has_minus_sign)) {
            (Constant, _) => Ok(Constant),
            (direction, [false, false]) => Ok(direction),
            (direction, [true, true]) => Ok(direction.reversed()),
            _ => Err(Reason::MixedSign),
        }
    }

    /// The direction of its absolute value, to which the sign of a zero does not matter.
    fn absolute(self) -> Result<Direction, Reason> {
        let zero = F::from_i128(0, 0);
        let [least, greatest] = self.range;
        match self.direction {
            Constant => Ok(Constant),
            direction if least >= zero => Ok(direction),
            direction if greatest <= zero => Ok(direction.reversed()),
            _ => Err(Reason::MixedSign),
        }
    }

    fn excludes_zero(self) -> bool {
        let zero = F::from_i128(0, 0);
        self.range[0] > zero || self.range[1] < zero
    }

    fn reversed(self) -> Operand<F> {
        Operand { direction: self.direction.reversed(), ..self }
    }
}

fn both(a: Direction, b: Direction) -> Result<Direction, Reason> {
    a.with(b).ok_or(Reason::Opposite)
}

/// `a·b`: growing `a` carries the product along where `b` has the sign `+`, and back where it has `-`; and the same with `a` and `b` exchanged.
fn product<F: Number>(a: Operand<F>, b: Operand<F>) -> Result<Direction, Reason> {
    both(a.times_sign_of(b)?, b.times_sign_of(a)?)
}

/// The direction of an operation other than an input or a choice, from those of its operands.
///
/// The operands must have values over the whole range.
pub(crate) fn operation<F: Number>(op: &Op, of: &dyn Fn(NodeId) -> Operand<F>) -> Result<Direction, Reason> {
    let direction = |id: NodeId| of(id).direction;
    match *op {
        Op::Const(_) | Op::Input(_) | Op::Select { .. } => Ok(Constant),
        // Exact, and -a falls as a grows.
        Op::Neg(a) => Ok(direction(a).reversed()),
        Op::Abs(a) => of(a).absolute(),
        // A sum grows with both terms.
        Op::Add(a, b) => both(direction(a), direction(b)),
        // a - b is a + (-b).
        Op::Sub(a, b) => both(direction(a), direction(b).reversed()),
        Op::Mul(a, b) => product(of(a), of(b)),
        // a·(1/b): on either side of 0, 1/b has the sign of b and falls as b grows.
        Op::Div(a, b) if of(b).excludes_zero() => product(of(a), of(b).reversed()),
        Op::Div(..) => Err(Reason::MixedSign),
        // The real product and sum, rounded once.
        Op::Fma(a, b, c) => both(product(of(a), of(b))?, direction(c)),
        // Increasing functions, correctly rounded; moving all results by the same number of floats keeps their order.
        Op::Sqrt(a) | Op::Ln(a) | Op::Exp(a) => Ok(direction(a)),
        // The smaller of two growing numbers grows, and the larger.
        Op::Min(a, b) | Op::Max(a, b) => both(direction(a), direction(b)),
        // max(-bound, min(arg, bound)), but for the zeros of a bound of 0.
        Op::Clamp { arg, bound } => {
            both(both(direction(arg), direction(bound))?, direction(bound).reversed())
        }
        // Ties go up, or away from zero, or to even: each multiple of the grid takes an interval.
        Op::Round { arg, .. } => Ok(direction(arg)),
    }
}

/// The direction of `lhs - rhs`, on the sign of which a comparison depends.
pub(crate) fn condition(lhs: Direction, rhs: Direction) -> Result<Direction, Reason> {
    lhs.with(rhs.reversed()).ok_or(Reason::Condition)
}

/// The direction of a choice between two branches whose condition changes once, with the values before and after that.
pub(crate) fn switch<F: Number>(
    first: Direction,
    second: Direction,
    [before, after]: [F; 2],
) -> Result<Direction, Reason> {
    let jump = match before.place().cmp(&after.place()) {
        std::cmp::Ordering::Less => Increasing,
        std::cmp::Ordering::Greater => Decreasing,
        std::cmp::Ordering::Equal => Constant,
    };
    both(first, second)?.with(jump).ok_or(Reason::Jump)
}
