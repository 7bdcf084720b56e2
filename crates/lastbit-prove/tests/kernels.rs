//! The claims of `mechanisms/kernels`, the texts of the kernels that make noise, are proved. That the shipped kernels are these texts, bit
//! for bit, is tested where they are, in `lastbit`.

use lastbit_lang::{Bindings, lower, parse};
use lastbit_prove::analysis::{Effort, Goal, analyse_goal};
use lastbit_real::Rational;

const EXPONENTIAL: &str = include_str!("../../../mechanisms/kernels/exponential.lb");
const WIDE: &str = include_str!("../../../mechanisms/kernels/wide.lb");
const NORMAL: &str = include_str!("../../../mechanisms/kernels/normal.lb");

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// Whether the claims of all these functions of a text are proved, with fma and without.
fn is_proved(text: &str, functions: &[&str]) -> bool {
    let (file, messages) = parse(text);
    assert_eq!(messages, []);
    functions.iter().flat_map(|name| [name.to_string(), format!("{name}_portable")]).all(|name| {
        let lowered = lower(&file, Some(&name), &Bindings::default(), None).expect("the text is complete");
        assert!(lowered.error_claim.is_some(), "{name}");
        let goal = Goal { program: &lowered.program, claim: lowered.error_claim };
        analyse_goal(goal, Effort::NORMAL, |_| {}).expect("a bound").meets_claim()
    })
}

/// The error of a variable that the rules find with fma.
fn error_of(text: &str, name: &str, variable: &str) -> Rational {
    let (file, _) = parse(text);
    let lowered =
        lower(&file, Some(name), &Bindings::default(), Some(variable)).expect("the text is complete");
    let goal = Goal { program: &lowered.program, claim: None };
    let analysis = analyse_goal(goal, Effort::NORMAL, |_| {}).expect("a bound");
    Rational::from(analysis.error)
}

/// The text with something else in place of `old`, which it has.
fn changed(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old}");
    text.replace(old, new)
}

#[test]
fn the_radius_of_the_first_tier() {
    assert!(is_proved(EXPONENTIAL, &["exponential"]));
}

#[test]
fn claims_of_the_wide_logarithm() {
    assert!(is_proved(WIDE, &["tail", "quotient", "minus_ln"]));
    // The claims are not much more than what there is.
    assert!(!is_proved(&changed(WIDE, "3 * 2^-56", "2 * 2^-56"), &["tail"]));
    assert!(!is_proved(&changed(WIDE, "2^-53 - 0.71 * 1.01 * 2^-53", "2^-58"), &["quotient"]));
    assert!(!is_proved(&changed(WIDE, "2^-47 + 0.44 * (n + 1) * 2^-43", "2^-47"), &["minus_ln"]));
}

/// Where there is fma, the rules see the same in the low parts themselves; Dekker's product is too much for them.
#[test]
fn low_parts_of_the_wide_logarithm_are_small() {
    let bound = |name, variable| error_of(WIDE, name, variable);
    assert!(bound("quotient", "t_lo") <= rational("0.2829") * Rational::pow2(-53));
    assert!(bound("minus_ln", "lo") <= rational("1.01") * Rational::pow2(-47));
}

#[test]
fn claims_of_the_normal_kernel() {
    assert!(is_proved(NORMAL, &["sine_tail", "versine_tail", "circle", "root", "product"]));
    // The claims are not much more than what there is.
    assert!(!is_proved(&changed(NORMAL, "error <= 2^-88", "error <= 2^-89"), &["sine_tail"]));
    assert!(!is_proved(&changed(NORMAL, "error <= 2^-82", "error <= 2^-83"), &["versine_tail"]));
    assert!(!is_proved(&changed(NORMAL, "2^-53 + 2^-56", "2^-53"), &["circle"]));
    assert!(!is_proved(&changed(NORMAL, "1.55 *", "1.45 *"), &["root"]));
    assert!(!is_proved(&changed(NORMAL, "2^-53 * r", "2^-54 * r"), &["product"]));
}

/// What the claims do not say, which are about first results: the sine, and where there is fma the low parts themselves.
#[test]
fn parts_of_the_normal_kernel_that_claims_leave_out() {
    let units = |variable, of| {
        let name = match variable {
            "g_lo" => "product",
            "r_lo" => "root",
            _ => "circle",
        };
        error_of(NORMAL, name, variable) <= rational(of) * Rational::pow2(-53)
    };
    // 2^-53 + 2^-56, and 2^-53 more in the first cell, where the cosine is near 1.
    assert!(units("sin", "1.125") && units("sin_lo", "1.125") && units("cos_lo", "2.125"));
    // 1.55·R, and R < 4.25; one rounding of a product below 2, and what is below.
    assert!(units("r_lo", "6.58") && units("g_lo", "1.2"));
}
