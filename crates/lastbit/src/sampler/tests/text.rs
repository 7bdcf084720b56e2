//! The kernels against their texts in `mechanisms/kernels`: the shipped kernels and the texts agree bit for bit, and what the texts
//! leave out of the series is as small as they say. That the claims of the texts are proved is tested where proofs are made, in
//! `lastbit-prove`.

#[path = "text/normal.rs"]
mod normal;
#[path = "text/wide.rs"]
mod wide;

use lastbit_lang::eval::{LibmModel, eval_float, eval_float_nodes};
use lastbit_lang::{Bindings, Lowered, lower, parse};
use lastbit_real::{Dyadic, Rational};

use super::enclosures::Logarithms;
use super::plain::{CONSTANTS, normalise};
use super::*;
use crate::sampler::arith::Path;
use crate::sampler::tests::{more, rational, words};

const TEXT: &str = include_str!("../../../../../mechanisms/kernels/exponential.lb");

/// A function of a text as it is for an arithmetic; or a variable in it.
fn lowered(text: &str, name: &str, path: Path, variable: Option<&str>) -> Lowered {
    let (file, messages) = parse(text);
    assert_eq!(messages, []);
    let name = if path == Path::Portable { format!("{name}_portable") } else { name.into() };
    lower(&file, Some(&name), &Bindings::default(), variable).expect("the text is complete")
}

/// A function of floats that gives floats.
struct Function {
    lowered: Lowered,
    /// Which argument each input is.
    order: Vec<usize>,
}

impl Function {
    fn new(text: &str, name: &str, path: Path, arguments: &[&str]) -> Function {
        Function::of(lowered(text, name, path, None), arguments)
    }

    fn of(lowered: Lowered, arguments: &[&str]) -> Function {
        let place = |name: &str| arguments.iter().position(|argument| *argument == name);
        let inputs = &lowered.program.inputs;
        let order = inputs.iter().map(|input| place(&input.name).expect("an argument")).collect();
        Function { lowered, order }
    }

    fn call<const N: usize>(&self, arguments: &[f64]) -> [f64; N] {
        let exact = |i: &usize| Rational::try_from(arguments[*i]).expect("finite");
        let inputs: Vec<Rational> = self.order.iter().map(exact).collect();
        let nodes = eval_float_nodes::<f64>(&self.lowered.program, &inputs, LibmModel::Nearest);
        let nodes = nodes.expect("all inputs are given");
        let value = |id: &usize| *nodes[*id].as_ref().expect("every word has a value");
        let results: Vec<f64> = self.lowered.results.iter().map(value).collect();
        results.try_into().expect("as many results")
    }
}

/// The text with something else in place of `old`, which it has.
fn changed(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old}");
    text.replace(old, new)
}

/// A hundred thousand words on each path.
#[test]
fn the_text_is_the_kernel() {
    for path in Path::available() {
        let program = lowered(TEXT, "exponential", path, None).program;
        let words: Vec<u64> = words(7, more(100_000));
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

/// `2·|t|^23/(23·(1 - t²)) < 2^-61` for every `z` of the text's range: `t` grows with `z`, so the ends have the largest.
#[test]
fn the_rest_of_the_series_is_small() {
    let program = lowered(TEXT, "exponential", Path::Portable, None).program;
    let z = program.inputs.iter().find(|input| input.name == "z").expect("z is an input");
    for end in [&z.lo, &z.hi] {
        let t = ((end - Rational::ONE) / (end + Rational::ONE)).abs();
        let rest = Rational::from(2) * t.pow(23) / (Rational::from(23) * (Rational::ONE - &t * &t));
        assert!(rest < Rational::pow2(-61));
    }
}
