//! Tails of the real normal variable: quantiles, and the `δ` that goes with an `ε`.
//!
//! Everything is decided by enclosures, and on logarithms: the tail of what is a million `σ` away has a trillion digits, its
//! logarithm has thirteen. What is not decided at [`MOST_BITS`] counts as not holding, which costs some noise and never a promise; it takes
//! parameters beyond any use (a confidence below 2⁻¹⁰⁰⁰, say) to get there.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, Rational, erfcx, exp, exp_rational, ln_rational};

/// The bits of the first attempt, enough for nearly all.
const BITS: u32 = 80;

/// The bits of the last attempt.
const MOST_BITS: u32 = BITS << 6;

/// The attempts.
fn precisions() -> impl Iterator<Item = u32> {
    std::iter::successors(Some(BITS), |bits| Some(bits * 2)).take_while(|bits| *bits <= MOST_BITS)
}

/// Whether a number is at most `bound`, which is positive; `log` encloses the logarithm of the number, or says that the bits are too few.
fn log_is_at_most(log: impl Fn(u32) -> Option<Enclosure>, bound: &Rational) -> bool {
    for bits in precisions() {
        let Some(log) = log(bits) else { continue };
        let bound = ln_rational(bound, bits).expect("a positive bound");
        if log.hi() <= bound.lo() {
            return true;
        }
        if log.lo() > bound.hi() {
            return false;
        }
    }
    false
}

/// The least number of `bits` bits after its first at which `holds` is true, where it is false at `2^fails` and below, and true from some number up to
/// `2^holds_at`.
pub(crate) fn least(mut fails: i64, mut holds_at: i64, bits: u32, holds: impl Fn(&Dyadic) -> bool) -> Dyadic {
    while holds_at - fails > 1 {
        let middle = fails + (holds_at - fails) / 2;
        if holds(&Dyadic::pow2(middle)) { holds_at = middle } else { fails = middle }
    }
    // `below` fails, `below + step` holds.
    let mut below = Dyadic::pow2(fails);
    let mut step = Dyadic::pow2(fails);
    for _ in 0..bits {
        step = step.shl(-1);
        let middle = &below + &step;
        if !holds(&middle) {
            below = middle;
        }
    }
    below + step
}

/// The least `z`, to 60 bits and rounded up, with `P(|G| > √2·z) = erfc z <= tail`, for `0 < tail < 1`.
pub(crate) fn quantile(tail: &Rational) -> Dyadic {
    let log_erfc = |z: &Dyadic, bits: u32| {
        let scaled = erfcx(z, bits).expect("z is positive").ln(bits).expect("erfcx is positive");
        Some(&scaled - &Enclosure::exact(z * z))
    };
    // erfc z >= 1 - 1.13·z, above the tail for z <= (1 - tail)/2.
    let fails = (Rational::ONE - tail).floor_log2().expect("tail < 1") - 2;
    // erfc z <= e^(-z²), at most the tail for z² >= -ln tail; and 2k >= floor(log2(-ln tail)) + 1.
    let log = -&ln_rational(tail, BITS).expect("tail > 0");
    let holds_at = log.hi().floor_log2().expect("tail < 1").div_euclid(2) + 1;
    least(fails, holds_at, 60, |z| log_is_at_most(|bits| log_erfc(z, bits), tail))
}

/// What `δ` depends on: `ε`, and the square of `t = d/σ`, the distance in standard deviations.
///
/// `δ = Φ(t/2 - ε/t) - e^ε·Φ(-t/2 - ε/t)` (Balle and Wang 2018). With `p = (t/2 - ε/t)²/2` it has the squares of its arguments, over 2, as
/// `p` and `p + ε`, both rational, and `e^ε·e^-(p + ε) = e^-p`. In terms of `erfcx z = e^(z²)·erfc z` therefore
///
/// - `δ = e^-p/2·(erfcx √p - erfcx √(p + ε))` if `ε >= t²/2`, and
/// - `δ = 1 - e^-p/2·(erfcx √p + erfcx √(p + ε))` if not.
pub(crate) struct Excess {
    epsilon: Rational,
    t_squared: Rational,
    p: Rational,
}

impl Excess {
    /// For a positive distance and `ε >= 0`.
    pub(crate) fn new(epsilon: &Rational, distance: &Rational, variance: &Rational) -> Excess {
        let t_squared = distance.pow(2) / variance;
        let two = Rational::from(2);
        let p = (&t_squared / &two - epsilon).pow(2) / (&t_squared * &two);
        Excess { epsilon: epsilon.clone(), t_squared, p }
    }

    /// Whether `ε >= t²/2`: then `δ` is the smaller one of the two forms, and at most `e^-p/2`, as `erfcx <= 1`.
    fn is_small(&self) -> bool {
        self.epsilon >= &self.t_squared / Rational::from(2)
    }

    /// `ln δ`; `None` if `bits` are too few to tell `δ` from 0.
    fn log(&self, bits: u32) -> Option<Enclosure> {
        let scaled = |square: &Rational| {
            let z = Enclosure::of_rational(square, bits).sqrt(bits).expect("not negative");
            z.erfcx(bits).expect("not negative")
        };
        let (near, far) = (scaled(&self.p), scaled(&(&self.p + &self.epsilon)));
        let positive = |x: &Enclosure| x.sign() == Some(Ordering::Greater);
        if self.is_small() {
            let difference = (&near - &far).shl(-1);
            let log = positive(&difference).then(|| difference.ln(bits).expect("positive"))?;
            return Some(&log - &Enclosure::of_rational(&self.p, bits));
        }
        let one = Enclosure::exact(Dyadic::ONE);
        let rest = if self.p > Rational::from(2 * bits) {
            // e^-p <= 2^-(2·bits), and each erfcx is at most 1.
            Enclosure::new(Dyadic::ZERO, Dyadic::pow2(-2 * i64::from(bits))).expect("in order")
        } else {
            &(&near + &far).shl(-1) * &exp_rational(&-&self.p, bits).expect("p is of the order of `bits`")
        };
        let delta = &one - &rest;
        positive(&delta).then(|| delta.ln(bits).expect("positive"))
    }

    /// Whether `δ` is at most this positive number.
    pub(crate) fn is_at_most(&self, delta: &Rational) -> bool {
        // δ is largest for ε = 0, where it is at most t/√(2π) < 0.4·t.
        if &self.t_squared * Rational::from(4) / Rational::from(25) <= delta.pow(2) {
            return true;
        }
        if self.is_small() {
            let log = ln_rational(delta, BITS).expect("a positive bound");
            if log.lo().cmp_rational(&-&self.p).is_ge() {
                return true;
            }
        }
        log_is_at_most(|bits| self.log(bits), delta)
    }

    /// `δ`, rounded up by less than 2⁻⁴⁰ of itself; but at least [`Excess::LEAST`], so that it has few digits.
    pub(crate) fn above(&self) -> Rational {
        let least = Rational::pow2(Self::LEAST);
        if self.is_at_most(&least) {
            return least;
        }
        let mut above = Rational::ONE;
        for log in precisions().filter_map(|bits| self.log(bits)) {
            let end = exp(log.hi(), BITS).expect("above 2^LEAST").hi().clone();
            above = above.min(Rational::from(end));
            // What exp adds is far less.
            if log.width() < Dyadic::pow2(-42) {
                break;
            }
        }
        above
    }

    /// The exponent of the least `δ` that [`above`](Self::above) tells.
    pub(crate) const LEAST: i64 = -2000;
}

/// Bits of [`least_epsilon`] after the first.
const EPSILON_BITS: u32 = 40;

/// How far, in powers of two, [`least_epsilon`] looks below a bound on it.
const EPSILON_RANGE: i64 = 64;

/// The least `ε` whose [`Excess`] at this distance is at most `delta`, rounded up to 41 significant bits; `bound` is positive and above it.
/// A value above 0 and below 2⁻⁶⁴ of the bound is given as about that.
pub(crate) fn least_epsilon(
    delta: &Rational,
    distance: &Rational,
    variance: &Rational,
    bound: &Rational,
) -> Rational {
    let holds = |epsilon: &Rational| Excess::new(epsilon, distance, variance).is_at_most(delta);
    if holds(&Rational::ZERO) {
        return Rational::ZERO;
    }
    let holds_at = bound.floor_log2().expect("a positive bound") + 1;
    let fails = holds_at - EPSILON_RANGE;
    if holds(&Rational::pow2(fails)) {
        return Rational::pow2(fails);
    }
    Rational::from(least(fails, holds_at, EPSILON_BITS, |epsilon| holds(&Rational::from(epsilon))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit_real::Rounding;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// ```python
    /// from mpmath import mp, mpf, sqrt, nstr, findroot, erfc, log
    /// mp.dps = 400
    /// for tail in ["0.5", "0.1", "0.05", "1e-6", "1e-30", "0.999999"]:
    ///     start = sqrt(-log(mpf(tail))) * mpf("0.8")
    ///     print(nstr(findroot(lambda z: log(erfc(z)) - log(mpf(tail)), start, tol=mpf(10)**-300), 16))
    /// ```
    #[test]
    fn quantiles() {
        for (tail, z) in [
            ("0.5", "0.4769362762044699"),
            ("0.1", "1.163087153676674"),
            ("0.05", "1.385903824349678"),
            ("1e-6", "3.458910737279500"),
            ("1e-30", "8.148616223169865"),
            ("0.999999", "8.862269254529900e-7"),
        ] {
            let found = Rational::from(quantile(&rational(tail)));
            assert_eq!(found.to_decimal(16, Rounding::Nearest), z, "{tail}");
        }
    }

    #[test]
    fn quantiles_hold_and_are_the_least() {
        for tail in ["0.5", "0.05", "1e-9", "1e-500", "0.999", "1/3"].map(rational) {
            let z = quantile(&tail);
            let tail_of = |z: &Dyadic| lastbit_real::erfc(z, 150).expect("small");
            assert!(tail_of(&z).hi().cmp_rational(&tail).is_le(), "{tail}");
            let less = &z - &z.shl(-58);
            assert!(tail_of(&less).lo().cmp_rational(&tail).is_gt(), "{tail}");
        }
    }

    /// In seconds and a few bits, whatever the tail.
    #[test]
    fn extreme_quantiles() {
        // √(ln(2)·n) to two digits: erfc z is close to e^(-z²).
        let z = quantile(&Rational::pow2(-100_000)).floor();
        assert!((262..=264).contains(&i64::try_from(z).expect("small")));
        // erfc z is 1 - 1.128·z near 0.
        let beta = Rational::pow2(-1000);
        let z = Rational::from(quantile(&(Rational::ONE - &beta))) / beta;
        assert_eq!(z.to_decimal(12, Rounding::Nearest), "0.886226925453"); // √π/2
        // Beyond all precision it is still a bound.
        let beta = Rational::pow2(-20_000);
        assert!(Rational::from(quantile(&(Rational::ONE - &beta))) > beta / Rational::from(2));
    }

    fn excess(epsilon: &str, distance: &str, sigma: &str) -> Excess {
        Excess::new(&rational(epsilon), &rational(distance), &rational(sigma).pow(2))
    }

    /// ```python
    /// from mpmath import mp, mpf, ncdf, exp, nstr
    /// mp.dps = 400
    /// def delta(e, d, s):
    ///     e, d, s = mpf(e), mpf(d), mpf(s)
    ///     return ncdf(d/(2*s) - e*s/d) - exp(e) * ncdf(-d/(2*s) - e*s/d)
    /// for arguments in […]: print(nstr(delta(*arguments), 12))
    /// ```
    #[test]
    fn deltas() {
        for (epsilon, distance, sigma, delta) in [
            ("1", "1", "1", "0.126936737507"),
            ("1", "1", "4", "2.92427210486e-6"),
            ("0.1", "1", "10", "0.00875176814581"),
            ("0", "1", "3", "0.132367665222"),
            ("10", "1", "0.25", "0.233698807862"),
            ("0.5", "1", "1", "0.238421708135"),
            ("8", "1", "0.1", "0.999976770152"),
            ("1e-12", "1", "1e12", "8.33154705877e-14"),
        ] {
            let found = excess(epsilon, distance, sigma).above();
            assert_eq!(found.to_decimal(12, Rounding::Nearest), delta, "{epsilon} {distance} {sigma}");
        }
        // Below what `above` tells: 2.2157059306231756e-2178.
        let excess = excess("1", "1", "100");
        assert!(excess.is_at_most(&rational("2.2157059306231757e-2178")));
        assert!(!excess.is_at_most(&rational("2.2157059306231755e-2178")));
        assert_eq!(excess.above(), Rational::pow2(Excess::LEAST));
    }

    #[test]
    fn deltas_of_every_size() {
        let at = |epsilon, distance, sigma| excess(epsilon, distance, sigma).above();
        let least = Rational::pow2(Excess::LEAST);
        assert_eq!(at("1", "1", "1e300"), least);
        assert_eq!(at("1e300", "1", "1"), least);
        assert_eq!(at("0", "1", "1e700"), least);
        assert_eq!(at("1e300", "1e300", "1e-300"), Rational::ONE);
        assert_eq!(at("1", "1", "1e-300"), Rational::ONE);
        // δ(0) = erf(t/√8), about t/√(2π).
        let small = at("0", "1", "1e200") * rational("1e200");
        assert_eq!(small.to_decimal(12, Rounding::Nearest), "0.398942280401");
        let small = at("1e-400", "1", "1e200") * rational("1e200");
        assert_eq!(small.to_decimal(12, Rounding::Nearest), "0.398942280401");
        // The exponent of the two forms: ε = t²/2 exactly.
        let middle = at("1/2", "1", "1");
        let (below, above) = (at("0.4999999999", "1", "1"), at("0.5000000001", "1", "1"));
        assert!(above < middle && middle < below && &below - &above < rational("1e-9"));
    }

    #[test]
    fn bounds_decide() {
        // δ of ε = 1, t = 1 is 0.1269…
        let excess = excess("1", "1", "1");
        let delta = excess.above();
        assert!(excess.is_at_most(&delta));
        assert!(!excess.is_at_most(&(&delta * (Rational::ONE - Rational::pow2(-39)))));
        assert!(!excess.is_at_most(&rational("1e-1000")) && excess.is_at_most(&rational("0.5")));
    }

    fn epsilon(delta: &str, t_squared: &str) -> Rational {
        // Far above: ρ + 2·√(ρ·ln(1/δ)) <= 3·ρ + ln(1/δ).
        let (delta, t_squared) = (rational(delta), rational(t_squared));
        let log = Rational::from(ln_rational(&delta.recip().unwrap(), BITS).unwrap().hi());
        let bound = log + &t_squared * Rational::from(2);
        least_epsilon(&delta, &Rational::ONE, &t_squared.recip().unwrap(), &bound)
    }

    /// ```python
    /// from mpmath import mp, mpf, ncdf, exp, nstr, sqrt
    /// mp.dps = 60
    /// def delta(e, t): return ncdf(t/2 - e/t) - exp(e) * ncdf(-t/2 - e/t)
    /// for d, t_squared in […]:
    ///     t, low, high = sqrt(t_squared), mpf(0), t_squared/2 + 40*sqrt(t_squared)
    ///     for _ in range(180):
    ///         middle = (low + high)/2
    ///         low, high = (middle, high) if delta(middle, t) > d else (low, middle)
    ///     print(nstr(high, 11))
    /// ```
    #[test]
    fn epsilons() {
        for (delta, t_squared, epsilon) in [
            ("1e-6", "1/4", "2.2540846502"),
            ("1e-5", "1", "4.3771780957"),
            ("1e-9", "1/16", "1.3956157139"),
            ("1/3", "4", "1.9914682983"),
            ("1e-30", "100", "163.97439473"),
            ("0.01", "1/100", "0.092707566226"),
        ] {
            assert_eq!(
                self::epsilon(delta, t_squared).to_decimal(11, Rounding::Nearest),
                epsilon,
                "{delta} {t_squared}"
            );
        }
        // δ(0) = erf(t/√8) is 0.0399 for t = 1/10.
        assert_eq!(epsilon("0.04", "1/100"), Rational::ZERO);
        assert!(epsilon("0.0398", "1/100").is_positive());
    }

    #[test]
    fn epsilons_hold_and_are_the_least() {
        for (delta, t_squared) in
            [("1e-6", "1/4"), ("1e-300", "9"), ("1/3", "2"), ("0.9", "100"), ("1e-9", "1e-12")]
        {
            let found = epsilon(delta, t_squared);
            let holds = |epsilon: &Rational| {
                Excess::new(epsilon, &Rational::ONE, &rational(t_squared).recip().unwrap())
                    .is_at_most(&rational(delta))
            };
            assert!(holds(&found), "{delta} {t_squared}");
            assert!(!holds(&(&found * (Rational::ONE - Rational::pow2(-39)))), "{delta} {t_squared}");
        }
    }

    #[test]
    fn epsilons_of_every_size() {
        assert!(epsilon("1e-6", "1e600") > rational("5e599"));
        assert_eq!(epsilon("1e-6", "1e-600"), Rational::ZERO);
        assert!(epsilon("1e-400", "1e-600").is_positive());
        // Just above where it is 0: told as a little more.
        let edge = epsilon("0.039878", "1/100");
        assert!(edge < rational("1e-3"));
    }
}
