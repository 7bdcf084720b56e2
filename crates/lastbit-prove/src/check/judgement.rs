//! Judgements, and the steps 1 to 7 that every rule's values go through ("What a judgement holds" in `docs/semantics.md`).

use lastbit_real::{Dyadic, Enclosure};

use super::numbers::{Arithmetic, max_abs, min_abs, outward, up, up_quotient};

/// `r ⇓ f : [lo, hi] ± d`
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    /// `R`
    pub(super) real: Enclosure,
    /// `F`
    pub(super) float: Enclosure,
    pub(super) x: Dyadic,
    pub(super) p: Dyadic,
    /// `ρ`
    pub(super) relative: Option<Dyadic>,
    pub(super) d: Dyadic,
}

/// Why there is no judgement.
pub(super) type Refusal = &'static str;

impl Judgement {
    /// A value that both readings share.
    pub(super) fn exact(range: Enclosure) -> Judgement {
        let (x, p, d) = (Dyadic::ZERO, Dyadic::ZERO, Dyadic::ZERO);
        Judgement { real: range.clone(), float: range, x, p, relative: Some(Dyadic::ZERO), d }
    }

    /// An operation that does not round.
    pub(super) fn passed_on(
        real: Enclosure,
        float: Enclosure,
        d: Dyadic,
        relative: Option<Dyadic>,
    ) -> Judgement {
        Judgement { real, float, x: d.clone(), p: Dyadic::ZERO, relative, d }
    }

    /// The operand is the answer: `x = d`, `p = 0`.
    pub(super) fn taken_over(&self) -> Judgement {
        Judgement { x: self.d.clone(), p: Dyadic::ZERO, ..self.clone() }
    }

    pub(super) fn negated(&self) -> Judgement {
        Judgement { real: -&self.real, float: -&self.float, ..self.taken_over() }
    }

    /// `D`
    pub(super) fn domain(&self) -> Enclosure {
        self.real.hull(&self.float)
    }

    pub(super) fn is_exact(&self) -> bool {
        self.d.is_zero()
    }

    /// The one value that both readings have, if it is known.
    pub(super) fn known(&self) -> Option<&Dyadic> {
        (self.is_exact() && self.real.lo() == self.real.hi()).then_some(self.real.lo())
    }

    /// The numbers as they stand in a certificate.
    pub(super) fn numbers(&self) -> [Option<&Dyadic>; 8] {
        let (real, float) = (&self.real, &self.float);
        let [lo, hi, float_lo, float_hi] = [real.lo(), real.hi(), float.lo(), float.hi()].map(Some);
        [lo, hi, float_lo, float_hi, Some(&self.x), Some(&self.p), self.relative.as_ref(), Some(&self.d)]
    }
}

/// The ways in which an operation rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounds {
    /// Not at all.
    Exactly,
    /// A product with `2^k`, `k < 0`: only where it is subnormal.
    Scaling,
    /// A sum or a root: not where it is subnormal.
    SumOrRoot,
    Any,
}

/// The values that a rule gives.
pub(super) struct Given {
    /// `R`
    pub(super) real: Enclosure,
    /// `V`
    pub(super) values: Enclosure,
    pub(super) x: Dyadic,
    /// `ρ'`
    pub(super) relative: Option<Dyadic>,
    pub(super) rounds: Rounds,
}

/// Steps 1 to 7.
pub(super) fn judge(arithmetic: Arithmetic, given: Given) -> Result<Judgement, Refusal> {
    let Given { real, values, x, relative, rounds } = given;
    // 1
    let values = outward(&values);
    let propagated = &max_abs(&real) + &x;
    let is_too_large = arithmetic.is_too_large(&propagated);
    let m = propagated.min(max_abs(&values));
    if arithmetic.may_overflow(&m) || is_too_large {
        return Err("it may overflow");
    }
    // 2 and 3
    let is_normal = min_abs(&values) >= arithmetic.least_normal();
    let p = match rounds {
        Rounds::Exactly => Dyadic::ZERO,
        Rounds::Scaling if is_normal => Dyadic::ZERO,
        Rounds::Scaling => arithmetic.rounding_error(&m).min(arithmetic.tau()),
        Rounds::SumOrRoot | Rounds::Any => arithmetic.rounding_error(&m),
    };
    // 4
    let t = match rounds {
        Rounds::Exactly | Rounds::SumOrRoot => Dyadic::ZERO,
        _ if is_normal => Dyadic::ZERO,
        _ => arithmetic.tau(),
    };
    let relative = relative.map(|relative| {
        let u = if p.is_zero() { Dyadic::ZERO } else { arithmetic.u() };
        (&relative + &(u * (&Dyadic::ONE + &relative)), t)
    });
    conclude(real, x, p, relative, arithmetic.nearest_floats(&values))
}

/// Steps 5 to 7, with `ρ₁` and `t` in one and `RN(V)` or what takes its place.
pub(super) fn conclude(
    real: Enclosure,
    x: Dyadic,
    p: Dyadic,
    relative: Option<(Dyadic, Dyadic)>,
    floats: Option<Enclosure>,
) -> Result<Judgement, Refusal> {
    // 5
    let a = &x + &p;
    let mut d = up(&a);
    if let Some((relative, t)) = &relative {
        d = d.min(up(&(relative * &max_abs(&real) + t)));
    }
    // 6
    let least = min_abs(&real);
    let relative = if a.is_zero() {
        Some(Dyadic::ZERO)
    } else {
        let own = relative.filter(|(_, t)| t.is_zero()).map(|(relative, _)| up(&relative));
        let by_range = (!least.is_zero()).then(|| up_quotient(&d, &least));
        own.into_iter().chain(by_range).min().filter(|relative| *relative <= Dyadic::ONE)
    };
    // 7
    let (mut lo, mut hi) = (real.lo() - &d, real.hi() + &d);
    if let Some(relative) = &relative {
        let factor = &Dyadic::ONE - relative;
        if real.lo().signum() > 0 {
            lo = lo.max(real.lo() * &factor);
        }
        if real.hi().signum() < 0 {
            hi = hi.min(real.hi() * &factor);
        }
    }
    if let Some(floats) = floats {
        lo = lo.max(floats.lo().clone());
        hi = hi.min(floats.hi().clone());
    }
    let float = Enclosure::new(lo, hi).ok_or("no float is left")?;
    Ok(Judgement { real, float: outward(&float), x, p, relative, d })
}
