//! `e_F`: the float reading, bit for bit.
//!
//! `-0` and `+0` are two floats: they compare as equal, but whoever sees the bits can tell them apart. Every operation has a zero
//! of a definite sign, that of `docs/language.md`.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::{Comparison, Format, InputKind, Node, NodeId, Op, StraightLine};
use lastbit_real::{Float, Rational, Rounding, exp_f64, ln_f64};

use super::libm::{Function, correctly_rounded};
use super::{EvalError, LibmModel, grid, libm};

/// A float with the operations that IEEE 754 rounds correctly, correctly rounded `ln` and `exp`, and the operations of the language
/// that do not round, with the signs of their zeros.
pub trait MachineFloat:
    Float + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The square root.
    fn square_root(self) -> Self;
    /// `self · b + c`, rounded once.
    fn fused_multiply_add(self, b: Self, c: Self) -> Self;
    /// The float nearest to the natural logarithm of a finite positive number; NaN below zero.
    fn nearest_ln(self) -> Self;
    /// The float nearest to the exponential of a finite number.
    fn nearest_exp(self) -> Self;
    /// Whether its sign bit is set: of `-0`, too.
    fn has_minus_sign(self) -> bool;
    /// Without its sign bit: `+0` of both zeros.
    fn absolute(self) -> Self;

    /// The float nearest to a number. Numbers have no sign but that of what they are: one that is 0, or rounds to it, is `+0`.
    fn of_number(value: &Rational) -> Self {
        Self::from_rational(value, Rounding::Nearest) + zero()
    }

    /// IEEE 754's `minimum`: of the two zeros, `-0` is the smaller.
    ///
    /// The usual `if b < a { b } else { a }` is not monotone in `a` where `b` is `-0`: it is `+0` of `+0`, and `-0` of what is larger.
    fn minimum(self, other: Self) -> Self {
        if self < other || (self == other && self.has_minus_sign()) { self } else { other }
    }

    /// IEEE 754's `maximum`: of the two zeros, `+0` is the larger.
    fn maximum(self, other: Self) -> Self {
        if self > other || (self == other && !self.has_minus_sign()) { self } else { other }
    }

    /// What lies in `[-bound, bound]` as it is, `-0` included; else the bound with the sign of `self`.
    fn clamped(self, bound: Self) -> Self {
        let bound = bound.absolute();
        if self > bound {
            bound
        } else if self < -bound {
            -bound
        } else {
            self
        }
    }
}

fn zero<F: Float>() -> F {
    F::from_i128(0, 0)
}

impl MachineFloat for f64 {
    fn square_root(self) -> f64 {
        self.sqrt()
    }
    fn fused_multiply_add(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
    fn nearest_ln(self) -> f64 {
        ln_f64(self)
    }
    fn nearest_exp(self) -> f64 {
        exp_f64(self)
    }
    fn has_minus_sign(self) -> bool {
        self.is_sign_negative()
    }
    fn absolute(self) -> f64 {
        self.abs()
    }
}

impl MachineFloat for f32 {
    fn square_root(self) -> f32 {
        self.sqrt()
    }
    fn fused_multiply_add(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
    fn nearest_ln(self) -> f32 {
        rounded_once(ln_f64(self.into()))
            .unwrap_or_else(|| correctly_rounded(Function::Ln, self).unwrap_or(f32::NAN))
    }
    fn nearest_exp(self) -> f32 {
        rounded_once(exp_f64(self.into()))
            .unwrap_or_else(|| correctly_rounded(Function::Exp, self).unwrap_or(f32::NAN))
    }
    fn has_minus_sign(self) -> bool {
        self.is_sign_negative()
    }
    fn absolute(self) -> f32 {
        self.abs()
    }
}

/// The `f32` nearest to a number of which this is the nearest double, where that is enough to tell.
///
/// The number lies between the double's two neighbours. Rounding is monotone: if both go to the same `f32`, so does the number.
/// They differ next to a midpoint of two `f32` only, about once in 2²⁸ times.
fn rounded_once(nearest: f64) -> Option<f32> {
    let [below, above] = [nearest.next_down(), nearest.next_up()].map(|neighbour| neighbour as f32);
    (below == above).then_some(nearest as f32)
}

/// The float value of the result, as an exact number, in the program's own format.
pub fn eval_float_exact(
    program: &StraightLine,
    inputs: &[Rational],
    model: LibmModel,
) -> Result<Rational, EvalError> {
    fn of<F: MachineFloat>(
        program: &StraightLine,
        inputs: &[Rational],
        model: LibmModel,
    ) -> Result<Rational, EvalError> {
        let float: F = eval_float(program, inputs, model)?;
        let dyadic = float.to_dyadic().map_err(|_| EvalError::Overflow { node: program.result })?;
        Ok(Rational::from(dyadic))
    }
    match program.format {
        Format::Binary64 => of::<f64>(program, inputs, model),
        Format::Binary32 => of::<f32>(program, inputs, model),
    }
}

/// The float value of the result, computed in `F` whatever the program's own format is.
pub fn eval_float<F: MachineFloat>(
    program: &StraightLine,
    inputs: &[Rational],
    model: LibmModel,
) -> Result<F, EvalError> {
    eval_float_nodes(program, inputs, model)?.swap_remove(program.result)
}

/// The float values of all nodes.
pub fn eval_float_nodes<F: MachineFloat>(
    program: &StraightLine,
    inputs: &[Rational],
    model: LibmModel,
) -> Result<Vec<Result<F, EvalError>>, EvalError> {
    if inputs.len() != program.inputs.len() {
        return Err(EvalError::InputCount { expected: program.inputs.len(), found: inputs.len() });
    }
    let mut evaluator = Evaluator { program, inputs, model, values: Vec::with_capacity(program.nodes.len()) };
    for (id, node) in program.nodes.iter().enumerate() {
        let value = evaluator.node(id, node).and_then(|value| finite(id, value));
        evaluator.values.push(value);
    }
    Ok(evaluator.values)
}

struct Evaluator<'p, F> {
    program: &'p StraightLine,
    inputs: &'p [Rational],
    model: LibmModel,
    values: Vec<Result<F, EvalError>>,
}

/// Operands are finite and domains checked, so that what is not finite has overflowed.
fn finite<F: Float>(node: NodeId, value: F) -> Result<F, EvalError> {
    if Float::is_finite(value) { Ok(value) } else { Err(EvalError::Overflow { node }) }
}

impl<F: MachineFloat> Evaluator<'_, F> {
    fn node(&self, id: NodeId, node: &Node) -> Result<F, EvalError> {
        Ok(match node.op {
            Op::Input(input) => self.input(input)?,
            Op::Const(ref value) => F::of_number(value),
            Op::Neg(a) => -self.value(a)?,
            Op::Abs(a) => self.value(a)?.absolute(),
            Op::Add(a, b) => self.value(a)? + self.value(b)?,
            Op::Sub(a, b) => self.value(a)? - self.value(b)?,
            Op::Mul(a, b) => self.value(a)? * self.value(b)?,
            Op::Div(a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                if b == zero() {
                    return Err(EvalError::DivisionByZero { node: id });
                }
                a / b
            }
            Op::Fma(a, b, c) => self.value(a)?.fused_multiply_add(self.value(b)?, self.value(c)?),
            Op::Sqrt(a) => {
                let a = self.value(a)?;
                if a < zero() {
                    return Err(EvalError::SqrtOfNegative { node: id });
                }
                a.square_root()
            }
            Op::Ln(a) => {
                let a = self.value(a)?;
                if a <= zero() {
                    return Err(EvalError::LnOfNonPositive { node: id });
                }
                libm::apply(Function::Ln, a, a.nearest_ln(), &self.program.libm.ln, self.model)
            }
            Op::Exp(a) => {
                let a = self.value(a)?;
                libm::apply(Function::Exp, a, a.nearest_exp(), &self.program.libm.exp, self.model)
            }
            Op::Min(a, b) => self.value(a)?.minimum(self.value(b)?),
            Op::Max(a, b) => self.value(a)?.maximum(self.value(b)?),
            Op::Clamp { arg, bound } => {
                let bound = self.value(bound)?;
                if bound < zero() {
                    return Err(EvalError::NegativeBound { node: id });
                }
                self.value(arg)?.clamped(bound)
            }
            Op::Round { arg, exponent, tie } => {
                if !grid::is_supported(exponent) {
                    return Err(EvalError::Grid { node: id });
                }
                let value = self.value(arg)?.to_dyadic().map_err(|_| EvalError::Overflow { node: id })?;
                // The multiple has no more significant bits than the float: it is a float, or overflows. It is a number, whose
                // zero is +0.
                F::from_dyadic(&grid::round(&value, exponent, tie), Rounding::Nearest)
            }
            Op::Select { test, lhs, rhs, then, otherwise } => {
                let (lhs, rhs) = (self.value(lhs)?, self.value(rhs)?);
                let holds = match test {
                    Comparison::Less => lhs < rhs,
                    Comparison::LessOrEqual => lhs <= rhs,
                    Comparison::Equal => lhs == rhs,
                };
                self.value(if holds { then } else { otherwise })?
            }
        })
    }

    fn value(&self, id: NodeId) -> Result<F, EvalError> {
        self.values[id].clone()
    }

    fn input(&self, input: usize) -> Result<F, EvalError> {
        let (Some(declared), Some(value)) = (self.program.inputs.get(input), self.inputs.get(input)) else {
            return Err(EvalError::InputCount { expected: input + 1, found: self.inputs.len() });
        };
        let float = F::of_number(value);
        let is_exact = float.to_dyadic().is_ok_and(|dyadic| dyadic.cmp_rational(value).is_eq());
        if is_exact || declared.kind == InputKind::Real {
            Ok(float)
        } else {
            Err(EvalError::InputNotFloat { name: declared.name.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the enclosures, which know nothing of doubles.
    #[test]
    fn single_precision_is_correctly_rounded() {
        let last = f32::MAX.to_bits();
        for bits in (1..last).step_by(last as usize / 4000).chain([1, 2, 1f32.to_bits(), last]) {
            let x = f32::from_bits(bits);
            assert_eq!(Some(x.nearest_ln()), correctly_rounded(Function::Ln, x), "ln {x:e}");
            for x in [x, -x] {
                assert_eq!(Some(x.nearest_exp()), correctly_rounded(Function::Exp, x), "exp {x:e}");
            }
        }
        assert!((-1f32).nearest_ln().is_nan());
    }

    /// Next to a midpoint the double does not tell.
    #[test]
    fn midpoints_are_left_to_the_enclosures() {
        let midpoint = 1.0 + 2f64.powi(-24);
        for undecided in [midpoint, midpoint.next_up()] {
            assert_eq!(rounded_once(undecided), None);
        }
        assert_eq!(rounded_once(midpoint.next_up().next_up()), Some(1f32.next_up()));
        assert_eq!(rounded_once(f64::INFINITY), Some(f32::INFINITY));
        assert_eq!(rounded_once(0.0), Some(0.0));
    }
}
