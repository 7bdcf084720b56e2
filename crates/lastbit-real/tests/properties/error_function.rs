//! `erfc` and `erfcx`: against the integral, each other, their bounds, and at the ends of the domains.

use lastbit_real::{DomainError, Dyadic, Enclosure, Rational, erfc, erfcx, exp, pi};
use proptest::prelude::*;

fn is_narrow(enclosure: &Enclosure, bits: u32) -> bool {
    enclosure.width() <= enclosure.abs().lo().shl(-i64::from(bits))
}

fn meet(a: &Enclosure, b: &Enclosure) -> bool {
    a.lo() <= b.hi() && b.lo() <= a.hi()
}

/// `n·2^-k`.
fn argument() -> impl Strategy<Value = Dyadic> {
    (-4000i64..4000, 0i64..40).prop_map(|(n, k)| Dyadic::new(n, -k))
}

/// Bounds of the integral of `e^(-t²)` from `x` to `x + 1/4`, from sums over 1024 pieces: the integrand falls for `x >= 0`.
fn integral(x: &Dyadic) -> Enclosure {
    let at = |i: i64| {
        let t = x + &Dyadic::new(i, -12);
        exp(&-(&t * &t), 40).expect("small")
    };
    let sum = (0..1024).map(at).reduce(|sum, term| &sum + &term).expect("some pieces");
    let lower = &(&sum - &at(0)) + &at(1024);
    Enclosure::new(lower.lo().shl(-12), sum.hi().shl(-12)).expect("ordered")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn scaled_and_not(x in argument(), bits in 1u32..200) {
        prop_assume!(x.abs() < Dyadic::from(200));
        let (plain, scaled) = (erfc(&x, bits).unwrap(), erfcx(&x, bits).unwrap());
        prop_assert!(meet(&plain, &(&scaled * &exp(&-(&x * &x), bits).unwrap())));
        prop_assert!(x.is_zero() || (is_narrow(&plain, bits) && is_narrow(&scaled, bits)));
        // erfc x + erfc(-x) = 2.
        let sum = &plain + &erfc(&-&x, bits).unwrap();
        prop_assert!(sum.contains(&Rational::from(2)));
    }

    #[test]
    fn precisions_are_consistent(x in argument(), bits in 1u32..300) {
        for function in [erfc, erfcx] {
            let (coarse, fine) = (function(&x, bits).unwrap(), function(&x, bits + 60).unwrap());
            prop_assert!(meet(&coarse, &fine));
        }
    }

    /// They fall, and so do the enclosures of intervals.
    #[test]
    fn intervals_are_lifted(a in argument(), b in argument(), part in 0i64..=8, bits in 16u32..100) {
        let (lo, hi) = if a <= b { (a, b) } else { (b, a) };
        let inside = &lo + &(&(&hi - &lo) * &Dyadic::new(part, -3));
        let interval = Enclosure::new(lo, hi).expect("ordered");
        for (image, point) in [
            (interval.erfc(bits).unwrap(), erfc(&inside, bits + 100).unwrap()),
            (interval.erfcx(bits).unwrap(), erfcx(&inside, bits + 100).unwrap()),
        ] {
            prop_assert!(image.lo() <= point.hi() && point.lo() <= image.hi());
        }
    }
}

#[test]
fn differences_are_integrals() {
    for n in [0i64, 1, 3, 8, 20] {
        let x = Dyadic::new(n, -3);
        let difference = &erfc(&x, 60).unwrap() - &erfc(&(&x + &Dyadic::pow2(-2)), 60).unwrap();
        // erfc is 2/√π times the integral.
        let root_pi = pi(60).sqrt(60).unwrap();
        let half = (&difference * &root_pi).shl(-1);
        let integral = integral(&x);
        assert!(integral.lo() <= half.lo() && half.hi() <= integral.hi(), "{x}: {half} {integral}");
        let moved = &half + &Enclosure::exact(integral.width());
        assert!(moved.hi() > integral.hi(), "the check can fail");
    }
}

#[test]
fn the_ends_of_the_domains() {
    let one = Enclosure::exact(Dyadic::ONE);
    assert_eq!((erfc(&Dyadic::ZERO, 50), erfcx(&Dyadic::ZERO, 50)), (Ok(one.clone()), Ok(one)));
    assert_eq!(erfc(&Dyadic::pow2(30), 50), Err(DomainError::TooLarge));
    assert_eq!(erfcx(&-Dyadic::pow2(30), 50), Err(DomainError::TooLarge));
    let almost = &Dyadic::pow2(30) - &Dyadic::pow2(-20);
    assert!(is_narrow(&erfc(&almost, 50).unwrap(), 50) && is_narrow(&erfcx(&-&almost, 50).unwrap(), 50));
    // Neither time nor memory grows with the argument.
    for k in [40, 1000, 1_000_000_000_000] {
        let (large, tiny) = (Dyadic::pow2(k), Dyadic::pow2(-k));
        assert!(is_narrow(&erfc(&-&large, 50).unwrap(), 50));
        for x in [&tiny, &-&tiny] {
            assert!(is_narrow(&erfc(x, 50).unwrap(), 50) && is_narrow(&erfcx(x, 50).unwrap(), 50));
        }
        // 1/(x√π)·(1 - 1/(2x²)) < erfcx x < 1/(x√π).
        let scaled = erfcx(&large, 50).unwrap();
        let bound = &scaled * &pi(100).sqrt(100).unwrap().shl(k);
        assert!(bound.contains(&Rational::ONE) || bound.hi() < &Dyadic::ONE);
        assert!(bound.hi() > &(&Dyadic::ONE - &Dyadic::pow2(-79)) && is_narrow(&scaled, 50));
    }
}

#[test]
fn around_the_changes_of_method() {
    for bits in [16u32, 53, 100] {
        for log2 in -i64::from(bits) - 5..-i64::from(bits) + 2 {
            for x in [Dyadic::pow2(log2), -Dyadic::pow2(log2), Dyadic::new(3, log2 - 1)] {
                for function in [erfc, erfcx] {
                    let (coarse, fine) = (function(&x, bits).unwrap(), function(&x, 3 * bits + 20).unwrap());
                    assert!(coarse.lo() <= fine.lo() && fine.hi() <= coarse.hi(), "{x} at {bits} bits");
                    assert!(is_narrow(&coarse, bits));
                }
            }
        }
        for eighths in 8..8 * (bits as i64).isqrt() + 40 {
            for x in [Dyadic::new(eighths, -3), Dyadic::new(-eighths, -3)] {
                for function in [erfc, erfcx] {
                    let (coarse, fine) = (function(&x, bits).unwrap(), function(&x, 2 * bits + 20).unwrap());
                    assert!(coarse.lo() <= fine.lo() && fine.hi() <= coarse.hi(), "{x} at {bits} bits");
                    assert!(is_narrow(&coarse, bits));
                }
            }
        }
    }
}
