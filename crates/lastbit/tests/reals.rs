//! Noise on decimals: neighbours at distance `d` in the text are told apart with a loss of `d/b`, and not with that of the floats next to
//! them. The probability of an event is read off the shipped code: outputs are monotone in `U`, so that the event starts at one `U`, and
//! bisection finds 127 bits of it.

use lastbit::{
    Error, InsecureSeededSource, Laplace, Mechanism, Rational, Real, RealMechanism, ReplaySource, Rounding,
    Snapping,
};
use lastbit_real::{Float, exp_rational};

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// The largest `u` such that `happens` for `U` from `u/2^127` on, all further bits zeros; the sign is positive, so that noise gets less as `U` grows.
/// A `wide` mechanism reads 63 of them from a word, 32 from the upper half of another, and the rest from refinement words.
fn start_of(wide: bool, happens: impl Fn(&mut ReplaySource<u64>) -> bool) -> u128 {
    let at = |u: u128| {
        let (first, rest) = ((u >> 64) as u64, u as u64);
        let script = if wide { [first, rest, rest << 32, 0, 0, 0] } else { [first, rest, 0, 0, 0, 0] };
        let mut source = ReplaySource::new(&script);
        let answer = happens(&mut source);
        assert!(!source.ran_out(), "the event starts at a number of few bits");
        answer
    };
    let (mut inside, mut outside) = (1u128, (1u128 << 127) - 1);
    assert!(at(inside) && !at(outside));
    while outside - inside > 1 {
        let middle = inside.midpoint(outside);
        if at(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// `-ln(P(event | positive sign))`, which must be this number.
#[track_caller]
fn assert_loss(start: u128, expected: &str) {
    let probability = exp_rational(&-rational(expected), 160).expect("not too large");
    let least = Rational::from(lastbit::IBig::from(start)) * Rational::pow2(-127);
    let most = &least + Rational::pow2(-127);
    let [lo, hi] = [probability.lo(), probability.hi()].map(Rational::from);
    assert!(least <= hi && lo <= most, "not e^-{expected}, but {}", least.to_f64(Rounding::Nearest));
}

/// `P(output >= y)` for noise on a decimal.
fn start_for_real<T: Float + Default>(laplace: &Laplace, x: i64, y: T) -> u128
where
    Laplace: RealMechanism<T>,
{
    start_of(true, |source| {
        let mut out = [T::default()];
        laplace.release_reals(source, &[Real::from(x)], &mut out).unwrap();
        out[0] >= y
    })
}

#[test]
fn integers_between_doubles() {
    let laplace = Laplace::new(rational("2")).unwrap();
    // The double …998 is the answer from …997 on: 4 and 2 away, at scale 2.
    let event = 9_007_199_254_740_998.0;
    assert_loss(start_for_real::<f64>(&laplace, 9_007_199_254_740_993, event), "2");
    assert_loss(start_for_real::<f64>(&laplace, 9_007_199_254_740_995, event), "1");
    // As doubles they are 4 apart, and told apart by twice the loss.
    let of_double = |x: i64| start_of(true, |source| laplace.release(source, x as f64).unwrap() >= event);
    assert_loss(of_double(9_007_199_254_740_993), "2.5");
    assert_loss(of_double(9_007_199_254_740_995), "0.5");
}

#[test]
fn integers_between_singles() {
    let laplace = Laplace::new(rational("2")).unwrap();
    let event = 16_777_222.0f32;
    assert_loss(start_for_real::<f32>(&laplace, 16_777_217, event), "2");
    assert_loss(start_for_real::<f32>(&laplace, 16_777_219, event), "1");
    let of_single = |x: i64| start_of(true, |source| laplace.release(source, x as f32).unwrap() >= event);
    assert_loss(of_single(16_777_217), "2.5");
    assert_loss(of_single(16_777_219), "0.5");
}

#[test]
fn everyday_decimals() {
    let laplace = Laplace::new(Rational::ONE).unwrap();
    // 0.1 and 1.1 are 1 apart; as doubles a little more. 3 is the answer from half a unit below it on.
    for (digits, way) in [(1, "2.9"), (11, "1.9")] {
        let start = start_of(true, |source| {
            let mut out = [0.0];
            laplace.release_reals(source, &[Real::from_decimal(digits, 1)], &mut out).unwrap();
            out[0] >= 3.0
        });
        let way = rational(way) - rational("0x1p-52"); // half of a unit at 3
        assert_loss(start, &way.to_string());
    }
}

#[test]
fn snapping_of_decimals() {
    // Λ = 1: 4 is the answer from 3.5 on.
    let snapping = Snapping::new(Rational::ONE, rational("1000")).unwrap();
    for (digits, way) in [(1, "3.4"), (11, "2.4"), (-7, "4.2")] {
        let start = start_of(false, |source| {
            let mut out = [0.0];
            snapping.release_reals(source, &[Real::from_decimal(digits, 1)], &mut out).unwrap();
            out[0] >= 4.0
        });
        assert_loss(start, way);
    }
    // Of a number between doubles, beside the same in doubles; Λ = 2.
    let snapping = Snapping::new(rational("1/2"), rational("0x1p52")).unwrap();
    let half_more = Real::from(rational("0x1p51") + rational("5/8"));
    let start = start_of(false, |source| {
        let mut out = [0.0];
        snapping.release_reals(source, std::slice::from_ref(&half_more), &mut out).unwrap();
        out[0] >= 2f64.powi(51) + 4.0
    });
    assert_loss(start, "19/16"); // (3 - 5/8)/2
}

#[test]
fn snapping_clamps_any_real_number() {
    let snapping = Snapping::new(rational("1/2"), rational("100")).unwrap();
    let beyond = ["1e999", "1e400", "100.00000000000000000001", "101", "100"].map(rational).map(Real::from);
    let below =
        ["-1e999", "-1e400", "-100.00000000000000000001", "-101", "-100"].map(rational).map(Real::from);
    for values in [beyond, below] {
        let bound = if values[4].to_rational().is_positive() { 100.0 } else { -100.0 };
        for seed in 0..300 {
            for value in &values {
                let mut out = [0.0];
                let mut source = InsecureSeededSource::<u64>::from_seed(seed);
                snapping.release_reals(&mut source, std::slice::from_ref(value), &mut out).unwrap();
                let mut source = InsecureSeededSource::<u64>::from_seed(seed);
                assert_eq!(out[0], snapping.release(&mut source, bound).unwrap());
            }
        }
    }
}

#[test]
fn refusals_write_nothing() {
    let laplace = Laplace::new(Rational::ONE).unwrap();
    let mut source = InsecureSeededSource::<u64>::from_seed(1);
    let mut values = vec![Real::from(1); 300];
    let mut out = vec![7.0; 300];
    assert_eq!(
        laplace.release_reals(&mut source, &values, &mut out[1..]),
        Err(Error::LengthMismatch { values: 300, out: 299 })
    );
    values[280] = Real::from(rational("-1.8e308"));
    assert_eq!(
        laplace.release_reals(&mut source, &values, &mut out),
        Err(Error::BeyondRange { index: 280, type_name: "f64" })
    );
    values[280] = Real::from(rational("3.5e38"));
    let mut singles = vec![7.0f32; 300];
    assert_eq!(
        laplace.release_reals(&mut source, &values, &mut singles),
        Err(Error::BeyondRange { index: 280, type_name: "f32" })
    );
    assert!(laplace.release_reals(&mut source, &values, &mut out.clone()).is_ok());

    // Within the type, and the noisy result is not: half of the time, and then the first of them.
    let large = Laplace::new(rational("1e300")).unwrap();
    let most = Real::from(rational("0x1.fffffffffffffp1023") - rational("1/3"));
    (values[260], values[290]) = (most.clone(), most);
    let mut failed = 0;
    for seed in 0..40 {
        let release = |n: usize| {
            let mut out = vec![7.0f64; n];
            let mut source = InsecureSeededSource::<u64>::from_seed(seed);
            let result = large.release_reals(&mut source, &values[..n], &mut out);
            assert!(result.is_ok() || out.iter().all(|y| *y == 7.0), "all or nothing");
            assert!(out.iter().all(|y| y.is_finite()));
            result
        };
        if let Err(error) = release(300) {
            let Error::Overflow { index } = error else { panic!("{error}") };
            assert_eq!(release(index), Ok(()));
            failed += 1;
        }
    }
    assert!((10..40).contains(&failed), "{failed} of 40");
    assert!(out.iter().all(|y| *y == 7.0) && singles.iter().all(|y| *y == 7.0));
}
