//! Does the time of a release tell what the values are?

use lastbit::Mechanism;

use crate::cases::{discrete_laplace, gaussian, grid_laplace, laplace, snapping};
use crate::spread::{self, MOST_SPREAD};
use crate::work::{InPlace, Work};

/// Values near the noise, far above it and far below it.
pub(crate) const VALUES: [f64; 15] =
    [0.0, 5e-324, -1e-300, 1e-20, 1e-3, 0.35, 0.5, 1.0, -1.0, 2.7, 100.0, 1e6, -1e15, 1e100, 1e300];

/// Values of a batch.
const N: usize = 1 << 15;

const ROUNDS: usize = 501;

fn report_mechanism<M: Mechanism<T> + Clone, T: Copy>(title: &str, mechanism: &M, values: [T; 15]) -> bool {
    let mut works = values.map(|x| InPlace::new(mechanism.clone(), x, N));
    let mut turns: Vec<&mut dyn Work> = works.iter_mut().map(|work| work as &mut dyn Work).collect();
    spread::report(title, &mut turns, ROUNDS)
}

/// Prints the medians for each value and their spread; true if no bar is missed.
pub(crate) fn report() -> bool {
    println!("ns per value, by value; spread = max/min - 1, bar <= {:.0}%", 100.0 * MOST_SPREAD);
    let heads: String = VALUES.map(|x| format!("{x:8.0e}")).concat();
    println!("{:26}{heads}{:>10}", "", "spread");
    // Within the range of singles, and two of their subnormal numbers; and integers.
    let mut singles = VALUES.map(|x| (x as f32).clamp(-1e35, 1e35));
    singles[1] = 1e-45;
    singles[2] = -1e-40;
    let integers =
        [0i64, 1, -1, 2, 3, 10, 100, 1000, -1000, 65_536, 1 << 31, 1 << 40, -(1 << 50), 1 << 60, -1 << 61];
    [
        report_mechanism("Laplace f64", &laplace(), VALUES),
        report_mechanism("Laplace f32", &laplace(), singles),
        report_mechanism("Laplace i64", &laplace(), integers),
        report_mechanism("GridLaplace f64, k = -20", &grid_laplace(Some(-20)), VALUES),
        report_mechanism("GridLaplace f64, k = 60", &grid_laplace(Some(60)), VALUES),
        report_mechanism("GridLaplace f64, default k", &grid_laplace(None), VALUES),
        report_mechanism("GridLaplace f64, k = -1074", &grid_laplace(Some(-1074)), VALUES),
        report_mechanism("Snapping f64, B = 1000", &snapping(), VALUES),
        report_mechanism("DiscreteLaplace i64", &discrete_laplace(), integers),
        report_mechanism("Gaussian f64", &gaussian(), VALUES),
        report_mechanism("Gaussian f32", &gaussian(), singles),
        report_mechanism("Gaussian i64", &gaussian(), integers),
    ]
    .iter()
    .all(|ok| *ok)
}
