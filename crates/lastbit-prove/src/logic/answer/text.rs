//! What is said of a privacy claim.

use std::fmt::Write;

use lastbit_lang::symbolic::Polynomial;
use lastbit_lang::watch::{Reason, Stopped, Watch};
use lastbit_real::{Rational, Rounding};

use super::assumed::{assumed, listed, written};
use super::tree::derivation;
use super::{Answer, Proved, Shown, title};
use crate::logic::kernel::KernelError;
use crate::logic::prove::Conclusion;
use crate::logic::refute::{Probability, RefutationOutcome, Witness};
use crate::logic::script::{Rejection, ScriptReport, ScriptVerdict, Status, StepReport, counterexample};
use crate::logic::search::{Attempt, Failure};

/// Children of a node that are shown unless all are, and attempts and open constraints.
const FEW: usize = 6;
pub(super) const SHOWN: usize = 8;
/// Bits of probabilities, and digits of them.
const BITS: u32 = 128;
const DIGITS: usize = 6;
/// Longest exact probability that is shown.
const LONGEST: usize = 48;

/// The whole answer.
pub(super) fn text(answer: &Answer<'_>, show: Shown) -> String {
    let mut text = String::new();
    for script in &answer.found.scripts {
        text += &of_script(answer, script);
    }
    let rejected =
        answer.found.scripts.iter().any(|script| matches!(script.verdict, ScriptVerdict::Rejected));
    match (&answer.found.refutation, answer.proofs.first()) {
        (Some(Ok(RefutationOutcome::Refuted(witness))), _) => text += &refuted(answer, witness),
        (_, Some(proved)) if rejected => {
            let _ = writeln!(text, "the claim itself is true: {}", proved.origin);
        }
        (_, Some(_)) => {}
        _ => text += &undecided(answer),
    }
    for proved in &answer.proofs {
        text += &of_proof(answer, proved, show);
    }
    for note in &answer.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// `eps-DP`, `(eps, delta)-DP`
fn claim(answer: &Answer<'_>) -> String {
    match &answer.claim {
        Some((epsilon, None)) => format!("{}-DP", factor(epsilon)),
        Some((epsilon, Some(delta))) => format!("({epsilon}, {delta})-DP"),
        None => "DP".into(),
    }
}

/// In parentheses if it is a sum.
fn factor(p: &Polynomial) -> String {
    if p.terms().count() > 1 { format!("({p})") } else { p.to_string() }
}

/// ` for n = 5`, of values that were given.
fn given(answer: &Answer<'_>) -> String {
    let values: Vec<String> = answer.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if values.is_empty() { String::new() } else { format!(" for {}", values.join(", ")) }
}

fn of_proof(answer: &Answer<'_>, proved: &Proved<'_>, show: Shown) -> String {
    let cost = &proved.theorem.cost;
    let claim = match answer.claim {
        Some(_) => claim(answer),
        None => format!("{}-DP", factor(cost)),
    };
    let head =
        format!("{}: {claim} PROVED (pure, cost {cost}){}", answer.declaration.name.text, given(answer));
    let time =
        if proved.is_found && show.time { format!(" ({:.2} s)", answer.seconds) } else { String::new() };
    let mut text = format!("{head:<46}  {}{time}\n", proved.origin);
    if answer.claim.is_none() {
        text += "  the cost was found, not claimed\n";
    }
    if proved.is_vacuous() {
        text += "  warning: VACUOUS: no two inputs satisfy what is declared about them\n";
    }
    let width = if show.all { usize::MAX } else { FEW };
    text += &derivation(&answer.program, &proved.proof, &proved.trace).render(width, show.depth);
    let count = proved.proof.lemmas.len();
    let _ = writeln!(
        text,
        "{} premises, {count} lemma{}",
        proved.theorem.premises,
        if count == 1 { "" } else { "s" }
    );
    if let Some([used, unused]) = assumed(answer, proved) {
        let _ = writeln!(text, "assumptions used: {}      not used: {}", listed(&used), listed(&unused));
    }
    text
}

/// The steps of a script that are wrong or have a warning; a script that proves the claim is shown with its derivation.
fn of_script(answer: &Answer<'_>, script: &ScriptReport) -> String {
    let name = &answer.declaration.name.text;
    let mut text = String::new();
    match &script.verdict {
        ScriptVerdict::Proved(_) => {}
        ScriptVerdict::Rejected => {
            let wrong = script.steps.iter().filter(|step| step.is_rejected()).count();
            let _ =
                writeln!(text, "{name}: {}: {wrong} of {} steps rejected", title(script), script.steps.len());
        }
        ScriptVerdict::Undecided(reason) => {
            let _ = writeln!(text, "{name}: {} UNDECIDED: {reason}", title(script));
        }
        ScriptVerdict::Elsewhere => {
            let _ = writeln!(text, "{name}: {} is about floats, and {name} is over the reals", title(script));
        }
    }
    for step in &script.steps {
        match &step.status {
            Status::Rejected(rejection) => text += &rejected(answer, step, rejection),
            Status::Accepted(Some(note)) => {
                let (line, _) = step.span.line_column(answer.text);
                let _ = writeln!(
                    text,
                    "step {} ({}): warning: {note}  ({}:{line})",
                    step.number, step.rule, answer.file_name
                );
            }
            Status::Accepted(None) | Status::NotReached => {}
        }
    }
    text
}

/// The rule that a step breaks: its own, or one that all steps obey, such as COMP.
pub fn broken_rule(step: &StepReport, rejection: &Rejection) -> String {
    match step.rule.starts_with(&rejection.rule) {
        true => step.rule.clone(),
        false => format!("{}, {}", rejection.rule, step.rule),
    }
}

fn rejected(answer: &Answer<'_>, step: &StepReport, rejection: &Rejection) -> String {
    let (line, _) = step.span.line_column(answer.text);
    let mut text = format!(
        "{}: REJECTED at step {} ({})\n  premise         {}\n",
        answer.declaration.name.text,
        step.number,
        broken_rule(step, rejection),
        rejection.premise
    );
    if let Some(counterexample) = &rejection.counterexample {
        let _ = writeln!(text, "  counterexample  {counterexample}");
    }
    let _ = writeln!(text, "  place           {}:{line}", answer.file_name);
    if rejection.rule == "DP" {
        text += "  note            r<1> = r<2> is what privacy needs; with a free or existential k the relation also holds of \
                 the identity\n";
    }
    text
}

fn refuted(answer: &Answer<'_>, witness: &Witness) -> String {
    let assignments = |inputs: Vec<String>| inputs.join(" ");
    let parameters = witness.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs = witness
        .inputs
        .each_ref()
        .map(|inputs| assignments(inputs.iter().map(|(name, value)| format!("{name}={value}")).collect()));
    let is_pure = matches!(answer.claim, Some((_, None)));
    let (not, loss) = match witness.loss() {
        None if is_pure => (format!("{}, the loss is infinite", claim(answer)), "infinite".to_owned()),
        None => (claim(answer), "infinite".to_owned()),
        Some(loss) => {
            let loss = Rational::from(&loss).to_decimal(DIGITS, Rounding::Down);
            (claim(answer), format!(">= {loss}"))
        }
    };
    let [p, q] = &witness.probabilities;
    let mut text = format!("{}: NOT {not}{}\n", answer.declaration.name.text, given(answer));
    let rows = [
        ("parameters", assignments(parameters)),
        ("input 1", inputs[0].clone()),
        ("input 2", inputs[1].clone()),
        ("event", witness.observation.to_string()),
        ("Pr1", probability(p, Rounding::Down)),
        ("Pr2", probability(q, Rounding::Up)),
        ("loss", format!("{loss}, claimed {}", witness.epsilon)),
    ];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "  {name:<14}  {value}");
    }
    text
}

/// A probability: exact if that is short, else a decimal on the safe side.
fn probability(p: &Probability, rounding: Rounding) -> String {
    let enclosure = p.enclose(BITS);
    let (sign, end) = match rounding {
        Rounding::Up => ("<=", enclosure.hi()),
        _ => (">=", enclosure.lo()),
    };
    let decimal = format!("{sign} {}", Rational::from(end).to_decimal(DIGITS, rounding));
    match p {
        Probability::Exact(exact) => match exact.to_string() {
            short if short == "0" => "= 0".into(),
            short if short.chars().count() <= LONGEST => format!("= {short}  ({decimal})"),
            _ => decimal,
        },
        Probability::Enclosed(_) => decimal,
    }
}

fn undecided(answer: &Answer<'_>) -> String {
    let mut text = String::new();
    let name = &answer.declaration.name.text;
    let is_rejected = answer.found.conclusion == Conclusion::Rejected;
    let what = if is_rejected { "is neither proved nor refuted" } else { "UNDECIDED" };
    let _ = write!(text, "{name}: {} {what}{}", claim(answer), given(answer));
    if let Some(stopped) = &answer.found.stopped {
        let Stopped { reason, doing } = stopped;
        let _ = writeln!(text, ": {reason}\n  it was          {doing}\n  what to do      {}", advice(reason));
        return text;
    }
    text += "\n";
    let attempts = answer.found.search.iter().flat_map(|search| &search.attempts);
    for attempt in attempts.clone().take(SHOWN) {
        text += &attempted(attempt, answer.program.watch());
    }
    if attempts.clone().count() > SHOWN {
        let _ = writeln!(text, "  … {} more attempts", attempts.clone().count() - SHOWN);
    }
    if attempts.count() == 0 {
        text += "  no strategy applies\n";
    }
    let vouched = answer.found.search.iter().flat_map(|search| &search.vouched);
    for premise in vouched.clone().take(SHOWN) {
        let _ = writeln!(
            text,
            "  oracle          z3 says that these cannot hold together: {}",
            written(premise).join(", ")
        );
    }
    if vouched.clone().count() > 0 {
        let _ = writeln!(text, "  not certified: {} premises rest on the oracle's word", vouched.count());
    }
    match &answer.found.refutation {
        Some(Ok(RefutationOutcome::NotFound { tried, closest })) => {
            let _ = writeln!(text, "  no witness against it in {tried} probabilities");
            if let Some(witness) = closest {
                let loss = witness.loss().map_or("infinite".into(), |loss| {
                    Rational::from(&loss).to_decimal(DIGITS, Rounding::Down)
                });
                let _ = writeln!(
                    text,
                    "  largest loss    {loss} of {} claimed, at {}",
                    witness.epsilon, witness.observation
                );
            }
        }
        Some(Err(error)) => {
            let _ = writeln!(text, "  no witness: {error}");
        }
        _ => {}
    }
    text
}

/// Advice on what to do when a limit was reached.
pub fn advice(reason: &Reason) -> &'static str {
    match reason {
        Reason::Time(_) => {
            "allow more time (--timeout 10m), or make arrays and loops shorter; a script needs no search"
        }
        Reason::Memory(_) => "allow more memory (--memory 8GB), or make arrays and loops shorter",
        Reason::Count { .. } => {
            "make arrays shorter: ways double with every comparison of noise, cases with every `bool` that is read"
        }
        Reason::Interrupted => "run it again, and let it run",
    }
}

/// How far a strategy got.
fn attempted(Attempt { strategy, case, failure }: &Attempt, watch: &Watch) -> String {
    let case = if case.is_empty() { String::new() } else { format!(", case {case}") };
    let mut text = format!("  {strategy}{case}: ");
    match failure {
        Failure::NotApplicable(reason) => text += &format!("{reason}\n"),
        Failure::Refused(error) => {
            let _ = writeln!(text, "{error}");
            if let KernelError::Open { open, .. } = error {
                let lines = written(open);
                for line in lines.iter().take(SHOWN) {
                    let _ = writeln!(text, "    open  {line}");
                }
                if lines.len() > SHOWN {
                    let _ = writeln!(text, "    … {} more", lines.len() - SHOWN);
                }
                if let Some(point) = counterexample(open, watch) {
                    let _ = writeln!(text, "    counterexample  {point}");
                }
            }
        }
    }
    text
}
