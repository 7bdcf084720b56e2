//! The textbook's formula in floats: what it gives away.

use lastbit_audit::ExactLoss;
use lastbit_audit::program::{Library, Limits, Method, Options, textbook_laplace};
use lastbit_lang::{Format, ast};
use lastbit_real::{Dyadic, Enclosure, Float, IBig, Rational};

use super::support::{audited, listing};

const LAPLACE: &str = include_str!("../../../../mechanisms/laplace_f64.lb");

/// Output, and its weights under both inputs.
fn witnesses(parameters: &str, inputs: [&str; 2]) -> Vec<(String, [u64; 2])> {
    let report = audited(LAPLACE, parameters, inputs, &listing()).expect("an audit");
    assert_eq!(report.method, Method::Witness);
    let weight = |weight: &IBig| u64::try_from(weight).expect("few samples");
    report
        .outcomes
        .iter()
        .map(|outcome| (outcome.output.to_hex(), [weight(&outcome.weights[0]), weight(&outcome.weights[1])]))
        .collect()
}

/// The outputs that tell 0 from 1 with certainty, each of weight 1 of 2·(2⁵³ - 1).
#[test]
fn doubles_tell_with_certainty() {
    let report = audited(LAPLACE, "eps=1", ["x=0", "x=1"], &Options::default()).expect("an audit");
    assert_eq!(report.loss(100), ExactLoss::Infinite);
    assert_eq!(*report.comparison.total(), IBig::from(2) * ((IBig::ONE << 53) - IBig::ONE));
    let witness = report.comparison.witness().expect("an output");
    assert_eq!(witness.output.to_hex(), "-0x1.62e42fefa39efp-1");
    assert_eq!(witness.weights, [1, 0].map(|weight| Enclosure::exact(Dyadic::from(weight))));
    let found = witnesses("eps=1", ["x=0", "x=1"]);
    for output in [
        "-0x1.62e42fefa39efp-1",
        "0x1.62e42fefa39efp-1",
        "-0x1.0000000000000p-53",
        "-0x1.269621134db92p-2",
        "-0x1.25e4f7b2737fap+5",
    ] {
        assert!(found.contains(&(output.to_owned(), [1, 0])), "{output}");
    }
}

/// The platform's logarithm gives the same away.
#[test]
fn doubles_with_the_platforms_logarithm() {
    let inputs = [&Rational::ZERO, &Rational::ONE];
    // Few outputs can be weighed; one is enough.
    let limits = Limits { band: 1 << 14, ..Limits::default() };
    let options = Options { library: Some(Library::Std), limits, ..Options::default() };
    let (format, sampler) = (Format::Binary64, ast::Sampler::Ulp);
    let report = textbook_laplace(format, sampler, &Rational::ONE, inputs, &options).expect("an audit");
    assert_eq!((report.method, report.loss(100)), (Method::Witness, ExactLoss::Infinite));
    let witness = report.comparison.witness().expect("an output");
    assert_eq!(witness.output, 0.5f64.ln());
    assert!(witness.weights[1].hi().is_zero());
}

/// Golden weights of single outputs that both inputs give.
#[test]
fn doubles_that_both_inputs_give() {
    let found = witnesses("eps=0x1.999999999999ap-4", ["x=100", "x=101"]);
    for (output, weights) in [("0x1.74462c4147379p+6", [6, 6]), ("0x1.9b81dd4ac1094p+6", [10, 10])] {
        assert!(found.contains(&(output.to_owned(), weights)), "{output}");
    }
}

/// The certain part in single precision, over all 2·(2²⁴ - 1) samples; and the loss of what is left.
#[test]
fn two_thirds_of_the_mass_in_single_precision() {
    let inputs = [&Rational::ZERO, &Rational::ONE];
    let (format, sampler) = (Format::Binary32, ast::Sampler::Grid24);
    let report =
        textbook_laplace(format, sampler, &Rational::ONE, inputs, &Options::default()).expect("an audit");
    assert_eq!(report.method, Method::Monotone);
    assert_eq!(*report.comparison.total(), IBig::from(33_554_430));
    assert_eq!(report.comparison.only()[0], Enclosure::exact(Dyadic::from(22_445_244)));
    assert_eq!(report.loss(100), ExactLoss::Infinite);
}
