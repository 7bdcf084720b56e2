//! The shape of program that ENDPT is about.

use lastbit_audit::Sampler;
use lastbit_lang::{Format, Input, InputKind, Law, NodeId, Op, Role, StraightLine, Tie};
use lastbit_real::{Rational, Rounding};

use super::broken::{self, Tie as TextTie};
use super::{EndpointError, FloatSnap, Noise, NoiseError};
use crate::boxes::whole_box;
use crate::rules::Rules;

/// `clamp_B(⌊clamp_B(f) ⊕ s ⊗ y(u)⌉_Λ)`, found in a program.
///
/// Every node of the program has its place in the shape, so that `u` and `s` are used nowhere else, and nothing private is used
/// but `f`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnappingShape {
    /// The node of `y`, whose relative error is what the bounds start from.
    pub y: NodeId,
    /// The operation that makes `y` of `ln u`.
    pub scale: Scale,
    /// The sample `u`.
    pub u: NodeId,
    /// The sampler of `u`.
    pub sampler: Sampler,
    /// The sample `s`.
    pub s: NodeId,
    /// The node of `x = clamp_B(f)`.
    pub x: NodeId,
    /// The argument `f`.
    pub f: NodeId,
    /// The node of the rounding.
    pub rounding: NodeId,
    /// `log2 Λ`.
    pub exponent: i64,
    /// The direction in which ties are rounded.
    pub tie: Tie,
    /// `B`.
    pub bound: NodeId,
}

/// The operation that scales the logarithm, with the node of the public number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// `ln(u) / ε`
    Divided(NodeId),
    /// `λ · ln(u)`
    Multiplied(NodeId),
    /// `ln(u)`
    One,
}

/// A number that is the same in both runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Public {
    /// A number.
    Number(Rational),
    /// A parameter without a value, by its name.
    Parameter(String),
}

/// A node is not what the shape needs there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct ShapeError {
    /// The node.
    pub node: NodeId,
    /// The requirement that the node does not meet.
    pub reason: ShapeReason,
}

/// The reason why a node does not fit the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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
    /// The argument of the first clamp.
    #[error(
        "what is clamped must be an argument that is a float, as it is: the rounding of anything made of it would move it"
    )]
    Value,
    /// The two bounds.
    #[error("both clamps must have the same bound")]
    SameBound,
    /// A parameter without a value.
    #[error("this parameter has no value")]
    NoValue,
    /// A number that the runs may not share.
    #[error("this must be a constant or a parameter: the noise and the bounds are public")]
    Public,
    /// The bound.
    #[error("the bound must be a double")]
    Double,
    /// `s·y`.
    #[error("the noise must be the product of a sample s <$ sign and y(u)")]
    SignTimesNoise,
    /// `s`, which is not drawn.
    #[error("this sign must be drawn: s <$ sign")]
    Sign,
    /// `y`.
    #[error("y(u) must be ln(u)/ε, λ·ln(u) or ln(u)")]
    Noise,
    /// `u`, which is not drawn.
    #[error("the logarithm must be of a sample: u <$ unif(0,1)")]
    Uniform,
}

impl SnappingShape {
    /// The mechanism.
    ///
    /// # Errors
    /// [`ShapeReason::NoValue`] or [`ShapeReason::Double`] if a parameter is open or no double; those of [`FloatSnap::new`].
    pub fn mechanism(&self, program: &StraightLine) -> Result<FloatSnap, EndpointError> {
        let reader = Reader(program);
        let number = |node: NodeId, tie| match reader.public(node, tie) {
            Ok(Public::Number(value)) => Ok(value),
            Ok(Public::Parameter(_)) => Err(ShapeError { node, reason: ShapeReason::NoValue }),
            Err(error) => Err(error),
        };
        let noise = match self.scale {
            Scale::Divided(node) => Noise::Divided { epsilon: number(node, TextTie::PublicScale)? },
            Scale::Multiplied(node) => Noise::Multiplied { scale: number(node, TextTie::PublicScale)? },
            Scale::One => Noise::Multiplied { scale: Rational::ONE },
        };
        let bound = number(self.bound, TextTie::PublicBound)?;
        let double = bound.to_f64(Rounding::Nearest);
        if Rational::try_from(double).ok() != Some(bound) {
            return Err(ShapeError { node: self.bound, reason: ShapeReason::Double }.into());
        }
        Ok(FloatSnap::new(noise, double, Some(self.exponent), self.tie, self.sampler)?)
    }

    /// The name of the argument `f`.
    pub(crate) fn argument<'p>(&self, program: &'p StraightLine) -> &'p str {
        Reader(program).input(self.f).map_or("", |input| &input.name)
    }

    /// How the logarithm is scaled, if not by 1, and `B`.
    pub(crate) fn numbers(&self, program: &StraightLine) -> Result<(Public, Public), ShapeError> {
        let reader = Reader(program);
        let scale = match self.scale {
            Scale::Divided(node) | Scale::Multiplied(node) => reader.public(node, TextTie::PublicScale)?,
            Scale::One => Public::Number(Rational::ONE),
        };
        Ok((scale, reader.public(self.bound, TextTie::PublicBound)?))
    }
}

struct Reader<'a>(&'a StraightLine);

impl<'a> Reader<'a> {
    fn op(&self, node: NodeId) -> &'a Op {
        &self.0.nodes[node].op
    }

    fn input(&self, node: NodeId) -> Option<&'a Input> {
        match *self.op(node) {
            Op::Input(place) => self.0.inputs.get(place),
            _ => None,
        }
    }

    /// A constant, or a parameter; what asks for it is a tie.
    fn public(&self, node: NodeId, tie: TextTie) -> Result<Public, ShapeError> {
        match self.op(node) {
            Op::Const(value) => return Ok(Public::Number(value.clone())),
            Op::Neg(arg) => {
                if let Public::Number(value) = self.public(*arg, tie)? {
                    return Ok(Public::Number(-value));
                }
            }
            _ => {}
        }
        match self.input(node) {
            Some(input) if input.role == Role::Parameter && input.kind != InputKind::Real => {
                Ok(Public::Parameter(input.name.clone()))
            }
            Some(input) if broken::is_cut(tie) => Ok(Public::Number(input.hi.clone())),
            _ => Err(ShapeError { node, reason: ShapeReason::Public }),
        }
    }

    fn is_sign(&self, node: NodeId) -> bool {
        self.input(node).is_some_and(|input| input.kind == InputKind::Sign)
    }

    /// The sampler of a node that is a uniform sample.
    fn uniform(&self, node: NodeId) -> Result<Sampler, ShapeError> {
        match self.input(node).map(|input| input.role) {
            Some(Role::Sample(Law::Unif(_))) if broken::is_cut(TextTie::SamplerOfTheText) => Ok(Sampler::Ulp),
            Some(Role::Sample(Law::Unif(sampler))) => Ok(Sampler::declared(sampler, self.0.format)),
            Some(_) if broken::is_cut(TextTie::UniformIsSampled) => Ok(Sampler::Ulp),
            _ => Err(ShapeError { node, reason: ShapeReason::Uniform }),
        }
    }

    /// The node of `u` in `ln(u)`.
    fn logarithm(&self, node: NodeId) -> Option<NodeId> {
        match *self.op(node) {
            Op::Ln(u) => Some(u),
            _ => None,
        }
    }

    /// `y(u)`: how it is computed, and the node of `u`.
    fn noise(&self, node: NodeId) -> Result<(Scale, NodeId), ShapeError> {
        if let Some(u) = self.logarithm(node) {
            return Ok((Scale::One, u));
        }
        match *self.op(node) {
            Op::Div(ln, divisor) => {
                if let Some(u) = self.logarithm(ln) {
                    self.public(divisor, TextTie::PublicScale)?;
                    return Ok((Scale::Divided(divisor), u));
                }
            }
            Op::Mul(a, b) => {
                for (ln, factor) in [(a, b), (b, a)] {
                    if let Some(u) = self.logarithm(ln) {
                        self.public(factor, TextTie::PublicScale)?;
                        return Ok((Scale::Multiplied(factor), u));
                    }
                }
            }
            _ => {}
        }
        Err(ShapeError { node, reason: ShapeReason::Noise })
    }
}

/// Finds the shape of the snapping mechanism in a program that returns one number. Parameters may be open.
///
/// # Errors
/// [`ShapeError`] names the first node that does not fit.
pub fn recognise(program: &StraightLine) -> Result<SnappingShape, ShapeError> {
    let reader = Reader(program);
    let fail = |node, reason| Err(ShapeError { node, reason });
    let result = program.result;
    if program.format != Format::Binary64 {
        return fail(result, ShapeReason::Binary64);
    }
    let Op::Clamp { arg: rounding, bound: outer } = *reader.op(result) else {
        return fail(result, ShapeReason::OuterClamp);
    };
    let Op::Round { arg: sum, exponent, tie } = *reader.op(rounding) else {
        return fail(rounding, ShapeReason::Rounding);
    };
    let Op::Add(a, b) = *reader.op(sum) else {
        return fail(sum, ShapeReason::Sum);
    };
    let is_clamp = |node| matches!(reader.op(node), Op::Clamp { .. });
    let (x, noise) = if is_clamp(b) && !is_clamp(a) { (b, a) } else { (a, b) };
    let Op::Clamp { arg: f, bound: inner } = *reader.op(x) else {
        return fail(x, ShapeReason::InnerClamp);
    };
    let f = value(&reader, f)?;
    let [first, second] = [outer, inner].map(|node| reader.public(node, TextTie::PublicBound));
    if first? != second? && !broken::is_cut(TextTie::OneBound) {
        return fail(x, ShapeReason::SameBound);
    }
    let (s, y) = match *reader.op(noise) {
        Op::Mul(s, y) if reader.is_sign(s) => (s, y),
        Op::Mul(y, s) if reader.is_sign(s) => (s, y),
        _ => return fail(noise, ShapeReason::SignTimesNoise),
    };
    let is_drawn = reader.input(s).is_some_and(|input| input.role == Role::Sample(Law::Sign));
    if !is_drawn && !broken::is_cut(TextTie::SignIsSampled) {
        return fail(s, ShapeReason::Sign);
    }
    let (scale, u) = reader.noise(y)?;
    let sampler = reader.uniform(u)?;
    Ok(SnappingShape { y, scale, u, sampler, s, x, f, rounding, exponent, tie, bound: outer })
}

/// The argument that is clamped, which must be a float as it is.
fn value(reader: &Reader<'_>, node: NodeId) -> Result<NodeId, ShapeError> {
    let most = Rational::pow2(reader.0.format.precision());
    let is_float = |input: &Input| match input.kind {
        InputKind::Float => true,
        // Larger integers are not all doubles.
        InputKind::Integer => input.lo >= -&most && input.hi <= most,
        InputKind::Real | InputKind::Sign => false,
    };
    match reader.input(node) {
        Some(input) if matches!(input.role, Role::Argument | Role::Query) && is_float(input) => Ok(node),
        None if broken::is_cut(TextTie::ValueIsArgument) => {
            // Whatever is made of one argument.
            reader.op(node).operands().find_map(|operand| value(reader, operand).ok())
        }
        .ok_or(ShapeError { node, reason: ShapeReason::Value }),
        _ => Err(ShapeError { node, reason: ShapeReason::Value }),
    }
}

/// The error of the noise, by the derivation of the program's own `y`, for every double `u` of (0, 1): a narrower range that the
/// program declares would give a bound that the samplers' other values need not keep.
///
/// # Errors
/// [`EndpointError::NoRelativeError`] if the rules refuse it, or know no relative error.
pub fn noise_error(program: &StraightLine, shape: &SnappingShape) -> Result<NoiseError, EndpointError> {
    let refused = |reason: String| EndpointError::NoRelativeError { reason };
    let program = of_noise(program, shape);
    let inputs = whole_box(&program).map_err(|(_, reason)| refused(reason.to_string()))?;
    let judgement = Rules::new(&program).derive(&inputs).swap_remove(shape.y);
    let relative = judgement.map_err(|refusal| refused(refusal.to_string()))?.relative;
    let relative = relative.ok_or_else(|| refused("the noise may be 0 or underflow".into()))?;
    Ok(NoiseError { relative: Rational::from(&relative) })
}

/// The program of the noise alone, on every double `u` of (0, 1).
pub(super) fn of_noise(program: &StraightLine, shape: &SnappingShape) -> StraightLine {
    let mut program = program.clone();
    program.result = shape.y;
    if let Op::Input(u) = program.nodes[shape.u].op {
        let below_one = Rational::ONE - Rational::pow2(-program.format.precision());
        let input = &mut program.inputs[u];
        input.lo = Rational::from(&Sampler::Ulp.least()).min(input.lo.clone());
        input.hi = below_one.max(input.hi.clone());
    }
    program
}
