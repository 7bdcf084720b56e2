use std::collections::HashSet;

use lastbit_real::{IBig, NotFinite, Rational, Rounding, UBig};
use proptest::prelude::*;

use super::strategies::{big, finite_f32, finite_f64, integer, rational};

fn ratio(n: i64, d: i64) -> Rational {
    Rational::new(n, d).expect("a denominator that is not zero")
}

/// The definition: `n/d` in lowest terms with `d > 0`.
fn is_canonical(x: &Rational) -> bool {
    fn gcd(a: UBig, b: UBig) -> UBig {
        if b.is_zero() { a } else { gcd(b.clone(), a % b) }
    }
    let numerator = UBig::try_from(x.abs().numerator()).expect("not negative");
    !x.denominator().is_zero() && gcd(numerator, x.denominator()).is_one()
}

proptest! {
    #[test]
    fn operators_agree_with_cross_multiplication(a in rational(), b in rational()) {
        let (an, ad) = (a.numerator(), IBig::from(a.denominator()));
        let (bn, bd) = (b.numerator(), IBig::from(b.denominator()));
        let of = |n: IBig, d: IBig| Rational::new(n, d);
        prop_assert_eq!(Some(&a + &b), of(&an * &bd + &bn * &ad, &ad * &bd));
        prop_assert_eq!(Some(&a - &b), of(&an * &bd - &bn * &ad, &ad * &bd));
        prop_assert_eq!(Some(&a * &b), of(&an * &bn, &ad * &bd));
        prop_assert_eq!(a.checked_div(&b), of(&an * &bd, &ad * &bn));
        prop_assert_eq!(a.cmp(&b), (&an * &bd).cmp(&(&bn * &ad)));
        for x in [&a + &b, &a - &b, &a * &b] {
            prop_assert!(is_canonical(&x));
        }
    }

    #[test]
    fn owned_and_borrowed_operators_agree(a in rational(), b in rational()) {
        prop_assert_eq!(&a + &b, a.clone() + b.clone());
        prop_assert_eq!(&a - &b, a.clone() - &b);
        prop_assert_eq!(&a * &b, &a * b.clone());
        prop_assert_eq!([&a, &b].into_iter().sum::<Rational>(), [a.clone(), b.clone()].into_iter().sum());
        if !b.is_zero() {
            prop_assert_eq!(&a / &b, a.checked_div(&b).expect("not zero"));
        }
    }

    #[test]
    fn integer_parts_are_where_they_should_be(x in rational()) {
        let (floor, ceil, nearest) = (x.floor(), x.ceil(), x.round_half_up());
        let is_within = |n: &IBig, lo: Rational, hi: Rational| {
            let distance = Rational::from(n.clone()) - &x;
            lo < distance && distance <= hi
        };
        prop_assert!(is_within(&floor, ratio(-1, 1), Rational::ZERO));
        prop_assert!(is_within(&(ceil.clone() - 1), ratio(-1, 1), Rational::ZERO) || x.is_integer());
        prop_assert!(is_within(&nearest, ratio(-1, 2), ratio(1, 2)));
        prop_assert_eq!(x.is_integer(), floor == ceil);
        prop_assert_eq!(&ceil - &floor, if x.is_integer() { IBig::ZERO } else { IBig::ONE });
    }

    #[test]
    fn floor_log2_brackets(x in rational()) {
        match x.floor_log2() {
            None => prop_assert!(x.is_zero()),
            Some(k) => {
                prop_assert!(Rational::pow2(k) <= x.abs());
                prop_assert!(x.abs() < Rational::pow2(k + 1));
            }
        }
    }

    #[test]
    fn signs(x in rational()) {
        prop_assert_eq!(x.is_positive(), x > Rational::ZERO);
        prop_assert_eq!(x.is_negative(), x < Rational::ZERO);
        prop_assert_eq!(x.is_zero(), x == Rational::ZERO);
        prop_assert_eq!(x.abs(), if x.is_negative() { -&x } else { x.clone() });
        prop_assert_eq!(x.recip().map(|r| r * &x), (!x.is_zero()).then_some(Rational::ONE));
    }

    #[test]
    fn display_reads_back(x in rational()) {
        prop_assert_eq!(x.to_string().parse::<Rational>(), Ok(x.clone()));
        prop_assert_eq!(format!("{x:?}"), x.to_string());
    }

    #[test]
    fn integers_convert(n in integer(), d in integer()) {
        prop_assert_eq!(Rational::from(n), Rational::new(n, 1).expect("1 is not zero"));
        prop_assert_eq!(Rational::from(n).numerator(), big(n));
        prop_assert_eq!(Rational::new(n, d).is_none(), d == 0);
    }

    #[test]
    fn floats_convert_exactly(x in finite_f64(), y in finite_f32()) {
        let exact = Rational::try_from(x).expect("finite");
        prop_assert!(exact.is_dyadic());
        for rounding in [Rounding::Nearest, Rounding::Down, Rounding::Up] {
            prop_assert_eq!(exact.to_f64(rounding), x);
        }
        prop_assert_eq!(Rational::try_from(y), Rational::try_from(f64::from(y)));
    }

    #[test]
    fn decimals_agree_with_the_standard_library(x in finite_f64(), digits in 1usize..40) {
        // `{:e}` with a precision rounds the exact value to nearest, ties to even.
        let ours = Rational::try_from(x).expect("finite").to_decimal(digits, Rounding::Nearest);
        let theirs = format!("{x:.*e}", digits - 1);
        prop_assert_eq!(ours.parse::<Rational>(), theirs.parse::<Rational>());
    }

    #[test]
    fn decimals_bracket_and_have_the_digits(x in rational(), digits in 1usize..40) {
        let read = |rounding| -> Rational { x.to_decimal(digits, rounding).parse().expect("a decimal") };
        let (down, nearest, up) = (read(Rounding::Down), read(Rounding::Nearest), read(Rounding::Up));
        prop_assert!(down <= x && x <= up);
        prop_assert!(nearest == down || nearest == up);
        prop_assert!((&nearest - &x).abs() <= (&up - &down) / Rational::from(2));
        // One unit of the last digit, 10^(e - digits + 1) with 10^e <= |x|.
        let unit = Rational::from(10).pow(digits as u32 - 1).recip().expect("not zero") * x.abs();
        prop_assert!(&up - &down <= unit);
        if !x.is_zero() {
            let text = x.to_decimal(digits, Rounding::Down);
            let significand = text.split('e').next().expect("split gives one part at least");
            let count = significand.trim_start_matches(['-', '0', '.']).replace('.', "").len();
            prop_assert_eq!(count, digits, "{}", text);
        }
    }

    #[test]
    fn powers(x in rational(), n in 0u32..12) {
        let product = (0..n).fold(Rational::ONE, |product, _| product * &x);
        prop_assert_eq!(x.pow(n), product);
    }
}

#[test]
fn equal_fractions_are_one_element() {
    let set: HashSet<Rational> = [ratio(1, 2), ratio(2, 4), ratio(-3, -6)].into_iter().collect();
    assert_eq!(set.len(), 1);
}

#[test]
fn ties_of_round_half_up() {
    let rounded = |n| ratio(n, 2).round_half_up();
    assert_eq!([-3, -1, 0, 1, 3, 5].map(rounded), [-1, 0, 0, 1, 2, 3].map(IBig::from));
}

#[test]
fn decimals_in_the_form_that_reads_best() {
    let text = |n: i64, d: i64, digits| ratio(n, d).to_decimal(digits, Rounding::Nearest);
    assert_eq!(text(0, 1, 5), "0");
    assert_eq!(text(1, 1, 3), "1.00");
    assert_eq!(text(100, 1, 3), "100");
    assert_eq!(text(1000, 1, 3), "1.00e3");
    assert_eq!(text(1, 1_000_000, 1), "1e-6");
    assert_eq!(text(12, 1_000_000, 2), "0.000012");
    assert_eq!(text(999_999, 1_000_000, 3), "1.00");
    assert_eq!(text(-25, 10, 1), "-2");
    assert_eq!(text(35, 10, 0), "4");
    assert_eq!(ratio(99, 100).to_decimal(1, Rounding::Up), "1");
    assert_eq!(ratio(-99, 100).to_decimal(1, Rounding::Up), "-0.9");
}

#[test]
fn non_finite_floats_are_refused() {
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Rational::try_from(x), Err(NotFinite));
        assert_eq!(Rational::try_from(x as f32), Err(NotFinite));
    }
}

#[test]
#[should_panic(expected = "must not be zero")]
fn division_by_zero_panics() {
    let _ = Rational::ONE / Rational::ZERO;
}
