//! The shape of program that ENDPT is about.

use lastbit_lang::{Format, Input, InputKind, NodeId, Op, StraightLine, Tie};
use lastbit_real::{Dyadic, Enclosure, Rational, Rounding};

use super::{EndpointError, FloatSnap, Noise, NoiseError, Sampler};
use crate::boxes::whole_box;
use crate::rules::Rules;

/// `clamp_B(⌊clamp_B(f) ⊕ s ⊗ y(u)⌉_Λ)`, found in a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The node of `y`, whose relative error is what the bounds start from.
    pub y: NodeId,
    /// How it is computed, with `c`.
    pub noise: Noise,
    /// The input `u`.
    pub u: NodeId,
    /// The input `s`.
    pub s: NodeId,
    /// The node of `x = clamp_B(f)`.
    pub x: NodeId,
    /// The input `f`.
    pub f: NodeId,
    /// `log2 Λ`.
    pub exponent: i64,
    /// Where ties of the rounding go.
    pub tie: Tie,
    /// `B`.
    pub bound: f64,
}

impl Shape {
    /// The mechanism, with this sampler for `u`.
    ///
    /// # Errors
    /// Those of [`FloatSnap::new`].
    pub fn mechanism(&self, sampler: Sampler) -> Result<FloatSnap, EndpointError> {
        Ok(FloatSnap::new(self.noise.clone(), self.bound, Some(self.exponent), self.tie, sampler)?)
    }
}

/// A node is not what the shape needs there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ShapeError {
    /// The node.
    pub node: NodeId,
    /// What it should be.
    pub reason: ShapeReason,
}

/// What the shape needs, and a node is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeReason {
    /// The format is another.
    #[error("the snapping mechanism is analysed in binary64 only")]
    Binary64,
    /// The result.
    #[error("the result must be clamp_B of a rounding to a grid")]
    OuterClamp,
    /// Its argument.
    #[error("clamp_B must be applied to a rounding to a power-of-two grid")]
    Rounding,
    /// The argument of the rounding.
    #[error("what is rounded to the grid must be the sum of clamp_B(f) and s·y(u)")]
    Sum,
    /// The value, which must be clamped first.
    #[error("the value must be clamped before noise is added: without it, the loss is infinite")]
    InnerClamp,
    /// What is clamped first.
    #[error(
        "the clamped value must be an input that is a float: the rounding of a real number would move it"
    )]
    Value,
    /// The two bounds.
    #[error("both clamps must have the same bound")]
    SameBound,
    /// A parameter.
    #[error("this must be a constant: for a parameter with a range, see Theorem A")]
    Constant,
    /// The bound.
    #[error("the bound must be a double")]
    Double,
    /// `s·y`.
    #[error("the noise must be a product of a sign s = ±1 and y(u)")]
    SignTimesNoise,
    /// `y`.
    #[error("y(u) must be ln(u)/ε, λ·ln(u) or ln(u)")]
    Noise,
    /// `u`.
    #[error("the logarithm must be of an input u, a float in (0, 1)")]
    Uniform,
}

struct Reader<'a>(&'a StraightLine);

impl Reader<'_> {
    fn op(&self, node: NodeId) -> &Op {
        &self.0.nodes[node].op
    }

    fn input(&self, node: NodeId) -> Option<&Input> {
        match *self.op(node) {
            Op::Input(place) => self.0.inputs.get(place),
            _ => None,
        }
    }

    /// A constant, or an input that has one value.
    fn constant(&self, node: NodeId) -> Option<Rational> {
        match self.op(node) {
            Op::Const(value) => Some(value.clone()),
            Op::Neg(arg) => self.constant(*arg).map(|value| -value),
            _ => self.input(node).filter(|input| input.lo == input.hi).map(|input| input.lo.clone()),
        }
    }

    fn required_constant(&self, node: NodeId) -> Result<Rational, ShapeError> {
        self.constant(node).ok_or(ShapeError { node, reason: ShapeReason::Constant })
    }

    fn is_sign(&self, node: NodeId) -> bool {
        self.input(node).is_some_and(|input| input.kind == InputKind::Sign)
    }

    /// The node of `u` in `ln(u)`.
    fn logarithm(&self, node: NodeId) -> Option<Result<NodeId, ShapeError>> {
        let Op::Ln(u) = *self.op(node) else { return None };
        let uniform = self.input(u).is_some_and(|input| {
            input.kind == InputKind::Float && !input.lo.is_negative() && input.hi <= Rational::ONE
        });
        Some(if uniform { Ok(u) } else { Err(ShapeError { node: u, reason: ShapeReason::Uniform }) })
    }

    /// `y(u)`: how it is computed, and the node of `u`.
    fn noise(&self, node: NodeId) -> Result<(Noise, NodeId), ShapeError> {
        if let Some(u) = self.logarithm(node) {
            return Ok((Noise::Multiplied { scale: Rational::ONE }, u?));
        }
        match *self.op(node) {
            Op::Div(ln, divisor) => {
                if let Some(u) = self.logarithm(ln) {
                    return Ok((Noise::Divided { epsilon: self.required_constant(divisor)? }, u?));
                }
            }
            Op::Mul(a, b) => {
                for (ln, factor) in [(a, b), (b, a)] {
                    if let Some(u) = self.logarithm(ln) {
                        return Ok((Noise::Multiplied { scale: self.required_constant(factor)? }, u?));
                    }
                }
            }
            _ => {}
        }
        Err(ShapeError { node, reason: ShapeReason::Noise })
    }
}

/// Finds the shape of the snapping mechanism.
///
/// # Errors
/// [`ShapeError`] names the first node that does not fit.
pub fn recognise(program: &StraightLine) -> Result<Shape, ShapeError> {
    let reader = Reader(program);
    let fail = |node, reason| Err(ShapeError { node, reason });
    let result = program.result;
    if program.format != Format::Binary64 {
        return fail(result, ShapeReason::Binary64);
    }
    let Op::Clamp { arg: rounded, bound: outer } = *reader.op(result) else {
        return fail(result, ShapeReason::OuterClamp);
    };
    let Op::Round { arg: sum, exponent, tie } = *reader.op(rounded) else {
        return fail(rounded, ShapeReason::Rounding);
    };
    let Op::Add(a, b) = *reader.op(sum) else {
        return fail(sum, ShapeReason::Sum);
    };
    let is_clamp = |node| matches!(reader.op(node), Op::Clamp { .. });
    let (x, noise) = if is_clamp(b) && !is_clamp(a) { (b, a) } else { (a, b) };
    let Op::Clamp { arg: f, bound: inner } = *reader.op(x) else {
        return fail(x, ShapeReason::InnerClamp);
    };
    let is_float = |input: &Input| matches!(input.kind, InputKind::Float | InputKind::Integer);
    if !reader.input(f).is_some_and(is_float) {
        return fail(f, ShapeReason::Value);
    }
    let bound = reader.required_constant(outer)?;
    if reader.required_constant(inner)? != bound {
        return fail(inner, ShapeReason::SameBound);
    }
    let double = bound.to_f64(Rounding::Nearest);
    if Rational::try_from(double).ok() != Some(bound) {
        return fail(outer, ShapeReason::Double);
    }
    let (s, y) = match *reader.op(noise) {
        Op::Mul(s, y) if reader.is_sign(s) => (s, y),
        Op::Mul(y, s) if reader.is_sign(s) => (s, y),
        _ => return fail(noise, ShapeReason::SignTimesNoise),
    };
    let (noise, u) = reader.noise(y)?;
    if reader.op(u) == reader.op(f) {
        return fail(u, ShapeReason::Uniform);
    }
    Ok(Shape { y, noise, u, s, x, f, exponent, tie, bound: double })
}

/// The error of the noise, by the derivation of the program's own `y`, for every double `u` of (0, 1): a narrower range that the
/// program declares would give a bound that the samplers' other values need not keep.
///
/// # Errors
/// [`EndpointError::NoRelativeError`] if the rules refuse it, or know no relative error.
pub fn noise_error(program: &StraightLine, shape: &Shape) -> Result<NoiseError, EndpointError> {
    let refused = |reason: String| EndpointError::NoRelativeError { reason };
    let mut inputs = whole_box(program).map_err(|(_, reason)| refused(reason.to_string()))?;
    if let Op::Input(u) = program.nodes[shape.u].op {
        let below_one = &Dyadic::ONE - &Dyadic::pow2(-program.format.precision());
        let unit = Enclosure::new(Sampler::Ulp.least(), below_one).expect("in order");
        inputs[u] = inputs[u].hull(&unit);
    }
    let judgement = Rules::new(program).derive(&inputs).swap_remove(shape.y);
    let relative = judgement.map_err(|refusal| refused(refusal.to_string()))?.relative;
    let relative = relative.ok_or_else(|| refused("the noise may be 0 or underflow".into()))?;
    Ok(NoiseError { relative: Rational::from(&relative) })
}
