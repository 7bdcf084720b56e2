//! Sums, products, quotients.

use lastbit_lang::{InputKind, NodeId, Op};
use lastbit_real::{Dyadic, Enclosure};

use super::{Effect, Exact, Judgement, Rules, max_abs, min_abs};
use crate::refusal::Reason;
use crate::rounding::{RANGE_BITS, outward, quotient_up, up};

impl Rules<'_> {
    /// ADD, and SUB as the sum with the negated operand.
    pub(super) fn sum(&self, a: &Judgement, b: &Judgement) -> Result<Judgement, Reason> {
        for (one, other) in [(a, b), (b, a)] {
            if one.is_exact() && one.range == Enclosure::exact(Dyadic::ZERO) {
                return Ok(other.passed_on());
            }
        }
        let range = outward(&(&a.range + &b.range));
        let propagated = up(&(&a.error + &b.error));
        let effect = if sterbenz(&a.float, &(-&b.float)) { Effect::None } else { Effect::NeverUnderflows };
        // Of numbers with one sign, |r1| + |r2| = |r1 + r2|.
        let one_sign = !(a.range.lo().is_negative() || b.range.lo().is_negative())
            || (a.range.hi().signum() <= 0 && b.range.hi().signum() <= 0);
        let relative = match (&a.relative, &b.relative) {
            _ if propagated.is_zero() => Some(Dyadic::ZERO),
            (Some(first), Some(second)) if one_sign => Some(first.max(second).clone()),
            _ => None,
        };
        self.rounded(Exact { range, on_floats: &a.float + &b.float, propagated, relative }, effect)
    }

    /// MUL of different operands.
    pub(super) fn product(
        &self,
        i: NodeId,
        j: NodeId,
        a: &Judgement,
        b: &Judgement,
    ) -> Result<Judgement, Reason> {
        let exact = Exact {
            range: outward(&(&a.range * &b.range)),
            on_floats: &a.float * &b.float,
            propagated: up(&product_error(a, b)),
            relative: relative_product(a, b),
        };
        self.rounded(exact, effect_of_scaling(self.power_of_two(i, a).or(self.power_of_two(j, b))))
    }

    /// MUL of a number with itself: never negative.
    pub(super) fn square(&self, a: &Judgement) -> Result<Judgement, Reason> {
        let exact = Exact {
            range: outward(&square(&a.range)),
            on_floats: square(&a.float),
            propagated: up(&product_error(a, a)),
            relative: relative_product(a, a),
        };
        self.rounded(exact, Effect::Rounds)
    }

    /// `Some(k)` if every value of the operand is `±2^k`: a constant, or a sign.
    pub(super) fn power_of_two(&self, id: NodeId, judgement: &Judgement) -> Option<i64> {
        if let Op::Input(i) = self.program.nodes[id].op
            && self.program.inputs[i].kind == InputKind::Sign
        {
            return Some(0);
        }
        judgement.log2()
    }

    /// DIV, by numbers of one sign.
    pub(super) fn quotient(&self, a: &Judgement, b: &Judgement) -> Result<Judgement, Reason> {
        let divisor = b.float.hull(&b.range);
        if min_abs(&divisor).is_zero() {
            return Err(Reason::DivisionByZero(divisor));
        }
        let divide = |a: &Enclosure, b: &Enclosure| a.div(b, RANGE_BITS).expect("the divisor is not 0");
        let range = outward(&divide(&a.range, &b.range));
        let error = &a.error + &(&max_abs(&range) * &b.error);
        let propagated = quotient_up(&error, &min_abs(&b.float));
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

    /// FMA: one rounding of `a·b + c`. Where `a` and `b` are one node, the product is a square.
    pub(super) fn multiply_add(
        &self,
        a: &Judgement,
        b: &Judgement,
        is_square: bool,
        c: &Judgement,
    ) -> Result<Judgement, Reason> {
        let product = |a: &Enclosure, b: &Enclosure| if is_square { square(a) } else { a * b };
        let propagated = up(&(&product_error(a, b) + &c.error));
        let exact = Exact {
            range: outward(&(&product(&a.range, &b.range) + &c.range)),
            on_floats: &product(&a.float, &b.float) + &c.float,
            relative: propagated.is_zero().then_some(Dyadic::ZERO),
            propagated,
        };
        self.rounded(exact, Effect::Rounds)
    }
}

/// The squares of the numbers of an interval: never negative.
fn square(x: &Enclosure) -> Enclosure {
    &x.abs() * &x.abs()
}

/// Scaling by `2^k` rounds only where it makes numbers smaller.
fn effect_of_scaling(k: Option<i64>) -> Effect {
    match k {
        Some(0..) => Effect::None,
        Some(_) => Effect::Scaling,
        None => Effect::Rounds,
    }
}

/// `|f1·f2 - r1·r2| <= m1·d2 + m2·d1 + d1·d2`.
fn product_error(a: &Judgement, b: &Judgement) -> Dyadic {
    let cross = &(&max_abs(&a.range) * &b.error) + &(&max_abs(&b.range) * &a.error);
    &cross + &(&a.error * &b.error)
}

/// `(1 + ρ1)(1 + ρ2) - 1`.
fn relative_product(a: &Judgement, b: &Judgement) -> Option<Dyadic> {
    let (first, second) = (a.relative.as_ref()?, b.relative.as_ref()?);
    Some(&(first + second) + &(first * second))
}

/// Whether `f1 - f2` is a float for all `f1` and `f2` of the intervals: both of one sign and within a factor of two.
fn sterbenz(a: &Enclosure, b: &Enclosure) -> bool {
    let (a, b) = match (a.lo().signum() > 0, a.hi().signum() < 0) {
        (true, _) => (a.clone(), b.clone()),
        (_, true) => (-a, -b),
        _ => return false,
    };
    b.lo().signum() > 0 && *a.hi() <= b.lo().shl(1) && *b.hi() <= a.lo().shl(1)
}
