//! How much faster the noise of `lastbit` is than the same noise of OpenDP, in one run.
//!
//! OpenDP's vector mechanisms and ours take turns on zeros: the ratio of a round is that of their times per value, and the
//! median over all rounds has to reach a bar.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use lastbit::{DiscreteGaussian, DiscreteLaplace, GridLaplace, Mechanism, Rational, SecureSource};
use opendp::core::Measurement;
use opendp::domains::{AtomDomain, VectorDomain};
use opendp::measurements::{make_gaussian, make_laplace};
use opendp::measures::{MaxDivergence, ZeroConcentratedDivergence};
use opendp::metrics::{L1Distance, L2Distance};

/// Values of a batch of ours.
const OURS: usize = 1 << 20;

/// Values of a batch of OpenDP's, each of which takes microseconds.
const THEIRS: usize = 1 << 13;

const ROUNDS: usize = 15;

type LaplaceMeasurement<T> = Measurement<VectorDomain<AtomDomain<T>>, L1Distance<T>, MaxDivergence, Vec<T>>;
type GaussianMeasurement =
    Measurement<VectorDomain<AtomDomain<i64>>, L2Distance<i64>, ZeroConcentratedDivergence, Vec<i64>>;

/// Something that noises a batch.
type Batch = Box<dyn FnMut()>;

/// The same noise, from both.
struct Case {
    title: &'static str,
    theirs: Batch,
    ours: Batch,
    /// How many times faster ours has to be.
    bar: f64,
}

fn their_laplace_f64(k: Option<i32>) -> Batch {
    let domain = VectorDomain::new(AtomDomain::<f64>::new_non_nan()).with_size(THEIRS);
    let measurement: LaplaceMeasurement<f64> =
        make_laplace(domain, L1Distance::default(), 1.0, k).expect("a scale");
    let values = vec![0.0; THEIRS];
    Box::new(move || {
        black_box(measurement.invoke(&values).expect("values in range"));
    })
}

fn their_laplace_i64() -> Batch {
    let domain = VectorDomain::new(AtomDomain::<i64>::default()).with_size(THEIRS);
    let measurement: LaplaceMeasurement<i64> =
        make_laplace(domain, L1Distance::default(), 10.0, None).expect("a scale");
    let values = vec![0; THEIRS];
    Box::new(move || {
        black_box(measurement.invoke(&values).expect("values in range"));
    })
}

fn their_gaussian_i64() -> Batch {
    let domain = VectorDomain::new(AtomDomain::<i64>::default()).with_size(THEIRS);
    let measurement: GaussianMeasurement =
        make_gaussian(domain, L2Distance::default(), 10.0, None).expect("a scale");
    let values = vec![0; THEIRS];
    Box::new(move || {
        black_box(measurement.invoke(&values).expect("values in range"));
    })
}

/// In place, the fastest way that we have; OpenDP has one, from a vector to a new one.
fn ours<M: Mechanism<T> + 'static, T: Copy + Default + 'static>(mechanism: M) -> Batch {
    let mut source = SecureSource::new().expect("random bytes from the operating system");
    let mut values = vec![T::default(); OURS];
    Box::new(move || {
        mechanism.release_in_place(&mut source, &mut values).expect("values in range");
        black_box(&values);
    })
}

fn our_grid_laplace(k: i32) -> Batch {
    ours(GridLaplace::<f64>::new(Rational::ONE, Some(k)).expect("a scale and an exponent"))
}

fn our_discrete_laplace() -> Batch {
    ours::<_, i64>(DiscreteLaplace::new(Rational::from(10)).expect("a scale"))
}

fn our_discrete_gaussian() -> Batch {
    ours::<_, i64>(DiscreteGaussian::new(&Rational::from(10)).expect("a scale"))
}

fn cases() -> [Case; 4] {
    [
        Case {
            // OpenDP's default is the grid of all doubles.
            title: "Laplace f64, scale 1, k = -1074",
            theirs: their_laplace_f64(None),
            ours: our_grid_laplace(-1074),
            bar: 1000.0,
        },
        Case {
            title: "Laplace f64, scale 1, k = -20",
            theirs: their_laplace_f64(Some(-20)),
            ours: our_grid_laplace(-20),
            bar: 250.0,
        },
        Case {
            title: "discrete Laplace i64, scale 10",
            theirs: their_laplace_i64(),
            ours: our_discrete_laplace(),
            bar: 250.0,
        },
        Case {
            title: "discrete Gaussian i64, scale 10",
            theirs: their_gaussian_i64(),
            ours: our_discrete_gaussian(),
            bar: 30.0,
        },
    ]
}

/// Nanoseconds per value of a batch of `n`.
fn time(batch: &mut Batch, n: usize) -> f64 {
    let start = Instant::now();
    batch();
    start.elapsed().as_nanos() as f64 / n as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Times a case and prints it; true if the bar is reached.
fn report(mut case: Case) -> bool {
    let mut round = || (time(&mut case.theirs, THEIRS), time(&mut case.ours, OURS));
    round(); // warms up
    let times: Vec<(f64, f64)> = (0..ROUNDS).map(|_| round()).collect();
    let theirs = median(times.iter().map(|(theirs, _)| *theirs));
    let ours = median(times.iter().map(|(_, ours)| *ours));
    let ratio = median(times.iter().map(|(theirs, ours)| theirs / ours));
    let ok = ratio >= case.bar;
    println!(
        "{:34} {theirs:10.0} {ours:10.2} {ratio:8.0}  >= {:<6}{}",
        case.title,
        case.bar,
        if ok { "ok" } else { "MISSED" }
    );
    ok
}

fn main() -> ExitCode {
    println!("{:34} {:>10} {:>10} {:>8}  bar", "ns per value", "OpenDP", "lastbit", "ratio");
    let results = cases().map(report);
    if results.iter().all(|ok| *ok) { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
