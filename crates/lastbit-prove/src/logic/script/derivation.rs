//! Derivations: scripts of `step`s.

use std::collections::BTreeMap;

use lastbit_lang::ast::{
    Assertion, Distribution, ExprId, Place, Proof as Script, ProofStep, ProofStepKind, Side, StatementKind,
};
use lastbit_lang::symbolic::{Constraint, Fresh, Polynomial, Program, Symbol, Value, paths};
use lastbit_lang::{Diagnostic, Span};

use super::premise::Checker;
use super::rules::{RULES, Rule};
use super::sampled::sampled;
use super::{Rejection, ScriptReport, ScriptVerdict, Status, StepReport, cost_of};
use crate::logic::kernel::{
    self, Alignment, Judge, KernelError, Leaf, Map, Piece, Proof, check_leaves, hypotheses,
};

/// One step, read.
pub(super) struct Step<'s> {
    pub(super) rule: Rule,
    pub(super) place: Option<&'s Place>,
    pub(super) cost: Option<ExprId>,
    pub(super) pre: &'s Assertion,
    pub(super) post: &'s Assertion,
    pub(super) span: Span,
}

/// What a variable is set to.
#[derive(Clone, Copy)]
enum Statement<'s> {
    Sample(&'s Distribution),
    Assign(ExprId),
}

/// Statements by the variable they set.
type Statements<'s> = BTreeMap<&'s str, Statement<'s>>;

/// Checks a derivation, step by step; after a step that is rejected, what it was to show is assumed.
pub(super) fn check(program: &Program<'_>, script: &Script) -> Result<ScriptReport, KernelError> {
    let (statements, order) = statements(program)?;
    let steps = script.steps.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    check_order(&order, &steps, script.span)?;
    let mut checker = Checker::new(program)?;
    let mut reports = Vec::new();
    let mut couplings: BTreeMap<Symbol, (Map, Polynomial)> = BTreeMap::new();
    let mut total = Polynomial::zero();
    for (index, step) in steps.iter().enumerate() {
        let cost = match step.cost {
            Some(cost) => cost_of(program, cost)?,
            None => Polynomial::zero(),
        };
        total = &total + &cost;
        let statement = step.place.map(|place| statements[place.name.text.as_str()]);
        let mut status = match checker.composes(step.pre)? {
            Some(rejection) => Status::Rejected(rejection),
            None => check_step(&mut checker, step, statement, &cost, &mut couplings)?,
        };
        if let (Rule::Dp, Status::Accepted(_)) = (step.rule, &status)
            && let Some(rejection) = over_budget(&mut checker, &total)?
        {
            status = Status::Rejected(rejection);
        }
        let place = step.place.map_or(String::new(), |place| format!(" {}", place.name.text));
        let rule = match (step.rule, statement) {
            (Rule::AxNull, Some(Statement::Assign(_))) => Rule::Assn,
            (rule, _) => rule,
        };
        let rule = format!("{}{place}", rule.text());
        reports.push(StepReport { number: index + 1, rule, span: step.span, status });
        checker.assume(step.post);
    }
    let verdict = match reports.iter().any(StepReport::is_rejected) {
        true => ScriptVerdict::Rejected,
        false => certified(program, couplings, total)?,
    };
    let name = script.name.as_ref().map(|name| name.text.clone());
    Ok(ScriptReport { name, steps: reports, verdict })
}

/// The statements of a body without branches, by the variable they set, and these variables in order.
fn statements<'s>(program: &'s Program<'_>) -> Result<(Statements<'s>, Vec<&'s str>), Diagnostic> {
    let mut found = BTreeMap::new();
    let mut order = Vec::new();
    for statement in &program.declaration.body {
        if let StatementKind::Sample(place, _) | StatementKind::Assign(place, _) = &statement.kind {
            order.push(place.name.text.as_str());
        }
        match &statement.kind {
            StatementKind::Sample(place, distribution) => {
                found.insert(place.name.text.as_str(), Statement::Sample(distribution));
            }
            StatementKind::Assign(place, value) => {
                if found.insert(place.name.text.as_str(), Statement::Assign(*value)).is_some() {
                    let message = format!("`{}` is set twice: a step could mean either", place.name.text);
                    return Err(Diagnostic::new(statement.span, message));
                }
            }
            StatementKind::Return(_) => {}
            StatementKind::Declare(..) | StatementKind::If { .. } | StatementKind::For { .. } => {
                let message = "a derivation by steps is for mechanisms without branches, loops and arrays";
                return Err(Diagnostic::new(statement.span, message));
            }
        }
    }
    Ok((found, order))
}

fn read(step: &ProofStep) -> Result<Step<'_>, Diagnostic> {
    let ProofStepKind::Rule { rule, place, cost, pre, post } = &step.kind else {
        let message = "this does not go together with `step`";
        return Err(Diagnostic::new(step.span, message));
    };
    let known = RULES.iter().find(|(name, _)| *name == rule.text);
    let names: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
    let (_, found) = known.ok_or_else(|| {
        Diagnostic::new(rule.span, format!("there is no rule `{}`", rule.text))
            .with_hint(format!("the rules are {}", names.join(", ")))
    })?;
    let is_structural = matches!(found, Rule::Conseq | Rule::Dp);
    match (is_structural, place) {
        (true, Some(place)) => Err(Diagnostic::new(place.name.span, "this rule treats no statement")),
        (false, None) => {
            Err(Diagnostic::new(rule.span, "this rule treats a statement: name the variable that it sets"))
        }
        _ => Ok(Step { rule: *found, place: place.as_ref(), cost: *cost, pre, post, span: step.span }),
    }
}

/// Steps come in the order of the statements that they treat, leave none out, and end in `dp`.
fn check_order(order: &[&str], steps: &[Step<'_>], span: Span) -> Result<(), Diagnostic> {
    let mut next = 0;
    for (index, step) in steps.iter().enumerate() {
        if step.rule == Rule::Dp && index + 1 < steps.len() {
            return Err(Diagnostic::new(step.span, "`dp` is the last step, and there are others after it"));
        }
        let Some(place) = step.place else { continue };
        let name = &place.name;
        let expected = order.get(next);
        if expected.is_none_or(|expected| *expected != name.text) {
            let message = match (order.contains(&name.text.as_str()), expected) {
                (false, _) => format!("no statement sets `{}`", name.text),
                (true, Some(expected)) => {
                    format!("the next statement sets `{expected}`, not `{}`", name.text)
                }
                (true, None) => format!("a second step for `{}`", name.text),
            };
            let hint = "there is one step for each statement, in their order, and `dp` at the end";
            return Err(Diagnostic::new(name.span, message).with_hint(hint));
        }
        next += 1;
    }
    let last = steps.last();
    if let (Some(missing), Some(step)) = (order.get(next), last) {
        return Err(Diagnostic::new(
            step.span,
            format!("no step treats the statement that sets `{missing}`"),
        ));
    }
    match last.filter(|step| step.rule == Rule::Dp) {
        Some(_) => Ok(()),
        None => {
            let place = last.map_or(span, |step| step.span);
            Err(Diagnostic::new(place, "the last step must be `dp`: that both runs return the same"))
        }
    }
}

fn check_step(
    checker: &mut Checker<'_, '_>,
    step: &Step<'_>,
    statement: Option<Statement<'_>>,
    cost: &Polynomial,
    couplings: &mut BTreeMap<Symbol, (Map, Polynomial)>,
) -> Result<Status, KernelError> {
    let name = step.place.map(|place| place.name.text.as_str()).unwrap_or_default();
    let rejected = |reason: &str| {
        let premise = reason.to_owned();
        Status::Rejected(Rejection { rule: step.rule.text().into(), premise, counterexample: None })
    };
    match statement {
        None => {
            let status =
                checker.follows(step.rule.text(), step.pre, step.post, None, &mut |_, _, _| Ok(()))?;
            match (step.rule, &status) {
                (Rule::Dp, Status::Accepted(_)) => {
                    Ok(checker.returns_same(step.post)?.map_or(status, Status::Rejected))
                }
                _ => Ok(status),
            }
        }
        Some(Statement::Assign(value)) => {
            if !matches!(step.rule, Rule::Assn | Rule::AxNull) {
                return Ok(rejected("it is about samples, and this is an assignment"));
            }
            let note = (step.rule == Rule::AxNull)
                .then(|| "AX-NULL is about samples; an assignment is a case for ASSN".to_owned());
            let status =
                checker.follows("ASSN", step.pre, step.post, Some((name, value)), &mut |_, _, _| Ok(()))?;
            Ok(match status {
                Status::Accepted(_) => Status::Accepted(note),
                other => other,
            })
        }
        Some(Statement::Sample(distribution)) => {
            if let Some(misfit) = step.rule.misfit(distribution) {
                return Ok(rejected(misfit));
            }
            sampled(checker, step, name, distribution, cost, couplings)
        }
    }
}

/// COMP: the costs add up to at most what is claimed.
fn over_budget(checker: &mut Checker<'_, '_>, total: &Polynomial) -> Result<Option<Rejection>, KernelError> {
    let Some((claim, _)) = kernel::claim(checker.program)? else { return Ok(None) };
    let exceeds = Constraint::positive(total - &claim);
    let known = checker.facts().iter().chain([&exceeds]).cloned().collect::<Vec<_>>();
    if checker.finder.are_refuted(&known.iter().collect::<Vec<_>>()) {
        return Ok(None);
    }
    let premise = format!("the costs of the steps add up to {total}, and {claim} is claimed");
    let counterexample = super::counterexample::model(&known, checker.program.watch());
    Ok(Some(Rejection { rule: "COMP".into(), premise, counterexample }))
}

/// The couplings of the steps, as a proof that the kernel accepts.
fn certified(
    program: &Program<'_>,
    couplings: BTreeMap<Symbol, (Map, Polynomial)>,
    cost: Polynomial,
) -> Result<ScriptVerdict, KernelError> {
    // Shifts may speak of what the program has computed; the kernel wants them in terms of the inputs.
    let mut values: BTreeMap<Symbol, Polynomial> = BTreeMap::new();
    for (side, number) in [(Side::One, 1), (Side::Two, 2)] {
        for (name, value) in
            paths(program, side, &Fresh)?.into_iter().next().into_iter().flat_map(|path| path.variables)
        {
            if let Value::Number(p) = value {
                values.insert(format!("{name}<{number}>").into(), p);
            }
        }
    }
    let mut piece = Piece::default();
    for (name, (map, cost)) in couplings {
        let map = match map {
            Map::Affine { negate, shift } => {
                Map::Affine { negate, shift: shift.substitute(&values).unwrap_or(shift) }
            }
            other => other,
        };
        piece.maps.insert(name, (map, cost));
    }
    let mut finder = crate::logic::search::Finder::new(program.watch());
    let alignment = Alignment { pieces: vec![piece], ..Alignment::default() };
    let leaves = vec![Leaf::Align(alignment); hypotheses(program)?.len()];
    Ok(match check_leaves(program, &cost, &leaves, &mut finder) {
        Ok(theorem) => {
            ScriptVerdict::Proved(Box::new((Proof { cost, leaves, lemmas: finder.lemmas }, theorem)))
        }
        Err(error) => ScriptVerdict::Undecided(error.to_string()),
    })
}
