use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, Rational};
use proptest::prelude::*;

use super::strategies::{dyadic_near, rational};

/// An interval and a number in it.
fn inhabited() -> impl Strategy<Value = (Enclosure, Rational)> {
    (dyadic_near(60), dyadic_near(60), 0i64..=8).prop_map(|(a, b, eighths)| {
        let (lo, hi) = if a <= b { (a, b) } else { (b, a) };
        let part = Rational::new(eighths, 8).expect("8 is not zero");
        let inside = Rational::from(&lo) + (Rational::from(&hi) - Rational::from(&lo)) * part;
        (Enclosure::new(lo, hi).expect("ordered"), inside)
    })
}

proptest! {
    #[test]
    fn images_contain_what_they_should((a, x) in inhabited(), (b, y) in inhabited(), k in -9i64..9) {
        prop_assert!(a.contains(&x));
        prop_assert!((&a + &b).contains(&(&x + &y)));
        prop_assert!((&a - &b).contains(&(&x - &y)));
        prop_assert!((&a * &b).contains(&(&x * &y)));
        prop_assert!((-&a).contains(&-&x));
        prop_assert!(a.abs().contains(&x.abs()));
        prop_assert!(a.shl(k).contains(&(&x * Rational::pow2(k))));
        prop_assert!(a.min(&b).contains((&x).min(&y)));
        prop_assert!(a.max(&b).contains((&x).max(&y)));
        prop_assert!(a.hull(&b).contains(&x) && a.hull(&b).contains(&y));
        for bits in [1, 3, 20] {
            prop_assert!(a.round(bits).contains(&x));
            match a.div(&b, bits) {
                Some(quotient) => prop_assert!(quotient.contains(&(&x / &y))),
                None => prop_assert!(b.contains(&Rational::ZERO)),
            }
        }
    }

    /// The ends are reached: an image is no wider than it has to be.
    #[test]
    fn images_are_tight((a, _) in inhabited(), (b, _) in inhabited()) {
        let ends = |e: &Enclosure| [e.lo().clone(), e.hi().clone()];
        let mut products = Vec::new();
        for x in ends(&a) {
            for y in ends(&b) {
                products.push(&x * &y);
            }
        }
        products.sort();
        prop_assert_eq!(ends(&(&a * &b)), [products[0].clone(), products[3].clone()]);
        prop_assert_eq!((&a - &b).width(), &a.width() + &b.width());
    }

    #[test]
    fn fractions_are_enclosed_to_the_bits(x in rational(), bits in 0u32..200) {
        let enclosure = Enclosure::of_rational(&x, bits);
        prop_assert!(enclosure.contains(&x));
        prop_assert!(Rational::from(enclosure.width()) <= x.abs() * Rational::pow2(-i64::from(bits)));
        prop_assert_eq!(enclosure.lo() == enclosure.hi(), x.is_dyadic());
    }

    #[test]
    fn quotients_of_points_have_the_bits(a in dyadic_near(60), b in dyadic_near(60), bits in 0u32..200) {
        prop_assume!(!b.is_zero());
        let quotient = Rational::from(&a) / Rational::from(&b);
        let enclosure = Enclosure::exact(a).div(&Enclosure::exact(b), bits).expect("not zero");
        prop_assert!(enclosure.contains(&quotient));
        prop_assert!(Rational::from(enclosure.width()) <= quotient.abs() * Rational::pow2(-i64::from(bits)));
    }

    #[test]
    fn comparisons_hold_for_every_inhabitant((a, x) in inhabited(), r in rational()) {
        if let Some(ordering) = a.cmp_to(&r) {
            prop_assert_eq!(x.cmp(&r), ordering);
        } else {
            prop_assert!(a.contains(&r) && a.width() != Dyadic::ZERO);
        }
        prop_assert_eq!(a.sign(), a.cmp_to(&Rational::ZERO));
    }
}

#[test]
fn construction_needs_the_order() {
    assert!(Enclosure::new(Dyadic::one(), Dyadic::zero()).is_none());
    assert_eq!(Enclosure::new(Dyadic::one(), Dyadic::one()), Some(Enclosure::exact(Dyadic::one())));
}

#[test]
fn an_end_decides_a_comparison_only_if_it_is_strict() {
    let unit = Enclosure::new(Dyadic::zero(), Dyadic::one()).expect("ordered");
    assert_eq!(unit.sign(), None);
    assert_eq!(unit.cmp_to(&Rational::ONE), None);
    assert_eq!(unit.cmp_to(&Rational::from(2)), Some(Ordering::Less));
    assert_eq!(Enclosure::exact(Dyadic::zero()).sign(), Some(Ordering::Equal));
    assert_eq!((-&unit).abs(), unit);
    assert!(unit.div(&unit, 10).is_none());
}

#[test]
fn displays_its_ends() {
    let enclosure = Enclosure::new(Dyadic::new(-1, -1), Dyadic::one()).expect("ordered");
    assert_eq!(enclosure.to_string(), "[-1*2^-1, 1]");
}
