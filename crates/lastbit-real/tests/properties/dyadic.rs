use std::collections::HashSet;

use lastbit_real::{Dyadic, IBig, NotDyadic, NotFinite, Rational};
use proptest::prelude::*;

use super::strategies::{dyadic, finite_f64, integer, rational};

fn exact(x: &Dyadic) -> Rational {
    Rational::from(x)
}

proptest! {
    #[test]
    fn arithmetic_agrees_with_fractions(a in dyadic(), b in dyadic(), k in -300i64..300) {
        prop_assert_eq!(exact(&(&a + &b)), exact(&a) + exact(&b));
        prop_assert_eq!(exact(&(&a - &b)), exact(&a) - exact(&b));
        prop_assert_eq!(exact(&(&a * &b)), exact(&a) * exact(&b));
        prop_assert_eq!(exact(&-&a), -exact(&a));
        prop_assert_eq!(exact(&a.abs()), exact(&a).abs());
        prop_assert_eq!(exact(&a.shl(k)), exact(&a) * Rational::pow2(k));
        prop_assert_eq!(a.cmp(&b), exact(&a).cmp(&exact(&b)));
        prop_assert_eq!(a == b, exact(&a) == exact(&b));
        prop_assert_eq!(a.floor_log2(), exact(&a).floor_log2());
    }

    #[test]
    fn every_result_is_normalised(a in dyadic(), b in dyadic(), k in -9i64..9) {
        for x in [&a + &b, &a - &b, &a * &b, a.shl(k), a.floor_to(k), a.round_up(7), -&a, a.abs()] {
            let is_odd = x.mantissa() % 2 != 0;
            prop_assert!(is_odd || (x.is_zero() && x.exponent() == 0), "{} * 2^{}", x.mantissa(), x.exponent());
        }
    }

    #[test]
    fn the_order_is_that_of_fractions(a in dyadic(), r in rational()) {
        prop_assert_eq!(a.cmp_rational(&r), exact(&a).cmp(&r));
        prop_assert_eq!(a.cmp_rational(&exact(&a)), std::cmp::Ordering::Equal);
    }

    #[test]
    fn grids(a in dyadic(), k in -260i64..260) {
        let step = Rational::pow2(k);
        let (below, above) = (a.floor_to(k), a.ceil_to(k));
        prop_assert!((exact(&below) / &step).is_integer() && (exact(&above) / &step).is_integer());
        prop_assert!(below <= a && a <= above);
        prop_assert!(exact(&(&a - &below)) < step && exact(&(&above - &a)) < step);
        prop_assert_eq!(a.floor(), exact(&a).floor());
        prop_assert_eq!(a.ceil(), exact(&a).ceil());
    }

    #[test]
    fn significant_bits(a in dyadic(), bits in 1u32..140) {
        let (below, above) = (a.round_down(bits), a.round_up(bits));
        prop_assert!(below <= a && a <= above);
        for x in [&below, &above] {
            let span = x.floor_log2().map_or(0, |top| top - x.exponent() + 1);
            prop_assert!(span <= i64::from(bits));
        }
        // Less than one unit apart from the number, the unit being 2^(1-bits) of its binade.
        if let Some(log2) = a.floor_log2() {
            let unit = Dyadic::pow2(log2 + 1 - i64::from(bits));
            prop_assert!(&a - &below < unit && &above - &a < unit);
        }
    }

    #[test]
    fn fractions_convert_if_dyadic(r in rational()) {
        let converted = Dyadic::try_from(&r);
        prop_assert_eq!(converted.is_ok(), r.is_dyadic());
        if let Ok(x) = converted {
            prop_assert_eq!(exact(&x), r);
        }
    }

    #[test]
    fn floats_and_integers_convert(x in finite_f64(), n in integer()) {
        let dyadic = Dyadic::try_from(x).expect("finite");
        prop_assert_eq!(dyadic.signum(), if x == 0.0 { 0 } else { x.signum() as i32 });
        prop_assert_eq!(dyadic.is_negative(), x < 0.0);
        prop_assert_eq!(exact(&Dyadic::from(n)), Rational::from(n));
    }
}

#[test]
fn zero_is_one_value_whatever_its_exponent() {
    assert_eq!(Dyadic::new(0, 999), Dyadic::zero());
    assert_eq!(Dyadic::zero().floor_log2(), None);
    assert_eq!(Dyadic::zero().floor_to(5), Dyadic::ZERO);
    assert_eq!(Dyadic::zero().floor_to(-5), Dyadic::ZERO);
    assert_eq!(Dyadic::zero().shl(i64::MAX), Dyadic::ZERO);
    assert_eq!(Dyadic::try_from(-0.0), Ok(Dyadic::ZERO));
}

#[test]
fn extreme_exponents_do_not_expand() {
    let (huge, tiny) = (Dyadic::pow2(1 << 60), Dyadic::pow2(-(1 << 60)));
    assert!(huge > tiny && -&huge < -&tiny);
    assert_eq!(&huge * &tiny, Dyadic::one());
    assert_eq!(huge.cmp_rational(&Rational::ONE), std::cmp::Ordering::Greater);
    assert_eq!((-&tiny).floor(), IBig::from(-1));
    assert_eq!(tiny.floor(), IBig::from(0));
    assert_eq!((-&tiny).floor_to(0), -Dyadic::one());
    assert_eq!(tiny.round_down(3), tiny);
    assert_eq!(&tiny + &Dyadic::ZERO, tiny);
    assert_eq!(&Dyadic::ZERO - &huge, -huge);
}

#[test]
#[should_panic(expected = "exponent")]
fn an_exponent_out_of_range_panics() {
    let _ = Dyadic::pow2(i64::MAX).shl(1);
}

#[test]
fn errors() {
    assert_eq!(Dyadic::try_from(f64::NAN), Err(NotFinite));
    assert_eq!(Dyadic::try_from(f32::INFINITY), Err(NotFinite));
    assert_eq!(Dyadic::try_from(&Rational::new(1, 3).expect("3 is not zero")), Err(NotDyadic));
}

#[test]
fn equal_numbers_hash_alike() {
    let set: HashSet<Dyadic> = [Dyadic::new(4, 0), Dyadic::new(1, 2), Dyadic::from(4u64)].into();
    assert_eq!(set.len(), 1);
}

#[test]
fn displays_as_a_product() {
    assert_eq!(Dyadic::new(-12, -3).to_string(), "-3*2^-1");
    assert_eq!(format!("{:?}", Dyadic::from(7)), "7");
}
