//! `sin`, `cos` and `π`: against the Taylor series in exact fractions, the functional equations, and on intervals.

use lastbit_real::{DomainError, Dyadic, Enclosure, Rational, cos, cos_rational, pi, sin, sin_rational};
use proptest::prelude::*;

use super::strategies::integer;

/// Arguments around 0 of very different sizes, not above `2^top`.
fn argument(top: i64) -> impl Strategy<Value = Dyadic> {
    (integer(), -150..=top).prop_map(|(mantissa, log2)| {
        let x = Dyadic::from(mantissa);
        x.floor_log2().map_or(x.clone(), |own| x.shl(log2 - 1 - own))
    })
}

fn is_narrow(enclosure: &Enclosure, bits: u32) -> bool {
    enclosure.width() <= enclosure.abs().lo().shl(-i64::from(bits))
}

/// Bounds of `sin x` (`odd = 1`) or `cos x` (`odd = 0`), `|x| <= 4`, from partial sums: the terms alternate, and from the fourth on they fall.
fn series(x: &Rational, odd: u32) -> (Rational, Rational) {
    let square = x.pow(2);
    let mut term = x.pow(odd);
    let (mut before, mut sum) = (Rational::ZERO, term.clone());
    for i in 1..40u32 {
        term = -(term * &square) / Rational::from((2 * i - 1 + odd) * (2 * i + odd));
        before = sum.clone();
        sum = sum + &term;
    }
    if before < sum { (before, sum) } else { (sum, before) }
}

fn meet(a: &Enclosure, b: &Enclosure) -> bool {
    a.lo() <= b.hi() && b.lo() <= a.hi()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_series_is_enclosed(n in -4000i64..4000, d in 1000i64..5000, bits in 1u32..100) {
        let x = Rational::new(n, d).expect("d > 0");
        prop_assume!(!x.is_zero());
        for (function, odd) in [(sin_rational as fn(&Rational, u32) -> _, 1), (cos_rational, 0)] {
            let enclosure: Enclosure = function(&x, bits).expect("small");
            let (lo, hi) = series(&x, odd);
            prop_assert!(enclosure.contains(&lo) && enclosure.contains(&hi), "{} {}", x, enclosure);
            prop_assert!(is_narrow(&enclosure, bits));
            let moved = &enclosure + &Enclosure::exact(enclosure.width().shl(1));
            prop_assert!(!moved.contains(&lo), "the check can fail");
        }
    }

    #[test]
    fn fractions_and_dyadics_agree(x in argument(59), bits in 1u32..200) {
        let fraction = Rational::from(&x);
        prop_assert_eq!(sin(&x, bits), sin_rational(&fraction, bits));
        prop_assert_eq!(cos(&x, bits), cos_rational(&fraction, bits));
    }

    #[test]
    fn precisions_are_consistent(x in argument(59), bits in 1u32..300) {
        for function in [sin, cos] {
            let (coarse, fine) = (function(&x, bits).unwrap(), function(&x, bits + 60).unwrap());
            prop_assert!(meet(&coarse, &fine));
            prop_assert!(x.is_zero() || is_narrow(&coarse, bits));
        }
    }

    #[test]
    fn sums_of_angles(a in argument(40), b in argument(40), bits in 16u32..300) {
        let [(sin_a, cos_a), (sin_b, cos_b)] = [&a, &b].map(|x| (sin(x, bits).unwrap(), cos(x, bits).unwrap()));
        prop_assert!((&(&sin_a * &sin_a) + &(&cos_a * &cos_a)).contains(&Rational::ONE));
        let sum = &a + &b;
        prop_assert!(meet(&sin(&sum, bits).unwrap(), &(&(&sin_a * &cos_b) + &(&cos_a * &sin_b))));
        prop_assert!(meet(&cos(&sum, bits).unwrap(), &(&(&cos_a * &cos_b) - &(&sin_a * &sin_b))));
    }

    #[test]
    fn intervals_are_lifted(a in argument(4), b in argument(4), part in 0i64..=64, bits in 16u32..100) {
        let (lo, hi) = if a <= b { (a, b) } else { (b, a) };
        let inside = &lo + &(&(&hi - &lo) * &Dyadic::new(part, -6));
        let interval = Enclosure::new(lo, hi).expect("ordered");
        for (image, point) in [
            (interval.sin(bits).unwrap(), sin(&inside, bits + 200).unwrap()),
            (interval.cos(bits).unwrap(), cos(&inside, bits + 200).unwrap()),
        ] {
            prop_assert!(image.lo() <= point.lo() && point.hi() <= image.hi(), "{} at {}", interval, inside);
        }
    }
}

#[test]
fn intervals_reach_the_extremes_they_contain_and_no_others() {
    let interval =
        |lo: i64, hi: i64| Enclosure::new(Dyadic::new(lo, -3), Dyadic::new(hi, -3)).expect("ordered");
    let one = Dyadic::ONE;
    // In eighths: π/2 is 12.57, π 25.13, 3π/2 37.7, 2π 50.27.
    assert!(interval(0, 12).sin(50).unwrap().hi() < &one && interval(0, 13).sin(50).unwrap().hi() == &one);
    assert!(interval(12, 13).sin(50).unwrap().lo() > &Dyadic::new(7, -3));
    assert!(
        interval(13, 38).sin(50).unwrap().lo() == &-&one && interval(13, 37).sin(50).unwrap().lo() > &-&one
    );
    assert!(
        interval(1, 25).cos(50).unwrap().lo() > &-&one && interval(1, 26).cos(50).unwrap().lo() == &-&one
    );
    assert!(interval(26, 50).cos(50).unwrap().hi() < &one && interval(26, 51).cos(50).unwrap().hi() == &one);
    assert!(
        interval(-51, -49).cos(50).unwrap().hi() == &one && interval(-13, 0).sin(50).unwrap().lo() == &-&one
    );
    let all = Enclosure::new(-&one, one.clone()).expect("ordered");
    assert_eq!(interval(1, 51).sin(50), Ok(all.clone()));
    assert_eq!(Enclosure::new(-Dyadic::pow2(59), Dyadic::pow2(59)).expect("ordered").cos(50), Ok(all));
    // Inside [0, π/2] the functions are monotone, and so are the enclosures.
    let quarter = pi(100).shl(-1);
    let image = Enclosure::new(Dyadic::ZERO, quarter.lo().clone()).expect("ordered").cos(60).unwrap();
    assert!(image.hi() == &one && image.lo() < &Dyadic::pow2(-90) && image.lo() >= &Dyadic::ZERO);
}

#[test]
fn exact_points_and_refusals() {
    assert_eq!(sin(&Dyadic::ZERO, 50), Ok(Enclosure::exact(Dyadic::ZERO)));
    assert_eq!(cos_rational(&Rational::ZERO, 50), Ok(Enclosure::exact(Dyadic::ONE)));
    for x in [Dyadic::pow2(60), -Dyadic::pow2(60), Dyadic::pow2(1 << 50)] {
        assert_eq!(sin(&x, 50), Err(DomainError::TooLarge));
        assert_eq!(cos(&x, 50), Err(DomainError::TooLarge));
        assert_eq!(Enclosure::exact(x).cos(50), Err(DomainError::TooLarge));
    }
    // Of tiny numbers at no cost.
    let tiny = Dyadic::pow2(-1_000_000_000_000);
    assert!(is_narrow(&sin(&-&tiny, 64).unwrap(), 64) && is_narrow(&cos(&tiny, 64).unwrap(), 64));
}

#[test]
fn around_the_change_of_method() {
    for bits in [16u32, 53, 100] {
        for log2 in -i64::from(bits) / 2 - 4..-i64::from(bits) / 2 + 3 {
            for x in [Dyadic::pow2(log2), -Dyadic::pow2(log2), Dyadic::new(3, log2 - 1)] {
                for function in [sin, cos] {
                    let (coarse, fine) = (function(&x, bits).unwrap(), function(&x, 3 * bits + 20).unwrap());
                    assert!(coarse.lo() <= fine.lo() && fine.hi() <= coarse.hi(), "{x} at {bits} bits");
                    assert!(is_narrow(&coarse, bits));
                }
            }
        }
    }
}
