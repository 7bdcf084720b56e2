//! A declaration's claim: its own proofs, or a search for one, or else a witness against it.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::File;
use lastbit_lang::ast::Declaration;
use lastbit_lang::symbolic::{Constraint, Program};
use lastbit_lang::watch::{Limits, Stopped, Watch};
use lastbit_real::Rational;

use super::kernel::{KernelError, Proof, Theorem, Trace, hypotheses, one_form};
use super::oracle::Z3;
use super::refute::{self, RefutationOutcome, RefuteError};
use super::script::{self, ScriptReport, ScriptVerdict};
use super::search::{Search, search_with};

/// The conclusion about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// The claim is proved, and the kernel has checked the proof.
    Proved,
    /// A proof that the declaration brings with it is wrong.
    Rejected,
    /// The claim is false.
    Refuted,
    /// Neither a proof nor a witness was found.
    Undecided,
}

/// The options of a proof search.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The search for a witness.
    pub refute: refute::Options,
    /// An oracle that is believed where no lemma is found; nothing is proved then.
    pub oracle: Option<Z3>,
    /// The limits. If one is reached, the claim is undecided: see [`Report::stopped`].
    pub limits: Limits,
}

/// The report about a claim.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The conclusion about the claim.
    pub conclusion: Conclusion,
    /// The declaration's own proofs.
    pub scripts: Vec<ScriptReport>,
    /// The search, if there is no script, or none that proves the claim.
    pub search: Option<Search>,
    /// The search for a witness, if there is no proof, or why there can be none.
    pub refutation: Option<Result<RefutationOutcome, RefuteError>>,
    /// The reason why the search ended early, if a limit was reached or somebody asked to stop before the claim was decided.
    pub stopped: Option<Stopped>,
}

impl Report {
    /// The proof and what it proves: of a script if there is one, else of the search.
    pub fn proved(&self) -> Option<(&Proof, &Theorem)> {
        let by_script = self.scripts.iter().find_map(|script| match &script.verdict {
            ScriptVerdict::Proved(found) => Some((&found.0, &found.1)),
            _ => None,
        });
        let by_search = || self.search.as_ref()?.proved.as_ref().map(|(proof, theorem)| (proof, theorem));
        by_script.or_else(by_search)
    }
}

/// Proves or refutes what a declaration over the reals claims.
///
/// # Errors
/// If the program cannot be run on symbols, or a script is not made as scripts are.
pub fn prove(
    file: &File,
    declaration: &Declaration,
    values: &BTreeMap<String, Rational>,
    options: &Options,
    progress: &mut dyn FnMut(usize),
) -> Result<Report, KernelError> {
    let program = Program::new(file, declaration, values)?.watched(&Watch::start(&options.limits));
    prove_program(&program, values, options, progress)
}

/// As [`prove`], of a program that is read already, until its watch is over.
pub(super) fn prove_program(
    program: &Program<'_>,
    values: &BTreeMap<String, Rational>,
    options: &Options,
    progress: &mut dyn FnMut(usize),
) -> Result<Report, KernelError> {
    let mut report = Report {
        conclusion: Conclusion::Undecided,
        scripts: Vec::new(),
        search: None,
        refutation: None,
        stopped: None,
    };
    let tried = attempt(program, values, options, progress, &mut report);
    let is_rejected = |script: &ScriptReport| matches!(script.verdict, ScriptVerdict::Rejected);
    report.conclusion = match &report.refutation {
        Some(Ok(RefutationOutcome::Refuted(_))) => Conclusion::Refuted,
        _ if report.scripts.iter().any(is_rejected) => Conclusion::Rejected,
        _ if report.proved().is_some() => Conclusion::Proved,
        _ => Conclusion::Undecided,
    };
    if report.conclusion == Conclusion::Undecided {
        report.stopped = program.watch().stopped();
    }
    // Whatever failed after it was stopped failed because of that.
    match (tried, &report.stopped) {
        (Err(error), None) => Err(error),
        _ => Ok(report),
    }
}

/// Scripts, then the search for a proof, then that for a witness.
fn attempt(
    program: &Program<'_>,
    values: &BTreeMap<String, Rational>,
    options: &Options,
    progress: &mut dyn FnMut(usize),
    report: &mut Report,
) -> Result<(), KernelError> {
    let (file, declaration, watch) = (program.file, program.declaration, program.watch());
    for proof in &declaration.proofs {
        watch.doing(|| match &proof.name {
            Some(name) => format!("checking the proof {}", name.text),
            None => "checking the proof of the file".into(),
        });
        let checked = script::check(program, proof)?;
        // A script that was not checked to the end is not wrong.
        if watch.stopped().is_some() && !matches!(checked.verdict, ScriptVerdict::Proved(_)) {
            return Ok(());
        }
        report.scripts.push(checked);
    }
    if report.proved().is_none() {
        watch.doing(|| "going through the cases of two inputs".into());
        let found = search_with(program, options.oracle.clone())?;
        if found.proved.is_none() && found.vouched.is_empty() && watch.stopped().is_none() {
            watch.doing(|| "looking for a witness against the claim".into());
            let outcome = refute::refute_with(file, declaration, values, &options.refute, watch, progress);
            report.refutation = Some(outcome);
        }
        report.search = Some(found);
    }
    Ok(())
}

/// The assumptions of a proof about parameters and inputs: the declared facts that its lemmas use, and those that they do not.
///
/// # Errors
/// If the declaration cannot be read.
pub fn assumptions(
    program: &Program<'_>,
    proof: &Proof,
    trace: &Trace,
) -> Result<[Vec<Constraint>; 2], KernelError> {
    let lemmas = trace.lemmas().into_iter().filter_map(|lemma| proof.lemmas.get(lemma));
    let used: BTreeSet<_> = lemmas.flat_map(|lemma| &lemma.constraints).map(one_form).collect();
    // `a = b` in one direction is `b = a` in the other.
    let mut seen = BTreeSet::new();
    let declared = hypotheses(program)?.into_iter().flat_map(|case| case.constraints);
    let (used, unused) = declared
        .filter(|constraint| seen.insert(one_form(constraint).into_owned()))
        .partition(|constraint| used.contains(&one_form(constraint)));
    Ok([used, unused])
}
