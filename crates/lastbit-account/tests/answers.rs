//! Conversions, groups, trade-offs and calibration.

use lastbit_account::{Composition, Error, Mechanism, Noise, calibrate, largest_rho};
use lastbit_real::{Enclosure, Rational, Rounding, exp_rational};

use crate::truth::{composition, laplace, rational, response};

fn decimal(x: &Rational, digits: usize) -> String {
    x.to_decimal(digits, Rounding::Nearest)
}

/// The conversion that is usual in the field, in many places: a thousand times ρ = 1/200 and ρ = 1/5000.
#[test]
fn zero_concentrated_losses() {
    let delta = rational("1e-6");
    let thousand = composition(&[(laplace("0.1"), 1000)]);
    assert_eq!(thousand.zero_concentrated(), Some(rational("5")));
    let epsilon = thousand.epsilon_by_zero_concentrated(&delta).unwrap();
    assert_eq!(decimal(&epsilon, 4), "20.55");
    // There and back.
    let back = thousand.delta_by_zero_concentrated(&epsilon).unwrap();
    assert!((back / &delta - Rational::ONE).abs() < rational("1e-6"));
    let gaussian = composition(&[(Mechanism::Gaussian { rho: rational("1/5000") }, 1000)]);
    assert_eq!(decimal(&gaussian.epsilon_by_zero_concentrated(&delta).unwrap(), 4), "3.131");
    let certified = gaussian.epsilon(&delta).unwrap();
    assert_eq!(decimal(&certified.upper.unwrap(), 5), "2.9216");
    // It is above the truth, whatever ε is.
    for epsilon in ["0", "1/10", "1", "5", "40"] {
        let epsilon = rational(epsilon);
        let truth = gaussian.delta(&epsilon).unwrap();
        assert!(gaussian.delta_by_zero_concentrated(&epsilon).unwrap() >= truth.lower, "{epsilon}");
    }
    for (mechanism, rho) in [(response(&rational("3")), "3"), (response(&rational("1")), "1/2")] {
        assert_eq!(composition(&[(mechanism, 1)]).zero_concentrated(), Some(rational(rho)));
    }
}

/// What a filter may spend, and that no more is left.
#[test]
fn filters() {
    let (epsilon, delta) = (rational("3"), rational("1e-6"));
    let rho = largest_rho(&epsilon, &delta).unwrap();
    let spent = |rho: Rational| composition(&[(Mechanism::ZeroConcentrated { rho }, 1)]);
    assert!(spent(rho.clone()).delta(&epsilon).unwrap().upper.unwrap() <= delta);
    assert!(spent(rho * rational("1.000001")).delta(&epsilon).unwrap().upper.unwrap() > delta);
    assert!(matches!(largest_rho(&rational("-1"), &delta), Err(Error::Negative { .. })));
    assert!(matches!(largest_rho(&epsilon, &rational("1")), Err(Error::NoProbability { .. })));
}

/// `ln(∫ p^α q^(1-α))/(α-1)` of Laplace noise, as a sum of its three parts.
#[test]
fn renyi_divergences() {
    let order = rational("7/2");
    let epsilon = rational("2");
    let exp = |x: &Rational| exp_rational(x, 200).unwrap();
    // Below both, between them, above both; with the neighbour at distance ε and scale 1.
    let less = &order - Rational::ONE;
    let below = exp(&(&less * &epsilon)).shl(-1);
    let above = exp(&-(&order * &epsilon)).shl(-1);
    let both = &order + &less;
    let between = (&exp(&(&less * &epsilon)) - &exp(&-(&order * &epsilon))).shl(-1);
    let between = between.div(&Enclosure::of_rational(&both, 200), 200).unwrap();
    let sum = (&(&below + &between) + &above).ln(200).unwrap();
    let truth = sum.div(&Enclosure::of_rational(&less, 200), 200).unwrap();
    let found = composition(&[(laplace("2"), 3)]).renyi(&order).unwrap();
    let third = found.div(&Enclosure::of_rational(&Rational::from(3), 200), 200).unwrap();
    assert!(third.lo() <= truth.hi() && third.hi() >= truth.lo());
    assert!(composition(&[(laplace("2"), 1)]).renyi(&Rational::ONE).is_none());
}

#[test]
fn groups() {
    let of = |mechanism: Mechanism| composition(&[(mechanism, 5)]).for_group(3);
    assert_eq!(of(laplace("1/10")).unwrap(), composition(&[(laplace("3/10"), 5)]));
    let gaussian = Mechanism::Gaussian { rho: rational("1/8") };
    assert_eq!(of(gaussian).unwrap().zero_concentrated(), Some(rational("45/8")));
    assert_eq!(of(response(&rational("1"))).unwrap().pure(), Some(rational("15")));
    let sampled = Mechanism::SampledLaplace { rate: rational("1/2"), epsilon: rational("1") };
    assert!(matches!(of(sampled), Err(Error::NoGroup { .. })));
    assert!(matches!(composition(&[(laplace("1"), 1)]).for_group(0), Err(Error::NotPositive { .. })));
}

/// Of one randomized response: `max(1 - e^ε·α, e^-ε·(1 - α), 0)`.
#[test]
fn trade_offs() {
    let epsilon = rational("1");
    let one = composition(&[(response(&epsilon), 1)]);
    let alarms: Vec<Rational> = ["0", "0.05", "0.2689", "0.5", "0.9", "1"].map(rational).to_vec();
    let found = one.trade_off(&alarms, &|| true).unwrap();
    let e = Rational::from(exp_rational(&epsilon, 100).unwrap().lo());
    for (alarm, found) in alarms.iter().zip(found) {
        let line = Rational::ONE - &e * alarm;
        let other = (Rational::ONE - alarm) / &e;
        let truth = line.max(other);
        let margin = rational("1e-3");
        assert!(found.lower <= &truth + rational("1e-12"), "{alarm}");
        assert!(found.upper.clone().unwrap() >= &truth - rational("1e-12"), "{alarm}");
        assert!(found.upper.unwrap() - found.lower <= margin, "{alarm}");
    }
    // 73.1% at ε = 1.
    assert_eq!(decimal(&one.surest(&|| true).unwrap().upper.unwrap(), 4), "0.7311");
    assert!(matches!(one.trade_off(&[rational("2")], &|| true), Err(Error::NoShare { .. })));
    // Many, in both directions, with something that gives everything away now and then.
    let sampled = Mechanism::SampledGaussian { rate: rational("1/10"), rho: rational("1/2") };
    let leak = Mechanism::Approximate { epsilon: Rational::ZERO, delta: rational("1e-3") };
    let many = composition(&[(sampled, 20), (leak, 1)]);
    let found = many.trade_off(&alarms, &|| true).unwrap();
    for (interval, next) in found.iter().zip(&found[1..]) {
        assert!(interval.lower <= interval.upper.clone().unwrap());
        assert!(next.lower <= interval.upper.clone().unwrap());
    }
    // 1/1000 is no whole number of the units of a mass: the bound is as near as these allow.
    assert!(found[0].upper.clone().unwrap() <= rational("0.999000000000000000001"));
    assert!(found[0].lower <= rational("0.999"));
}

/// The least noise is enough, and a little less is not.
#[test]
fn calibration() {
    let (epsilon, delta) = (rational("2"), rational("1e-5"));
    for (noise, sensitivity, times) in [
        (Noise::Gaussian, "1/2", 10),
        (Noise::Laplace, "3", 20),
        (Noise::DiscreteLaplace, "1", 20),
        (Noise::DiscreteGaussian, "2", 5),
    ] {
        let sensitivity = rational(sensitivity);
        let found = calibrate(noise, &sensitivity, times, &epsilon, &delta, &|| true).unwrap();
        assert!(found.delta.upper.unwrap() <= delta, "{noise:?}");
        let less = found.scale * rational("0.99999");
        let mechanism = match noise {
            Noise::Gaussian => Mechanism::Gaussian { rho: (&sensitivity / &less).pow(2) * rational("1/2") },
            Noise::Laplace => Mechanism::Laplace { epsilon: &sensitivity / &less },
            Noise::DiscreteLaplace => Mechanism::DiscreteLaplace { scale: less, sensitivity: 1 },
            _ => Mechanism::DiscreteGaussian { variance: less.pow(2), sensitivity: 2 },
        };
        assert!(composition(&[(mechanism, times)]).delta(&epsilon).unwrap().lower > delta, "{noise:?}");
    }
    let half = rational("1/2");
    let refused = calibrate(Noise::DiscreteLaplace, &half, 1, &epsilon, &delta, &|| true);
    assert!(matches!(refused, Err(Error::NotWhole { .. })));
    let never = calibrate(Noise::Laplace, &half, 0, &epsilon, &delta, &|| true);
    assert!(matches!(never, Err(Error::NotPositive { .. })));
    let often = calibrate(Noise::Laplace, &half, 1_000_000_000_000, &epsilon, &delta, &|| true);
    assert!(matches!(often, Err(Error::TooMany { .. })));
}

/// Whoever asks may stop it.
#[test]
fn cancelled() {
    let long = composition(&[(laplace("0.01"), 1_000_000)]);
    assert_eq!(long.delta_while(&rational("10"), &|| false), Err(Error::Cancelled));
    assert_eq!(Composition::new().trade_off(&[], &|| true), Err(Error::Empty));
}
