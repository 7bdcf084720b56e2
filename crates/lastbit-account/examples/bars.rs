//! What answers cost: the time of one core, the most memory so far, and how wide the interval is.
//!
//! `cargo run --release -p lastbit-account --example bars [part of a name]`

use lastbit_account::{Composition, Error, Interval, Mechanism};
use lastbit_real::{Rational, Rounding};

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// A line of `/proc/self/status` or a number of clock ticks, where there is such a file.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |at: usize| stat.rsplit(')').next()?.split_whitespace().nth(at)?.parse::<f64>().ok();
    ticks(11).zip(ticks(12)).map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}

fn megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(f64::NAN, |kb| kb / 1024.0)
}

fn show(name: &str, ask: impl FnOnce() -> Result<Interval, Error>) {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let before = processor_seconds();
    let answer = ask();
    let seconds = processor_seconds() - before;
    let text = match answer {
        Err(error) => error.to_string(),
        Ok(found) => {
            let lower = found.lower.to_decimal(10, Rounding::Down);
            let width = found.upper.as_ref().and_then(|upper| (upper - &found.lower).checked_div(upper));
            let width = width.map_or(f64::NAN, |width| width.to_f64(Rounding::Up));
            let upper =
                found.upper.map_or_else(|| "unknown".into(), |upper| upper.to_decimal(10, Rounding::Up));
            format!("[{lower}, {upper}] relative width {width:.1e}")
        }
    };
    println!("{name:34} {seconds:6.2} s {:6.0} MB  {text}", megabytes());
}

fn main() {
    let of = |terms: &[(Mechanism, u64)]| {
        let mut all = Composition::new();
        for (mechanism, times) in terms {
            all.add(mechanism.clone(), *times).expect("within limits");
        }
        all
    };
    let laplace = |epsilon| Mechanism::Laplace { epsilon: rational(epsilon) };
    let discrete_laplace =
        |scale, sensitivity| Mechanism::DiscreteLaplace { scale: rational(scale), sensitivity };
    let gaussian = |rho| Mechanism::Gaussian { rho: rational(rho) };
    let discrete_gaussian =
        |variance, sensitivity| Mechanism::DiscreteGaussian { variance: rational(variance), sensitivity };
    let (delta, small) = (rational("1e-6"), rational("1e-5"));

    let thousand = of(&[(laplace("0.1"), 1000)]);
    for epsilon in ["10", "25", "30"] {
        show(&format!("laplace δ({epsilon})"), || thousand.delta(&rational(epsilon)));
    }
    show("laplace ε(1e-6)", || thousand.epsilon(&delta));
    let thousand = of(&[(discrete_laplace("10", 1), 1000)]);
    for epsilon in ["25", "30"] {
        show(&format!("discrete laplace δ({epsilon})"), || thousand.delta(&rational(epsilon)));
    }
    show("gaussian δ(4)", || of(&[(gaussian("1/5000"), 1000)]).delta(&rational("4")));
    show("discrete gaussian δ(1)", || of(&[(discrete_gaussian("2500", 1), 1000)]).delta(&Rational::ONE));

    let rho = rational("0.5") / rational("1.1").pow(2);
    let steps = of(&[(Mechanism::SampledGaussian { rate: rational("1/256"), rho }, 10_000)]);
    show("dp-sgd ε(1e-5)", || steps.epsilon(&small));
    show("dp-sgd δ(2)", || steps.delta(&rational("2")));

    let ten = of(&[
        (laplace("0.1"), 100),
        (laplace("0.05"), 100),
        (discrete_laplace("10", 1), 100),
        (discrete_laplace("20", 3), 100),
        (gaussian("1/5000"), 100),
        (discrete_gaussian("2500", 1), 100),
        (discrete_gaussian("400", 2), 10),
        (Mechanism::RandomizedResponse { epsilon: rational("1/5") }, 10),
        (Mechanism::Pure { epsilon: rational("1/10") }, 10),
        (Mechanism::Approximate { epsilon: rational("1/20"), delta: rational("1e-9") }, 10),
    ]);
    show("ten mechanisms δ(5)", || ten.delta(&rational("5")));
    show("ten mechanisms ε(1e-6)", || ten.epsilon(&delta));
    let awkward: Vec<(Mechanism, u64)> = ["30", "70", "113", "190/7", "50.1"]
        .map(|scale| (discrete_laplace(scale, 1), 9))
        .into_iter()
        .chain(["1000.7", "333", "54321", "700/3"].map(|variance| (discrete_gaussian(variance, 1), 4)))
        .chain([(laplace("0.0123"), 50)])
        .collect();
    show("ten awkward lattices δ(1)", || of(&awkward).delta(&Rational::ONE));

    let million = of(&[(laplace("0.001"), 1_000_000)]);
    show("a million laplace δ(5)", || million.delta(&rational("5")));
    show("a million laplace ε(1e-6)", || million.epsilon(&delta));
    let million = of(&[(discrete_gaussian("1000000", 1), 1_000_000)]);
    show("a million discrete gaussian δ(5)", || million.delta(&rational("5")));

    let mixed = of(&[(gaussian("1/8"), 1), (laplace("1/10"), 10)]);
    show("gaussian and laplace δ(2)", || mixed.delta(&rational("2")));
}
