//! What is known in closed form: Gaussian noise, zero-concentrated losses, Rényi divergences.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, Rational, Rounding, exp_rational, ln_rational};

use crate::composition::Interval;

/// The bits of the first attempt, and of the last.
const BITS: u32 = 96;
const MOST_BITS: u32 = 6144;

/// What is below `2^-LEAST` is given as that, or as 0.
const LEAST: i64 = 8192;

/// `δ(ε)` of Gaussian noise: `erfc((ε-ρ)/√(4ρ))/2 - e^ε·erfc((ε+ρ)/√(4ρ))/2` (Balle and Wang 2018).
pub(crate) fn gaussian_delta(rho: &Rational, epsilon: &Rational) -> Interval {
    let least = Rational::pow2(-LEAST);
    // erfc z <= e^(-z²) for z >= 0, and z² > LEAST.
    let from_mean = epsilon - rho;
    if from_mean.is_positive() && from_mean.pow(2) > Rational::from(4 * LEAST as u64) * rho {
        return Interval { lower: Rational::ZERO, upper: Some(least) };
    }
    let mut bits = BITS;
    loop {
        let delta = gaussian_enclosed(rho, epsilon, bits);
        let narrow = delta.width() <= delta.lo().shl(-64);
        if (narrow && delta.lo().signum() > 0) || bits >= MOST_BITS {
            let [lower, upper] = [delta.lo(), delta.hi()].map(Rational::from);
            return Interval {
                lower: lower.max(Rational::ZERO),
                upper: Some(upper.max(least).min(Rational::ONE)),
            };
        }
        bits *= 2;
    }
}

/// With `z = (ε-ρ)/√(4ρ)` and `w = (ε+ρ)/√(4ρ)` it is `w² - z² = ε`, so `e^ε·erfc w = e^(-z²)·erfcx w`: no factor is large, whatever `ε` and `ρ` are.
fn gaussian_enclosed(rho: &Rational, epsilon: &Rational, bits: u32) -> Enclosure {
    let four = rho * Rational::from(4);
    let root = Enclosure::of_rational(&four, bits).sqrt(bits).expect("positive");
    let scaled = |x: &Rational| {
        let z = Enclosure::of_rational(x, bits).div(&root, bits).expect("positive");
        z.erfcx(bits).expect("not negative")
    };
    let from_mean = epsilon - rho;
    let square = from_mean.pow(2).checked_div(&four).expect("positive");
    let power = match square > Rational::from(LEAST) {
        // e^(-z²) < 2^(-z²).
        true => Enclosure::new(Dyadic::ZERO, Dyadic::pow2(-LEAST)).expect("in order"),
        false => exp_rational(&-square, bits).expect("limited"),
    };
    let (near, far) = (scaled(&from_mean.abs()), scaled(&(epsilon + rho)));
    let difference = match from_mean.is_negative() {
        // erfc z = 2 - erfc(-z).
        true => &Enclosure::exact(Dyadic::from(2)) - &(&power * &(&near + &far)),
        false => &power * &(&near - &far),
    };
    difference.round(bits).shl(-1)
}

/// The least `ε` with `δ(ε) <= delta`, for Gaussian noise, to 40 bits or so.
pub(crate) fn gaussian_epsilon(rho: &Rational, delta: &Rational) -> Interval {
    let holds = |epsilon: &Rational| gaussian_delta(rho, epsilon).upper.is_some_and(|upper| upper <= *delta);
    let fails = |epsilon: &Rational| gaussian_delta(rho, epsilon).lower > *delta;
    if holds(&Rational::ZERO) {
        return Interval { lower: Rational::ZERO, upper: Some(Rational::ZERO) };
    }
    // A bound for everything that is zero-concentrated, thus also for what is too improbable to be enclosed.
    let mut upper = concentrated_epsilon(rho, delta);
    let mut lower = Rational::ZERO;
    // Halved until the ends are close; a number that is between for sure neither holds nor fails.
    for _ in 0..200 {
        if (&upper - &lower) * Rational::pow2(40) <= upper {
            break;
        }
        let middle = (&lower + &upper) * Rational::pow2(-1);
        if holds(&middle) {
            upper = middle;
        } else if fails(&middle) {
            lower = middle;
        } else {
            break;
        }
    }
    Interval { lower, upper: Some(upper) }
}

/// An upper bound on `δ(ε)` of everything that is `ρ`-zero-concentrated (Canonne, Kamath and Steinke 2020, Proposition 12): the least over
/// `α > 1` of `e^((α-1)(αρ-ε))·(1-1/α)^α/(α-1)`. Any `α` is a bound; it is chosen in floating point.
pub(crate) fn concentrated_delta(rho: &Rational, epsilon: &Rational) -> Rational {
    let (r, e) = (rho.to_f64(Rounding::Nearest), epsilon.to_f64(Rounding::Nearest));
    let log = |a: f64| (a - 1.0) * (a * r - e) + (a - 1.0) * (a - 1.0).ln() - a * a.ln();
    let order = best_order(&log);
    let [one, alpha] = [Rational::ONE, order.clone()];
    let less = &alpha - &one;
    let logs = &(&enclosed(&less) * &ln(&less)) - &(&enclosed(&alpha) * &ln(&alpha));
    let log = &enclosed(&(&less * (&alpha * rho - epsilon))) + &logs;
    exp_up(log.hi()).min(Rational::ONE)
}

/// The same, solved for `ε`: the least over `α` of `αρ + (ln(1/δ) + (α-1)·ln(1-1/α) - ln α)/(α-1)`.
pub(crate) fn concentrated_epsilon(rho: &Rational, delta: &Rational) -> Rational {
    let r = rho.to_f64(Rounding::Nearest);
    let inverse = delta.recip().expect("a positive delta");
    let log_inverse = ln(&inverse);
    let l = log_inverse.hi().cmp_rational(&Rational::ZERO);
    debug_assert!(l != Ordering::Less);
    let log_float = Rational::from(log_inverse.hi()).to_f64(Rounding::Nearest);
    let bound = |a: f64| a * r + (log_float + (a - 1.0) * (1.0 - 1.0 / a).ln() - a.ln()) / (a - 1.0);
    let alpha = best_order(&bound);
    let less = &alpha - Rational::ONE;
    let share = less.checked_div(&alpha).expect("above 1");
    let sum = &(&log_inverse + &(&enclosed(&less) * &ln(&share))) - &ln(&alpha);
    let quotient = sum.div(&enclosed(&less), BITS).expect("alpha is above 1");
    let epsilon = &alpha * rho + Rational::from(quotient.hi());
    epsilon.max(Rational::ZERO)
}

/// Where a function of an order above 1 is least, nearly.
fn best_order(of: &dyn Fn(f64) -> f64) -> Rational {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (-30.0f64, 40.0f64);
    let at = |x: f64| of(1.0 + x.exp());
    for _ in 0..80 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if at(a) <= at(b) { high = b } else { low = a }
    }
    let less = low.midpoint(high).exp();
    Rational::ONE + Rational::try_from(less).expect("finite")
}

fn enclosed(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x, BITS)
}

fn ln(x: &Rational) -> Enclosure {
    ln_rational(x, BITS).expect("positive")
}

/// `e^x`, rounded up; never below `2^-LEAST`.
fn exp_up(x: &Dyadic) -> Rational {
    if x.cmp_rational(&Rational::from(-LEAST / 2)).is_lt() {
        return Rational::pow2(-LEAST / 2);
    }
    if x.signum() > 0 {
        return Rational::ONE;
    }
    Rational::from(exp_rational(&Rational::from(x), BITS).expect("limited").hi())
}

/// The largest `ρ`, to 40 bits, for which everything that is `ρ`-zero-concentrated is (ε, δ)-differentially private by the same bound.
pub(crate) fn largest_rho(epsilon: &Rational, delta: &Rational) -> Rational {
    let holds = |rho: &Rational| concentrated_delta(rho, epsilon) <= *delta;
    let mut unit = Rational::ONE;
    while holds(&unit) {
        unit = unit * Rational::from(2);
    }
    while !holds(&unit) {
        unit = unit * Rational::pow2(-1);
        if unit < Rational::pow2(-2 * LEAST) {
            return Rational::ZERO;
        }
    }
    let mut rho = unit.clone();
    for bit in 1..=40 {
        let more = &rho + &unit * Rational::pow2(-bit);
        if holds(&more) {
            rho = more;
        }
    }
    rho
}

/// The Rényi divergence of real Laplace noise at an order above 1:
/// `ln(α/(2α-1)·e^((α-1)ε) + (α-1)/(2α-1)·e^(-αε))/(α-1)` (Mironov 2017, Proposition 6).
pub(crate) fn laplace_renyi(epsilon: &Rational, order: &Rational) -> Enclosure {
    let less = order - Rational::ONE;
    let both = order + &less;
    let share = |x: &Rational| enclosed(&x.checked_div(&both).expect("above 1"));
    // With e^((α-1)ε) taken out, so that nothing is large.
    let falls = exp_rational(&-(&both * epsilon), BITS).expect("limited");
    let sum = &share(order) + &(&share(&less) * &falls);
    let log = sum.round(BITS).ln(BITS).expect("positive");
    &enclosed(epsilon) + &log.div(&enclosed(&less), BITS).expect("above 1")
}
