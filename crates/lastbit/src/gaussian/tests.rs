use lastbit_real::{IBig, Rounding, erfc};

use super::*;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// The root of the variance, which is a square here.
fn sigma(gaussian: &Gaussian) -> Rational {
    let variance = gaussian.variance();
    let root = |x: IBig| Rational::from(x).floor_sqrt().expect("not negative");
    let sigma =
        Rational::new(root(variance.numerator()), root(variance.denominator().into())).expect("positive");
    assert_eq!(&sigma.pow(2), variance);
    sigma
}

/// ```python
/// from mpmath import mp, mpf, ncdf, exp, log, nstr
/// mp.dps = 200
/// def delta(e, d, s): return ncdf(d/(2*s) - e*s/d) - exp(e) * ncdf(-d/(2*s) - e*s/d)
/// def sigma(e, delta_wanted, d):
///     low, high = mpf(-30), mpf(60)
///     for _ in range(160):
///         middle = (low + high)/2
///         if delta(mpf(e), d, exp(middle)) > mpf(delta_wanted): low = middle
///         else: high = middle
///     return nstr(exp(high), 17)
/// ```
#[test]
fn least_sigmas() {
    for (epsilon, delta, sensitivity, least) in [
        ("1", "1e-5", "1", "3.7306316348159418"),
        ("0.1", "1e-6", "1", "36.304690426195785"),
        ("10", "1e-9", "1", "0.65024691895865738"),
        ("0", "0.01", "1", "39.893183581616519"),
        ("1", "1e-5", "1000", "3730.6316348159418"),
        ("0.5", "0.3", "1", "0.86586881694617934"),
        ("1", "1e-100", "1", "21.009409042300621"),
        ("1e-3", "1e-12", "1/7", "773.18602769198960"),
    ] {
        let [epsilon, delta, sensitivity, least] = [epsilon, delta, sensitivity, least].map(rational);
        let gaussian = Gaussian::for_epsilon_delta(&epsilon, &delta, &sensitivity).unwrap();
        let sigma = sigma(&gaussian);
        let digits = Rational::ONE + rational("1e-16");
        assert!(&sigma * &digits >= least, "{sigma} is below {least}");
        assert!(sigma <= &least * (digits + Rational::pow2(-40)), "{sigma} is far above {least}");
        assert!(sigma.is_dyadic() && sigma.numerator() < IBig::ONE << 41);
        // By the other function, and no smaller σ of as many bits.
        assert!(
            gaussian.delta(&epsilon, &sensitivity).unwrap() <= &delta * (Rational::ONE + Rational::pow2(-40))
        );
        let less = Gaussian::new(&(&sigma * (Rational::ONE - Rational::pow2(-39)))).unwrap();
        assert!(less.delta(&epsilon, &sensitivity).unwrap() > delta);
    }
}

/// Neither time nor memory without bound, and no panic.
#[test]
fn extreme_calibrations() {
    let calibrated =
        |epsilon, delta, d| Gaussian::for_epsilon_delta(&rational(epsilon), &rational(delta), &rational(d));
    // Anything is private enough.
    assert_eq!(calibrated("1e300", "0.5", "1e-300").unwrap().variance(), &Rational::pow2(-2148));
    assert!(matches!(calibrated("1", "1e-5", "1e308"), Err(Error::OutOfRange { name: "delta", .. })));
    for (epsilon, delta, d) in [
        ("1", "1e-3000", "1"),
        ("1e-200", "1e-200", "1"),
        ("1e100", "1e-10", "1"),
        ("0", "1e-200", "1"),
        ("1e-300", "0.999999999999", "1e-20"),
    ] {
        let gaussian = calibrated(epsilon, delta, d).unwrap();
        let excess = Excess::new(&rational(epsilon), &rational(d), gaussian.variance());
        assert!(excess.is_at_most(&rational(delta)), "{epsilon} {delta} {d}");
        let less = gaussian.variance() * rational("0.999999");
        assert!(!Excess::new(&rational(epsilon), &rational(d), &less).is_at_most(&rational(delta)));
    }
    for (epsilon, delta, d) in [("-1", "0.1", "1"), ("1", "0", "1"), ("1", "1", "1"), ("1", "0.1", "0")] {
        assert!(calibrated(epsilon, delta, d).is_err(), "{epsilon} {delta} {d}");
    }
}

/// What follows from ρ: `δ <= e^(-(ε - ρ)²/(4ρ))` (Bun and Steinke 2016) is more than the exact δ.
#[test]
fn deltas_are_below_those_of_rho() {
    for (sigma, epsilon) in [("1", "2"), ("4", "1"), ("10", "0.3"), ("1/2", "7")] {
        let gaussian = Gaussian::new(&rational(sigma)).unwrap();
        let rho = gaussian.loss(&Neighbours::at(Rational::ONE)).unwrap();
        let exponent = (rational(epsilon) - &rho).pow(2) / (rho * Rational::from(4));
        let bound = lastbit_real::exp_rational(&-exponent, 80).unwrap();
        let delta = gaussian.delta(&rational(epsilon), &Rational::ONE).unwrap();
        assert!(bound.lo().cmp_rational(&delta).is_gt());
        assert!(gaussian.delta(&rational(epsilon), &rational("1/2")).unwrap() < delta);
    }
    let gaussian = Gaussian::new(&Rational::ONE).unwrap();
    assert_eq!(gaussian.delta(&Rational::ONE, &Rational::ZERO), Ok(Rational::ZERO));
    assert!(gaussian.delta(&-Rational::ONE, &Rational::ONE).is_err());
    assert!(gaussian.delta(&Rational::ONE, &-Rational::ONE).is_err());
}

const CONFIDENCES: [&str; 5] = ["1e-9", "0.5", "0.95", "0.999999", "0.9999999999999999999999999"];

#[test]
fn half_widths_both_ways() {
    for confidence in CONFIDENCES.map(rational) {
        for sigma in ["1", "1/3", "1e-280", "1e300", "12345.678"].map(rational) {
            let gaussian = Gaussian::new(&sigma).unwrap();
            let width = gaussian.half_width(ValueType::F64, &confidence).unwrap().to_rational().unwrap();
            // P(|σ·G| > h) = erfc(h/(√2·σ)), on both sides of h.
            let tail = |width: &Rational| {
                let square = Enclosure::of_rational(&((width / &sigma).pow(2) / Rational::from(2)), 200);
                square.sqrt(200).unwrap().erfc(200).unwrap()
            };
            let allowed = Rational::ONE - &confidence;
            assert!(tail(&width).hi().cmp_rational(&allowed).is_le(), "{sigma} {confidence}");
            let less = &width * (Rational::ONE - Rational::pow2(-50));
            assert!(tail(&less).lo().cmp_rational(&allowed).is_gt(), "{sigma} {confidence}");
            let back = Gaussian::for_half_width(&width, &confidence).unwrap();
            let ratio = back.variance() / gaussian.variance();
            assert!((ratio - Rational::ONE).abs() < Rational::pow2(-50));
        }
        for (h, expected) in [("0", "0"), ("0.6", "0"), ("1", "1"), ("29.9", "29"), ("1000000", "1000000")] {
            let found = Gaussian::for_integer_half_width(&rational(h), &confidence).unwrap();
            let reached = found.half_width(ValueType::I64, &confidence).unwrap();
            assert_eq!(reached, HalfWidth::Integer(rational(expected).floor()), "{h} {confidence}");
        }
    }
}

#[test]
fn half_widths_of_every_size() {
    // A few bits of memory for every parameter.
    for exponent in [-2148, -1000, 0, 2047] {
        let gaussian = Gaussian::with_variance(Rational::pow2(exponent)).unwrap();
        for values in [ValueType::F64, ValueType::I64] {
            for confidence in CONFIDENCES.map(rational) {
                gaussian.half_width(values, &confidence).unwrap();
            }
        }
    }
    let wide = Gaussian::with_variance(Rational::pow2(2047)).unwrap();
    let nearly_sure = Rational::ONE - rational("1e-20000");
    assert_eq!(wide.half_width(ValueType::F64, &nearly_sure), Ok(HalfWidth::Float(f64::INFINITY)));
    // 2σ leave erfc(√2) = 4.55%.
    let two = Gaussian::new(&Rational::ONE).unwrap().half_width(ValueType::F64, &rational("0.9545")).unwrap();
    let two = two.to_rational().unwrap().to_f64(Rounding::Nearest);
    assert!((two - 2.0).abs() < 1e-3 && erfc(&Dyadic::ONE, 60).is_ok());
    for bad in ["0", "1", "-1/2", "3/2"] {
        assert!(wide.half_width(ValueType::F64, &rational(bad)).is_err(), "{bad}");
    }
    assert!(Gaussian::for_half_width(&Rational::ZERO, &rational("0.5")).is_err());
    let refused = Gaussian::for_half_width(&Rational::pow2(5000), &rational("0.5"));
    assert!(matches!(refused, Err(Error::OutOfRange { name: "variance", .. })));
}

#[test]
fn parameters_and_claims() {
    for bad in ["0", "-1"].map(rational) {
        assert!(matches!(Gaussian::new(&bad), Err(Error::NotPositive { name: "scale", .. })));
        assert!(matches!(Gaussian::with_variance(bad), Err(Error::NotPositive { name: "variance", .. })));
    }
    for exponent in [-2149, 2048] {
        let refused = Gaussian::with_variance(Rational::pow2(exponent));
        assert!(matches!(refused, Err(Error::OutOfRange { name: "variance", .. })));
    }
    assert!(Gaussian::new(&Rational::pow2(-1074)).is_ok());
    assert!(Gaussian::new(&(Rational::pow2(1024) - Rational::pow2(900))).is_ok());
    // σ² = 3 has no rational root.
    let gaussian = Gaussian::for_rho(&rational("1/6"), &Rational::ONE).unwrap();
    assert_eq!(gaussian.variance(), &Rational::from(3));
    let claim = gaussian.claim(ValueType::Real, &Neighbours::at(Rational::from(2))).unwrap();
    assert_eq!(claim.loss(), &rational("2/3"));
    assert_eq!(
        claim.to_string(),
        "gaussian variance=3: ρ = 2/3 <= 0.66666666666666667, i.e. (ε, δ) = (5.7605, 1e-6), zero-concentrated-divergence, \
         for columns of real numbers at L2 distance <= 2; values are read exactly"
    );
    assert_eq!(
        gaussian.formula(ValueType::F32),
        "x -> the float32 nearest to x + σ·G, where G is real with density exp(-g²/2)/√(2π) and σ² = variance"
    );
}
