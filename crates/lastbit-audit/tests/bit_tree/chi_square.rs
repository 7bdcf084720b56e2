//! Larger cases, with a fixed seed and χ² at a level of one in a million.

use lastbit::{
    BitSource, DiscreteGaussian, DiscreteLaplace, FloatSnapping, Gaussian, GridLaplace, InsecureSeededSource,
    Laplace, Mechanism, Snapping,
};
use lastbit_audit::bit_tree::Law;
use lastbit_real::{Enclosure, Float, Rounding};

use super::{Biased, Value, exact, integers, rational};

/// Draws for χ².
const DRAWS: usize = 400_000;

/// Whether the number of times that each event came is less likely than one in a million.
pub(crate) fn is_unlikely(counts: &[u64], probabilities: &[f64]) -> bool {
    let draws = counts.iter().sum::<u64>() as f64;
    // Rare events together, so that the statistic has the distribution of χ².
    let mut bins = vec![(0.0, 0.0)];
    for (count, probability) in counts.iter().zip(probabilities) {
        let last = bins.last_mut().expect("never empty");
        *last = (last.0 + *count as f64, last.1 + probability * draws);
        if last.1 >= 100.0 {
            bins.push((0.0, 0.0));
        }
    }
    let rest = bins.pop().expect("never empty");
    let last = bins.last_mut().expect("a likely event");
    *last = (last.0 + rest.0, last.1 + rest.1);
    let statistic: f64 = bins.iter().map(|(count, expected)| (count - expected).powi(2) / expected).sum();
    // Wilson and Hilferty's approximation of the quantile.
    let (k, z) = ((bins.len() - 1) as f64, 4.7534);
    let quantile = k * (1.0 - 2.0 / (9.0 * k) + z * (2.0 / (9.0 * k)).sqrt()).powi(3);
    eprintln!("χ² = {statistic:.1} in {} bins, limit {quantile:.1}", bins.len());
    assert!(bins.len() > 4);
    statistic > quantile
}

fn draw<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, source: &mut impl BitSource) -> Vec<T> {
    draw_many(DRAWS, mechanism, x, source)
}

fn draw_many<T: Value, M: Mechanism<T>>(
    n: usize,
    mechanism: &M,
    x: T,
    source: &mut impl BitSource,
) -> Vec<T> {
    let mut values = vec![x; n];
    mechanism.release_in_place(source, &mut values).expect("no overflow");
    values
}

fn is_unlikely_under<T: Value>(law: &Law, values: &[T]) -> bool {
    let mut counts = vec![0; law.cuts().len() + 1];
    values.iter().for_each(|value| counts[law.event(value.real())] += 1);
    let nearest = |p: &Enclosure| f64::from_dyadic(p.lo(), Rounding::Nearest);
    is_unlikely(&counts, &law.probabilities().iter().map(nearest).collect::<Vec<_>>())
}

#[track_caller]
fn fits<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, law: &Law) {
    assert!(!is_unlikely_under(law, &draw(mechanism, x, &mut InsecureSeededSource::<u64>::from_seed(11))));
    assert!(!is_unlikely_under(law, &draw(mechanism, x, &mut InsecureSeededSource::<u16>::from_seed(12))));
}

#[test]
fn chi_square_of_laplace() {
    let b = rational("100/7");
    let laplace = Laplace::new(b.clone()).unwrap();
    fits(&laplace, 0i64, &Law::integer_laplace(&b, 0.0, integers(120)).unwrap());
    for x in [0.0, 1.0, 1e6] {
        let cuts = || integers(120).map(|i| x + i / 1.7);
        fits(&laplace, x, &Law::laplace::<f64>(&b, x, cuts()).unwrap());
        let law = Law::laplace::<f32>(&b, x, cuts().map(|cut| f64::from(cut as f32))).unwrap();
        fits(&laplace, x as f32, &law);
    }
}

#[test]
fn chi_square_of_grids_and_integers() {
    let s = rational("100/7");
    let law = Law::discrete_laplace(&s, 0.0, integers(120)).unwrap();
    fits(&DiscreteLaplace::new(s.clone()).unwrap(), 0i64, &law);
    for k in [-1, -30, -46, -62, -90] {
        let law = Law::grid_laplace::<f64>(&s, k, 0.3, integers(120)).unwrap();
        fits(&GridLaplace::<f64>::new(s.clone(), Some(k)).unwrap(), 0.3, &law);
    }
    let law = Law::grid_laplace::<f32>(&s, -20, 0.3f32.into(), integers(120)).unwrap();
    fits(&GridLaplace::<f32>::new(s, Some(-20)).unwrap(), 0.3f32, &law);
}

#[test]
fn chi_square_of_snapping() {
    let units = |bound: f64| (1..).map(move |i| -bound + f64::from(i)).take_while(move |cut| *cut <= bound);
    let snapping = Snapping::new(rational("0.07"), rational("500")).unwrap();
    fits(&snapping, 33.3, &Law::snapping(&snapping, 33.3, units(500.0)).unwrap());
    let snapping = FloatSnapping::new(0.5, 20.0).unwrap();
    fits(&snapping, 1.3, &Law::float_snapping(&snapping, 1.3, units(20.0)).unwrap());
}

#[test]
fn chi_square_of_the_discrete_gaussian() {
    for variance in [0.5, 2.0, 150.25] {
        let weight = |z: i64| (-(z as f64).powi(2) / (2.0 * variance)).exp();
        let sum: f64 = (-400..=400).map(weight).sum();
        let probabilities: Vec<f64> = (-200..=200).map(|z| weight(z) / sum).collect();
        let gaussian = DiscreteGaussian::with_variance(exact(variance)).unwrap();
        for seed in [13, 14] {
            let mut counts = vec![0; probabilities.len()];
            for z in draw(&gaussian, 0i64, &mut InsecureSeededSource::<u64>::from_seed(seed)) {
                counts[(z + 200) as usize] += 1;
            }
            assert!(!is_unlikely(&counts, &probabilities));
        }
    }
}

/// Both values of a pair count here, as a release of many draws them.
#[test]
fn chi_square_of_the_gaussian() {
    let sigma = rational("100/7");
    let gaussian = Gaussian::new(&sigma).unwrap();
    let variance = gaussian.variance();
    fits(&gaussian, 0i64, &Law::integer_gaussian(variance, 0.0, integers(60)).unwrap());
    for x in [0.0, 1e6] {
        let cuts = || integers(60).map(|i| x + i / 1.7);
        fits(&gaussian, x, &Law::gaussian::<f64>(variance, x, cuts()).unwrap());
        let law = Law::gaussian::<f32>(variance, x, cuts().map(|cut| f64::from(cut as f32))).unwrap();
        fits(&gaussian, x as f32, &law);
    }
    let law = Law::gaussian::<f64>(variance, 0.0, integers(60)).unwrap();
    let source = || InsecureSeededSource::<u64>::from_seed(16);
    assert!(is_unlikely_under(&law, &draw(&gaussian, 0.0, &mut Biased(source()))));
    let other = Gaussian::new(&(sigma + rational("1/10"))).unwrap();
    assert!(is_unlikely_under(&law, &draw_many(1_000_000, &other, 0.0, &mut source())));
}

#[test]
fn chi_square_rejects_a_biased_copy() {
    let law = Law::discrete_laplace(&rational("5/2"), 0.0, integers(60)).unwrap();
    let source = || InsecureSeededSource::<u64>::from_seed(15);
    let exact_one = DiscreteLaplace::new(rational("5/2")).unwrap();
    assert!(!is_unlikely_under(&law, &draw(&exact_one, 0i64, &mut source())));
    assert!(is_unlikely_under(&law, &draw(&exact_one, 0i64, &mut Biased(source()))));
    let other = DiscreteLaplace::new(rational("5/2") + rational("1/20")).unwrap();
    assert!(is_unlikely_under(&law, &draw(&other, 0i64, &mut source())));
}
