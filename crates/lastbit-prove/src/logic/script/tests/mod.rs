//! Scripts: every rule in a right and in a wrong use, and the derivation that a paper prints.

mod evaluate;
mod figure2;
mod proofs;
mod steps;

use lastbit_lang::ast::File;
use lastbit_lang::symbolic::Program;

use super::{Rejection, ScriptReport, ScriptVerdict, Status, check};
use crate::logic::kernel::tests::parsed;

/// The report of the only script of the only mechanism.
fn report(file: &File) -> ScriptReport {
    let declaration = &file.declarations[0];
    let program = Program::new(file, declaration, &Default::default()).expect("a program");
    check(&program, &declaration.proofs[0]).expect("a script")
}

/// The steps that are rejected, each with the rule that rejects it.
fn rejected(report: &ScriptReport) -> Vec<(usize, &Rejection)> {
    report
        .steps
        .iter()
        .filter_map(|step| match &step.status {
            Status::Rejected(rejection) => Some((step.number, rejection)),
            _ => None,
        })
        .collect()
}

/// A mechanism on a real number, with a script.
fn with_script(result: &str, body: &str, script: &str) -> File {
    parsed(&format!(
        "mechanism m(x: real) -> {result}\n  param eps: real > 0\n  adjacent |x<1> - x<2>| <= 1\n  claim pure eps
         {{ {body} }}\nproof {{ {script} }}"
    ))
}

#[track_caller]
fn assert_proved(file: &File) {
    let report = report(file);
    assert!(matches!(report.verdict, ScriptVerdict::Proved(_)), "{report:?}");
}

/// That one step is rejected, by this rule. The counterexample, if there is one.
#[track_caller]
fn assert_rejected(file: &File, number: usize, rule: &str) -> Option<super::Counterexample> {
    let report = report(file);
    let found = rejected(&report);
    assert!(matches!(report.verdict, ScriptVerdict::Rejected), "{report:?}");
    assert_eq!(
        found.iter().map(|(n, r)| (*n, r.rule.as_str())).collect::<Vec<_>>(),
        [(number, rule)],
        "{report:?}"
    );
    found[0].1.counterexample.clone()
}
