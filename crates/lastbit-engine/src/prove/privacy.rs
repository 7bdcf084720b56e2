//! Privacy claims over the reals: proved, rejected, refuted or undecided, by the relational logic.

use std::collections::BTreeMap;

use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{Binder, Declaration, File};
use lastbit_lang::watch::{Reason, Stopped as Stop};
use lastbit_prove::logic::answer::{Answer, Proved, Shown, Task, advice, broken_rule};
use lastbit_prove::logic::kernel::{Direction, KernelError};
use lastbit_prove::logic::oracle::Z3;
use lastbit_prove::logic::prove::{Conclusion, Options};
use lastbit_prove::logic::refute::{self, RefutationOutcome};
use lastbit_prove::logic::script::{ScriptReport, ScriptVerdict as Scripted, Status, StepReport};
use lastbit_prove::logic::search::{self, Failure};
use lastbit_real::Rational;
use serde::Serialize;

use super::answer::{DIGITS, Found, NamedCertificate, Probability, ProofAnswer, Verdict, Witness, texts};
use super::question::Form;
use super::{Session, next, statement};
use crate::{Loss, Number, Refusal};

/// Bits of probabilities.
const BITS: u32 = 128;

/// The result about a privacy claim over the reals.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PrivacyFound {
    /// The claimed ε; nothing if it is to be found.
    pub claim: Option<String>,
    /// The claimed δ.
    pub delta: Option<String>,
    /// The cost that is proved.
    pub cost: Option<String>,
    /// The rules that the first proof rests on.
    pub rules: Vec<String>,
    /// The values that were given to parameters.
    pub values: BTreeMap<String, String>,
    /// Whether no two inputs satisfy what is declared about them, so that the claim is about nothing.
    pub vacuous: bool,
    /// The proofs of the text.
    pub proofs: Vec<Script>,
    /// The search for a proof.
    pub search: Option<Searched>,
    /// The number of premises of the first proof.
    pub premises: Option<usize>,
    /// The number of lemmas.
    pub lemmas: Option<usize>,
    /// The number of premises that rest on an oracle's word.
    pub oracle: usize,
    /// The assumptions of the first proof.
    pub assumptions: Option<Assumptions>,
    /// The limit that was reached, if one was.
    pub stopped: Option<Stopped>,
    /// A witness that refutes the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// The result of the search for a witness, if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_refuted: Option<NotRefuted>,
}

/// The assumptions of a proof about parameters and inputs.
#[derive(Clone, Debug, Serialize)]
pub struct Assumptions {
    /// The assumptions that the proof uses.
    pub used: Vec<String>,
    /// Declared assumptions that the proof does not use.
    pub unused: Vec<String>,
}

/// The limit that was reached, and where.
#[derive(Clone, Debug, Serialize)]
pub struct Stopped {
    /// `time`, `memory`, `count`.
    pub limit: &'static str,
    /// The reason in words.
    pub reason: String,
    /// The work that was under way.
    pub doing: String,
    /// A suggestion of what to do instead.
    pub hint: &'static str,
}

/// A proof of the text, step by step.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Script {
    /// The name.
    pub name: Option<String>,
    /// `proved`, `rejected`, `undecided`, or `elsewhere` if it is about floats.
    pub verdict: &'static str,
    /// The reason why it is undecided.
    pub reason: Option<String>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step of a proof.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// The number, from 1.
    pub number: usize,
    /// The rule.
    pub rule: String,
    /// The line of the text.
    pub line: usize,
    /// `accepted`, `rejected` or `not reached`.
    pub status: &'static str,
    /// A warning about the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// The premise that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premise: Option<String>,
    /// Values at which it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<BTreeMap<String, String>>,
}

/// The search for a proof.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Searched {
    /// Whether a proof was found.
    pub proved: bool,
    /// The strategies that worked.
    pub strategies: Vec<String>,
    /// The strategies that did not work.
    pub attempts: Vec<Attempt>,
}

/// Something that did not work.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// The strategy.
    pub strategy: String,
    /// The case of inputs.
    pub case: String,
    /// The reason why it did not work.
    pub reason: String,
    /// The rule that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The premise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premise: Option<String>,
    /// The constraints that could not be shown to be contradictory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// A search for a witness that found none.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NotRefuted {
    /// The number of probabilities that were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<usize>,
    /// The witness with the largest loss that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<Witness>,
    /// The reason why no search was possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Session<'_> {
    /// Proves or refutes the claim of a declaration.
    pub(super) fn over_the_reals(
        &self,
        file: &File,
        declaration: &Declaration,
    ) -> Result<ProofAnswer, Refusal> {
        let (question, name) = (self.question, declaration.name.text.as_str());
        // Ignoring these would be to prove something else than what was asked for.
        if question.given.sensitivity.is_some() || !question.given.ranges.is_empty() {
            return Err(Refusal::usage(
                format!("{name} is over the reals: its neighbours and ranges are those of the file"),
                "change `adjacent` and the ranges there, and leave out --sensitivity and --range",
            ));
        }
        let oracle = if question.oracle { Z3::find() } else { None };
        let has_oracle = oracle.is_some();
        let options = Options { oracle, limits: self.limits.clone(), ..Options::default() };
        let task = Task { file, declaration, file_name: question.source.name, text: question.source.text };
        let mut answer = match Answer::find(task, question.given.values.clone(), &options, &mut |_| {}) {
            Ok(answer) => answer,
            Err(error) => return Ok(self.no_verdict(declaration, error)),
        };
        if let Some(Stop { reason: Reason::Interrupted, doing }) = &answer.found.stopped {
            return Err(Refusal::interrupted(format!("{doing}, of {name}")));
        }
        answer.notes.extend(self.ignored());
        if question.oracle && !has_oracle {
            answer.notes.push("there is no z3 on this machine: no oracle was asked".into());
        }
        Ok(self.privacy(file, &answer))
    }

    fn privacy(&self, file: &File, answer: &Answer<'_>) -> ProofAnswer {
        let verdict = match answer.found.conclusion {
            Conclusion::Proved => Verdict::Proved,
            Conclusion::Rejected => Verdict::Rejected,
            Conclusion::Refuted => Verdict::Refuted,
            Conclusion::Undecided => Verdict::Undecided,
        };
        let data = data(answer, self.question.source.text);
        let name = &answer.declaration.name.text;
        let statement = statement::of_privacy(file, answer);
        let mut found = ProofAnswer::new(name, verdict, statement, Found::Privacy(Box::new(data)));
        found.notes = answer.notes.clone();
        if answer.proofs.is_empty() && matches!(verdict, Verdict::Undecided | Verdict::Rejected) {
            next::of_privacy(file, answer, &mut found);
        }
        let shown = match self.question.derivation {
            Some(wish) => Shown { all: wish.all, depth: wish.depth, time: false },
            None => Shown { time: false, ..Shown::default() },
        };
        // Derivations of long proofs take a while.
        if self.question.details || self.question.derivation.is_some() {
            found.details = answer.in_words(shown);
        }
        if self.question.certificates {
            let named = |(name, certificate): (String, serde_json::Value)| NamedCertificate {
                name,
                text: certificate.to_string(),
            };
            found.certificates = answer.certificates().into_iter().map(named).collect();
        }
        found
    }

    /// What was asked for and says nothing about a mechanism over the reals.
    fn ignored(&self) -> Vec<String> {
        let given = &self.question.given;
        let form = self.question.derivation.map(|wish| wish.form);
        let asked = [
            ("an accuracy of ln or exp", given.ln.is_some() || given.exp.is_some()),
            ("a pair of inputs", given.inputs.is_some()),
            ("a figure", matches!(form, Some(Form::Figure { .. }))),
            ("LaTeX", form == Some(Form::Latex)),
            ("the number of a node", form == Some(Form::Node)),
        ];
        let asked = asked.iter().filter(|(_, is_asked)| *is_asked);
        asked.map(|(what, _)| format!("{what} says nothing about a proof over the reals")).collect()
    }

    /// What the logic cannot look at.
    fn no_verdict(&self, declaration: &Declaration, error: KernelError) -> ProofAnswer {
        let name = &declaration.name.text;
        match error {
            KernelError::Program(diagnostic) => {
                self.unreadable(name, "verdict", &[with_hint(declaration, diagnostic)])
            }
            other => ProofAnswer::refused(name, "verdict", Refusal::usage(other.to_string(), "")),
        }
    }
}

/// Messages about a value that is not known say how to give it.
fn with_hint(declaration: &Declaration, diagnostic: Diagnostic) -> Diagnostic {
    if !diagnostic.message.contains("is not known") {
        return diagnostic;
    }
    let is_named = |binder: &&Binder| diagnostic.message.contains(&format!("`{}`", binder.name.text));
    match declaration.parameters().find(is_named).map(|binder| binder.name.text.clone()) {
        Some(name) => diagnostic.with_hint(format!("give it a value: --param {name}=5")),
        None => diagnostic,
    }
}

fn data(answer: &Answer<'_>, text: &str) -> PrivacyFound {
    let found = &answer.found;
    let proved = answer.proofs.first();
    let mut witness = None;
    let mut not_refuted = None;
    match &found.refutation {
        Some(Ok(RefutationOutcome::Refuted(found))) => witness = Some(of_witness(found)),
        Some(Ok(RefutationOutcome::NotFound { tried, closest })) => {
            let closest = closest.as_ref().map(of_witness);
            not_refuted = Some(NotRefuted { tried: Some(*tried), closest, reason: None });
        }
        Some(Err(error)) => {
            not_refuted = Some(NotRefuted { tried: None, closest: None, reason: Some(error.to_string()) });
        }
        None => {}
    }
    let assumptions = proved.and_then(|proved| answer.assumptions(proved));
    PrivacyFound {
        claim: answer.claim.as_ref().map(|(epsilon, _)| epsilon.to_string()),
        delta: answer.claim.as_ref().and_then(|(_, delta)| Some(delta.as_ref()?.to_string())),
        cost: proved.map(|proved| proved.theorem.cost.to_string()),
        rules: proved.map_or(Vec::new(), |proved| answer.rules(proved)),
        values: texts(&answer.values),
        vacuous: proved.is_some_and(Proved::is_vacuous),
        proofs: found.scripts.iter().map(|script| of_script(script, text)).collect(),
        search: found.search.as_ref().map(searched),
        premises: proved.map(|proved| proved.theorem.premises),
        lemmas: proved.map(|proved| proved.proof.lemmas.len()),
        oracle: found.search.as_ref().map_or(0, |search| search.vouched.len()),
        assumptions: assumptions.map(|[used, unused]| Assumptions { used, unused }),
        stopped: found.stopped.as_ref().map(of_stop),
        witness,
        not_refuted,
    }
}

fn of_stop(stopped: &Stop) -> Stopped {
    let limit = match stopped.reason {
        Reason::Time(_) => "time",
        Reason::Memory(_) => "memory",
        Reason::Count { .. } => "count",
        Reason::Interrupted => "interrupted",
    };
    let (reason, doing) = (stopped.reason.to_string(), stopped.doing.clone());
    Stopped { limit, reason, doing, hint: advice(&stopped.reason) }
}

fn of_script(script: &ScriptReport, text: &str) -> Script {
    let (verdict, reason) = match &script.verdict {
        Scripted::Proved(_) => ("proved", None),
        Scripted::Rejected => ("rejected", None),
        Scripted::Undecided(reason) => ("undecided", Some(reason.clone())),
        Scripted::Elsewhere => ("elsewhere", None),
    };
    let steps = script.steps.iter().map(|step| of_step(step, text)).collect();
    Script { name: script.name.clone(), verdict, reason, steps }
}

fn of_step(step: &StepReport, text: &str) -> Step {
    let (line, _) = step.span.line_column(text);
    let mut found = Step {
        number: step.number,
        rule: step.rule.clone(),
        line,
        status: "not reached",
        warning: None,
        premise: None,
        counterexample: None,
    };
    match &step.status {
        Status::NotReached => {}
        Status::Accepted(warning) => (found.status, found.warning) = ("accepted", warning.clone()),
        Status::Rejected(rejection) => {
            found.status = "rejected";
            found.rule = broken_rule(step, rejection);
            found.premise = Some(rejection.premise.clone());
            found.counterexample = rejection.counterexample.as_ref().map(|point| texts(&point.values));
        }
    }
    found
}

fn searched(search: &search::Search) -> Searched {
    Searched {
        proved: search.proved.is_some(),
        strategies: search.strategies.iter().map(ToString::to_string).collect(),
        attempts: search.attempts.iter().map(attempt).collect(),
    }
}

fn attempt(attempt: &search::Attempt) -> Attempt {
    let mut found = Attempt {
        strategy: attempt.strategy.to_string(),
        case: attempt.case.clone(),
        reason: String::new(),
        rule: None,
        premise: None,
        open: Vec::new(),
    };
    match &attempt.failure {
        Failure::NotApplicable(reason) => found.reason = reason.clone(),
        Failure::Refused(error) => {
            found.reason = error.to_string();
            if let KernelError::Open { rule, premise, open } = error {
                (found.rule, found.premise) = (Some((*rule).to_owned()), Some(premise.clone()));
                found.open = open.iter().map(ToString::to_string).collect();
            }
        }
    }
    found
}

fn of_witness(witness: &refute::Witness) -> Witness {
    let values = |inputs: &lastbit_audit::discrete::Inputs| {
        inputs.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
    };
    Witness {
        parameters: witness
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), value.to_string()))
            .collect(),
        inputs: witness.inputs.each_ref().map(values),
        exchanged: witness.direction == Direction::Backward,
        event: witness.observation.to_string(),
        probabilities: witness.probabilities.each_ref().map(probability),
        loss: match witness.loss() {
            None => Loss::Infinite,
            Some(loss) => Loss::AtLeast(Number::at_least(&Rational::from(&loss), DIGITS)),
        },
        claimed: Some(Number::exact(&witness.epsilon, DIGITS)),
        satisfies: Vec::new(),
    }
}

fn probability(p: &refute::Probability) -> Probability {
    let formula = match p {
        refute::Probability::Exact(exact) => Some(exact.to_string()),
        refute::Probability::Enclosed(_) => None,
    };
    Probability { number: Number::enclosed(&p.enclose(BITS), DIGITS), formula }
}
