//! What is written as FPCore and read again has the same readings.

use lastbit_lang::eval::{EvalError, LibmModel, eval_float_exact, eval_real};
use lastbit_lang::{InputKind, fpcore};

use super::random_programs::{random_points, random_program};

/// What went wrong, without the node: a clamp becomes several.
fn kind(error: EvalError) -> std::mem::Discriminant<EvalError> {
    std::mem::discriminant(&error)
}

#[test]
fn readings_survive() {
    let mut compared = 0;
    for seed in 0..3_000 {
        let mut program = random_program(seed);
        for input in &mut program.inputs {
            if input.kind == InputKind::Real {
                input.kind = InputKind::Float;
            }
        }
        let text = match fpcore::write(&program) {
            Ok(text) => text,
            Err(fpcore::WriteError::Grid { .. }) => continue,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let again =
            fpcore::read(&text).remove(0).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        for point in random_points(&program, seed, 3) {
            for model in [LibmModel::Nearest, LibmModel::Seeded(seed)] {
                let [before, after] =
                    [&program, &again].map(|program| eval_float_exact(program, &point, model).map_err(kind));
                // A clamp with a negative bound is an error, its minimum and maximum are not.
                if before == Err(kind(EvalError::NegativeBound { node: 0 })) {
                    continue;
                }
                assert_eq!(before, after, "seed {seed}, {model:?}, at {point:?}:\n{text}");
            }
            let [before, after] =
                [&program, &again].map(|program| eval_real(program, &point, 64).map_err(kind));
            if before != Err(kind(EvalError::NegativeBound { node: 0 })) {
                assert_eq!(before, after, "seed {seed}, at {point:?}:\n{text}");
            }
            compared += 1;
        }
    }
    assert!(compared > 3_000, "only {compared} points");
}
