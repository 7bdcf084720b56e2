//! The notes' theorems on liftings, on finite distributions: what holds, and what does not.

use lastbit_real::Rational;
use proptest::prelude::*;

use super::*;

type Pair = (Rational, Rational);

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn ratio(text: &str) -> Ratio {
    Ratio::new(rational(text)).unwrap()
}

/// `{1/n, …, n/n}` with equal masses: the uniform distribution on `(0, 1]`, on a grid.
fn uniform(n: i64) -> SubDistribution<Rational> {
    SubDistribution::new((1..=n).map(|k| (Rational::new(k, n).unwrap(), Rational::new(1, n).unwrap())))
        .unwrap()
}

/// The relation `{(x, e^-ε·x)}` on which Theorem 1's witnesses lie.
fn shrinks(ratio: &Ratio) -> impl Fn(&Rational, &Rational) -> bool {
    |x, y| *x == y * ratio.value()
}

/// Theorem 1's witnesses, `μ_L(x, e^-ε·x) = unif(x)` and `μ_R(x, e^-ε·x) = unif(y)`, from a grid with `n` points to the one with `e^ε·n`.
/// A density becomes a mass: the same set of `x` has `e^ε` times fewer points than its image has room for.
fn theorem_1(n: i64, fine: i64, ratio: &Ratio) -> Lifting<Rational, Rational> {
    Lifting {
        left: uniform(n).map(|x| (x.clone(), x / ratio.value())),
        right: uniform(fine).map(|y| (y * ratio.value(), y.clone())),
    }
}

#[test]
fn theorem_1_shrinks() {
    for (n, fine, e) in [(8, 16, "2"), (10, 15, "3/2"), (7, 7, "1"), (4, 12, "3")] {
        let e = ratio(e);
        let (mu1, mu2) = (uniform(n), uniform(fine));
        let lifting = theorem_1(n, fine, &e);
        assert_eq!(lifting.verify(&mu1, &mu2, shrinks(&e), &e, &Rational::ZERO), Ok(()));
        assert_eq!(image_bound(&mu1, &mu2, shrinks(&e), &e, &Rational::ZERO), Ok(()));
        assert!(dilation(&mu1, &mu2, &e).is_zero());
        // The cost is exact: with a little less, all of (0, 1] is too likely.
        if e > Ratio::ONE {
            let less = Ratio::new((e.value() + Rational::ONE) / Rational::from(2)).unwrap();
            let refused = lifting.verify(&mu1, &mu2, shrinks(&e), &less, &Rational::ZERO);
            let expected = Rational::ONE - less.value() / e.value();
            assert!(matches!(refused, Err(LiftingError::Divergence { found, .. }) if found == expected));
        }
    }
}

/// AxUnif says nothing: its relation `e^-ε·x <= y <= e^ε·x` has the diagonal, which costs nothing.
#[test]
fn theorem_1_as_printed_is_vacuous() {
    let e = ratio("3/2");
    let printed = |x: &Rational, y: &Rational| x / e.value() <= *y && *y <= x * e.value();
    let mu = uniform(12);
    let diagonal = mu.map(|x| (x.clone(), x.clone()));
    let lifting = Lifting { left: diagonal.clone(), right: diagonal };
    assert_eq!(lifting.verify(&mu, &mu, printed, &Ratio::ONE, &Rational::ZERO), Ok(()));
}

/// `u₂ = e^k·u₁` costs infinitely much: the upper part of the `u₁` has no `u₂` at all.
#[test]
fn the_expanding_direction_is_false() {
    for (n, coarse, e) in [(12, 6, "2"), (12, 8, "3/2"), (15, 5, "3")] {
        let e = ratio(e);
        let (mu1, mu2) = (uniform(n), uniform(coarse));
        let expands = |x: &Rational, y: &Rational| *y == x * e.value();
        let upper: Vec<Rational> =
            mu1.support().filter(|x| *x * e.value() > Rational::ONE).cloned().collect();
        let left = Rational::ONE - e.value().recip().unwrap();
        let violated = ImageError::Violated { event: upper, left, right: Rational::ZERO };
        for cost in [&e, &ratio("1000000")] {
            assert_eq!(image_bound(&mu1, &mu2, expands, cost, &Rational::ZERO), Err(violated.clone()));
        }
    }
}

/// Theorem 2, "any two distributions are related by equality at no cost", has counterexamples: different ones.
#[test]
fn theorem_2_is_false() {
    let [zero, one] = [0, 1].map(SubDistribution::<i32>::point);
    let free = |a: &_, b: &_| image_bound(a, b, |x, y| x == y, &Ratio::ONE, &Rational::ZERO);
    let violated = ImageError::Violated { event: vec![0], left: Rational::ONE, right: Rational::ZERO };
    assert_eq!(free(&zero, &one), Err(violated));
    assert_eq!(divergence(&zero, &one, &Ratio::ONE), Rational::ONE);
    // The only left witness on the diagonal, and the only right one, are as far apart as can be.
    let lifting = Lifting { left: zero.map(|&x| (x, x)), right: one.map(|&x| (x, x)) };
    let refused = lifting.verify(&zero, &one, |x, y| x == y, &Ratio::ONE, &Rational::ZERO);
    assert!(matches!(refused, Err(LiftingError::Divergence { worst: (0, 0), .. })));
    // What it should say: one distribution is related to itself.
    assert_eq!(free(&zero, &zero), Ok(()));
}

#[test]
fn each_condition_has_its_error() {
    let e = ratio("2");
    let (mu1, mu2) = (uniform(4), uniform(8));
    let good = theorem_1(4, 8, &e);
    let check = |lifting: &Lifting<_, _>, delta: &str| {
        lifting.verify(&mu1, &mu2, shrinks(&e), &e, &rational(delta)).unwrap_err()
    };
    let quarter: Pair = (rational("1/4"), rational("1/8"));
    let without = |witness: &SubDistribution<Pair>| {
        let rest = witness.iter().filter(|(pair, _)| **pair != quarter);
        SubDistribution::new(rest.map(|(pair, mass)| (pair.clone(), mass.clone()))).unwrap()
    };

    let lifting = Lifting { left: without(&good.left), right: good.right.clone() };
    let (value, found, expected) = (quarter.0.clone(), Rational::ZERO, rational("1/4"));
    assert_eq!(check(&lifting, "0"), LiftingError::LeftMarginal { value, found, expected });

    let lifting = Lifting { left: good.left.clone(), right: without(&good.right) };
    let (value, found, expected) = (quarter.1.clone(), Rational::ZERO, rational("1/8"));
    assert_eq!(check(&lifting, "0"), LiftingError::RightMarginal { value, found, expected });

    let left =
        good.left.map(|(x, y)| (x.clone(), if *x == Rational::ONE { rational("1/8") } else { y.clone() }));
    let pair = (Rational::ONE, rational("1/8"));
    let lifting = Lifting { left, right: good.right.clone() };
    assert_eq!(check(&lifting, "0"), LiftingError::LeftOutside { pair, mass: rational("1/4") });

    let right = good
        .right
        .map(|(x, y)| if *y == Rational::ONE { (y.clone(), y.clone()) } else { (x.clone(), y.clone()) });
    let lifting = Lifting { left: good.left.clone(), right };
    let pair = (Rational::ONE, Rational::ONE);
    assert_eq!(check(&lifting, "0"), LiftingError::RightOutside { pair, mass: rational("1/8") });

    assert_eq!(check(&good, "-1/9"), LiftingError::NegativeDelta(rational("-1/9")));
    let many = image_bound(&uniform(17), &mu2, |_, _| true, &e, &Rational::ZERO);
    assert_eq!(many, Err(ImageError::TooManyValues { values: 17 }));
}

/// A witness on a grid of 4 × 4 pairs.
fn joint() -> impl Strategy<Value = SubDistribution<(usize, usize)>> {
    prop::collection::vec(prop_oneof![2 => Just(0i64), 1 => 1i64..9], 16).prop_map(|weights| {
        let mass = |w: i64| Rational::new(w, 9 * 16).unwrap();
        SubDistribution::new(weights.into_iter().enumerate().map(|(i, w)| ((i / 4, i % 4), mass(w)))).unwrap()
    })
}

proptest! {
    /// A lifting implies the bound on images, at the same cost; and no lifting has a smaller `δ` than its divergence.
    #[test]
    fn liftings_bound_images(left in joint(), right in joint(), tenths in 10i64..30) {
        let ratio = Ratio::new(Rational::new(tenths, 10).unwrap()).unwrap();
        let lifting = Lifting { left, right };
        let (mu1, mu2) = (lifting.left.map(|pair| pair.0), lifting.right.map(|pair| pair.1));
        let delta = divergence(&lifting.left, &lifting.right, &ratio);
        let related = |x: &usize, y: &usize| {
            [&lifting.left, &lifting.right].iter().any(|witness| !witness.mass(&(*x, *y)).is_zero())
        };
        prop_assert_eq!(lifting.verify(&mu1, &mu2, related, &ratio, &delta), Ok(()));
        prop_assert_eq!(image_bound(&mu1, &mu2, related, &ratio, &delta), Ok(()));
        if delta.is_positive() {
            let less = &delta - Rational::pow2(-40);
            prop_assert!(lifting.verify(&mu1, &mu2, related, &ratio, &less).is_err());
        }
    }

    /// A lifting of equality is differential privacy: the divergence is at most `δ`, and the bound on images says the same.
    #[test]
    fn equality_is_privacy(a in joint(), b in joint(), tenths in 10i64..30, slack in 0i64..3) {
        let ratio = Ratio::new(Rational::new(tenths, 10).unwrap()).unwrap();
        let (mu1, mu2) = (a.map(|pair| pair.0), b.map(|pair| pair.1));
        let lifting = Lifting { left: mu1.map(|&x| (x, x)), right: mu2.map(|&x| (x, x)) };
        let exact = divergence(&mu1, &mu2, &ratio);
        // Around what is needed: the three agree on whether it is enough.
        let delta = exact.clone() + Rational::new(slack - 1, 1000).unwrap();
        let verified = lifting.verify(&mu1, &mu2, |x, y| x == y, &ratio, &delta).is_ok();
        prop_assert_eq!(verified, exact <= delta);
        prop_assert_eq!(image_bound(&mu1, &mu2, |x, y| x == y, &ratio, &delta).is_ok(), verified);
    }
}
