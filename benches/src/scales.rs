//! What a value costs at every scale: none may be left to the slow tiers.

use lastbit::{DiscreteLaplace, GridLaplace, Rational};

use crate::timing::{interleave, median};
use crate::work::{InPlace, Work};

/// The most nanoseconds that a value may take.
const BAR: f64 = 40.0;

/// Values of a batch.
const N: usize = 1 << 16;

const ROUNDS: usize = 7;

fn nanoseconds(work: &mut dyn Work) -> f64 {
    median(interleave(&mut [work], ROUNDS).remove(0))
}

/// Prints the time of a value at scales from 2⁻⁶⁰ to 2⁶², on integers and on grids; true if no bar is missed.
pub(crate) fn report() -> bool {
    println!("ns per value at scale 2^s, bar <= {BAR}");
    println!("{:>4}{:>18}{:>26}", "s", "DiscreteLaplace i64", "GridLaplace f64, k = 0");
    let mut ok = true;
    for s in -60..=62 {
        let scale = Rational::pow2(s);
        let discrete = DiscreteLaplace::new(scale.clone()).expect("a scale");
        let grid = GridLaplace::<f64>::new(scale, Some(0)).expect("a grid");
        // Beyond that, some of the values of a batch overflow, and nothing is released.
        let integers = (s <= 57).then(|| nanoseconds(&mut InPlace::new(discrete.clone(), 0i64, N)));
        let grids = nanoseconds(&mut InPlace::new(grid, 0.0, N));
        let missed = integers.unwrap_or(0.0).max(grids) > BAR;
        ok &= !missed;
        let integers = integers.map_or("overflows".into(), |ns| format!("{ns:.2}"));
        println!("{s:>4}{integers:>18}{grids:>26.2}{}", if missed { "  MISSED" } else { "" });
    }
    ok
}
