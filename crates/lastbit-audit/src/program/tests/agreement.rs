//! The fast evaluator gives what the language's does: values and errors of all nodes, and the signs of zeros.

use lastbit_lang::Format;
use lastbit_lang::eval::{EvalError, LibmModel, eval_float_nodes};
use lastbit_real::Rational;

use super::super::machine::{Machine, Setting};
use super::super::number::{Library, Number};
use super::random::{Random, ZEROS, random_program};
use crate::Sampler;

fn agrees<F: Number>(seed: u64, format: Format, sampler: Sampler) -> [usize; 2] {
    let (program, settings) = random_program(seed, format);
    let machine = Machine::<F>::new(&program, &settings, Library::Nearest);
    let mut evaluator = machine.evaluator(sampler);
    let mut random = Random::new(seed ^ 0xabc);
    let mut seen = [0; 2];
    for _ in 0..4 {
        let number = 1 + random.below(sampler.end() - 1);
        let inputs: Vec<Rational> = settings
            .iter()
            .map(|setting| match setting {
                Setting::Uniform => Rational::try_from(sampler.value(number)).expect("finite"),
                Setting::Known(value) => value.clone(),
            })
            .collect();
        let expected = eval_float_nodes::<F>(&program, &inputs, LibmModel::Nearest).expect("all inputs");
        // As text: -0 is not +0.
        let expected: Vec<_> = expected.into_iter().map(|value| value.map(F::to_hex)).collect();
        let result = evaluator.at(number).map(F::to_hex).map_err(EvalError::from);
        assert!(result == expected[program.result], "seed {seed}: {program:?}");
        for (id, expected) in expected.into_iter().enumerate() {
            let found = evaluator.node(id).map(F::to_hex).map_err(EvalError::from);
            seen[usize::from(found.is_ok())] += 1;
            assert!(found == expected, "seed {seed}, node {id}: {found:?}, not {expected:?}: {program:?}");
        }
    }
    seen
}

#[test]
fn with_the_languages_evaluator() {
    let mut seen = [0; 2];
    for seed in (0..2_000).chain(ZEROS..ZEROS + 2_000) {
        let doubles = agrees::<f64>(seed, Format::Binary64, Sampler::Ulp);
        let singles = agrees::<f32>(seed, Format::Binary32, Sampler::UlpSingle);
        let grid = agrees::<f64>(seed, Format::Binary64, Sampler::Grid53);
        for counts in [doubles, singles, grid] {
            seen = [seen[0] + counts[0], seen[1] + counts[1]];
        }
    }
    assert!(seen[0] > 10_000 && seen[1] > 100_000, "errors and values: {seen:?}");
}
