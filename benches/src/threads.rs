//! What a second core is worth to a large release.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use lastbit::{Laplace, Mechanism, Rational, Threads};

use crate::sources::secure;
use crate::timing::median;

/// 0.8 GB of them.
const VALUES: usize = 100_000_000;

const ROUNDS: usize = 5;

/// How many times faster two threads must be than one.
const BAR: f64 = 1.7;

/// Prints the wall-clock time of a value on one thread and on two, in turn; true unless the bar is missed.
pub(crate) fn report() -> bool {
    if std::thread::available_parallelism().map_or(1, NonZeroUsize::get) < 2 {
        println!("there is one core: not measured");
        return true;
    }
    let laplace = Laplace::new(Rational::ONE).expect("a scale");
    let mut source = secure();
    let mut values = vec![1.0f64; VALUES];
    let mut nanoseconds = |threads: usize| {
        let threads = Threads::new(NonZeroUsize::new(threads).expect("not zero"));
        let start = Instant::now();
        laplace.release_in_place_with(&mut source, &mut values, threads).expect("values in range");
        black_box(&values);
        start.elapsed().as_secs_f64() * 1e9 / VALUES as f64
    };
    println!("ns/value: 1 thread  2 threads  ratio");
    let ratios = (0..ROUNDS)
        .map(|_| {
            let (one, two) = (nanoseconds(1), nanoseconds(2));
            println!("{one:18.2} {two:10.2} {:6.2}", one / two);
            one / two
        })
        .collect();
    let median = median(ratios);
    println!("median ratio {median:.2}, bar {BAR}{}", if median < BAR { "  MISSED" } else { "" });
    median >= BAR
}
