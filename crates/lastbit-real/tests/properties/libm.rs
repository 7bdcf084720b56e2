//! CORE-MATH against the enclosures of this crate: two computations that share no code.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Float, correctly_rounded_ln, exp, exp_f64, ln, ln_f64};
use proptest::prelude::*;

use super::strategies::finite_f64;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn ln_agrees(x in finite_f64()) {
        let x = x.abs();
        prop_assert_eq!(ln_f64(x).to_bits(), correctly_rounded_ln(x).to_bits());
    }

    #[test]
    fn ln_agrees_near_one(offset in -(1i64 << 40)..(1 << 40)) {
        let x = f64::from_bits(1f64.to_bits().wrapping_add_signed(offset));
        prop_assert_eq!(ln_f64(x).to_bits(), correctly_rounded_ln(x).to_bits());
    }

    #[test]
    fn exp_agrees(x in -750.0f64..720.0) {
        let exact = x.to_dyadic().expect("finite");
        let rounded = (1..10).find_map(|i| f64::from_enclosure(&exp(&exact, 64 << i).expect("small")));
        prop_assert_eq!(Some(exp_f64(x)), rounded);
    }
}

#[test]
fn special_values() {
    for x in [0.0, -0.0] {
        assert_eq!(correctly_rounded_ln(x), f64::NEG_INFINITY);
        assert_eq!(ln_f64(x), f64::NEG_INFINITY);
    }
    assert_eq!(correctly_rounded_ln(1.0).to_bits(), 0);
    assert_eq!(ln_f64(1.0).to_bits(), 0);
    assert_eq!(correctly_rounded_ln(f64::INFINITY), f64::INFINITY);
    for x in [-1.0, f64::NEG_INFINITY, f64::NAN, -5e-324] {
        assert!(correctly_rounded_ln(x).is_nan() && ln_f64(x).is_nan());
    }
    for x in [5e-324, f64::MIN_POSITIVE, f64::MAX, 1f64.next_up(), 1f64.next_down(), 2.0, 0.5] {
        assert_eq!(ln_f64(x).to_bits(), correctly_rounded_ln(x).to_bits());
    }
    assert_eq!(exp_f64(0.0), 1.0);
    assert_eq!(exp_f64(f64::NEG_INFINITY), 0.0);
}

/// How close `ln x` comes to a midpoint of doubles: at least `2^-k` and less than `2^(1-k)` of a unit.
fn closeness(x: f64) -> i64 {
    let enclosure = ln(&x.to_dyadic().expect("finite"), 140).expect("positive");
    let rounded = f64::from_enclosure(&enclosure).expect("140 bits are enough at random points");
    let distance = |middle: Dyadic| {
        let difference = enclosure.lo() - &middle;
        difference.floor_log2().expect("irrational")
    };
    let nearest =
        [rounded.midpoint_below(), rounded.midpoint_above()].into_iter().flatten().map(distance).min();
    i64::from(rounded.exponent_of_ulp()) - nearest.expect("finite")
}

/// Among many doubles some are hard by chance: n of them come as close as 1/n of a unit to a tie. The
/// hardest must be right too, and 64 bits must be too few to decide them; else the search found nothing.
#[test]
fn hard_cases_found_by_search() {
    const SAMPLES: u64 = 40_000;
    let mut hard: Vec<(i64, f64)> = (1..=SAMPLES)
        .map(|i| {
            // A Weyl sequence over the significands, in binades from 2^-40 to 2^39.
            let fraction = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12;
            let exponent = 1023 - 40 + i % 80;
            let x = f64::from_bits(exponent << 52 | fraction);
            (closeness(x), x)
        })
        .collect();
    hard.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal)));
    assert!(hard[0].0 >= 14, "the hardest of {SAMPLES} is only 2^-{} of a unit from a tie", hard[0].0);
    for &(closeness, x) in &hard[..200] {
        assert_eq!(ln_f64(x), correctly_rounded_ln(x), "{} (2^-{closeness})", x.to_hex());
    }
    // At 58 bits the enclosure is about 2^-5 units wide: too wide for the hardest.
    let (_, hardest) = hard[0];
    assert_eq!(f64::from_enclosure(&ln(&hardest.to_dyadic().expect("finite"), 58).expect("positive")), None);
}
