//! The share of values that one word does not decide, and that take longer than the others.

use lastbit::{Mechanism, SecureSource};

use crate::cases::{discrete_laplace, grid_laplace, laplace};
use crate::sources::{Counting, secure};

/// Values of each line.
const VALUES: usize = 1 << 26;

const BATCH: usize = 1 << 20;

/// Noises [`VALUES`] values, all of them `x`.
fn count<M: Mechanism<T>, T: Copy>(mechanism: &M, x: T) -> Counting<SecureSource> {
    let mut source = Counting::new(secure());
    let mut values = vec![x; BATCH];
    for _ in 0..VALUES / BATCH {
        values.fill(x);
        mechanism.release_in_place(&mut source, &mut values).expect("values in range");
    }
    source
}

/// Prints a line; returns the number of values that left.
fn report_mechanism<M: Mechanism<T>, T: Copy>(title: &str, mechanism: &M, x: T) -> u64 {
    let counted = count(mechanism, x);
    let left = counted.values();
    let share = match left {
        0 => "0".into(),
        _ => format!("{:.2e} = 2^{:.1}", left as f64 / VALUES as f64, (left as f64 / VALUES as f64).log2()),
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
    println!("hardened: {hardened_left} left, bar 0: {}", if hardened_left == 0 { "ok" } else { "MISSED" });
    hardened_left == 0
}
