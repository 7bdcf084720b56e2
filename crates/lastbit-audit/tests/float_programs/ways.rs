//! The ways to the same distribution, compared with each other and with plain Rust.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use lastbit_audit::ExactLoss;
use lastbit_audit::program::{Library, Limits, Method, Options, ProgramError, ProgramReport};
use lastbit_real::{Enclosure, Float, IBig};

use super::support::{audited, listing};

const SNAP: &str = include_str!("../../../../mechanisms/snapping_f64.lb");
const INVERSE_CDF: &str = include_str!("inverse_cdf.lb");
const PARABOLA: &str = include_str!("parabola_f32.lb");
const LAPLACE: &str = "mechanism laplace(x: f64) -> f64 { u <$ unif(0,1); s <$ sign; return x + s * ln(u); }";
const UNIFORM: &str = include_str!("uniform_f32.lb");

fn with_library(library: Library) -> Options<'static> {
    Options { library: Some(library), ..listing() }
}

/// Ties go up; the difference of a double to its floor is exact.
fn rounded(w: f64) -> f64 {
    if w - w.floor() >= 0.5 { w.floor() + 1.0 } else { w.floor() }
}

/// Every part of every outcome gives its output at its ends, and its neighbours give another; all weights add up.
fn check_parts(report: &ProgramReport, run: impl Fn(usize, &[i8], f64) -> f64) {
    assert_eq!(report.outcomes.len() as u64, report.comparison.outputs());
    for input in 0..2 {
        let weight: IBig = report.outcomes.iter().map(|outcome| &outcome.weights[input]).sum();
        assert_eq!(weight, *report.comparison.total());
        for outcome in &report.outcomes {
            for part in &outcome.parts[input] {
                let output = |u| run(input, &part.signs, u);
                assert_eq!(output(part.lo), outcome.output, "{part:?}");
                assert_eq!(output(part.hi.next_down()), outcome.output, "{part:?}");
                for outside in [part.lo.next_down(), part.hi] {
                    if outside > 0.0 && outside < 1.0 {
                        assert_ne!(output(outside), outcome.output, "{part:?}");
                    }
                }
            }
        }
    }
}

/// The platform's logarithm: between the envelopes every sample is tried.
#[test]
fn the_platforms_logarithm() {
    let parameters = "eps=0x1.999999999999ap-1 L=1 B=20";
    let inputs = [3.5, 4.25];
    let report =
        audited(SNAP, parameters, ["x=3.5", "x=4.25"], &with_library(Library::Std)).expect("an audit");
    assert_eq!(report.method, Method::Monotone);
    assert!(report.notes.iter().any(|note| note.contains("within 2 floats")), "{:?}", report.notes);
    let snap = |input: usize, signs: &[i8], u: f64| {
        let w = inputs[input] + f64::from(signs[0]) * (u.ln() / 0.8);
        rounded(w).clamp(-20.0, 20.0)
    };
    check_parts(&report, snap);
    // The envelopes themselves differ from it.
    let nearest = audited(SNAP, parameters, ["x=3.5", "x=4.25"], &listing()).expect("an audit");
    check_parts(&nearest, |input, signs, u| {
        let w = inputs[input] + f64::from(signs[0]) * (lastbit_real::ln_f64(u) / 0.8);
        rounded(w).clamp(-20.0, 20.0)
    });
    let shifted = audited(SNAP, parameters, ["x=3.5", "x=4.25"], &with_library(Library::Shifted(-2)));
    assert_ne!(shifted.expect("an audit").outcomes, nearest.outcomes);
}

/// Few samples may be tried: the refusal says how many.
#[test]
fn a_band_that_is_too_long() {
    let limits = Limits { band: 10, ..Limits::default() };
    let options = Options { limits, ..with_library(Library::Std) };
    let refused = audited(SNAP, "eps=1 L=1 B=20", ["x=0", "x=1"], &options);
    assert_eq!(refused.unwrap_err(), ProgramError::Band { limit: 10 });
}

/// A choice at u = 1/2, both branches growing and meeting there.
#[test]
fn a_choice_between_two_branches() {
    let report = audited(INVERSE_CDF, "eps=1/2 L=1", ["x=0", "x=1"], &listing()).expect("an audit");
    assert_eq!(report.method, Method::Monotone);
    check_parts(&report, |input, _, u| {
        let ln = lastbit_real::ln_f64;
        let y = if u < 0.5 { ln(2.0 * u) / 0.5 } else { -ln(2.0 * (1.0 - u)) / 0.5 };
        rounded(input as f64 + y)
    });
    // The upper tail ends where 1 - u has no more bits, far before the lower one: some outputs come from one input only.
    assert_eq!(report.loss(100), ExactLoss::Infinite);
}

/// All samples of a program that is not monotone, counted here as well.
#[test]
fn all_samples() {
    let options = Options { listed: 1, ..Options::default() };
    let report = audited(PARABOLA, "", ["x=0", "x=0x1p-7"], &options).expect("an audit");
    assert_eq!(report.method, Method::Exhaustive);
    let mut counts = BTreeMap::<i64, [u32; 2]>::new();
    for (input, x) in [0f32, 0.0078125].into_iter().enumerate() {
        for k in 1..1u32 << 24 {
            let u = k as f32 / (1u32 << 24) as f32;
            let w = x + u * (1.0 - u);
            counts.entry((w * 64.0).round_ties_even() as i64).or_default()[input] += 1;
        }
    }
    assert_eq!(report.comparison.outputs(), counts.len() as u64);
    // At ε = 0 the divergences are what one count exceeds the other by.
    let excess: u32 = counts.values().map(|[first, second]| first.saturating_sub(*second)).sum();
    assert_eq!(report.comparison.hockey_stick()[0], Enclosure::exact(excess.into()));
    let first = &report.outcomes[0];
    assert_eq!((first.output, first.weights.clone()), (0.0, counts[&0].map(IBig::from)));
    assert_eq!(first.parts[0].len(), 2, "both sides of 1/2");
}

/// All samples one by one, and by bisection. Nothing is assumed of the platform's library on the first way.
#[test]
fn exhaustive_and_monotone_agree() {
    let last = Cell::new(0);
    let progress = |done: u128, total: u128| {
        assert!(done >= last.get() && done <= total);
        last.set(done);
    };
    let inputs = ["x=1/2", "x=9/16"];
    let options = Options { progress: Some(&progress), ..with_library(Library::Std) };
    let one_by_one = audited(UNIFORM, "B=1/4", inputs, &options).expect("an audit");
    assert_eq!((one_by_one.method, one_by_one.notes.len()), (Method::Exhaustive, 0));
    assert_eq!(last.get(), 2 * ((1 << 24) - 1));

    let by_bisection = audited(UNIFORM, "B=1/4", inputs, &listing()).expect("an audit");
    assert_eq!(by_bisection.method, Method::Monotone);
    assert_eq!(by_bisection.outcomes, one_by_one.outcomes);
    assert_eq!(by_bisection.comparison.only(), one_by_one.comparison.only());
    assert_eq!(by_bisection.loss(200), one_by_one.loss(200));
}

/// With few outputs allowed, some are weighed: the same weights, and a loss from below.
#[test]
fn witnesses_are_outcomes() {
    let inputs = ["x=0", "x=1"];
    let limits = Limits { outputs: 5, ..Limits::default() };
    let all = audited(SNAP, "eps=1 L=1 B=20", inputs, &listing()).expect("an audit");
    for library in [Library::Nearest, Library::Shifted(3), Library::Std] {
        let all = audited(SNAP, "eps=1 L=1 B=20", inputs, &with_library(library)).expect("an audit");
        let some = audited(SNAP, "eps=1 L=1 B=20", inputs, &Options { limits, ..with_library(library) });
        let some = some.expect("an audit");
        assert_eq!(some.method, Method::Witness);
        assert!(some.comparison.outputs() > 5);
        for outcome in &some.outcomes {
            let same = all.outcomes.iter().find(|other| other.output == outcome.output).expect("an output");
            assert_eq!(outcome.weights, same.weights, "{library:?}");
        }
    }
    let some = audited(SNAP, "eps=1 L=1 B=20", inputs, &Options { limits, ..listing() }).expect("an audit");
    let (ExactLoss::AtLeast(least), ExactLoss::Finite(loss)) = (some.loss(100), all.loss(100)) else {
        panic!("from below, and finite")
    };
    assert!(least <= *loss.hi());
}

/// A rounding has one zero, its product with a sign two: one for each sign.
#[test]
fn zero_has_the_sign_of_the_product() {
    let source =
        "mechanism zeros(x: f64) -> grid { u <$ unif(0,1); s <$ sign; return s * round(x + ln(u), 1, up); }";
    let report = audited(source, "", ["x=0", "x=1"], &listing()).expect("an audit");
    let zeros: Vec<_> = report.outcomes.iter().filter(|outcome| outcome.output == 0.0).collect();
    assert_eq!(zeros.iter().map(|zero| zero.output.to_hex()).collect::<Vec<_>>(), ["-0x0.0p+0", "0x0.0p+0"]);
    for (zero, sign) in zeros.iter().zip([-1, 1]) {
        assert!(zero.parts.iter().all(|parts| parts.len() == 1 && parts[0].signs == [sign]), "{zero:?}");
    }
}

#[test]
fn cancellation() {
    let cancel = AtomicBool::new(true);
    let options = Options { cancel: Some(&cancel), ..Options::default() };
    for source in [PARABOLA, LAPLACE] {
        let stopped = audited(source, "", ["x=0", "x=0"], &options);
        assert_eq!(stopped.unwrap_err(), ProgramError::Cancelled);
    }
}
