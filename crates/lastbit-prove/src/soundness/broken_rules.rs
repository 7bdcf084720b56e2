//! What each [`Mutation`] makes of a rule.

use lastbit_lang::{Accuracy, NodeId, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure};

use super::broken::Mutation;
use crate::refusal::Refusal;
use crate::rounding::{
    RANGE_BITS, half_ulp, image, least_normal, nearest_ends, outward, quotient_up, sqrt_ends, unit_roundoff,
    up,
};
use crate::rules::{Choice, Conclusion, Judgement, Judgements, choice, select};

fn max_abs(range: &Enclosure) -> Dyadic {
    range.abs().hi().clone()
}

/// A node and what the shipped rules conclude about it.
pub(super) struct Node<'a> {
    pub(super) program: &'a StraightLine,
    pub(super) id: NodeId,
    pub(super) known: &'a Judgements,
    pub(super) correct: &'a Judgement,
}

impl<'a> Node<'a> {
    fn op(&self) -> &'a Op {
        &self.program.nodes[self.id].op
    }

    fn of(&self, operand: NodeId) -> &'a Judgement {
        self.known[operand].as_ref().expect("the judgement of this node rests on it")
    }

    /// What the broken rule concludes; `None` where it says the same as the shipped one.
    pub(super) fn conclude(&self, mutation: Mutation) -> Option<Judgement> {
        let correct = self.correct.clone();
        // The correct float and relative bounds stay, as other premises lead to them; where the broken part leads to better ones, those
        // take their place.
        let mut broken = Conclusion {
            range: correct.range,
            float: Some(correct.float),
            propagated: correct.propagated,
            rounding: correct.rounding,
            relative: correct.relative,
            underflow: Dyadic::ZERO,
        };
        match (mutation, self.op()) {
            (Mutation::HalfTheRounding, _) if self.rounds_to_nearest() => {
                broken.rounding = broken.rounding.shl(-1);
            }
            (Mutation::BeyondThePower, _) if self.rounds_to_nearest() => {
                broken.rounding = broken.rounding.min(self.beyond_the_power()?);
            }
            (Mutation::HalfTheUlps, Op::Ln(_) | Op::Exp(_)) if !self.rounds_to_nearest() => {
                broken.rounding = broken.rounding.shl(-1);
            }
            (Mutation::SterbenzAnyway, Op::Add(..) | Op::Sub(..)) => broken.rounding = Dyadic::ZERO,
            (Mutation::ScalingIsExact, &Op::Mul(a, b)) if a != b => {
                self.of(a).log2().or(self.of(b).log2())?;
                broken.rounding = Dyadic::ZERO;
            }
            (Mutation::ScalingIsExact, &Op::Div(_, b)) => {
                self.of(b).log2()?;
                broken.rounding = Dyadic::ZERO;
            }
            (Mutation::ForgetUnderflow, _) => {
                broken.relative = Some(self.and_rounded(&self.relative_before_rounding()?));
            }
            (Mutation::RelativelyExact, op) if !matches!(op, Op::Exp(_)) => {
                broken.relative = Some(self.relative_before_rounding()?);
                broken.underflow = self.tau();
            }
            (Mutation::AnySigns, &(Op::Add(a, b) | Op::Sub(a, b))) => {
                broken.relative = Some(self.and_rounded(&self.larger_relative(a, b)?));
            }
            (Mutation::WrongCorner, &Op::Mul(a, b)) if a != b => {
                let (a, b) = (&self.of(a).range, &self.of(b).range);
                let corners = [a.lo() * b.lo(), a.hi() * b.hi()].map(Enclosure::exact);
                broken.range = outward(&corners[0].hull(&corners[1]));
            }
            (Mutation::ForgetPropagation, &(Op::Mul(a, b) | Op::Fma(a, b, _))) => {
                let (a, b) = (self.of(a), self.of(b));
                broken.propagated = up(&(&(&max_abs(&b.range) * &a.error) + &self.error_of_addend()));
            }
            (Mutation::FirstOrder, &(Op::Mul(a, b) | Op::Fma(a, b, _))) => {
                let (a, b) = (self.of(a), self.of(b));
                let cross = &(&max_abs(&a.range) * &b.error) + &(&max_abs(&b.range) * &a.error);
                broken.propagated = up(&(&cross + &self.error_of_addend()));
            }
            (Mutation::WrongDenominator, &Op::Div(a, b)) => {
                broken.propagated = self.error_of_quotient(a, b, self.of(b).float.abs().hi());
            }
            (Mutation::RealDivisor, &Op::Div(a, b)) => {
                broken.propagated = self.error_of_quotient(a, b, self.of(b).range.abs().lo());
            }
            (Mutation::FarRoot, &Op::Sqrt(a)) if self.correct.range.hi().signum() > 0 => {
                broken.propagated = quotient_up(&self.of(a).error, &self.correct.range.hi().shl(1));
            }
            (Mutation::FarLogarithm, &Op::Ln(a)) => {
                let a = self.of(a);
                let farthest = a.float.hull(&a.range).hi().clone();
                broken.propagated = broken.propagated.min(quotient_up(&a.error, &farthest));
            }
            (Mutation::LinearGrowth, &Op::Exp(a)) => {
                broken.propagated = up(&(self.correct.range.hi() * &self.of(a).error));
            }
            (Mutation::ForgetTies, &Op::Round { arg, exponent, .. }) => {
                return Some(self.with_error(up(&self.of(arg).error.ceil_to(exponent))));
            }
            (Mutation::NeverCrossed, &Op::Select { then, otherwise, .. }) => {
                let crossed = choice(self.program, self.id, self.known) == Ok(Choice::Crossed);
                return crossed.then(|| select(true, self.of(then), self.of(otherwise)));
            }
            (Mutation::DecideOnReals, _) => return Some(self.chosen_on_reals()?.passed_on()),
            _ => return None,
        }
        Some(Judgement::new(broken))
    }

    /// Whether the operation rounds a number to a nearest float, and by a bound: the error of a constant is known.
    fn rounds_to_nearest(&self) -> bool {
        match self.op() {
            Op::Input(_) | Op::Add(..) | Op::Sub(..) => true,
            Op::Mul(..) | Op::Div(..) | Op::Fma(..) | Op::Sqrt(_) => true,
            Op::Ln(_) => self.program.libm.ln == Accuracy::CorrectlyRounded,
            Op::Exp(_) => self.program.libm.exp == Accuracy::CorrectlyRounded,
            _ => false,
        }
    }

    /// How far the largest number that is rounded lies beyond a power of two, if its neighbours are no subnormal numbers.
    fn beyond_the_power(&self) -> Option<Dyadic> {
        let m = &max_abs(&self.correct.range) + &self.correct.propagated;
        let m = self.on_floats().map_or(m.clone(), |values| m.min(max_abs(&outward(&values))));
        let beyond = &m - &Dyadic::pow2(m.floor_log2()?);
        (m >= least_normal(self.program.format).shl(1) && !beyond.is_zero()).then_some(beyond)
    }

    /// The values of the operation on the floats, before rounding; `None` of library functions.
    fn on_floats(&self) -> Option<Enclosure> {
        let float = |operand: NodeId| &self.of(operand).float;
        let product = |a: NodeId, b: NodeId| {
            if a == b { &float(a).abs() * &float(a).abs() } else { float(a) * float(b) }
        };
        Some(match *self.op() {
            Op::Input(_) => self.correct.range.clone(),
            Op::Add(a, b) => float(a) + float(b),
            Op::Sub(a, b) => float(a) - float(b),
            Op::Mul(a, b) => product(a, b),
            Op::Div(a, b) => float(a).div(float(b), RANGE_BITS).expect("the rule of the node has refused 0"),
            Op::Fma(a, b, c) => &product(a, b) + float(c),
            Op::Sqrt(a) => image(float(a), sqrt_ends),
            _ => return None,
        })
    }

    /// The relative error of the operation on the floats, where the rules know one.
    fn relative_before_rounding(&self) -> Option<Dyadic> {
        let relative = |operand: NodeId| self.of(operand).relative.as_ref();
        Some(match *self.op() {
            // An operation that does not round has its relative error already.
            _ if self.correct.rounding.is_zero() => return None,
            Op::Input(_) => Dyadic::ZERO,
            Op::Add(a, b) if one_sign(&self.of(a).range, &self.of(b).range) => self.larger_relative(a, b)?,
            Op::Sub(a, b) if one_sign(&self.of(a).range, &-&self.of(b).range) => {
                self.larger_relative(a, b)?
            }
            Op::Mul(a, b) => {
                let (first, second) = (relative(a)?, relative(b)?);
                &(first + second) + &(first * second)
            }
            Op::Div(a, b) => {
                let (first, second) = (relative(a)?, relative(b).filter(|rho| **rho <= Dyadic::pow2(-1))?);
                &(first + second) * &(&Dyadic::ONE + &second.shl(1))
            }
            Op::Fma(..) if self.correct.propagated.is_zero() => Dyadic::ZERO,
            Op::Sqrt(a) => (relative(a)? * &(&Dyadic::ONE + relative(a)?)).shl(-1),
            Op::Exp(a) if self.of(a).error <= Dyadic::ONE => {
                let d = &self.of(a).error;
                d + &(d * d)
            }
            _ => return None,
        })
    }

    fn larger_relative(&self, a: NodeId, b: NodeId) -> Option<Dyadic> {
        Some(self.of(a).relative.as_ref()?.max(self.of(b).relative.as_ref()?).clone())
    }

    /// A relative error and the operation's own, as if there were no subnormal numbers.
    fn and_rounded(&self, rho: &Dyadic) -> Dyadic {
        let u = unit_roundoff(self.program.format);
        let own = match (self.op(), &self.program.libm.exp) {
            _ if self.correct.rounding.is_zero() => Dyadic::ZERO,
            (Op::Exp(_), Accuracy::Ulps(k)) => {
                (nearest_ends(|bits| Enclosure::of_rational(k, bits)).hi() * &u).shl(1)
            }
            _ => u,
        };
        rho + &(&own * &(&Dyadic::ONE + rho))
    }

    /// `τ`, where the result may be subnormal and not exact.
    fn tau(&self) -> Dyadic {
        let format = self.program.format;
        // The least normal float may be what a subnormal number is rounded to.
        let never = matches!(self.op(), Op::Add(..) | Op::Sub(..) | Op::Sqrt(_))
            || *self.correct.float.abs().lo() > least_normal(format);
        if never { Dyadic::ZERO } else { half_ulp(format, i64::MIN) }
    }

    /// The error of what a fused product is added to.
    fn error_of_addend(&self) -> Dyadic {
        if let Op::Fma(_, _, c) = self.op() { self.of(*c).error.clone() } else { Dyadic::ZERO }
    }

    fn error_of_quotient(&self, a: NodeId, b: NodeId, divisor: &Dyadic) -> Dyadic {
        let error = &self.of(a).error + &(&max_abs(&self.correct.range) * &self.of(b).error);
        quotient_up(&error, divisor)
    }

    /// The correct judgement with a smaller error, all of it propagated.
    fn with_error(&self, error: Dyadic) -> Judgement {
        let error = error.min(self.correct.error.clone());
        let relative = error.is_zero().then_some(Dyadic::ZERO);
        Judgement { propagated: error.clone(), relative, error, ..self.correct.clone() }
    }

    /// The operand that an operation that chooses takes for all real values.
    fn chosen_on_reals(&self) -> Option<&'a Judgement> {
        let (first, second) = match *self.op() {
            Op::Select { then, otherwise, .. } => (then, otherwise),
            Op::Min(a, b) | Op::Max(a, b) => (a, b),
            // Two choices: it is enough to break the one where both take the argument.
            Op::Clamp { arg, bound } => {
                let (arg, bound) = (self.of(arg), self.of(bound));
                return (arg.range.abs().hi() <= bound.range.lo()).then_some(arg);
            }
            _ => return None,
        };
        // Floats that are where the reals are: then the shipped choice looks at those alone.
        let on_reals = |known: &Judgement| Judgement { float: known.range.clone(), ..known.clone() };
        let reals: Judgements =
            self.known.iter().map(|known| known.as_ref().map(on_reals).map_err(Refusal::clone)).collect();
        match choice(self.program, self.id, &reals) {
            Ok(Choice::First) => Some(self.of(first)),
            Ok(Choice::Second) => Some(self.of(second)),
            _ => None,
        }
    }
}

/// Whether no two of the numbers have different signs.
fn one_sign(a: &Enclosure, b: &Enclosure) -> bool {
    !(a.lo().is_negative() || b.lo().is_negative()) || (a.hi().signum() <= 0 && b.hi().signum() <= 0)
}
