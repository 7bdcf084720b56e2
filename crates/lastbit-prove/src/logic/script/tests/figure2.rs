//! The derivation that a paper prints is rejected, at the right steps and for the right reasons.

use lastbit_lang::symbolic::Program;
use lastbit_real::Rational;

use super::super::{ScriptVerdict, Status, check};
use super::evaluate::{Point, verify};
use super::{parsed, rejected};

const FIGURE: &str = include_str!("../../../../../../mechanisms/figure2.lb");

fn steps_rejected(text: &str, proof: usize) -> Vec<usize> {
    let file = parsed(text);
    let program = Program::new(&file, &file.declarations[0], &Default::default()).unwrap();
    let report = check(&program, &file.declarations[0].proofs[proof]).unwrap();
    rejected(&report).into_iter().map(|(number, _)| number).collect()
}

#[test]
fn every_rejection_has_a_counterexample_that_is_one() {
    let file = parsed(FIGURE);
    let program = Program::new(&file, &file.declarations[0], &Default::default()).unwrap();
    for (proof, wanted) in [(0, vec![4, 6, 7, 8, 9]), (1, vec![7, 9])] {
        let report = check(&program, &file.declarations[0].proofs[proof]).unwrap();
        assert!(matches!(report.verdict, ScriptVerdict::Rejected));
        let found = rejected(&report);
        assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), wanted);
        let Status::Accepted(Some(warning)) = &report.steps[0].status else { panic!("{report:?}") };
        assert!(warning.starts_with("vacuous"), "{warning}");
        for (number, rejection) in found {
            let counterexample = rejection.counterexample.as_ref().expect("values");
            // In the second proof k is what the equation says it is.
            let moved = |point: &Point<'_>| -> Rational {
                let name = if number == 7 { "w'" } else { "r" };
                let of = |side: usize| point.values[&format!("{name}<{side}>")].clone();
                of(2) - of(1)
            };
            let witness: Option<&dyn Fn(&Point<'_>) -> Rational> =
                if (proof, number) == (1, 7) { Some(&moved) } else { None };
            verify(&file, (proof, number), counterexample, witness);
        }
    }
}

#[test]
fn the_sign_repairs_the_fourth_step_alone() {
    let printed = "step axnull z: s<1> = s<2> & y<2>";
    let repaired = FIGURE.replacen(printed, "step axnull z: s<1> = s<2> & (s<1> = 1 | s<1> = -1) & y<2>", 1);
    assert_ne!(FIGURE, repaired);
    // What it assumes of s must have been shown before.
    assert_eq!(steps_rejected(&repaired, 0), [4, 6, 7, 8, 9]);
    let shown = repaired.replacen("true => s<1> = s<2>;", "true => s<1> = s<2> & (s<1> = 1 | s<1> = -1);", 1);
    assert_ne!(repaired, shown);
    assert_eq!(steps_rejected(&shown, 0), [6, 7, 8, 9]);
}
