//! Variants as programs, run exactly.
//!
//! Losses: a program with `lap` is taken with `dlap` on the integers in its place, for which the same arguments hold as long as inputs
//! are integers. Meaning: with noise of three values in its place, all probabilities of all outputs are compared.

use lastbit_audit::ExactLoss;
use lastbit_audit::discrete::{Argument, ClaimVerdict, DiscreteReport, Inputs, Options, Parameters, audit};
use lastbit_lang::parse;
use lastbit_real::Rational;

use super::super::variants;
use super::super::{ALL, Expected, Standard};

/// How far inputs are from where a decision is even: the loss comes close to its supremum.
const FAR: i64 = 4;

/// The arguments of two runs.
type Pair = [Vec<Argument>; 2];

fn numbers(values: &[i64]) -> Argument {
    Argument::Numbers(values.iter().map(|value| Rational::from(*value)).collect())
}

fn number(value: i64) -> Argument {
    Argument::Number(value.into())
}

/// Neighbours at which a program is close to its worst. `None` for floats.
fn worst(name: &str) -> Option<Pair> {
    let one = |a: &[i64], b: &[i64]| Some([vec![numbers(a)], vec![numbers(b)]]);
    // A query that is far above the threshold and yet answered "below" moves up, and the other way round.
    let (above, below) = (FAR, -FAR);
    let threshold =
        |a: [i64; 5], b: [i64; 5]| Some([vec![numbers(&a), number(0)], vec![numbers(&b), number(0)]]);
    let opposite = |negatives: usize| {
        let at = |position, shift: i64| if position < negatives { above + shift } else { below - shift };
        threshold(std::array::from_fn(|i| at(i, 0)), std::array::from_fn(|i| at(i, 1)))
    };
    let rising = ([above, above, above, above, 0], [above + 1, above + 1, above + 1, above + 1, 0]);
    match name {
        "laplace_inversion_f64" => None,
        "smart_sum" => one(&[0; 6], &[1, 0, 0, 0, 0, 0]),
        "partial_sum"
        | "prefix_sum"
        | "prefix_sum_fresh"
        | "histogram"
        | "histogram_wrong_scale"
        | "partial_sum_half_noise" => one(&[0; 5], &[1, 0, 0, 0, 0]),
        "noisy_max_lap" | "noisy_max_expo" | "exponential" => {
            one(&[-FAR, 0, 0, 0, 0], &[-FAR - 1, 1, 1, 1, 1])
        }
        "noisy_max_value_lap" | "noisy_max_value_expo" => one(&[0; 5], &[1; 5]),
        "randomized_response" | "randomized_response_linear" => {
            Some([vec![Argument::Bool(true)], vec![Argument::Bool(false)]])
        }
        "geometric" | "discrete_laplace" => Some([vec![number(0)], vec![number(1)]]),
        "svt_5" => threshold([0, 1, 0, 0, 0], [1, 0, 0, 0, 0]),
        "monotone_svt_rising" => threshold(rising.0, rising.1),
        "monotone_svt_falling" => threshold(rising.1, rising.0),
        _ if name.ends_with("_twice") || name == "svt_6" => opposite(3),
        _ => opposite(4),
    }
}

/// The value of `eps`.
fn epsilon(standard: &Standard) -> Rational {
    match standard.name {
        // 1/eps is more than eps, and eps and 2 eps are less than 1.
        "histogram_wrong_scale" | "randomized_response_linear" => Rational::new(1, 4).unwrap(),
        _ => 1.into(),
    }
}

/// The noise that takes the place of `lap(b)` and `expo(b)`.
#[derive(Clone, Copy)]
enum Noise {
    /// `dlap(b, 0)`
    Discrete,
    /// `choose(1, 4, 3)`
    ThreeValues,
}

fn with_noise(text: &str, noise: Noise) -> String {
    let line = |line: &str| match line.split_once("<$ lap(").or_else(|| line.split_once("<$ expo(")) {
        None => format!("{line}\n"),
        Some((place, rest)) => match noise {
            Noise::Discrete => format!("{place}<$ dlap({}, 0);\n", rest.trim_end_matches(");")),
            Noise::ThreeValues => format!("{place}<$ choose(1, 4, 3);\n"),
        },
    };
    text.lines().map(line).collect()
}

/// The audit of the only mechanism of a text; arguments and parameters are given in their order.
fn report(text: &str, noise: Noise, epsilon: &Rational, pair: &Pair) -> DiscreteReport {
    let text = with_noise(text, noise);
    let (file, messages) = parse(&text);
    assert!(messages.is_empty(), "{messages:?} in {text}");
    let declaration = &file.declarations[0];
    let values = [epsilon.clone(), Rational::from(-1)];
    let parameters: Parameters =
        declaration.parameters().map(|binder| binder.name.text.clone()).zip(values).collect();
    let named = |values: &[Argument]| -> Inputs {
        let names = declaration.arguments.iter().map(|binder| binder.name.text.clone());
        names.zip(values.iter().cloned()).collect()
    };
    let (first, second) = (named(&pair[0]), named(&pair[1]));
    let options = Options { precision: 32, ..Options::default() };
    let report = audit(&file, declaration, &parameters, [&first, &second], &options)
        .unwrap_or_else(|error| panic!("{error} in {text}"));
    assert!(report.unmet.is_empty(), "{:?} in {text}", report.unmet);
    report
}

fn is_violated(report: &DiscreteReport) -> bool {
    report.claim.as_ref().unwrap().verdict == ClaimVerdict::Violated
}

/// Outputs that share samples keep too many states apart; noise on one side has no discrete counterpart in the language.
const NOT_DISCRETE: [&str; 5] =
    ["prefix_sum", "smart_sum", "gap_svt_twice", "noisy_max_expo", "noisy_max_value_expo"];

#[test]
fn claims_fail_where_they_should() {
    for standard in ALL.iter().filter(|standard| !NOT_DISCRETE.contains(&standard.name)) {
        let Some(pair) = worst(standard.name) else { continue };
        let epsilon = epsilon(standard);
        let run = |text: &str| report(text, Noise::Discrete, &epsilon, &pair);
        let text = standard.text().unwrap();
        let original = run(&text);
        assert_eq!(is_violated(&original), standard.expected == Expected::Refuted, "{}", standard.name);
        if standard.cost == "infinite" {
            assert_eq!(original.loss(), ExactLoss::Infinite, "{}", standard.name);
        } else if standard.expected == Expected::Refuted {
            let honest = text.replace("claim pure eps", &format!("claim pure {}", standard.cost));
            assert!(!is_violated(&run(&honest)), "{}", standard.name);
        }
        let halved = run(&variants::halved(standard.file, standard.name).unwrap());
        assert!(is_violated(&halved), "{}: {:?}", standard.name, halved.loss());
    }
}

/// All outputs, each with its probability in both runs.
fn outcomes(text: &str, pair: &Pair) -> Vec<String> {
    let report = report(text, Noise::ThreeValues, &Rational::new(1, 4).unwrap(), pair);
    let mut outcomes: Vec<String> = report.outcomes.iter().map(|outcome| format!("{outcome:?}")).collect();
    outcomes.sort_unstable();
    outcomes
}

#[test]
fn renamed_and_reordered_programs_have_the_same_outputs() {
    for standard in ALL {
        let Some(pair) = worst(standard.name) else { continue };
        let near = pair.map(near);
        let original = outcomes(&standard.text().unwrap(), &near);
        for variant in [variants::renamed, variants::reordered] {
            let text = variant(standard.file, standard.name).unwrap();
            assert_eq!(original, outcomes(&text, &near), "{text}");
        }
    }
}

/// Arguments at which three values of noise decide.
fn near(arguments: Vec<Argument>) -> Vec<Argument> {
    let towards_zero = |number: &Rational| match number.is_positive() {
        _ if number.abs() < FAR.into() => number.clone(),
        true => number - &FAR.into(),
        false => number + &FAR.into(),
    };
    let one = |argument: Argument| match argument {
        Argument::Numbers(numbers) => Argument::Numbers(numbers.iter().map(towards_zero).collect()),
        other => other,
    };
    arguments.into_iter().map(one).collect()
}

#[test]
fn a_careless_order_is_noticed() {
    let standard = Standard::named("smart_sum").unwrap();
    let pair = worst(standard.name).unwrap();
    let original = standard.text().unwrap();
    // The sum of a block is forgotten before it is used.
    let careless = original
        .replace("      sum := 0;\n", "")
        .replace("      blocks :=", "      sum := 0;\n      blocks :=");
    assert_ne!(original, careless);
    assert_ne!(outcomes(&original, &pair), outcomes(&careless, &pair));
}
