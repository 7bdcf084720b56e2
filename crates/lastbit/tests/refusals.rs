//! What is refused, with which error, and that nothing is written then; and that no parameter makes anything panic.

use lastbit::{
    Amount, AnyMechanism, BitSource, Claim, Contract, DiscreteGaussian, DiscreteLaplace, Error, Family,
    FloatSnapping, Gaussian, GridLaplace, InsecureSeededSource, Laplace, Mechanism, Neighbours, Rational,
    ReplaySource, Snapping, ValueType,
};
use proptest::prelude::*;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn source() -> InsecureSeededSource<u64> {
    InsecureSeededSource::from_seed(1)
}

/// At this distance, in one value.
fn apart(distance: &Rational) -> Neighbours {
    Neighbours::at(distance.clone()).differing_in(1).unwrap()
}

fn not_positive<T: std::fmt::Debug>(result: Result<T, Error>, parameter: &str) {
    assert!(matches!(&result, Err(Error::NotPositive { name, .. }) if *name == parameter), "{result:?}");
}

fn out_of_range<T: std::fmt::Debug>(result: Result<T, Error>, parameter: &str) {
    assert!(matches!(&result, Err(Error::OutOfRange { name, .. }) if *name == parameter), "{result:?}");
}

#[test]
fn scales_must_be_positive() {
    for bad in ["0", "-1", "-1/1000000"] {
        not_positive(Laplace::new(rational(bad)), "scale");
        not_positive(DiscreteLaplace::new(rational(bad)), "scale");
        not_positive(GridLaplace::<f64>::new(rational(bad), None), "scale");
        not_positive(DiscreteGaussian::new(&rational(bad)), "scale");
        not_positive(DiscreteGaussian::with_variance(rational(bad)), "variance");
        not_positive(Gaussian::new(&rational(bad)), "scale");
        not_positive(Gaussian::with_variance(rational(bad)), "variance");
        not_positive(Gaussian::for_half_width(&rational(bad), &rational("0.95")), "half_width");
        not_positive(Snapping::new(rational(bad), rational("1")), "epsilon");
        not_positive(Snapping::new(rational("1"), rational(bad)), "bound");
    }
    for bad in [0.0, -1.0] {
        not_positive(FloatSnapping::new(bad, 1.0), "epsilon");
        not_positive(FloatSnapping::new(1.0, bad), "bound");
    }
}

#[test]
fn epsilon_and_sensitivity_must_be_positive() {
    let (one, zero) = (&Rational::ONE, &Rational::ZERO);
    not_positive(Laplace::for_epsilon(zero, one), "epsilon");
    not_positive(Laplace::for_epsilon(one, zero), "sensitivity");
    not_positive(DiscreteLaplace::for_epsilon(zero, one), "epsilon");
    not_positive(DiscreteLaplace::for_epsilon(one, zero), "sensitivity");
    not_positive(GridLaplace::<f64>::for_epsilon(zero, &apart(one), None), "epsilon");
    not_positive(GridLaplace::<f64>::for_epsilon(one, &apart(zero), None), "sensitivity");
    not_positive(DiscreteGaussian::for_rho(zero, one), "rho");
    not_positive(DiscreteGaussian::for_rho(one, zero), "sensitivity");
    not_positive(Gaussian::for_rho(zero, one), "rho");
    not_positive(Gaussian::for_rho(one, zero), "sensitivity");
    let delta = &rational("1e-6");
    assert!(Gaussian::for_epsilon_delta(zero, delta, one).is_ok(), "0 is an ε");
    let negative = Gaussian::for_epsilon_delta(&rational("-1"), delta, one);
    assert!(matches!(negative, Err(Error::Negative { name: "epsilon", .. })));
    not_positive(Gaussian::for_epsilon_delta(one, zero, one), "delta");
    not_positive(Gaussian::for_epsilon_delta(one, delta, zero), "sensitivity");
    out_of_range(Gaussian::for_epsilon_delta(one, one, one), "delta");
    not_positive(Snapping::for_epsilon(zero, one, Rational::ONE), "epsilon");
    not_positive(Snapping::for_epsilon(one, zero, Rational::ONE), "sensitivity");
}

/// For the real Gaussian alone the least noise at an ε and a δ is known.
#[test]
fn who_has_no_calibration_to_epsilon_and_delta() {
    let amount = Amount::EpsilonDelta {
        epsilon: Rational::ONE,
        delta: rational("1e-6"),
        neighbours: apart(&Rational::ONE),
    };
    for (family, name) in [
        (Family::Laplace, "laplace"),
        (Family::GridLaplace { values: ValueType::F64, k: None }, "grid-laplace"),
        (Family::GridLaplace { values: ValueType::F32, k: Some(0) }, "grid-laplace"),
        (Family::DiscreteLaplace, "discrete-laplace"),
        (Family::DiscreteGaussian, "discrete-gaussian"),
        (Family::Snapping { bound: Rational::ONE, clamp_infinite: false }, "snapping"),
        (Family::FloatSnapping { bound: Rational::ONE }, "snapping"),
    ] {
        assert_eq!(family.with(&amount), Err(Error::NoEpsilonDelta { mechanism: name }));
    }
    let gaussian = Gaussian::for_epsilon_delta(&Rational::ONE, &rational("1e-6"), &Rational::ONE).unwrap();
    assert_eq!(Family::Gaussian.with(&amount), Ok(gaussian.into()));
}

#[test]
fn out_of_the_range_of_the_type() {
    for bad in ["1e400", "1e-400"] {
        out_of_range(Gaussian::new(&rational(bad)), "variance");
        out_of_range(Laplace::new(rational(bad)), "scale");
        out_of_range(DiscreteLaplace::new(rational(bad)), "scale");
        out_of_range(GridLaplace::<f64>::new(rational(bad), None), "scale");
        out_of_range(Snapping::new(rational(bad), rational("1")), "epsilon");
    }
    out_of_range(GridLaplace::<f64>::new(Rational::ONE, Some(-1075)), "k");
    out_of_range(GridLaplace::<f64>::new(Rational::ONE, Some(1024)), "k");
    out_of_range(GridLaplace::<f32>::new(Rational::ONE, Some(-150)), "k");
    out_of_range(DiscreteGaussian::with_variance(rational("1e-40")), "variance");
    out_of_range(FloatSnapping::new(f64::INFINITY, 1.0), "epsilon");
    out_of_range(FloatSnapping::new(1.0, f64::NAN), "bound");
    out_of_range(FloatSnapping::new(1e-200, 1.0), "epsilon");
    // Nearer than any two inputs can be.
    out_of_range(
        GridLaplace::<f64>::for_epsilon(&Rational::ONE, &apart(&rational("1e-400")), Some(0)),
        "scale",
    );
}

#[test]
fn snapping_bounds() {
    out_of_range(Snapping::new(Rational::ONE, rational("0.1")), "bound"); // not a double
    out_of_range(Snapping::new(Rational::ONE, rational("1e16")), "bound"); // Λ would be lost
    out_of_range(FloatSnapping::new(1.0, 350.0), "bound"); // M = 700.5
    assert!(FloatSnapping::new(1.0, 349.75).is_ok()); // M = 700
    let error = FloatSnapping::new(1.0, 372.0).unwrap_err().to_string();
    assert!(error.contains("710"), "offers the approximate claim: {error}");
}

/// A release that is refused leaves the output as it was.
fn refused<T: Copy + PartialEq + std::fmt::Debug, M: Mechanism<T>>(
    mechanism: &M,
    values: &[T],
    fill: T,
    error: Error,
) {
    let mut out = vec![fill; values.len()];
    assert_eq!(mechanism.release_to(&mut source(), values, &mut out), Err(error.clone()));
    assert!(out.iter().all(|y| *y == fill), "written to in spite of an error");
    let mut in_place = values.to_vec();
    assert_eq!(mechanism.release_in_place(&mut source(), &mut in_place), Err(error));
    // Bit for bit, NaN included: compare what is printed.
    assert_eq!(format!("{in_place:?}"), format!("{values:?}"));
}

#[test]
fn values_must_be_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for index in [0, 1, 255, 256, 999] {
            let mut values = vec![1.0; 1000];
            values[index] = bad;
            let error = Error::NotFinite { index };
            refused(&Laplace::new(Rational::ONE).unwrap(), &values, 7.0, error.clone());
            refused(&Gaussian::new(&Rational::ONE).unwrap(), &values, 7.0, error.clone());
            refused(&GridLaplace::<f64>::new(Rational::ONE, None).unwrap(), &values, 7.0, error.clone());
            refused(&Snapping::new(Rational::ONE, rational("10")).unwrap(), &values, 7.0, error.clone());
            refused(&FloatSnapping::new(1.0, 10.0).unwrap(), &values, 7.0, error.clone());
            let singles: Vec<f32> = values.iter().map(|x| *x as f32).collect();
            refused(&Laplace::new(Rational::ONE).unwrap(), &singles, 7.0, error.clone());
            refused(&Gaussian::new(&Rational::ONE).unwrap(), &singles, 7.0, error);
        }
    }
}

#[test]
fn snapping_takes_infinities_on_request() {
    let snapping = Snapping::new(Rational::ONE, rational("10")).unwrap().clamp_infinite();
    let noisy = snapping.release(&mut source(), f64::INFINITY).unwrap();
    assert!((-10.0..=10.0).contains(&noisy));
    assert_eq!(snapping.release(&mut source(), f64::NAN), Err(Error::NotFinite { index: 0 }));
}

#[test]
fn lengths_must_agree() {
    let laplace = Laplace::new(Rational::ONE).unwrap();
    let error = laplace.release_to(&mut source(), &[1.0, 2.0], &mut [0.0]);
    assert_eq!(error, Err(Error::LengthMismatch { values: 2, out: 1 }));
}

/// Overflow is all or nothing, too, wherever in the slice it happens.
#[test]
fn overflow_writes_nothing() {
    let huge = Laplace::new(rational("1e307")).unwrap();
    let mut values = vec![0.0; 600];
    values[500] = f64::MAX;
    // Some seed overflows at 500: |noise| has to exceed half an ulp of MAX with the right sign, every other time.
    let overflowed = (0..64).any(|seed| {
        let mut source = InsecureSeededSource::<u64>::from_seed(seed);
        let mut noisy = values.clone();
        match huge.release_in_place(&mut source, &mut noisy) {
            Err(error) => {
                assert_eq!(error, Error::Overflow { index: 500 });
                assert_eq!(noisy, values);
                true
            }
            Ok(()) => {
                assert!(noisy.iter().all(|y| y.is_finite()));
                false
            }
        }
    });
    assert!(overflowed);
}

#[test]
fn integers_overflow() {
    fn tries<T: Copy + PartialEq + std::fmt::Debug, M: Mechanism<T>>(m: &M, extreme: T) -> (usize, usize) {
        let values = [extreme; 20];
        let (mut ok, mut err) = (0, 0);
        for seed in 0..200 {
            let mut source = InsecureSeededSource::<u64>::from_seed(seed);
            let mut noisy = values;
            match m.release_in_place(&mut source, &mut noisy[19..]) {
                Ok(()) => ok += 1,
                Err(error) => {
                    assert_eq!(error, Error::Overflow { index: 0 });
                    assert_eq!(noisy, values);
                    err += 1;
                }
            }
        }
        (ok, err)
    }
    let discrete = DiscreteLaplace::new(rational("10")).unwrap();
    let gaussian = DiscreteGaussian::new(&rational("10")).unwrap();
    let laplace = Laplace::new(rational("10")).unwrap();
    let real = Gaussian::new(&rational("10")).unwrap();
    for (ok, err) in [
        tries(&discrete, i64::MAX),
        tries(&discrete, i64::MIN),
        tries(&discrete, i32::MAX),
        tries(&discrete, i32::MIN),
        tries(&gaussian, i64::MAX),
        tries(&gaussian, i32::MIN),
        tries(&laplace, i64::MIN),
        tries(&laplace, i32::MAX),
        tries(&real, i64::MAX),
        tries(&real, i32::MIN),
    ] {
        assert!(ok > 60 && err > 60, "{ok} fit, {err} overflow: about half and half is expected");
    }
}

/// The index of an overflow among many values, in the vectorised path.
#[test]
fn integer_overflow_index() {
    let discrete = DiscreteLaplace::new(rational("10")).unwrap();
    let mut values = vec![0i64; 700];
    values[600] = i64::MAX;
    let error = (0..64).find_map(|seed| {
        discrete
            .release_in_place(&mut InsecureSeededSource::<u64>::from_seed(seed), &mut values.clone())
            .err()
    });
    assert_eq!(error, Some(Error::Overflow { index: 600 }));
}

/// A sampler comes to an end on any words: here the same word for ever, also all zeros for a good while.
struct Stuck {
    word: u64,
    rounds: u32,
}

impl BitSource for Stuck {
    type Word = u64;
    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }
    fn next_word(&mut self) -> u64 {
        self.word
    }
    fn refinement_word(&mut self, _: u64, _: u64, round: u32) -> u64 {
        if round < self.rounds { self.word } else { 0x5555_5555_5555_5555 }
    }
}

#[test]
fn extreme_words() {
    for word in [0, u64::MAX, 1 << 63, (1 << 63) - 1, 1, (1 << 63) + 1] {
        for x in [0.0, 1.0, -1e300, f64::MIN_POSITIVE, 5e-324] {
            let mut source = Stuck { word, rounds: 5 };
            for scale in ["1", "1e-300", "1e300", "1/3"] {
                let laplace = Laplace::new(rational(scale)).unwrap();
                match laplace.release(&mut source, x) {
                    Ok(y) => assert!(y.is_finite()),
                    Err(error) => assert_eq!(error, Error::Overflow { index: 0 }),
                }
                let gaussian = Gaussian::new(&rational(scale)).unwrap();
                match gaussian.release(&mut source, x) {
                    Ok(y) => assert!(y.is_finite()),
                    Err(error) => assert_eq!(error, Error::Overflow { index: 0 }),
                }
                let grid = GridLaplace::<f64>::new(rational(scale), None).unwrap();
                let _ = grid.release(&mut source, x);
            }
            let snapping = Snapping::new(Rational::ONE, rational("10")).unwrap();
            assert!(snapping.release(&mut source, x).unwrap().abs() <= 10.0);
            let snapping = FloatSnapping::new(1.0, 10.0).unwrap();
            assert!(snapping.release(&mut source, x).unwrap().abs() <= 10.0);
        }
    }
}

/// Positive rationals over the whole range of doubles and beyond, most of them not doubles.
fn any_scale() -> impl Strategy<Value = Rational> {
    (1u64.., 1u64.., -1200i64..1200)
        .prop_map(|(n, d, e)| Rational::from(n) / Rational::from(d) * Rational::pow2(e))
}

/// Every claim is the same after a journey through its JSON, in all the types that the mechanism takes; and its accuracy is known.
fn reads_back(mechanism: AnyMechanism) {
    for &values in mechanism.value_types() {
        let claim =
            mechanism.claim(values, &apart(&Rational::ONE).of_length(3).one("person").unwrap()).unwrap();
        assert_eq!(Claim::from_json(&claim.to_json()).as_ref(), Ok(&claim));
        let twice = Claim::compose(&[claim.clone(), claim]).unwrap();
        assert_eq!(Claim::from_json(&twice.to_json()).as_ref(), Ok(&twice));
        mechanism.half_width(values, &rational("0.95")).unwrap();
    }
    for values in ValueType::ALL {
        let is_taken = mechanism.value_types().contains(&values);
        assert_eq!(mechanism.claim(values, &apart(&Rational::ONE)).is_ok(), is_taken);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn nothing_panics(scale in any_scale(), k in -1200i32..1200, bits: u64, integer: i64, script: [u64; 6], seed: u64) {
        let x = f64::from_bits(bits);
        let mut source = InsecureSeededSource::<u64>::from_seed(seed);
        let mut replay = ReplaySource::new(&script);
        if let Ok(m) = Laplace::new(scale.clone()) {
            let _ = m.release(&mut source, x);
            let _ = m.release(&mut replay, x as f32);
            let _ = m.release(&mut source, integer);
            let _ = m.release(&mut replay, integer as i32);
            reads_back(AnyMechanism::Laplace(m));
        }
        if let Ok(m) = DiscreteLaplace::new(scale.clone()) {
            let _ = m.release(&mut source, integer);
            let _ = m.sample(&mut replay);
            reads_back(AnyMechanism::DiscreteLaplace(m));
        }
        for k in [Some(k), None] {
            if let Ok(m) = GridLaplace::<f64>::new(scale.clone(), k) {
                let _ = m.release(&mut source, x);
                let _ = m.loss(&apart(&scale));
                reads_back(AnyMechanism::GridF64(m));
            }
            if let Ok(m) = GridLaplace::<f32>::new(scale.clone(), k) {
                let _ = m.release(&mut replay, x as f32);
                reads_back(AnyMechanism::GridF32(m));
            }
        }
        if let Ok(m) = DiscreteGaussian::with_variance(scale.clone()) {
            let _ = m.release(&mut source, integer);
            reads_back(AnyMechanism::DiscreteGaussian(m));
        }
        for m in [Gaussian::with_variance(scale.clone()), Gaussian::new(&scale)].into_iter().flatten() {
            let _ = m.release(&mut source, x);
            let _ = m.release(&mut replay, x as f32);
            let _ = m.release(&mut source, integer);
            let _ = m.release(&mut replay, integer as i32);
            // Its claims tell the least ε, which takes a while: in some of the cases.
            if seed % 8 == 0 {
                reads_back(AnyMechanism::Gaussian(m));
            }
        }
        let snapping = Rational::try_from(x).ok().and_then(|bound| Snapping::new(scale.clone(), bound).ok());
        if let Some(m) = snapping {
            let y = m.release(&mut source, integer as f64).unwrap();
            prop_assert!(y.abs() <= x);
            reads_back(AnyMechanism::Snapping(m));
        }
        if let Ok(m) = FloatSnapping::new(scale.to_f64(lastbit::Rounding::Nearest), x) {
            let y = m.release(&mut source, integer as f64).unwrap();
            prop_assert!(y.abs() <= x);
            reads_back(AnyMechanism::FloatSnapping(m));
        }
    }
}
