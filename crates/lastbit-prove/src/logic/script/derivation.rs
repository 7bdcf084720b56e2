//! Derivations: scripts of `step`s.

use std::collections::BTreeMap;

use lastbit_lang::ast::{
    Assertion, Distribution, ExprId, Name, Place, Proof as Script, ProofStep, ProofStepKind, Side,
    StatementKind,
};
use lastbit_lang::symbolic::{Constraint, Fresh, Polynomial, Program, Symbol, Trace, Value, paths};
use lastbit_lang::{Diagnostic, Span};

use super::premise::{Checker, Found, conjuncts};
use super::rules::{RULES, Rule};
use super::scope::Names;
use super::{Rejection, ScriptReport, Status, StepReport, Verdict};
use crate::logic::kernel::{
    self, Alignment, Judge, KernelError, Leaf, Map, Piece, Proof, check_leaves, hypotheses,
};

/// One step, read.
struct Step<'s> {
    rule: Rule,
    place: Option<&'s Place>,
    cost: Option<ExprId>,
    pre: &'s Assertion,
    post: &'s Assertion,
    span: Span,
}

/// What a variable is set to.
#[derive(Clone, Copy)]
enum Statement<'s> {
    Sample(&'s Distribution),
    Assign(ExprId),
}

/// Checks a derivation, step by step; after a step that is rejected, what it was to show is assumed.
pub(super) fn check(program: &Program<'_>, script: &Script) -> Result<ScriptReport, KernelError> {
    let statements = statements(program)?;
    let steps = script.steps.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    check_order(&statements, &steps, script.span)?;
    let mut checker = Checker::new(program)?;
    let mut reports = Vec::new();
    let mut couplings: BTreeMap<Symbol, (Map, Polynomial)> = BTreeMap::new();
    let mut total = Polynomial::zero();
    for (index, step) in steps.iter().enumerate() {
        let cost = match step.cost {
            Some(cost) => program.parameter_expression(cost, &mut Trace::default())?,
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
        true => Verdict::Rejected,
        false => certified(program, couplings, total)?,
    };
    let name = script.name.as_ref().map(|name| name.text.clone());
    Ok(ScriptReport { name, steps: reports, verdict })
}

/// The statements of a body without branches, by the variable they set.
fn statements<'s>(program: &'s Program<'_>) -> Result<BTreeMap<&'s str, Statement<'s>>, Diagnostic> {
    let mut found = BTreeMap::new();
    for statement in &program.declaration.body {
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
    Ok(found)
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
fn check_order(
    statements: &BTreeMap<&str, Statement<'_>>,
    steps: &[Step<'_>],
    span: Span,
) -> Result<(), Diagnostic> {
    let mut treated: Vec<&Name> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if step.rule == Rule::Dp && index + 1 < steps.len() {
            return Err(Diagnostic::new(step.span, "`dp` is the last step, and there are others after it"));
        }
        let Some(place) = step.place else { continue };
        let name = &place.name;
        if !statements.contains_key(name.text.as_str()) {
            return Err(Diagnostic::new(name.span, format!("no statement sets `{}`", name.text)));
        }
        if treated.iter().any(|known| known.text == name.text) {
            return Err(Diagnostic::new(name.span, format!("a second step for `{}`", name.text)));
        }
        treated.push(name);
    }
    if steps.last().is_none_or(|step| step.rule != Rule::Dp) {
        let place = steps.last().map_or(span, |step| step.span);
        return Err(Diagnostic::new(place, "the last step must be `dp`: that both runs return the same"));
    }
    Ok(())
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
        None => checker.follows(step.rule.text(), step.pre, step.post, None, &mut |_, _, _| Ok(())),
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

/// A sample: the rule says how its two copies are related.
fn sampled(
    checker: &mut Checker<'_, '_>,
    step: &Step<'_>,
    name: &str,
    distribution: &Distribution,
    cost: &Polynomial,
    couplings: &mut BTreeMap<Symbol, (Map, Polynomial)>,
) -> Result<Status, KernelError> {
    let file = checker.program.file;
    let rule = step.rule.text();
    let is_identity = matches!(step.rule, Rule::AxNull | Rule::LapNull);
    let swaps: &[bool] = if step.rule == Rule::RndBij { &[false, true] } else { &[false] };
    let mut last = Status::NotReached;
    for swap in swaps {
        let mut shift: Option<Polynomial> = None;
        let mut set =
            |names: &mut Names<'_, '_>, trace: &mut Trace, post: &Assertion| -> Result<(), Diagnostic> {
                let variable = |side: usize| Polynomial::variable(format!("{name}<{side}>"));
                let log = |side: usize| Polynomial::variable(format!("ln({name}<{side}>)"));
                let (one, two) = match distribution {
                    Distribution::Unif { .. } => {
                        let y = log(1);
                        trace.guards.push(Constraint::non_negative(-&y));
                        let image = match step.rule {
                            Rule::AxUnif => {
                                let z = log(2);
                                let apart = &y - &z;
                                trace.guards.extend([
                                    Constraint::non_negative(-&z),
                                    Constraint::non_negative(cost - &apart),
                                    Constraint::non_negative(cost + &apart),
                                ]);
                                z
                            }
                            Rule::UnifShrink => {
                                trace.forbid(
                                    Constraint::positive(-cost),
                                    "the shrinking direction: k >= 0",
                                    step.span,
                                );
                                shift = Some(-cost);
                                &y - cost
                            }
                            _ => y.clone(),
                        };
                        (Value::Exp(y), Value::Exp(image))
                    }
                    Distribution::Sign => {
                        let value = trace.choose(2) as i64;
                        let number = |value: i64| Value::Number(Polynomial::constant(1 - 2 * value));
                        (number(value), number(if *swap { 1 - value } else { value }))
                    }
                    Distribution::Bernoulli(p) => {
                        let value = trace.choose(2) == 0;
                        bernoulli(names, trace, file, *p, (value, value ^ swap), cost, step.span)?;
                        (Value::Bool(value), Value::Bool(value ^ swap))
                    }
                    Distribution::Choose(weights) => {
                        let value = trace.choose(weights.len());
                        for weight in weights {
                            same(names, trace, file, *weight, step.span)?;
                        }
                        let number = Value::Number(Polynomial::constant(value as i64));
                        (number.clone(), number)
                    }
                    Distribution::Lap(scale) | Distribution::Expo(scale) | Distribution::Dlap(scale, _) => {
                        same(names, trace, file, *scale, step.span)?;
                        let z = variable(1);
                        if matches!(distribution, Distribution::Expo(_)) {
                            trace.guards.push(Constraint::non_negative(z.clone()));
                        }
                        let mut image = z.clone();
                        if !is_identity {
                            let unknown = Polynomial::variable("?");
                            names.set.insert((name.into(), Side::One), Value::Number(z.clone()));
                            names.set.insert((name.into(), Side::Two), Value::Number(unknown));
                            image = names.solve(file, post, "?", trace)?.ok_or_else(|| {
                                Diagnostic::new(step.span, format!("no equation says what {name}<2> is"))
                                    .with_hint(format!("such as {name}<1> + k = {name}<2>"))
                            })?;
                            let k = &image - &z;
                            if k.variables().iter().any(|symbol| **symbol == *format!("{name}<1>")) {
                                let message = format!("the shift {k} is not free of {name}");
                                return Err(Diagnostic::new(step.span, message));
                            }
                            let b =
                                lastbit_lang::symbolic::number(file, names, *scale, Some(Side::One), trace)?;
                            for moved in [k.clone(), -&k] {
                                let exceeds = Constraint::positive(&moved - &(cost * &b));
                                trace.forbid(exceeds, "the shift costs |k|/b", step.span);
                            }
                            shift = Some(k);
                        }
                        (Value::Number(z), Value::Number(image))
                    }
                };
                names.set.insert((name.into(), Side::One), one);
                names.set.insert((name.into(), Side::Two), two);
                Ok(())
            };
        last = checker.follows(rule, step.pre, step.post, None, &mut set)?;
        if let (Rule::Dlap, Status::Accepted(_), Some(k), Distribution::Dlap(_, exponent)) =
            (step.rule, &last, &shift, distribution)
        {
            let exponent = checker.program.parameter_expression(*exponent, &mut Trace::default())?;
            if !kernel::align::is_on_grid(checker.program, k, &exponent) {
                let premise = format!("the shift {k} is a multiple of 2^({exponent})");
                last = Status::Rejected(Rejection { rule: rule.into(), premise, counterexample: None });
            }
        }
        if let Status::Accepted(note) = &mut last {
            let map = match (shift, step.rule) {
                (Some(shift), _) => Map::Affine { negate: false, shift },
                (None, Rule::RndBij) => Map::Permute(if *swap { vec![1, 0] } else { vec![0, 1] }),
                _ => {
                    if step.rule == Rule::AxUnif {
                        *note = Some(format!("vacuous: it follows from {name}<1> = {name}<2> at cost 0"));
                    }
                    break;
                }
            };
            couplings.insert(name.into(), (map, cost.clone()));
            break;
        }
    }
    Ok(last)
}

/// The parameter of a law must be the same in both runs.
fn same(
    names: &Names<'_, '_>,
    trace: &mut Trace,
    file: &lastbit_lang::File,
    id: ExprId,
    span: Span,
) -> Result<(), Diagnostic> {
    let [one, two] =
        [Side::One, Side::Two].map(|side| lastbit_lang::symbolic::number(file, names, id, Some(side), trace));
    let difference = &one? - &two?;
    for unequal in [Constraint::positive(difference.clone()), Constraint::positive(-&difference)] {
        trace.forbid(unequal, "the law must be the same in both runs", span);
    }
    Ok(())
}

/// `μ₁(v) <= e^c·μ₂(f(v))` for a coin.
fn bernoulli(
    names: &Names<'_, '_>,
    trace: &mut Trace,
    file: &lastbit_lang::File,
    p: ExprId,
    (value, image): (bool, bool),
    cost: &Polynomial,
    span: Span,
) -> Result<(), Diagnostic> {
    let mut weight = |side, value| -> Result<Polynomial, Diagnostic> {
        let p = lastbit_lang::symbolic::number(file, names, p, Some(side), trace)?;
        Ok(if value { p } else { &Polynomial::constant(1) - &p })
    };
    let (first, second) = (weight(Side::One, value)?, weight(Side::Two, image)?);
    let exceeds = Constraint::positive(&first - &(&kernel::hypotheses::exp(cost) * &second));
    trace.forbid(exceeds, "the first probability is at most e^c times the second", span);
    Ok(())
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
    Ok(Some(Rejection { rule: "COMP".into(), premise, counterexample: super::counterexample::model(&known) }))
}

/// The couplings of the steps, as a proof that the kernel accepts.
fn certified(
    program: &Program<'_>,
    couplings: BTreeMap<Symbol, (Map, Polynomial)>,
    cost: Polynomial,
) -> Result<Verdict, KernelError> {
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
    let mut finder = crate::logic::search::Finder::default();
    let alignment = Alignment { pieces: vec![piece], ..Alignment::default() };
    let leaves = vec![Leaf::Align(alignment); hypotheses(program)?.len()];
    Ok(match check_leaves(program, &cost, &leaves, &mut finder) {
        Ok(theorem) => Verdict::Proved(Box::new((Proof { cost, leaves, lemmas: finder.lemmas }, theorem))),
        Err(error) => Verdict::Undecided(error.to_string()),
    })
}

impl Names<'_, '_> {
    /// The value that an equation among the conjuncts of an assertion gives to a variable.
    pub(super) fn solve(
        &self,
        file: &lastbit_lang::File,
        assertion: &Assertion,
        unknown: &str,
        trace: &mut Trace,
    ) -> Result<Option<Polynomial>, Diagnostic> {
        for id in conjuncts(file, assertion.condition) {
            let Found::Equation(a, b) = Found::of(file, id) else { continue };
            let [a, b] = [a, b].map(|id| lastbit_lang::symbolic::number(file, self, id, None, trace));
            let Some((rest, factor)) = (&a? - &b?).split(unknown) else { continue };
            if let Some(inverse) = factor.as_constant().and_then(|factor| factor.recip()) {
                return Ok(Some((-&rest).scale(&inverse)));
            }
        }
        Ok(None)
    }
}
