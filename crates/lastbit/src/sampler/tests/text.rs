//! The plain logarithm against its text, `mechanisms/kernels/exponential.lb`, whose radius `lastbit prove` derives: the shipped kernel
//! and the text agree bit for bit, and what the text leaves out of the series is as small as it says.

use lastbit_lang::eval::{LibmModel, eval_float};
use lastbit_lang::{Bindings, Lowered, lower, parse};
use lastbit_prove::search::{Effort, Goal, analyse_goal};
use lastbit_real::{Dyadic, Rational};

use super::enclosures::Logarithms;
use super::plain::{CONSTANTS, normalise};
use super::*;
use crate::sampler::arith::Path;
use crate::sampler::tests::{more, words};

const TEXT: &str = include_str!("../../../../../mechanisms/kernels/exponential.lb");

fn text_of(path: Path) -> Lowered {
    let name = if matches!(path, Path::Portable) { "exponential_portable" } else { "exponential" };
    let (file, messages) = parse(TEXT);
    assert_eq!(messages, []);
    lower(&file, Some(name), &Bindings::default(), None).expect("the text is complete")
}

/// A million words on each path.
#[test]
fn the_text_is_the_kernel() {
    for path in Path::available() {
        let program = text_of(path).program;
        let words: Vec<u64> = words(7, more(1_000_000));
        let lows = vec![0; words.len()];
        for (word, shipped) in words.iter().zip(path.run(Logarithms { words: &words, lows: &lows })) {
            // a = 2^e·Z, as `normalise` splits it after rounding to a double.
            let a = centre::<u64>(*word);
            let (_, e, scale) = normalise(&CONSTANTS, a as f64);
            let scale = Dyadic::try_from(scale).expect("a power of two");
            let z = Rational::from(&(&Dyadic::from(a) * &scale));
            let value = eval_float::<f64>(&program, &[z, Rational::from(64 - e as i64)], LibmModel::Nearest)
                .expect("every word has a value");
            assert_eq!(value.to_bits(), shipped.plain.to_bits(), "word {word:#x}");
        }
    }
}

#[test]
fn the_radius_is_proved() {
    for path in Path::available() {
        let lowered = text_of(path);
        let goal = Goal { program: &lowered.program, claim: lowered.error_claim };
        assert!(lowered.error_claim.is_some());
        let analysis = analyse_goal(goal, Effort::NORMAL, |_| {}).expect("a bound");
        assert!(analysis.meets_claim());
    }
}

/// `2·|t|^23/(23·(1 - t²)) < 2^-61` for every `z` of the text's range: `t` grows with `z`, so the ends have the largest.
#[test]
fn the_rest_of_the_series_is_small() {
    let program = text_of(Path::Portable).program;
    let z = program.inputs.iter().find(|input| input.name == "z").expect("z is an input");
    for end in [&z.lo, &z.hi] {
        let t = ((end - Rational::ONE) / (end + Rational::ONE)).abs();
        let rest = Rational::from(2) * t.pow(23) / (Rational::from(23) * (Rational::ONE - &t * &t));
        assert!(rest < Rational::pow2(-61));
    }
}
