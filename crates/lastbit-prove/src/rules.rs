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

use lastbit_lang::{Accuracy, Comparison, Format, InputKind, NodeId, Op, StraightLine, Tie};
use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding};

use crate::mutation::{self, Mutation};
use crate::refusal::{Reason, Refusal};
use crate::rounding::{
    RANGE_BITS, exp_ends, half_ulp, image, least_normal, ln_ends, nearest_ends, outward, quotient_up,
    rounding_bound, sqrt_ends, ulps_bound, unit_roundoff, up,
};

/// `r ⇓ f : [lo, hi] ± d`, with what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// `[lo, hi]`, which contains the real value.
    pub range: Enclosure,
    /// An interval that contains the float.
    pub float: Enclosure,
    /// `x`, the error that comes from the operands.
    pub propagated: Dyadic,
    /// `p`, the error of this operation itself.
    pub rounding: Dyadic,
    /// `ρ`, where a relative bound is known.
    pub relative: Option<Dyadic>,
    /// `d`.
    pub error: Dyadic,
}

/// What a rule finds out before the error is put together.
struct Conclusion {
    range: Enclosure,
    /// An interval that contains the float, found without the error: from the operands' floats, as rounding is monotone.
    float: Option<Enclosure>,
    propagated: Dyadic,
    rounding: Dyadic,
    relative: Option<Dyadic>,
    /// What may come on top of the relative error: `τ`, half the least subnormal number, where the result may underflow, else 0.
    underflow: Dyadic,
}

fn max_abs(range: &Enclosure) -> Dyadic {
    range.lo().abs().max(range.hi().abs())
}

fn min_abs(range: &Enclosure) -> Dyadic {
    range.abs().lo().clone()
}

impl Judgement {
    /// A float that is its own real value.
    pub(crate) fn exact(range: Enclosure) -> Judgement {
        Judgement {
            float: range.clone(),
            range,
            propagated: Dyadic::ZERO,
            rounding: Dyadic::ZERO,
            relative: Some(Dyadic::ZERO),
            error: Dyadic::ZERO,
        }
    }

    fn new(conclusion: Conclusion) -> Judgement {
        let Conclusion { range, float, propagated, rounding, relative, underflow } = conclusion;
        let absolute = &propagated + &rounding;
        let mut error = up(&absolute);
        if let Some(rho) = &relative {
            error = error.min(up(&(&(rho * &max_abs(&range)) + &underflow)));
        }
        let least = min_abs(&range);
        let relative = match relative.filter(|_| underflow.is_zero()) {
            _ if absolute.is_zero() => Some(Dyadic::ZERO),
            Some(rho) if least.is_zero() => Some(up(&rho)),
            Some(rho) => Some(up(&rho).min(quotient_up(&error, &least))),
            None if least.is_zero() => None,
            None => Some(quotient_up(&error, &least)),
        };
        // More than the whole value says nothing.
        let relative = relative.filter(|rho| *rho <= Dyadic::ONE);
        let float = float_range(&range, &error, relative.as_ref(), float);
        Judgement { range, float, propagated, rounding, relative, error }
    }

    fn is_exact(&self) -> bool {
        self.error.is_zero()
    }

    /// `Some(k)` if the value is known to be `±2^k`.
    fn log2(&self) -> Option<i64> {
        let value = self.range.lo();
        let log2 = value.floor_log2()?;
        (self.is_exact() && self.range.hi() == value && value.abs() == Dyadic::pow2(log2)).then_some(log2)
    }

    /// The judgement of a node whose value is this one's.
    fn passed_on(&self) -> Judgement {
        self.mapped(self.range.clone(), self.float.clone())
    }

    /// The judgement of an exact operation that keeps distances and magnitudes.
    fn mapped(&self, range: Enclosure, float: Enclosure) -> Judgement {
        Judgement {
            range,
            float,
            propagated: self.error.clone(),
            rounding: Dyadic::ZERO,
            relative: self.relative.clone(),
            error: self.error.clone(),
        }
    }
}

/// Where the float lies: within the error of the range, and within what is known otherwise.
fn float_range(
    range: &Enclosure,
    error: &Dyadic,
    relative: Option<&Dyadic>,
    known: Option<Enclosure>,
) -> Enclosure {
    let (mut lo, mut hi) = (range.lo() - error, range.hi() + error);
    if let Some(rho) = relative {
        // |f - r| <= ρ|r| keeps a small r from moving by the error of a large one.
        let shrink = &Dyadic::ONE - rho;
        if range.lo().signum() > 0 {
            lo = lo.max(range.lo() * &shrink);
        }
        if range.hi().is_negative() {
            hi = hi.min(range.hi() * &shrink);
        }
    }
    if let Some(known) = known {
        (lo, hi) = (lo.max(known.lo().clone()), hi.min(known.hi().clone()));
    }
    outward(&Enclosure::new(lo, hi).expect("the float lies in both"))
}

/// The rules for one program on one box of inputs.
pub struct Rules<'a> {
    program: &'a StraightLine,
    format: Format,
}

/// One judgement for each node, or why there is none.
pub type Judgements = Vec<Result<Judgement, Refusal>>;

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
    pub fn new(program: &'a StraightLine) -> Rules<'a> {
        Rules { program, format: program.format }
    }

    /// The judgement of every node, where input `i` lies in `inputs[i]`.
    pub fn derive(&self, inputs: &[Enclosure]) -> Judgements {
        let mut judgements = Judgements::with_capacity(self.program.nodes.len());
        for id in 0..self.program.nodes.len() {
            let judgement = self.conclude(id, inputs, &judgements);
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
            Op::Fma(a, b, c) => {
                self.multiply_add(of(*a)?, of(*b)?, (a == b).then_some(()), of(*c)?).map_err(refuse)
            }
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
        let float = round_constant(value, self.format)
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
        let bound = rounding_bound(self.format, m).ok_or_else(|| Reason::MayOverflow(range.clone()))?;
        Ok(if mutation::is(Mutation::HalfTheRounding) { bound.shl(-1) } else { bound })
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
            Effect::Scaling if is_normal || mutation::is(Mutation::ScalingIsExact) => Dyadic::ZERO,
            Effect::Scaling => bound.min(half_ulp(self.format, i64::MIN)),
            Effect::NeverUnderflows | Effect::Rounds => bound,
        };
        let relative = relative.map(|rho| {
            let u = if rounding.is_zero() || mutation::is(Mutation::RelativelyExact) {
                Dyadic::ZERO
            } else {
                unit_roundoff(self.format)
            };
            &rho + &(&u * &(&Dyadic::ONE + &rho))
        });
        let never_underflows = matches!(effect, Effect::None | Effect::NeverUnderflows) || is_normal;
        let underflow = self.tau_unless(never_underflows);
        let is_small = max_abs(&on_floats) < Dyadic::pow2(self.format.max_exponent());
        let float = is_small.then(|| nearest_floats(&on_floats, self.format));
        Ok(Judgement::new(Conclusion { range, float, propagated, rounding, relative, underflow }))
    }

    /// `τ`, which rounding may add to its relative error where the result is subnormal.
    fn tau_unless(&self, never_underflows: bool) -> Dyadic {
        let none = never_underflows || mutation::is(Mutation::ForgetUnderflow);
        if none { Dyadic::ZERO } else { half_ulp(self.format, i64::MIN) }
    }

    /// ADD, and SUB as the sum with the negated operand.
    fn sum(&self, a: &Judgement, b: &Judgement) -> Result<Judgement, Reason> {
        for (one, other) in [(a, b), (b, a)] {
            if one.is_exact() && one.range == Enclosure::exact(Dyadic::ZERO) {
                return Ok(other.passed_on());
            }
        }
        let range = outward(&(&a.range + &b.range));
        let propagated = up(&(&a.error + &b.error));
        let effect = if sterbenz(&a.float, &(-&b.float)) { Effect::None } else { Effect::NeverUnderflows };
        // Of numbers with one sign, |r1| + |r2| = |r1 + r2|.
        let one_sign = mutation::is(Mutation::AnySigns)
            || !(a.range.lo().is_negative() || b.range.lo().is_negative())
            || (a.range.hi().signum() <= 0 && b.range.hi().signum() <= 0);
        let relative = match (&a.relative, &b.relative) {
            _ if propagated.is_zero() => Some(Dyadic::ZERO),
            (Some(first), Some(second)) if one_sign => Some(first.max(second).clone()),
            _ => None,
        };
        self.rounded(Exact { range, on_floats: &a.float + &b.float, propagated, relative }, effect)
    }

    /// MUL of different operands.
    fn product(&self, i: NodeId, j: NodeId, a: &Judgement, b: &Judgement) -> Result<Judgement, Reason> {
        let corners = if mutation::is(Mutation::WrongCorner) {
            let (first, second) = (a.range.lo() * b.range.lo(), a.range.hi() * b.range.hi());
            Enclosure::new(first.clone().min(second.clone()), first.max(second)).expect("in order")
        } else {
            &a.range * &b.range
        };
        let exact = Exact {
            range: outward(&corners),
            on_floats: &a.float * &b.float,
            propagated: up(&product_error(a, b)),
            relative: relative_product(a, b),
        };
        self.rounded(exact, effect_of_scaling(self.power_of_two(i, a).or(self.power_of_two(j, b))))
    }

    /// MUL of a number with itself: never negative.
    fn square(&self, a: &Judgement) -> Result<Judgement, Reason> {
        let square = |x: &Enclosure| &x.abs() * &x.abs();
        let exact = Exact {
            range: outward(&square(&a.range)),
            on_floats: square(&a.float),
            propagated: up(&product_error(a, a)),
            relative: relative_product(a, a),
        };
        self.rounded(exact, Effect::Rounds)
    }

    /// `Some(k)` if every value of the operand is `±2^k`: a constant, or a sign.
    fn power_of_two(&self, id: NodeId, judgement: &Judgement) -> Option<i64> {
        if let Op::Input(i) = self.program.nodes[id].op
            && self.program.inputs[i].kind == InputKind::Sign
        {
            return Some(0);
        }
        judgement.log2()
    }

    /// DIV, by numbers of one sign.
    fn quotient(&self, a: &Judgement, b: &Judgement) -> Result<Judgement, Reason> {
        let divisor = b.float.hull(&b.range);
        if min_abs(&divisor).is_zero() {
            return Err(Reason::DivisionByZero(divisor));
        }
        let divide = |a: &Enclosure, b: &Enclosure| a.div(b, RANGE_BITS).expect("the divisor is not 0");
        let range = outward(&divide(&a.range, &b.range));
        let error = &a.error + &(&max_abs(&range) * &b.error);
        let wrong = mutation::is(Mutation::WrongDenominator);
        let divisor = if mutation::is(Mutation::RealDivisor) { &b.range } else { &b.float };
        let divisor = if wrong { max_abs(divisor) } else { min_abs(divisor) };
        let propagated = quotient_up(&error, &divisor);
        let relative = match (&a.relative, &b.relative) {
            _ if propagated.is_zero() => Some(Dyadic::ZERO),
            // (1 + θ1)/(1 + θ2) - 1, and 1/(1 - ρ) <= 1 + 2ρ for ρ <= 1/2.
            (Some(first), Some(second)) if *second <= Dyadic::pow2(-1) => {
                Some(&(first + second) * &(&Dyadic::ONE + &second.shl(1)))
            }
            _ => None,
        };
        let exact = Exact { range, on_floats: divide(&a.float, &b.float), propagated, relative };
        self.rounded(exact, effect_of_scaling(b.log2().map(|k| -k)))
    }

    /// FMA: one rounding of `a·b + c`.
    fn multiply_add(
        &self,
        a: &Judgement,
        b: &Judgement,
        squared: Option<()>,
        c: &Judgement,
    ) -> Result<Judgement, Reason> {
        let product = |a: &Enclosure, b: &Enclosure| match squared {
            Some(()) => &a.abs() * &a.abs(),
            None => a * b,
        };
        let propagated = up(&(&product_error(a, b) + &c.error));
        let exact = Exact {
            range: outward(&(&product(&a.range, &b.range) + &c.range)),
            on_floats: &product(&a.float, &b.float) + &c.float,
            relative: propagated.is_zero().then_some(Dyadic::ZERO),
            propagated,
        };
        self.rounded(exact, Effect::Rounds)
    }

    /// SQRT, of numbers that are not negative: `√f - √r = (f - r)/(√f + √r)`.
    fn sqrt(&self, a: &Judgement) -> Result<Judgement, Reason> {
        let argument = a.float.hull(&a.range);
        if argument.lo().is_negative() {
            return Err(Reason::SqrtOfNegative(argument));
        }
        let (range, on_floats) = (image(&a.range, sqrt_ends), image(&a.float, sqrt_ends));
        let divisor =
            if mutation::is(Mutation::FarRoot) { range.hi().shl(1) } else { range.lo() + on_floats.lo() };
        let propagated = if a.is_exact() {
            Dyadic::ZERO
        } else if divisor.is_zero() {
            up(sqrt_ends(&a.error).hi())
        } else {
            quotient_up(&a.error, &divisor)
        };
        // 1 - √(1 - ρ) = ρ/(1 + √(1 - ρ)) <= ρ/(2 - ρ) <= ρ/2·(1 + ρ) for ρ <= 1.
        let relative = a.relative.as_ref().map(|rho| (rho * &(&Dyadic::ONE + rho)).shl(-1));
        self.rounded(Exact { range, on_floats, propagated, relative }, Effect::NeverUnderflows)
    }

    /// The library's own error, `(p, relative)`, for results of magnitude up to `m`.
    fn library(
        &self,
        accuracy: &Accuracy,
        range: &Enclosure,
        x: &Dyadic,
    ) -> Result<(Dyadic, Dyadic), Reason> {
        let m = &max_abs(range) + x;
        match accuracy {
            Accuracy::CorrectlyRounded => Ok((self.round_to_nearest(&m, range)?, unit_roundoff(self.format))),
            Accuracy::Ulps(k) if !is_possible(k) => Err(Reason::Accuracy(Box::new(k.clone()))),
            Accuracy::Ulps(k) => {
                let k = nearest_ends(|bits| Enclosure::of_rational(k, bits)).hi().clone();
                let p = ulps_bound(self.format, &m, &k).ok_or_else(|| Reason::MayOverflow(range.clone()))?;
                Ok((up(&p), (&k * &unit_roundoff(self.format)).shl(1)))
            }
        }
    }

    /// LN, of positive numbers: `|ln f - ln r| <= |f - r|/min(f, r)`.
    fn ln(&self, a: &Judgement) -> Result<Judgement, Reason> {
        let argument = a.float.hull(&a.range);
        if argument.lo().signum() <= 0 {
            return Err(Reason::LnOfNonPositive(argument));
        }
        let range = image(&a.range, ln_ends);
        let nearest = if mutation::is(Mutation::FarLogarithm) { argument.hi() } else { argument.lo() };
        let by_distance = quotient_up(&a.error, nearest);
        let propagated = match &a.relative {
            // |ln(1 + θ)| <= ρ/(1 - ρ) <= ρ·(1 + 2ρ).
            Some(rho) if *rho <= Dyadic::pow2(-1) => {
                by_distance.min(up(&(rho * &(&Dyadic::ONE + &rho.shl(1)))))
            }
            _ => by_distance,
        };
        let (rounding, own) = self.library(&self.program.libm.ln, &range, &propagated)?;
        // The logarithm of a float is 0, and then exact, or above 2^-54 (2^-25): it never underflows.
        let relative = propagated.is_zero().then_some(own);
        let underflow = Dyadic::ZERO;
        Ok(Judgement::new(Conclusion { range, float: None, propagated, rounding, relative, underflow }))
    }

    /// EXP: `e^f - e^r = e^r·(e^(f-r) - 1)`.
    fn exp(&self, a: &Judgement) -> Result<Judgement, Reason> {
        // Beyond this the result overflows, or is so small that every bound is the same.
        let limit = Dyadic::from(2 * self.format.max_exponent());
        if *a.range.hi() > limit || a.error > Dyadic::from(64) {
            return Err(Reason::MayOverflow(a.range.clone()));
        }
        let floor = -&limit.shl(2);
        let low = if *a.range.lo() < floor { Dyadic::ZERO } else { exp_ends(a.range.lo()).lo().clone() };
        let high = exp_ends(a.range.hi().max(&floor));
        let range = Enclosure::new(low, high.hi().clone()).expect("the exponential grows");
        // e^d - 1 <= d + d² for d <= 1.
        let growth = if mutation::is(Mutation::LinearGrowth) {
            a.error.clone()
        } else if a.error <= Dyadic::ONE {
            up(&(&a.error + &(&a.error * &a.error)))
        } else {
            up(exp_ends(&a.error).hi())
        };
        let propagated = up(&(range.hi() * &growth));
        let (rounding, own) = self.library(&self.program.libm.exp, &range, &propagated)?;
        let is_normal = range.lo() * &(&Dyadic::ONE - &growth) >= least_normal(self.format);
        // k units of a subnormal result are 2k·τ.
        let underflow = self.tau_unless(is_normal);
        let underflow = match &self.program.libm.exp {
            Accuracy::CorrectlyRounded => underflow,
            Accuracy::Ulps(_) => &underflow * &(&own * &Dyadic::pow2(self.format.precision())),
        };
        let relative = Some(&growth + &(&own * &(&Dyadic::ONE + &growth)));
        // The float nearest to a positive number is not negative; k ulp away it may be.
        let float = (self.program.libm.exp == Accuracy::CorrectlyRounded).then(|| {
            Enclosure::new(Dyadic::ZERO, &(range.hi() + &propagated) + &rounding).expect("in order")
        });
        Ok(Judgement::new(Conclusion { range, float, propagated, rounding, relative, underflow }))
    }

    /// ROUND_Λ: exact on floats, but `r` and `f` may fall into different cells.
    fn round(&self, a: &Judgement, exponent: i64, tie: Tie) -> Result<Judgement, Reason> {
        if exponent < self.format.min_exponent() || exponent >= self.format.max_exponent() {
            return Err(Reason::GridOutsideFormat(exponent));
        }
        let on_grid = |x: &Dyadic| Enclosure::exact(round_to_grid(x, exponent, tie));
        let (range, float) = (image(&a.range, on_grid), image(&a.float, on_grid));
        self.round_to_nearest(&max_abs(&float), &range)?; // no overflow
        let apart = (float.hi() - range.lo()).max(range.hi() - float.lo());
        let error = up(&apart.min(cells_apart(&a.error, exponent, tie)));
        let relative = error.is_zero().then_some(Dyadic::ZERO);
        Ok(Judgement { range, float, propagated: error.clone(), rounding: Dyadic::ZERO, relative, error })
    }
}

/// Whether a library can be as good as that, and is not so bad that it turns a value that does not overflow into one that does.
fn is_possible(ulps: &Rational) -> bool {
    (Rational::pow2(-1)..=Rational::pow2(20)).contains(ulps)
}

/// Scaling by `2^k` rounds only where it makes numbers smaller.
fn effect_of_scaling(k: Option<i64>) -> Effect {
    match k {
        Some(0..) => Effect::None,
        Some(_) => Effect::Scaling,
        None => Effect::Rounds,
    }
}

/// The floats nearest to the ends: rounding is monotone, so that it takes every number of the interval to between them.
fn nearest_floats(exact: &Enclosure, format: Format) -> Enclosure {
    fn nearest<F: Float>(x: &Dyadic) -> Dyadic {
        F::from_dyadic(x, Rounding::Nearest).to_dyadic().expect("the caller has seen that it is small")
    }
    let ends = match format {
        Format::Binary64 => [exact.lo(), exact.hi()].map(nearest::<f64>),
        Format::Binary32 => [exact.lo(), exact.hi()].map(nearest::<f32>),
    };
    let [lo, hi] = ends;
    Enclosure::new(lo, hi).expect("rounding is monotone")
}

/// `|f1·f2 - r1·r2| <= m1·d2 + m2·d1 + d1·d2`.
fn product_error(a: &Judgement, b: &Judgement) -> Dyadic {
    if mutation::is(Mutation::ForgetPropagation) {
        return &max_abs(&b.range) * &a.error;
    }
    let cross = &(&max_abs(&a.range) * &b.error) + &(&max_abs(&b.range) * &a.error);
    if mutation::is(Mutation::FirstOrder) { cross } else { &cross + &(&a.error * &b.error) }
}

/// `(1 + ρ1)(1 + ρ2) - 1`.
fn relative_product(a: &Judgement, b: &Judgement) -> Option<Dyadic> {
    let (first, second) = (a.relative.as_ref()?, b.relative.as_ref()?);
    Some(&(first + second) + &(first * second))
}

/// Whether `f1 - f2` is a float for all `f1` and `f2` of the intervals: both of one sign and within a factor of two.
fn sterbenz(a: &Enclosure, b: &Enclosure) -> bool {
    if mutation::is(Mutation::SterbenzAnyway) {
        return true;
    }
    let (a, b) = match (a.lo().signum() > 0, a.hi().signum() < 0) {
        (true, _) => (a.clone(), b.clone()),
        (_, true) => (-a, -b),
        _ => return false,
    };
    b.lo().signum() > 0 && *a.hi() <= b.lo().shl(1) && *b.hi() <= a.lo().shl(1)
}

/// Which operand an operation that chooses takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The first, for all values.
    First,
    /// The second, for all values.
    Second,
    /// It depends, but both readings choose alike.
    Either,
    /// It depends, and one reading may take the one and the other the other.
    Crossed,
}

/// The choice of a [`Op::Select`], [`Op::Min`] or [`Op::Max`].
pub(crate) fn choice(program: &StraightLine, id: NodeId, known: &Judgements) -> Result<Choice, Refusal> {
    let of = |operand: NodeId| known[operand].as_ref().map_err(Refusal::clone);
    let (test, lhs, rhs) = match program.nodes[id].op {
        Op::Select { test, lhs, rhs, .. } => (test, of(lhs)?, of(rhs)?),
        Op::Min(a, b) => (Comparison::LessOrEqual, of(a)?, of(b)?),
        Op::Max(a, b) => (Comparison::LessOrEqual, of(b)?, of(a)?),
        _ => return Ok(Choice::First),
    };
    Ok(match decide(test, lhs, rhs) {
        Some(true) => Choice::First,
        Some(false) => Choice::Second,
        None if (lhs.is_exact() && rhs.is_exact()) || mutation::is(Mutation::NeverCrossed) => Choice::Either,
        None => Choice::Crossed,
    })
}

/// Whether the comparison holds for all values of both readings, for none, or it depends.
fn decide(test: Comparison, lhs: &Judgement, rhs: &Judgement) -> Option<bool> {
    let both = |x: &Judgement| {
        if mutation::is(Mutation::DecideOnReals) { x.range.clone() } else { x.float.hull(&x.range) }
    };
    let (lhs, rhs) = (both(lhs), both(rhs));
    match test {
        Comparison::Less if lhs.hi() < rhs.lo() => Some(true),
        Comparison::Less if lhs.lo() >= rhs.hi() => Some(false),
        Comparison::LessOrEqual if lhs.hi() <= rhs.lo() => Some(true),
        Comparison::LessOrEqual if lhs.lo() > rhs.hi() => Some(false),
        Comparison::Equal if lhs.lo() == lhs.hi() && lhs == rhs => Some(true),
        Comparison::Equal if lhs.hi() < rhs.lo() || rhs.hi() < lhs.lo() => Some(false),
        _ => None,
    }
}

/// MIN: exact on floats, and never farther apart than the operands.
fn min(a: &Judgement, b: &Judgement) -> Judgement {
    match decide(Comparison::LessOrEqual, a, b) {
        Some(true) => a.passed_on(),
        Some(false) => b.passed_on(),
        None => join(a, b, a.range.min(&b.range), a.float.min(&b.float)),
    }
}

/// MAX, as MIN.
fn max(a: &Judgement, b: &Judgement) -> Judgement {
    match decide(Comparison::LessOrEqual, b, a) {
        Some(true) => a.passed_on(),
        Some(false) => b.passed_on(),
        None => join(a, b, a.range.max(&b.range), a.float.max(&b.float)),
    }
}

fn join(a: &Judgement, b: &Judgement, range: Enclosure, float: Enclosure) -> Judgement {
    let error = (&a.error).max(&b.error).clone();
    let relative =
        a.relative.as_ref().zip(b.relative.as_ref()).map(|(first, second)| first.max(second).clone());
    Judgement { range, float, propagated: error.clone(), rounding: Dyadic::ZERO, relative, error }
}

/// A choice that depends on the values. If the test is on exact numbers, both readings choose alike; else one may take the one
/// branch and the other the other.
fn select(same_choice: bool, then: &Judgement, otherwise: &Judgement) -> Judgement {
    let mut joined =
        join(then, otherwise, then.range.hull(&otherwise.range), then.float.hull(&otherwise.float));
    if !same_choice {
        let apart = |f: &Enclosure, r: &Enclosure| (f.hi() - r.lo()).max(r.hi() - f.lo());
        let crossed = apart(&then.float, &otherwise.range).max(apart(&otherwise.float, &then.range));
        joined.error = up(&crossed).max(joined.error);
        joined.propagated = joined.error.clone();
        joined.relative = joined.error.is_zero().then_some(Dyadic::ZERO);
    }
    joined
}

/// How far rounding to the grid can part two numbers that are at most `d` apart. Ties up, the cells are half-open intervals, and
/// it is `d` rounded up. Otherwise two ties `j·Λ` apart may be rounded away from each other: 1/2 to 0 and 3/2 to 2.
fn cells_apart(d: &Dyadic, exponent: i64, tie: Tie) -> Dyadic {
    let whole = d.ceil_to(exponent);
    let at_ties = tie != Tie::Up && !mutation::is(Mutation::ForgetTies) && !d.is_zero() && whole == *d;
    if at_ties { &whole + &Dyadic::pow2(exponent) } else { whole }
}

/// `fl(r)`, or `None` if it is infinite.
pub(crate) fn round_constant(value: &Rational, format: Format) -> Option<Dyadic> {
    match format {
        Format::Binary64 => f64::from_rational(value, Rounding::Nearest).to_dyadic().ok(),
        Format::Binary32 => f32::from_rational(value, Rounding::Nearest).to_dyadic().ok(),
    }
}

/// The multiple of `2^exponent` nearest to `x`.
pub(crate) fn round_to_grid(x: &Dyadic, exponent: i64, tie: Tie) -> Dyadic {
    let below = x.floor_to(exponent);
    let step = Dyadic::pow2(exponent);
    let above = &below + &step;
    let up = match (x - &below).cmp(&step.shl(-1)) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => match tie {
            Tie::Up => true,
            Tie::Away => !x.is_negative(),
            Tie::Even => !below.is_zero() && below.exponent() == exponent,
        },
    };
    if up { above } else { below }
}
