//! The rules of `r ⇓ f : [lo, hi] ± d`.
//!
//! The judgement says: `f` is a finite float, the real value `r` lies in `[lo, hi]`, and `|f - r| <= d`; where a relative bound `ρ` is
//! known, also `|f - r| <= ρ·|r|`. A rule takes the judgements of the operands and gives the one of the operation:
//!
//! - the **range** is the interval image of the operands' ranges, rounded outward;
//! - `x` bounds what the operands' errors alone do to the exact operation (**propagation**);
//! - `p` bounds the **rounding** of its result, a number of magnitude at most `m = max|range| + x`;
//! - `d` is the smaller of `x + p` and `ρ·max|range|`.
//!
//! The table of the rules is in `docs/semantics.md`, with the reason for each. A premise that fails is a [`Refusal`].

mod arithmetic;
mod choice;
mod functions;
mod judgement;

use lastbit_lang::{Format, InputKind, NodeId, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure, Rational, Rounding};

use crate::refusal::{Reason, Refusal};
use crate::rounding::{
    RANGE_BITS, half_ulp, least_normal, nearest_ends, nearest_float, outward, rounding_bound, to_float,
    unit_roundoff, up,
};

pub(crate) use choice::{Choice, choice, select};
use choice::{max, min};
pub(crate) use judgement::Conclusion;
pub use judgement::Judgement;
use judgement::{max_abs, min_abs};

/// The rules for one program on one box of inputs.
pub(crate) struct Rules<'a> {
    program: &'a StraightLine,
    format: Format,
}

/// One judgement for each node, or why there is none.
pub(crate) type Judgements = Vec<Result<Judgement, Refusal>>;

/// What a rule gives for an operation that rounds.
struct Exact {
    range: Enclosure,
    /// The values of the operation on the floats, before rounding.
    on_floats: Enclosure,
    propagated: Dyadic,
    /// The relative error of the operation on the floats, before rounding, if the operands have one.
    relative: Option<Dyadic>,
}

/// What rounding does to an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The result is a float already.
    None,
    /// It is scaled by a negative power of two: exact where it is normal.
    Scaling,
    /// It is a sum or a root: where it is subnormal, it is exact.
    NeverUnderflows,
    /// Anything.
    Rounds,
}

impl<'a> Rules<'a> {
    /// The corrected rules.
    pub(crate) fn new(program: &'a StraightLine) -> Rules<'a> {
        Rules { program, format: program.format }
    }

    /// The judgement of every node, where input `i` lies in `inputs[i]`.
    pub(crate) fn derive(&self, inputs: &[Enclosure]) -> Judgements {
        let mut judgements = Judgements::with_capacity(self.program.nodes.len());
        for id in 0..self.program.nodes.len() {
            let judgement = self.conclude(id, inputs, &judgements);
            #[cfg(test)]
            let judgement = crate::soundness::broken::judgement(self.program, id, &judgements, judgement);
            judgements.push(judgement);
        }
        judgements
    }

    /// One step: the rule of node `id`.
    fn conclude(&self, id: NodeId, inputs: &[Enclosure], known: &Judgements) -> Result<Judgement, Refusal> {
        let refuse = |reason| Refusal { node: id, reason };
        let of = |operand: NodeId| known[operand].as_ref().map_err(Refusal::clone);
        match &self.program.nodes[id].op {
            Op::Input(i) => self.input(&inputs[*i], self.program.inputs[*i].kind).map_err(refuse),
            Op::Const(value) => self.constant(value).map_err(refuse),
            Op::Neg(a) => {
                let a = of(*a)?;
                Ok(a.mapped(-&a.range, -&a.float))
            }
            Op::Abs(a) => {
                let a = of(*a)?;
                Ok(a.mapped(a.range.abs(), a.float.abs()))
            }
            Op::Add(a, b) => self.sum(of(*a)?, of(*b)?).map_err(refuse),
            Op::Sub(a, b) => {
                let b = of(*b)?;
                let minus_b = b.mapped(-&b.range, -&b.float);
                self.sum(of(*a)?, &minus_b).map_err(refuse)
            }
            Op::Mul(a, b) if a == b => self.square(of(*a)?).map_err(refuse),
            Op::Mul(a, b) => self.product(*a, *b, of(*a)?, of(*b)?).map_err(refuse),
            Op::Div(a, b) => self.quotient(of(*a)?, of(*b)?).map_err(refuse),
            Op::Fma(a, b, c) => self.multiply_add(of(*a)?, of(*b)?, a == b, of(*c)?).map_err(refuse),
            Op::Sqrt(a) => self.sqrt(of(*a)?).map_err(refuse),
            Op::Ln(a) => self.ln(of(*a)?).map_err(refuse),
            Op::Exp(a) => self.exp(of(*a)?).map_err(refuse),
            Op::Min(a, b) => Ok(min(of(*a)?, of(*b)?)),
            Op::Max(a, b) => Ok(max(of(*a)?, of(*b)?)),
            Op::Clamp { arg, bound } => {
                let (arg, bound) = (of(*arg)?, of(*bound)?);
                if bound.float.lo().is_negative() || bound.range.lo().is_negative() {
                    return Err(refuse(Reason::NegativeBound(bound.float.clone())));
                }
                let minus = bound.mapped(-&bound.range, -&bound.float);
                Ok(max(&min(arg, bound), &minus))
            }
            Op::Round { arg, exponent, tie } => self.round(of(*arg)?, *exponent, *tie).map_err(refuse),
            Op::Select { then, otherwise, .. } => Ok(match choice(self.program, id, known)? {
                Choice::First => of(*then)?.passed_on(),
                Choice::Second => of(*otherwise)?.passed_on(),
                Choice::Either => select(true, of(*then)?, of(*otherwise)?),
                Choice::Crossed => select(false, of(*then)?, of(*otherwise)?),
            }),
        }
    }

    /// VAR: a float is its own real value; a real number is rounded on entry.
    fn input(&self, range: &Enclosure, kind: InputKind) -> Result<Judgement, Reason> {
        if kind != InputKind::Real {
            return Ok(Judgement::exact(range.clone()));
        }
        let exact = Exact {
            range: range.clone(),
            on_floats: range.clone(),
            propagated: Dyadic::ZERO,
            relative: Some(Dyadic::ZERO),
        };
        self.rounded(exact, Effect::Rounds)
    }

    /// CONST: `c = fl(r)`, and the error is what it is.
    fn constant(&self, value: &Rational) -> Result<Judgement, Reason> {
        let float = to_float(value, self.format, Rounding::Nearest)
            .ok_or_else(|| Reason::MayOverflow(Enclosure::of_rational(value, RANGE_BITS)))?;
        let range = nearest_ends(|bits| Enclosure::of_rational(value, bits));
        let off = (Rational::from(&float) - value).abs();
        let rounding = up(nearest_ends(|bits| Enclosure::of_rational(&off, bits)).hi());
        Ok(Judgement::new(Conclusion {
            range,
            float: Some(Enclosure::exact(float)),
            propagated: Dyadic::ZERO,
            rounding,
            relative: None,
            underflow: Dyadic::ZERO,
        }))
    }

    /// A bound on the rounding of a number of magnitude at most `m`.
    fn round_to_nearest(&self, m: &Dyadic, range: &Enclosure) -> Result<Dyadic, Reason> {
        rounding_bound(self.format, m).ok_or_else(|| Reason::MayOverflow(range.clone()))
    }

    /// Rounds the result of an operation.
    fn rounded(&self, exact: Exact, effect: Effect) -> Result<Judgement, Reason> {
        let Exact { range, on_floats, propagated, relative } = exact;
        let on_floats = outward(&on_floats);
        let m = &max_abs(&range) + &propagated;
        if m > Dyadic::pow2(self.format.max_exponent()) {
            return Err(Reason::MayOverflow(range));
        }
        let m = m.min(max_abs(&on_floats));
        let bound = self.round_to_nearest(&m, &range)?;
        let is_normal = min_abs(&on_floats) >= least_normal(self.format);
        let rounding = match effect {
            Effect::None => Dyadic::ZERO,
            Effect::Scaling if is_normal => Dyadic::ZERO,
            Effect::Scaling => bound.min(half_ulp(self.format, i64::MIN)),
            Effect::NeverUnderflows | Effect::Rounds => bound,
        };
        let relative = relative.map(|rho| {
            let u = if rounding.is_zero() { Dyadic::ZERO } else { unit_roundoff(self.format) };
            &rho + &(&u * &(&Dyadic::ONE + &rho))
        });
        let never_underflows = matches!(effect, Effect::None | Effect::NeverUnderflows) || is_normal;
        let underflow = self.tau_unless(never_underflows);
        let is_small = max_abs(&on_floats) < Dyadic::pow2(self.format.max_exponent());
        let float = is_small.then(|| nearest_floats(&on_floats, self.format)).flatten();
        Ok(Judgement::new(Conclusion { range, float, propagated, rounding, relative, underflow }))
    }

    /// `τ`, which rounding may add to its relative error where the result is subnormal.
    fn tau_unless(&self, never_underflows: bool) -> Dyadic {
        if never_underflows { Dyadic::ZERO } else { half_ulp(self.format, i64::MIN) }
    }
}

/// The floats nearest to the ends: rounding is monotone, so that it takes every number of the interval to between them.
fn nearest_floats(exact: &Enclosure, format: Format) -> Option<Enclosure> {
    Enclosure::new(nearest_float(exact.lo(), format)?, nearest_float(exact.hi(), format)?)
}
