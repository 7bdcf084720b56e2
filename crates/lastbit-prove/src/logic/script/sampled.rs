//! Samples in derivations: what each rule says of the two copies of one.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Assertion, Distribution, ExprId, Side};
use lastbit_lang::symbolic::{Constraint, Polynomial, Symbol, Trace, Value, number};
use lastbit_lang::{Diagnostic, File, Span};

use super::derivation::Step;
use super::premise::{Checker, Found, conjuncts};
use super::rules::Rule;
use super::scope::Names;
use super::{Rejection, Status};
use crate::logic::kernel::{self, KernelError, Map};

/// A sample: the rule says how its two copies are related.
pub(super) fn sampled(
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
                            let b = number(file, names, *scale, Some(Side::One), trace)?;
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
            if !kernel::costs::is_on_grid(checker.program, k, &exponent) {
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
    file: &File,
    id: ExprId,
    span: Span,
) -> Result<(), Diagnostic> {
    let [one, two] = [Side::One, Side::Two].map(|side| number(file, names, id, Some(side), trace));
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
    file: &File,
    p: ExprId,
    (value, image): (bool, bool),
    cost: &Polynomial,
    span: Span,
) -> Result<(), Diagnostic> {
    let mut weight = |side, value| -> Result<Polynomial, Diagnostic> {
        let p = number(file, names, p, Some(side), trace)?;
        Ok(if value { p } else { &Polynomial::constant(1) - &p })
    };
    let (first, second) = (weight(Side::One, value)?, weight(Side::Two, image)?);
    // As a function that is applied, so that what is true of it is known.
    let factor = Value::Exp(cost.clone()).number(trace).unwrap_or_default();
    let exceeds = Constraint::positive(&first - &(&factor * &second));
    trace.forbid(exceeds, "the first probability is at most e^c times the second", span);
    Ok(())
}

impl Names<'_, '_> {
    /// The value that an equation among the conjuncts of an assertion gives to a variable.
    pub(super) fn solve(
        &self,
        file: &File,
        assertion: &Assertion,
        unknown: &str,
        trace: &mut Trace,
    ) -> Result<Option<Polynomial>, Diagnostic> {
        for id in conjuncts(file, assertion.condition) {
            let Found::Equation(a, b) = Found::of(file, id) else { continue };
            let [a, b] = [a, b].map(|id| number(file, self, id, None, trace));
            let Some((rest, factor)) = (&a? - &b?).split(unknown) else { continue };
            if let Some(inverse) = factor.as_constant().and_then(|factor| factor.recip()) {
                return Ok(Some((-&rest).scale(&inverse)));
            }
        }
        Ok(None)
    }
}
