//! Parameters at the ends of what there is: each question ends in time, in an answer or in a refusal.

use std::cell::Cell;
use std::time::{Duration, Instant};

use lastbit_account::{Composition, Error, Interval, Mechanism};
use lastbit_real::Rational;

use crate::truth::rational;

fn mechanisms() -> Vec<Mechanism> {
    let mut all = Vec::new();
    for epsilon in ["1e-300", "1e-12", "1e-3", "1000"].map(rational) {
        all.push(Mechanism::Laplace { epsilon: epsilon.clone() });
        all.push(Mechanism::RandomizedResponse { epsilon: epsilon.clone() });
        all.push(Mechanism::Approximate { epsilon: epsilon.clone(), delta: rational("1e-300") });
        all.push(Mechanism::Approximate { epsilon: epsilon.clone(), delta: rational("0.999") });
        for rate in ["1e-12", "1/2", "0.999999999999", "1"].map(rational) {
            all.push(Mechanism::SampledLaplace { rate, epsilon: epsilon.clone() });
        }
        for grid in ["1e-9", "1", "1e9"].map(rational) {
            all.push(Mechanism::Snapping { epsilon: epsilon.clone(), grid, bound: rational("1e12") });
        }
    }
    for rho in ["1e-300", "1e-20", "1e-3", "500"].map(rational) {
        all.push(Mechanism::Gaussian { rho: rho.clone() });
        all.push(Mechanism::ZeroConcentrated { rho: rho.clone() });
        for rate in ["1e-12", "1/2", "0.999999999999", "1"].map(rational) {
            all.push(Mechanism::SampledGaussian { rate, rho: rho.clone() });
        }
    }
    for sensitivity in [1, 1_000_000, u64::MAX] {
        for scale in ["1e-9", "1/1000", "1", "1e9", "1e14", "1e300"].map(rational) {
            all.push(Mechanism::DiscreteLaplace { scale: scale.clone(), sensitivity });
            all.push(Mechanism::DiscreteGaussian { variance: scale, sensitivity });
        }
    }
    for scale in ["1/1000", "1", "1e9", "1e300"].map(rational) {
        for threshold in [1, 1_000_000_000] {
            for keys in [1, u64::MAX] {
                all.push(Mechanism::Threshold { scale: scale.clone(), threshold, keys });
            }
        }
    }
    let pairs = [
        vec![("1", "1")],
        vec![("1", "0"), ("0", "1")],
        vec![("1e-300", "1"), ("0.5", "0"), ("0.5", "0")],
        vec![
            ("0.5000000000000000000000000000000000000001", "1/2"),
            ("0.4999999999999999999999999999999999999999", "1/2"),
        ],
        vec![("1e-300", "0.5"), ("0.5", "1e-300"), ("0.5", "0.5")],
    ];
    for outputs in pairs {
        let mut outputs: Vec<_> = outputs.into_iter().map(|(p, q)| (rational(p), rational(q))).collect();
        // So that both sum to 1.
        let rest = |of: &dyn Fn(&(Rational, Rational)) -> Rational| {
            Rational::ONE - outputs.iter().map(of).fold(Rational::ZERO, |sum, p| sum + p)
        };
        let last = (rest(&|output| output.0.clone()), rest(&|output| output.1.clone()));
        if !last.0.is_negative() && !last.1.is_negative() {
            outputs.push(last);
        }
        all.push(Mechanism::Finite { outputs });
    }
    all
}

/// The longest time between two questions whether to go on, with much room for slow machines and builds.
const MOST_BETWEEN: Duration = Duration::from_secs(20);

/// The time after which it is stopped: 30 milliseconds, as there are more than a thousand questions.
///
/// `LASTBIT_MORE=k` in the environment makes it `k` times as long, so that more questions end in an answer.
fn most() -> Duration {
    let factor = std::env::var("LASTBIT_MORE").map_or(1, |k| k.parse().expect("LASTBIT_MORE is a number"));
    factor * Duration::from_millis(30)
}

fn ends(name: &str, ask: impl Fn(&dyn Fn() -> bool) -> Result<Interval, Error>) {
    let (start, last, longest) = (Instant::now(), Cell::new(Instant::now()), Cell::new(Duration::ZERO));
    let most = most();
    let goes_on = || {
        longest.set(longest.get().max(last.get().elapsed()));
        last.set(Instant::now());
        start.elapsed() < most
    };
    let answer = ask(&goes_on);
    goes_on();
    if std::env::var_os("SHOW").is_some() {
        println!("{:8.3} {:8.3} {name}", start.elapsed().as_secs_f64(), longest.get().as_secs_f64());
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        println!("{:?}", status.lines().find(|line| line.starts_with("VmHWM")));
    }
    assert!(longest.get() < MOST_BETWEEN, "{name}: not asked for {:?}", longest.get());
    if let Ok(Interval { lower, upper: Some(upper), .. }) = answer {
        assert!(!lower.is_negative() && lower <= upper, "{name}");
    }
}

#[test]
fn one_mechanism() {
    for mechanism in mechanisms() {
        for times in [1, 1_000_000] {
            let mut all = Composition::new();
            if all.add(mechanism.clone(), times).is_err() {
                continue;
            }
            for epsilon in ["0", "1", "1e6"].map(rational) {
                ends(&format!("{mechanism:?} {times} δ({epsilon})"), |goes_on| {
                    all.delta_while(&epsilon, goes_on)
                });
            }
            for delta in ["1e-3000", "1e-6", "0.999999999"].map(rational) {
                ends(&format!("{mechanism:?} {times} ε({})", delta.to_short()), |goes_on| {
                    all.epsilon_while(&delta, goes_on)
                });
            }
        }
    }
}

/// Each with something else, so that no closed form answers.
#[test]
fn two_mechanisms() {
    let other = Mechanism::Laplace { epsilon: rational("1/3") };
    for mechanism in mechanisms() {
        let mut all = Composition::new();
        if all.add(other.clone(), 3).is_err() || all.add(mechanism.clone(), 2).is_err() {
            continue;
        }
        let half = rational("1/2");
        ends(&format!("{mechanism:?} and another δ"), |goes_on| all.delta_while(&half, goes_on));
        ends(&format!("{mechanism:?} and another ε"), |goes_on| {
            all.epsilon_while(&rational("1e-9"), goes_on)
        });
    }
}
