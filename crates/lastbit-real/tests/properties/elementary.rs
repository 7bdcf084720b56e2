//! The guarantee (contains the true value, relative width) against the slow oracle, against the
//! functional equations, and at the ends of the domains.

use lastbit_real::{
    DomainError, Dyadic, Enclosure, Rational, exp, exp_rational, expm1, expm1_rational, ln, ln_rational, ln2,
    log1p, log1p_rational, sqrt,
};
use proptest::prelude::*;

use super::oracle::exp_bounds;
use super::strategies::{dyadic_near, integer};

/// Arguments around 0 of very different sizes, not above `2^top`.
fn argument(top: i64) -> impl Strategy<Value = Dyadic> {
    (integer(), -150..=top).prop_map(|(mantissa, log2)| {
        let x = Dyadic::from(mantissa);
        x.floor_log2().map_or(x.clone(), |own| x.shl(log2 - 1 - own))
    })
}

fn positive(range: i64) -> impl Strategy<Value = Dyadic> {
    dyadic_near(range).prop_map(|x| if x.is_zero() { Dyadic::ONE } else { x.abs() })
}

fn fraction() -> impl Strategy<Value = Rational> {
    (1i64..2000, 1i64..2000).prop_map(|(n, d)| Rational::new(n, d).expect("d > 0"))
}

fn rational(x: &Dyadic) -> Rational {
    Rational::from(x)
}

/// The width that the guarantee allows, with the magnitude of the true value bounded from below by the
/// enclosure itself.
fn is_narrow(enclosure: &Enclosure, bits: u32) -> bool {
    enclosure.width() <= enclosure.abs().lo().shl(-i64::from(bits))
}

/// Whether `ln x` is in the enclosure, decided by `e^lo <= x <= e^hi` with the oracle. The value must not
/// be closer to an end than the oracle's precision; at random points it is not.
fn contains_ln(enclosure: &Enclosure, x: &Rational, bits: u32) -> bool {
    let below = exp_bounds(&rational(enclosure.lo()), 2 * bits).1;
    let above = exp_bounds(&rational(enclosure.hi()), 2 * bits).0;
    below <= *x && *x <= above
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn sqrt_brackets_its_square(x in positive(300), bits in 1u32..120) {
        let root = sqrt(&x, bits).expect("positive");
        prop_assert!(root.lo() * root.lo() <= x && root.hi() * root.hi() >= x);
        prop_assert!(is_narrow(&root, bits));
        prop_assert_eq!(sqrt(&(&x * &x), 400).expect("positive"), Enclosure::exact(x));
    }

    #[test]
    fn exp_agrees_with_the_oracle(x in argument(4), bits in 1u32..120) {
        let enclosure = exp(&x, bits).expect("small");
        let (lo, hi) = exp_bounds(&rational(&x), 200);
        prop_assert!(enclosure.contains(&lo) && enclosure.contains(&hi));
        prop_assert!(is_narrow(&enclosure, bits));
        prop_assert_eq!(&exp_rational(&rational(&x), bits), &Ok(enclosure));
    }

    #[test]
    fn exp_of_fractions_agrees_with_the_oracle(x in fraction(), negative: bool, bits in 1u32..120) {
        let x = (if negative { -x } else { x }) / Rational::from(64);
        let enclosure = exp_rational(&x, bits).expect("small");
        let (lo, hi) = exp_bounds(&x, 200);
        prop_assert!(enclosure.contains(&lo) && enclosure.contains(&hi));
        prop_assert!(is_narrow(&enclosure, bits));
    }

    #[test]
    fn expm1_agrees_with_the_oracle(x in argument(4), bits in 1u32..60) {
        let enclosure = expm1(&x, bits).expect("small");
        let (lo, hi) = exp_bounds(&rational(&x), 500);
        prop_assert!(enclosure.contains(&(lo - Rational::ONE)) && enclosure.contains(&(hi - Rational::ONE)));
        prop_assert!(x.is_zero() || is_narrow(&enclosure, bits));
        prop_assert_eq!(&expm1_rational(&rational(&x), bits), &Ok(enclosure));
    }

    #[test]
    fn ln_agrees_with_the_oracle(x in positive(10), bits in 1u32..100) {
        // Moderate numbers: the oracle takes e^lo and e^hi.
        let x = x.shl(-x.floor_log2().unwrap_or(0) / 8 * 8);
        let enclosure = ln(&x, bits).expect("positive");
        prop_assert!(contains_ln(&enclosure, &rational(&x), bits.max(16) + 150));
        prop_assert!(x == Dyadic::ONE || is_narrow(&enclosure, bits));
        prop_assert_eq!(&ln_rational(&rational(&x), bits), &Ok(enclosure));
    }

    #[test]
    fn ln_of_fractions_agrees_with_the_oracle(x in fraction(), bits in 1u32..100) {
        let enclosure = ln_rational(&x, bits).expect("positive");
        prop_assert!(contains_ln(&enclosure, &x, bits.max(16)));
        prop_assert!(x == Rational::ONE || is_narrow(&enclosure, bits));
    }

    #[test]
    fn log1p_agrees_with_the_oracle(y in argument(4), bits in 1u32..100) {
        let y = if y > -Dyadic::ONE { y } else { y.abs() };
        let enclosure = log1p(&y, bits).expect("above -1");
        prop_assert!(contains_ln(&enclosure, &(Rational::ONE + rational(&y)), bits.max(16) + 300));
        prop_assert!(y.is_zero() || is_narrow(&enclosure, bits));
        let of_fraction = log1p_rational(&rational(&y), bits).expect("above -1");
        prop_assert!(of_fraction.lo() <= enclosure.hi() && enclosure.lo() <= of_fraction.hi());
        prop_assert!(y.is_zero() || is_narrow(&of_fraction, bits));
    }

    /// Two enclosures of one number at different precisions meet, and the finer one is in what the
    /// coarser one allows.
    #[test]
    fn precisions_are_consistent(x in argument(50), bits in 1u32..300) {
        for function in [ln, exp, log1p, expm1] {
            if let (Ok(coarse), Ok(fine)) = (function(&x, bits), function(&x, bits + 60)) {
                prop_assert!(coarse.lo() <= fine.hi() && fine.lo() <= coarse.hi());
            }
        }
    }

    #[test]
    fn exp_of_a_sum_is_the_product(a in argument(40), b in argument(40), bits in 16u32..300) {
        let product = &exp(&a, bits).expect("small") * &exp(&b, bits).expect("small");
        let sum = exp(&(&a + &b), bits).expect("small");
        prop_assert!(product.lo() <= sum.hi() && sum.lo() <= product.hi());
    }

    #[test]
    fn ln_of_a_product_is_the_sum(a in positive(1000), b in positive(1000), bits in 16u32..300) {
        let sum = &ln(&a, bits).expect("positive") + &ln(&b, bits).expect("positive");
        let product = ln(&(&a * &b), bits).expect("positive");
        prop_assert!(sum.lo() <= product.hi() && product.lo() <= sum.hi());
    }

    #[test]
    fn intervals_are_lifted(a in argument(3), b in argument(3), part in 0i64..=8, bits in 16u32..100) {
        let (lo, hi) = if a <= b { (a, b) } else { (b, a) };
        let inside = &lo + &(&(&hi - &lo) * &Dyadic::new(part, -3));
        let interval = Enclosure::new(lo, hi).expect("ordered");
        let image = interval.exp(bits).expect("small");
        let point = exp(&inside, bits + 200).expect("small");
        prop_assert!(image.lo() <= point.lo() && point.hi() <= image.hi());
        // And back: the logarithm of the image covers the interval.
        let back = image.ln(bits).expect("positive");
        prop_assert!(back.lo() <= interval.lo() && interval.hi() <= back.hi());
        let image = interval.expm1(bits).expect("small").log1p(bits).expect("above -1");
        prop_assert!(image.lo() <= interval.lo() && interval.hi() <= image.hi());
    }
}

#[test]
fn exact_points_are_points() {
    let zero = Ok(Enclosure::exact(Dyadic::ZERO));
    let one = Ok(Enclosure::exact(Dyadic::ONE));
    assert_eq!(ln(&Dyadic::ONE, 50), zero);
    assert_eq!(ln_rational(&Rational::ONE, 50), zero);
    assert_eq!(exp(&Dyadic::ZERO, 50), one);
    assert_eq!(exp_rational(&Rational::ZERO, 50), one);
    assert_eq!(log1p(&Dyadic::ZERO, 50), zero);
    assert_eq!(log1p_rational(&Rational::ZERO, 50), zero);
    assert_eq!(expm1(&Dyadic::ZERO, 50), zero);
    assert_eq!(expm1_rational(&Rational::ZERO, 50), zero);
}

#[test]
fn outside_of_the_domain() {
    let not_positive = Err(DomainError::NotPositive);
    assert_eq!(ln(&Dyadic::ZERO, 50), not_positive);
    assert_eq!(ln(&Dyadic::from(-1), 50), not_positive);
    assert_eq!(ln_rational(&Rational::ZERO, 50), not_positive);
    assert_eq!(log1p(&Dyadic::from(-1), 50), not_positive);
    assert_eq!(log1p(&-Dyadic::pow2(1 << 40), 50), not_positive);
    assert_eq!(log1p_rational(&Rational::from(-1), 50), not_positive);
    for x in [Dyadic::pow2(60), -Dyadic::pow2(60), Dyadic::pow2(1 << 50)] {
        assert_eq!(exp(&x, 50), Err(DomainError::TooLarge));
        assert_eq!(expm1(&x, 50), Err(DomainError::TooLarge));
    }
    assert_eq!(exp_rational(&Rational::pow2(60), 50), Err(DomainError::TooLarge));
    assert_eq!(Enclosure::new(Dyadic::ZERO, Dyadic::ONE).expect("ordered").ln(50), not_positive);
}

#[test]
fn the_largest_arguments_of_exp() {
    let almost = &Dyadic::pow2(60) - &Dyadic::pow2(-60);
    for x in [almost.clone(), -almost] {
        let power = exp(&x, 300).expect("below 2^60");
        assert!(is_narrow(&power, 300));
        // Back through ln, which has to know 60 bits before the point: the relative width allows it.
        let back = power.ln(300).expect("positive");
        assert!(back.lo() <= &x && &x <= back.hi());
        assert!(back.width() < Dyadic::pow2(-200));
        assert!(is_narrow(&expm1(&x, 300).expect("below 2^60"), 300));
    }
}

#[test]
fn huge_exponents_of_ln() {
    for k in [1i64 << 40, -(1 << 40), 1 << 61, -(1 << 61)] {
        let enclosure = ln(&Dyadic::pow2(k), 100).expect("positive");
        let k_ln2 = &Enclosure::exact(Dyadic::from(k)) * &ln2(200);
        assert!(enclosure.lo() <= k_ln2.lo() && k_ln2.hi() <= enclosure.hi());
        assert!(is_narrow(&enclosure, 100));
        if k > 0 {
            let next = log1p(&Dyadic::pow2(k), 100).expect("positive");
            assert!(next.lo() <= k_ln2.hi() && k_ln2.lo() <= next.hi());
            assert!(is_narrow(&next, 100));
        }
    }
}

#[test]
fn around_the_changes_of_method() {
    // |y| where the linear bounds take over, where 1 is absorbed, and the ends of the reductions.
    for bits in [16u32, 53, 100] {
        for log2 in
            (-(i64::from(bits) + 5)..-(i64::from(bits) - 1)).chain(i64::from(bits)..i64::from(bits) + 5)
        {
            for y in [Dyadic::pow2(log2), -Dyadic::pow2(log2), Dyadic::new(3, log2 - 1)] {
                for function in [log1p, expm1, exp] {
                    if let Ok(coarse) = function(&y, bits) {
                        let fine = function(&y, 3 * bits + 20).expect("the domain is the same");
                        assert!(coarse.lo() <= fine.lo() && fine.hi() <= coarse.hi(), "{y} at {bits} bits");
                        assert!(is_narrow(&coarse, bits));
                    }
                }
            }
        }
        for integer in i64::from(bits)..i64::from(bits) + 6 {
            for y in [Dyadic::from(integer), Dyadic::from(-integer), Dyadic::new(2 * integer - 1, -1)] {
                let coarse = expm1(&y, bits).expect("small");
                let fine = expm1(&y, 3 * bits + 20).expect("small");
                assert!(coarse.lo() <= fine.lo() && fine.hi() <= coarse.hi(), "{y} at {bits} bits");
                assert!(is_narrow(&coarse, bits));
            }
        }
    }
    for (n, d) in [(7, 5), (7, 10), (7, 20), (14, 5), (1, 2), (2, 1), (99, 70), (70, 99)] {
        for nudge in [-1i64, 0, 1] {
            let x = Rational::new(n, d).expect("d > 0") + Rational::new(nudge, 1i64 << 40).expect("not zero");
            assert!(contains_ln(&ln_rational(&x, 80).expect("positive"), &x, 80));
        }
    }
}

/// The enclosures are not wide by a lucky margin of safety that hides a wrong bound: moved by twice its
/// width, none contains the value any more.
#[test]
fn the_checks_can_fail() {
    let x = Rational::new(5, 3).expect("3 is not zero");
    let enclosure = ln_rational(&x, 80).expect("positive");
    let shift = Enclosure::exact(enclosure.width().shl(1));
    assert!(contains_ln(&enclosure, &x, 80));
    assert!(!contains_ln(&(&enclosure + &shift), &x, 80));
    assert!(!contains_ln(&(&enclosure - &shift), &x, 80));
}
