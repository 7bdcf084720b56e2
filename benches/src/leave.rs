//! The share of values that one word does not decide, and that take longer than the others.

use lastbit::{DiscreteLaplace, Mechanism, Rational, SecureSource};

use crate::cases::{discrete_laplace, grid_laplace, laplace};
use crate::sources::{Counting, secure};

/// Values of a line.
const VALUES: usize = 1 << 26;

/// Values of a line where nearly all of them may leave.
const FEW: usize = 1 << 20;

const BATCH: usize = 1 << 20;

/// Noises so many values, all of them `x`.
fn count<M: Mechanism<T>, T: Copy>(mechanism: &M, x: T, of: usize) -> Counting<SecureSource> {
    let mut source = Counting::new(secure());
    let mut values = vec![x; BATCH];
    for _ in 0..of / BATCH {
        values.fill(x);
        mechanism.release_in_place(&mut source, &mut values).expect("values in range");
    }
    source
}

/// Prints a line; returns the number of values that left.
fn report_mechanism<M: Mechanism<T>, T: Copy>(title: &str, mechanism: &M, x: T) -> u64 {
    report_some(title, mechanism, x, VALUES)
}

fn report_some<M: Mechanism<T>, T: Copy>(title: &str, mechanism: &M, x: T, of: usize) -> u64 {
    let counted = count(mechanism, x, of);
    let left = counted.values();
    let share = match left {
        0 => "0".into(),
        _ => format!("{:.2e} = 2^{:.1}", left as f64 / of as f64, (left as f64 / of as f64).log2()),
    };
    println!("{title:33} {left:>10}  {share:20} {:>3}", counted.most_in_chunk());
    left
}

/// Prints the shares; true if no value of a hardened mechanism left.
pub(crate) fn report() -> bool {
    println!("{:33} {:>10}  {:20} most in 256", format!("of {VALUES} values"), "left", "share");
    let inputs = [0.0, 1.0, 100.0, 1e6];
    for x in inputs {
        report_mechanism(&format!("Laplace f64, x = {x}"), &laplace(), x);
    }
    let mut hardened_left = 0;
    for x in inputs {
        hardened_left +=
            report_mechanism(&format!("Laplace f64 hardened, x = {x}"), &laplace().hardened(), x);
    }
    report_mechanism("DiscreteLaplace i64, scale 10", &discrete_laplace(), 0i64);
    report_mechanism("GridLaplace f64, k = -20", &grid_laplace(Some(-20)), 0.0);
    report_mechanism("GridLaplace f64, k = -40", &grid_laplace(Some(-40)), 0.0);
    println!("of {FEW} values");
    for k in [-60, -1074] {
        for x in inputs {
            report_some(&format!("GridLaplace f64, k = {k}, x = {x}"), &grid_laplace(Some(k)), x, FEW);
        }
    }
    report_some("GridLaplace f64, k = -45, x = 0", &grid_laplace(Some(-45)), 0.0, FEW);
    let wide = DiscreteLaplace::new(Rational::pow2(44)).expect("a scale");
    report_some("DiscreteLaplace i64, scale 2^44", &wide, 0i64, FEW);
    println!("hardened: {hardened_left} left, bar 0: {}", if hardened_left == 0 { "ok" } else { "MISSED" });
    hardened_left == 0
}
