//! Each mechanism has the law that it claims.

use lastbit::{DiscreteLaplace, FloatSnapping, GridLaplace, Laplace, Rounding, Snapping};
use lastbit_audit::bit_tree::Law;
use lastbit_real::{Dyadic, Float};

use super::{confirms, exact, integers, is_refuted, monotone_tree, rational, tree};

/// The floats of a type from `x - reach` to `x + reach`.
fn floats_around<T: Float>(x: T, reach: f64) -> Vec<f64> {
    let least = T::from_rational(&exact(x.to_f64() - reach), Rounding::Nearest);
    std::iter::successors(Some(least), |y| Some(y.next_up()))
        .map(Float::to_f64)
        .take_while(|y| *y < x.to_f64() + reach)
        .collect()
}

#[test]
fn laplace_on_integers() {
    for (b, x) in [("1/3", 0), ("1", 0), ("10/7", -5), ("5/2", 3)] {
        let b = rational(b);
        let law = Law::integer_laplace(&b, x as f64, integers(60)).unwrap();
        confirms(&tree(&Laplace::new(b).unwrap(), x, &law), &law);
    }
}

/// At numbers so large that neighbours are as far apart as the noise, on both sides of a power of two.
#[test]
fn laplace_on_large_floats() {
    for (b, x) in [("3", 2f64.powi(53)), ("10/7", 2f64.powi(53) - 3.0), ("5", -(2f64.powi(54)))] {
        let law = Law::laplace::<f64>(&rational(b), x, floats_around(x, 60.0)).unwrap();
        let laplace = Laplace::new(rational(b)).unwrap();
        confirms(&tree(&laplace, x, &law), &law);
    }
    for (b, x) in [("3", 2f32.powi(24)), ("10/7", 2f32.powi(24) - 3.0), ("5", -(2f32.powi(25)))] {
        let law = Law::laplace::<f32>(&rational(b), x.into(), floats_around(x, 60.0)).unwrap();
        confirms(&tree(&Laplace::new(rational(b)).unwrap(), x, &law), &law);
    }
}

#[test]
fn laplace_on_small_floats() {
    for (b, x) in [("10/7", 0.0), ("1/3", 1.0), ("1/1000", 1.1), ("10/7", -5.0)] {
        let scale = rational(b).to_f64(Rounding::Nearest);
        let cuts =
            || [-9.0, -2.0, -0.7, -1e-3, 0.0, 1e-9, 0.1, 0.5, 1.1, 5.0, 20.0].map(|far| x + scale * far);
        let laplace = Laplace::new(rational(b)).unwrap();
        let law = Law::laplace::<f64>(&rational(b), x, cuts()).unwrap();
        confirms(&monotone_tree(&laplace, x, &law), &law);
        let single = x as f32;
        let cuts = cuts().map(|cut| f64::from(cut as f32));
        let law = Law::laplace::<f32>(&rational(b), single.into(), cuts).unwrap();
        confirms(&monotone_tree(&laplace, single, &law), &law);
    }
}

#[test]
fn discrete_laplace() {
    for s in ["1/3", "1", "5/2"] {
        let law = Law::discrete_laplace(&rational(s), 0.0, integers(100)).unwrap();
        let laplace = DiscreteLaplace::new(rational(s)).unwrap();
        confirms(&tree(&laplace, 0i64, &law), &law);
    }
}

#[test]
fn grid_laplace() {
    for (b, k, x) in [("5/2", 0, 0.3), ("1", 0, -2.5), ("10/7", 1, 3.0), ("1/3", -2, 0.1)] {
        let cuts = integers(240).map(|i| i * 2f64.powi(k));
        let law = Law::grid_laplace::<f64>(&rational(b), k, x, cuts).unwrap();
        confirms(&tree(&GridLaplace::<f64>::new(rational(b), Some(k)).unwrap(), x, &law), &law);
    }
    // The type has not all sums: 2^24 + 1 is rounded.
    for (b, k, x) in [("5/2", 0, 2f32.powi(24)), ("10/7", -1, 2f32.powi(23) - 2.0), ("5/2", 0, 0.3)] {
        let cuts = std::iter::successors(Some((x - 60.0).round()), |y| {
            Some((*y + 2f32.powi(k)).max(y.next_up())).filter(|next| *next < x + 60.0)
        });
        let law = Law::grid_laplace::<f32>(&rational(b), k, x.into(), cuts.map(f64::from)).unwrap();
        confirms(&tree(&GridLaplace::<f32>::new(rational(b), Some(k)).unwrap(), x, &law), &law);
    }
}

/// Cuts at every unit above the least output.
fn units(bound: f64) -> impl Iterator<Item = f64> {
    (1..).map(move |i| -bound + f64::from(i)).take_while(move |cut| *cut <= bound)
}

#[test]
fn snapping() {
    for (epsilon, bound, x) in
        [("1/2", "10", 1.3), ("2/3", "7.5", -7.0), ("1", "6", 0.5), ("3/4", "8", 100.0)]
    {
        let snapping = Snapping::new(rational(epsilon), rational(bound)).unwrap();
        let law = Law::snapping(&snapping, x, units(snapping.bound())).unwrap();
        confirms(&tree(&snapping, x, &law), &law);
    }
}

#[test]
fn float_snapping() {
    for (epsilon, bound, x) in [(0.5, 10.0, 1.3), (1.0, 6.0, 0.5), (0.75, 8.0, -100.0)] {
        let snapping = FloatSnapping::new(epsilon, bound).unwrap();
        let law = Law::float_snapping(&snapping, x, units(bound)).unwrap();
        confirms(&monotone_tree(&snapping, x, &law), &law);
        // And it is close to the ideal.
        let ideal = Snapping::new(exact(epsilon), exact(bound)).unwrap();
        let ideal = Law::snapping(&ideal, x, units(bound)).unwrap();
        for (ours, ideal) in law.tails().iter().zip(ideal.tails()) {
            assert!(*(ours - ideal).abs().hi() < Dyadic::pow2(-48));
        }
    }
}

#[test]
fn other_scales_are_refuted() {
    let law = Law::discrete_laplace(&rational("5/2"), 0.0, integers(60)).unwrap();
    let other = DiscreteLaplace::new(rational("5/2") + rational("1e-9")).unwrap();
    assert!(is_refuted(&tree(&other, 0i64, &law), &law));

    let law = Law::laplace::<f64>(&rational("10/7"), 0.0, [-1.0, 0.0, 1.0]).unwrap();
    let other = Laplace::new(rational("10/7") + rational("1e-9")).unwrap();
    assert!(is_refuted(&monotone_tree(&other, 0.0, &law), &law));
}
