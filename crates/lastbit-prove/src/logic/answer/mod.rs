//! What is said of a privacy claim: what was found out about it, as text with its derivation.
//!
//! ```
//! use lastbit_lang::parse;
//! use lastbit_prove::logic::answer::{Answer, Shown, Task};
//! use lastbit_prove::logic::prove::Options;
//!
//! let text = "
//!     mechanism laplace(x: real) -> real
//!       param eps: real > 0
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure eps
//!     { z <$ lap(1 / eps);  return x + z }";
//! let (file, _) = parse(text);
//! let task = Task { file: &file, declaration: &file.declarations[0], file_name: "laplace.lb", text };
//! let answer = Answer::find(task, Default::default(), &Options::default(), &mut |_| {})?;
//! assert!(answer.in_words(Shown::default()).starts_with("laplace: eps-DP PROVED (pure, cost eps)"));
//! assert_eq!(answer.certificates().len(), 1);
//! # Ok::<(), lastbit_prove::logic::kernel::KernelError>(())
//! ```

mod assumed;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use std::collections::BTreeMap;
use std::time::Instant;

use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{Clause, ClauseKind, Declaration, File};
use lastbit_lang::symbolic::{Constraint, Polynomial, Program};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;
use serde_json::Value;

use super::certificate::{self, only_used};
use super::kernel::{self, KernelError, Leaf, Proof, Theorem};
use super::prove::{Options, Report, prove_program};
use super::refute::RefuteError;
use super::script::{ScriptReport, ScriptVerdict};
use super::search::{Search, Strategy};
pub use text::{advice, broken_rule};

/// The claim to prove.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The file with all declarations.
    pub file: &'a File,
    /// The declaration whose claim it is.
    pub declaration: &'a Declaration,
    /// The name of the text in messages.
    pub file_name: &'a str,
    /// The text that the file was read from.
    pub text: &'a str,
}

/// A claim, and what was found out about it.
pub struct Answer<'a> {
    /// The declaration.
    pub declaration: &'a Declaration,
    file_name: &'a str,
    text: &'a str,
    program: Program<'a>,
    /// The values that were given to parameters.
    pub values: BTreeMap<String, Rational>,
    /// ε, and δ if there is one; nothing for `infer`.
    pub claim: Option<(Polynomial, Option<Polynomial>)>,
    /// The findings.
    pub found: Report,
    /// The proofs, those of the text first.
    pub proofs: Vec<Proved<'a>>,
    /// The time taken, in seconds.
    pub seconds: f64,
    /// Further notes for the reader.
    pub notes: Vec<String>,
}

/// A proof that the kernel has accepted, without the lemmas that it does not need.
pub struct Proved<'a> {
    /// `proof by_events`, or how it was found.
    pub origin: String,
    /// The script's name, if it has one.
    pub script: Option<&'a str>,
    /// Whether the proof was found by search.
    pub is_found: bool,
    /// The proof.
    pub proof: Proof,
    /// The theorem that it proves.
    pub theorem: Theorem,
    trace: kernel::Trace,
}

impl Proved<'_> {
    /// Whether the claim is about nothing, because no two inputs satisfy what is declared about them.
    pub fn is_vacuous(&self) -> bool {
        self.proof.leaves.iter().all(|leaf| *leaf == Leaf::Vacuous)
    }
}

/// Options of what to show of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Whether to show everything that a rule rests on, however long.
    pub all: bool,
    /// Nothing deeper than this.
    pub depth: usize,
    /// Whether the time taken is shown.
    pub time: bool,
}

impl Default for Shown {
    fn default() -> Shown {
        Shown { all: false, depth: 6, time: true }
    }
}

impl<'a> Answer<'a> {
    /// Proves or refutes the claim of a declaration over the reals. `progress` hears how many probabilities the search for a witness has
    /// computed.
    ///
    /// # Errors
    /// If the program cannot be run on symbols, or the values are excluded by its assumptions.
    pub fn find(
        task: Task<'a>,
        values: BTreeMap<String, Rational>,
        options: &Options,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Answer<'a>, KernelError> {
        let Task { file, declaration, file_name, text } = task;
        let start = Instant::now();
        let watch = Watch::start(&options.limits);
        let program = Program::new(file, declaration, &values)?.watched(&watch);
        let claim = kernel::claim(&program)?;
        match not_allowed(&program) {
            Ok(Some(diagnostic)) => return Err(diagnostic.into()),
            Err(diagnostic) if watch.stopped().is_none() => return Err(diagnostic.into()),
            _ => {}
        }
        if let Some(diagnostic) = claim.as_ref().and_then(|claim| negative(declaration, claim)) {
            return Err(diagnostic.into());
        }
        let found = prove_program(&program, &values, options, progress)?;
        let seconds = start.elapsed().as_secs_f64();
        // What cannot be run at all is not undecided, but bad.
        let is_whole = found.proved().is_none() && found.stopped.is_none();
        if let (true, Some(Err(RefuteError::Program(error)))) = (is_whole, &found.refutation) {
            return Err(error.clone());
        }
        let proofs = proofs(&program, declaration, &found);
        let notes = claim.iter().flat_map(|(_, delta)| delta).filter_map(vacuous).collect();
        Ok(Answer { declaration, file_name, text, program, values, claim, found, proofs, seconds, notes })
    }

    /// The answer as text.
    pub fn in_words(&self, shown: Shown) -> String {
        text::text(self, shown)
    }

    /// The assumptions about parameters and inputs as text: those that a proof uses, and those that it does not.
    pub fn assumptions(&self, proved: &Proved<'_>) -> Option<[Vec<String>; 2]> {
        let both = assumed::assumed(self, proved)?;
        Some(both.map(|constraints| assumed::written(&constraints)))
    }

    /// The rules that a proof rests on, by their names.
    pub fn rules(&self, proved: &Proved<'_>) -> Vec<String> {
        tree::rules(&self.program, &proved.proof)
    }

    /// A certificate for each proof, by the name of the declaration, and of the script if there are several.
    pub fn certificates(&self) -> Vec<(String, Value)> {
        let name = &self.declaration.name.text;
        let certificate = |proved: &Proved<'_>| {
            let of = match (self.proofs.len(), proved.script) {
                (2.., Some(script)) => format!("{name}.{script}"),
                _ => name.clone(),
            };
            (of, certificate::to_json(self.text, name, &self.values, &proved.proof))
        };
        self.proofs.iter().map(certificate).collect()
    }
}

/// With the values that are given, a claim may be of a negative number.
fn negative(declaration: &Declaration, claim: &(Polynomial, Option<Polynomial>)) -> Option<Diagnostic> {
    let is_negative = |p: &Polynomial| p.as_constant().is_some_and(|value| value.is_negative());
    let what = match claim {
        (epsilon, _) if is_negative(epsilon) => {
            format!("a privacy loss must not be negative, but the claimed one is {epsilon}")
        }
        (_, Some(delta)) if is_negative(delta) => {
            format!("δ must not be negative, but the claimed one is {delta}")
        }
        _ => return None,
    };
    let is_claim =
        |clause: &&Clause| matches!(clause.kind, ClauseKind::ClaimPure(_) | ClauseKind::ClaimApprox(..));
    let span = declaration.clauses.iter().find(is_claim).map_or(declaration.name.span, |clause| clause.span);
    Some(Diagnostic::new(span, what).with_hint("give the parameters in it other values"))
}

/// A claim that holds of everything.
fn vacuous(delta: &Polynomial) -> Option<String> {
    let value = delta.as_constant().filter(|delta| *delta >= Rational::ONE)?;
    Some(format!("δ = {value} claims nothing: probabilities are at most 1"))
}

/// All proofs: of scripts, or else the one that was found.
fn proofs<'a>(program: &Program<'_>, declaration: &'a Declaration, found: &Report) -> Vec<Proved<'a>> {
    // If there is no time to look for the lemmas that are not needed, they stay.
    let proved = |origin, script, proof: &Proof, theorem: &Theorem| {
        let proof = only_used(program, proof).unwrap_or_else(|_| proof.clone());
        let trace = kernel::trace(program, &proof);
        Proved { origin, script, is_found: false, proof, theorem: theorem.clone(), trace }
    };
    let mut proofs = Vec::new();
    for (script, written) in found.scripts.iter().zip(&declaration.proofs) {
        if let ScriptVerdict::Proved(found) = &script.verdict {
            let name = written.name.as_ref().map(|name| name.text.as_str());
            let (proof, theorem) = found.as_ref();
            proofs.push(proved(title(script), name, proof, theorem));
        }
    }
    if let Some(Search { proved: Some((proof, theorem)), strategies, .. }) = &found.search {
        let how: Vec<String> = strategies.iter().map(Strategy::to_string).collect();
        let how = if how.is_empty() { "looking at the inputs".into() } else { how.join(", and by ") };
        let found = proved(format!("found by {how}"), None, proof, theorem);
        proofs.push(Proved { is_found: true, ..found });
    }
    proofs
}

/// What a script is called.
fn title(script: &ScriptReport) -> String {
    script.name.as_ref().map_or("proof".into(), |name| format!("proof {name}"))
}

/// Given values that the assumptions exclude: about them everything could be proved.
fn not_allowed(program: &Program<'_>) -> Result<Option<Diagnostic>, Diagnostic> {
    let is_false = |constraint: &Constraint| constraint.decided() == Some(false);
    let excluded = program.facts()?.iter().all(|fact| fact.constraints.iter().any(is_false));
    let message = "the assumptions of the declaration exclude these values";
    Ok(excluded.then(|| Diagnostic::new(program.declaration.name.span, message)))
}
