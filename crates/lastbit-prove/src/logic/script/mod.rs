//! Proof scripts: the proofs that a declaration brings with it, checked step by step.
//!
//! A script of `step`s is a derivation as the papers print them: every step is one rule for one statement. Other scripts say how samples are
//! aligned or which events are compared, and are elaborated into a proof for the [kernel](super::kernel). A step that fails is
//! rejected with the rule, the premise and a counterexample, and what it was to show is assumed from there on.

mod alignment;
mod counterexample;
mod derivation;
mod elaborate;
mod event;
mod premise;
mod rules;
mod sampled;
mod samples;
mod scope;
#[cfg(test)]
mod tests;
mod text;

use lastbit_lang::ast::{ExprId, Proof as Script, ProofStepKind};
use lastbit_lang::symbolic::{Constraint, Polynomial, Program, Trace};
use lastbit_lang::watch::Watch;
use lastbit_lang::{Diagnostic, Span};

use super::kernel::{KernelError, Proof, Theorem};
pub use counterexample::Counterexample;
pub use rules::{RULES, Rule};

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It holds; perhaps there is something to say about it.
    Accepted(Option<String>),
    /// It does not follow.
    Rejected(Rejection),
    /// It was not looked at, because of a step before it.
    NotReached,
}

/// The reason why a step is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The rule.
    pub rule: String,
    /// The premise that fails.
    pub premise: String,
    /// Values at which it fails.
    pub counterexample: Option<Counterexample>,
}

/// A step and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepReport {
    /// From 1.
    pub number: usize,
    /// The rule, and what it is applied to.
    pub rule: String,
    /// The place in the text.
    pub span: Span,
    /// The outcome.
    pub status: Status,
}

/// The outcome of a script.
#[derive(Clone, Debug)]
pub enum ScriptVerdict {
    /// The kernel accepts the proof.
    Proved(Box<(Proof, Theorem)>),
    /// A step is rejected.
    Rejected,
    /// No step is wrong, but there is no proof the kernel would accept.
    Undecided(String),
    /// It ends in `endpoint … by error` or `audit exact`: not the logic's business.
    Elsewhere,
}

/// A script, checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScriptReport {
    /// The name.
    pub name: Option<String>,
    /// The steps.
    pub steps: Vec<StepReport>,
    /// The outcome.
    pub verdict: ScriptVerdict,
}

/// Checks a script.
///
/// # Errors
/// If the program cannot be run on symbols, or the script is not made as scripts are: a message with the place.
pub fn check(program: &Program<'_>, script: &Script) -> Result<ScriptReport, KernelError> {
    let has = |wanted: fn(&ProofStepKind) -> bool| script.steps.iter().any(|step| wanted(&step.kind));
    if has(|kind| matches!(kind, ProofStepKind::Endpoint(_) | ProofStepKind::AuditExact)) {
        let name = script.name.as_ref().map(|name| name.text.clone());
        return Ok(ScriptReport { name, steps: Vec::new(), verdict: ScriptVerdict::Elsewhere });
    }
    if has(|kind| matches!(kind, ProofStepKind::Rule { .. })) {
        return derivation::check(program, script);
    }
    elaborate::check(program, script)
}

/// What a step costs: one expression over the parameters.
fn cost_of(program: &Program<'_>, id: ExprId) -> Result<Polynomial, Diagnostic> {
    let mut trace = Trace::default();
    let cost = program.parameter_expression(id, &mut trace)?;
    match trace.guards.is_empty() {
        true => Ok(cost),
        false => {
            Err(Diagnostic::new(program.file.expr(id).span, "a cost must be one expression without cases")
                .with_hint("bars, min and max have cases: give an upper bound, such as eps"))
        }
    }
}

/// Values at which constraints hold together, if some are found: why a premise cannot be shown.
pub fn counterexample(constraints: &[Constraint], watch: &Watch) -> Option<Counterexample> {
    counterexample::model(constraints, watch)
}

impl StepReport {
    /// Whether it was rejected.
    pub(crate) fn is_rejected(&self) -> bool {
        matches!(self.status, Status::Rejected(_))
    }
}
