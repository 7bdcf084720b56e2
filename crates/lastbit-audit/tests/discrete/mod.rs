//! Exact losses of discrete programs.

mod generate;
mod mechanisms;
mod naive;
mod paths;
mod properties;
mod refusals;

use lastbit_audit::ExactLoss;
use lastbit_audit::discrete::{
    Argument, ClaimVerdict, DiscreteError, DiscreteReport, Inputs, Options, Parameters, audit,
};
use lastbit_lang::parse;
use lastbit_real::{Dyadic, Enclosure, Rational, Rounding};

const RESPONSE: &str = include_str!("../../../../mechanisms/randomized_response.lb");
const RESPONSES: &str = include_str!("../programs/responses.lb");
const GRID_LAPLACE: &str = include_str!("../../../../mechanisms/grid_laplace.lb");
const EXPONENTIAL: &str = include_str!("../programs/exponential.lb");
const GEOMETRIC: &str = include_str!("../programs/geometric.lb");
const NOISY_MAX: &str = include_str!("../programs/noisy_max.lb");
const ABOVE_THRESHOLD: &str = include_str!("../programs/above_threshold.lb");

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn number(value: i64) -> Argument {
    Argument::Number(value.into())
}

fn numbers(values: &[i64]) -> Argument {
    Argument::Numbers(values.iter().map(|value| Rational::from(*value)).collect())
}

fn inputs<const N: usize>(values: [(&str, Argument); N]) -> Inputs {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn parameters(list: &[(&str, &str)]) -> Parameters {
    list.iter().map(|(name, value)| ((*name).to_owned(), rational(value))).collect()
}

/// The report of a mechanism; of the file's first one if `name` is empty.
fn try_audit(
    text: &str,
    name: &str,
    given: &[(&str, &str)],
    [first, second]: [&Inputs; 2],
) -> Result<DiscreteReport, DiscreteError> {
    let (file, messages) = parse(text);
    assert_eq!(messages, []);
    let declaration = if name.is_empty() { &file.declarations[0] } else { file.declaration(name).unwrap() };
    audit(&file, declaration, &parameters(given), [first, second], &Options::default())
}

/// The report for a pair of values of one argument.
fn of(
    text: &str,
    name: &str,
    given: &[(&str, &str)],
    argument: &str,
    values: [Argument; 2],
) -> DiscreteReport {
    let [first, second] = values.map(|value| inputs([(argument, value)]));
    let report = try_audit(text, name, given, [&first, &second]).unwrap();
    sums_to_one(&report);
    report
}

fn finite(report: &DiscreteReport) -> Enclosure {
    match report.loss() {
        ExactLoss::Finite(loss) => loss,
        loss => panic!("{loss:?}\n{report:?}"),
    }
}

/// Whether the loss is this, known to about 17 digits.
#[track_caller]
fn is_loss(report: &DiscreteReport, expected: &Enclosure) {
    let loss = finite(report);
    assert!(loss.lo() <= expected.hi() && expected.lo() <= loss.hi(), "{loss} is not {expected}\n{report:?}");
    assert!(loss.width() < Dyadic::pow2(-55), "{loss} is wide");
}

#[track_caller]
fn is_rational_loss(report: &DiscreteReport, expected: &str) {
    is_loss(report, &Enclosure::of_rational(&rational(expected), 100));
}

fn verdict(report: &DiscreteReport) -> ClaimVerdict {
    report.claim.as_ref().unwrap().verdict
}

/// The probabilities of all outcomes, with what is cut off, contain 1.
fn sums_to_one(report: &DiscreteReport) {
    for run in 0..2 {
        let zero = Enclosure::exact(Dyadic::ZERO);
        let total = report.outcomes.iter().fold(zero, |total, outcome| &total + &outcome.weights[run]);
        assert!(total.contains(&Rational::ONE), "{total}");
    }
}

fn float(value: &Dyadic) -> f64 {
    Rational::from(value).to_f64(Rounding::Nearest)
}
