//! EVENT and PREIM: the probability of every output is compared, not the samples.
//!
//! The program computes `w = x + s·c·ln(u)` with `s` a sign, `u` uniform and `c > 0`, and returns a monotone function of `w`. So the `w`
//! that give an output form an interval J (PREIM), and it is enough to compare the probabilities of intervals (PW-EQ for countable
//! outputs, PW-INT for real ones: μ₁ <= e^ε·μ₂ on all intervals implies it on all Borel sets).
//!
//! With `A = e^((a-x₁)/c)`, `b = e^((b-x₁)/c)`, `k = e^((x₁-x₂)/c)`, `E = e^ε` and `m = min(1, ·)`, for J = [a, b):
//! `2·Pr₁[w ∈ J] = m(b) - m(A) + m(1/A) - m(1/b)`, and in the second run the same of `k·A`, `k·b`. That the first is at most `E` times
//! the second is, in each of the 16 cases of what is below 1, an inequality of Laurent polynomials; unbounded intervals add 4 + 4, and the
//! whole line one more. The samples `u` and `s` are taken together: between `x₂` and `x₁` the signs differ.

use std::collections::BTreeSet;

use lastbit_lang::ast::{ExprId, ExprKind, Function, Scalar, Side, Statement, StatementKind};
use lastbit_lang::symbolic::{Constraint, Fresh, Law, Polynomial, Value, paths};

use super::broken::{SideCondition, is_off};
use super::{Context, Event, Hypotheses, KernelError, check_defined, is_plain};

const RULE: &str = "EVENT";

fn refused(reason: impl Into<String>) -> KernelError {
    KernelError::Rule { rule: RULE, reason: reason.into() }
}

/// Checks the premises.
pub(crate) fn check(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    event: &Event,
) -> Result<(), KernelError> {
    let declaration = context.program.declaration;
    let is_countable =
        matches!(declaration.result.scalar, Scalar::Grid | Scalar::Int | Scalar::Sign | Scalar::Bool);
    if event.pointwise && !is_countable {
        context.side(Err(KernelError::Rule {
            rule: "PW-EQ",
            reason: "it needs countably many outputs, and what is returned is real".into(),
        }))?;
    }
    if event.positive > 1 {
        return Err(refused("a sign has two values"));
    }
    let preimage = check_preimage(context, &event.variable);
    context.side(preimage)?;
    let (x1, c1) = centre(context, Some(hypotheses), event, Side::One)?;
    let (x2, c2) = centre(context, None, event, Side::Two)?;
    if c1 != c2 && !is_off(SideCondition::OneScale) {
        return Err(refused("the scale of the noise depends on the input"));
    }
    let not_positive = Constraint::non_negative(-&c1);
    context.need(
        RULE,
        || "that the scale is positive".into(),
        hypotheses.constraints.iter().chain([&not_positive]),
    )?;
    let rate = c1.inverse().ok_or_else(|| refused(format!("the scale {c1} is more than one term")))?;
    let distance = &(&x1 - &x2) * &rate;
    for distance in [distance.clone(), -&distance] {
        if is_off(SideCondition::EventDistance) {
            continue;
        }
        let exceeds = Constraint::positive(&distance - context.cost);
        let cost = context.cost;
        let known = hypotheses.constraints.iter().chain([&exceeds]);
        context.need(RULE, || format!("that {distance} <= {cost}"), known)?;
    }
    for (name, case) in cases() {
        context.need(RULE, || format!("case {name}"), case.iter())?;
    }
    Ok(())
}

/// `x` and `c` of `w = x + s·c·ln(u)`.
fn centre(
    context: &mut Context<'_, '_>,
    hypotheses: Option<&Hypotheses>,
    event: &Event,
    side: Side,
) -> Result<(Polynomial, Polynomial), KernelError> {
    let name = &event.variable;
    let mut found: Option<(Polynomial, Polynomial)> = None;
    let mut samples = BTreeSet::new();
    for path in paths(context.program, side, &Fresh)? {
        if let Some(hypotheses) = hypotheses {
            check_defined(context, hypotheses, &path)?;
        }
        let ([sample], [sign]) = (path.samples.as_slice(), path.choices.as_slice()) else {
            return Err(refused("there must be one uniform sample and one sign"));
        };
        let is_fair = sign.law.weights.len() == 2 && sign.law.weights[0] == sign.law.weights[1];
        if sample.law != Law::Uniform || !(is_fair || is_off(SideCondition::FairSign)) {
            return Err(refused("there must be one uniform sample and one fair sign"));
        }
        samples.insert((sample.name.clone(), sign.name.clone()));
        let Some(Value::Number(w)) = path.variables.get(name) else {
            return Err(refused(format!("{name} is not a number that the program computes")));
        };
        // No other variable may stand for a function of a sample.
        let is_free = |p: &Polynomial| p.variables().iter().all(is_plain);
        let split = w.split(&sample.coordinate()).filter(|(x, c)| is_free(x) && is_free(c));
        let Some((x, c)) = split else {
            return Err(refused(format!("{name} must be linear in the logarithm of the uniform sample")));
        };
        let centre = (x, if sign.value == event.positive { c } else { -&c });
        if found.as_ref().is_some_and(|known| *known != centre) && !is_off(SideCondition::OneCentre) {
            return Err(refused(format!("{name} is not x + s·c·ln(u) with the same x and c on all paths")));
        }
        found = Some(centre);
    }
    found
        .filter(|_| samples.len() == 1)
        .ok_or_else(|| refused("the samples depend on the course of the program"))
}

/// PREIM: what is returned is a monotone function of the variable and depends on samples in no other way.
fn check_preimage(context: &Context<'_, '_>, variable: &str) -> Result<(), KernelError> {
    let body = &context.program.declaration.body;
    let straight = body.iter().all(|s| {
        matches!(s.kind, StatementKind::Sample(..) | StatementKind::Assign(..) | StatementKind::Return(_))
    });
    let targets = body.iter().filter_map(target);
    let mut once = BTreeSet::new();
    let is_straight = straight && targets.into_iter().all(|name| once.insert(name));
    if !is_straight && !is_off(SideCondition::StraightBody) {
        let reason = "the body must be a sequence of statements, each for a variable of its own";
        return Err(KernelError::Rule { rule: "PREIM", reason: reason.into() });
    }
    let returned = body.iter().find_map(|statement| match statement.kind {
        StatementKind::Return(id) => Some(id),
        _ => None,
    });
    match returned {
        Some(_) if is_off(SideCondition::Monotone) => Ok(()),
        Some(id) if is_monotone(context, body, id, variable, body.len()) => Ok(()),
        _ => Err(KernelError::Rule {
            rule: "PREIM",
            reason: format!("what is returned is not known to be a monotone function of {variable}"),
        }),
    }
}

fn target(statement: &Statement) -> Option<&str> {
    match &statement.kind {
        StatementKind::Assign(place, _) | StatementKind::Sample(place, _) => Some(&place.name.text),
        _ => None,
    }
}

/// Whether an expression is nondecreasing in the variable. `fuel` bounds how far definitions are followed.
fn is_monotone(
    context: &Context<'_, '_>,
    body: &[Statement],
    id: ExprId,
    variable: &str,
    fuel: usize,
) -> bool {
    let file = context.program.file;
    // Parameters are the same in both runs; arguments are not, and must not come in again.
    let is_constant = |id: ExprId| {
        let parameters: Vec<&str> =
            context.program.declaration.parameters().map(|b| b.name.text.as_str()).collect();
        file.post_order(id).iter().all(|id| match &file.expr(*id).kind {
            ExprKind::Name(name) => parameters.contains(&name.as_str()),
            ExprKind::Number { .. } | ExprKind::Arithmetic(..) | ExprKind::Unary(..) => true,
            _ => false,
        })
    };
    let again = |id: ExprId| is_monotone(context, body, id, variable, fuel);
    match &file.expr(id).kind {
        ExprKind::Name(name) if name == variable => true,
        ExprKind::Name(name) if fuel > 0 => {
            let definition = body.iter().find_map(|statement| match &statement.kind {
                StatementKind::Assign(place, value) if place.name.text == *name && place.index.is_none() => {
                    Some(*value)
                }
                _ => None,
            });
            definition.is_some_and(|value| is_monotone(context, body, value, variable, fuel - 1))
        }
        ExprKind::Round(a, step, _) => again(*a) && is_constant(*step),
        ExprKind::Call(Function::Clamp | Function::Min | Function::Max, list) => {
            again(list[0]) && is_constant(list[1])
        }
        ExprKind::Arithmetic(lastbit_lang::ast::Arithmetic::Add, a, b) => again(*a) && is_constant(*b),
        _ => false,
    }
}

/// The cases, each with a name: constraints that must not hold together.
pub(crate) fn cases() -> Vec<(String, Vec<Constraint>)> {
    let variable = |name: &str| Polynomial::variable(name);
    let (a, b, k, e) = (variable("A"), variable("b"), variable("k"), variable("E"));
    let one = Polynomial::constant(1);
    let inverse = |p: &Polynomial| p.inverse().expect("a single term");
    let mut always: Vec<Constraint> = Vec::new();
    for x in [&a, &b, &k, &e] {
        always.extend([Constraint::positive(x.clone()), Constraint::positive(inverse(x))]);
    }
    always.extend([Constraint::non_negative(&(&e * &k) - &one), Constraint::non_negative(&e - &k)]);
    let (ka, kb) = (&k * &a, &k * &b);
    // Of x: the constraint that says on which side of 1 it lies, m(x) and m(1/x).
    let side = |x: &Polynomial, below: bool| match below {
        true => (Constraint::non_negative(&one - x), x.clone(), one.clone()),
        false => (Constraint::non_negative(x - &one), one.clone(), inverse(x)),
    };
    let text = |below: bool| if below { "<=1" } else { ">=1" };
    let mut found = Vec::new();
    let mut add = |name: String, signs: Vec<Constraint>, first: Polynomial, second: Polynomial| {
        let exceeds = Constraint::positive(&first - &(&e * &second));
        found.push((name, [always.clone(), signs, vec![exceeds]].concat()));
    };
    for bits in 0..16 {
        let below = |bit: usize| bits >> bit & 1 == 0;
        let [(a_side, ma, mia), (b_side, mb, mib)] = [side(&a, below(0)), side(&b, below(1))];
        let [(ka_side, mka, mika), (kb_side, mkb, mikb)] = [side(&ka, below(2)), side(&kb, below(3))];
        let name =
            format!("A{} b{} kA{} kb{}", text(below(0)), text(below(1)), text(below(2)), text(below(3)));
        let signs = vec![Constraint::non_negative(&b - &a), a_side, b_side, ka_side, kb_side];
        add(name, signs, &(&mb - &ma) + &(&mia - &mib), &(&mkb - &mka) + &(&mika - &mikb));
    }
    for bits in 0..4 {
        let below = |bit: usize| bits >> bit & 1 == 0;
        let [(b_side, mb, mib), (kb_side, mkb, mikb)] = [side(&b, below(0)), side(&kb, below(1))];
        let name = format!("b{} kb{}, below b", text(below(0)), text(below(1)));
        add(name, vec![b_side, kb_side], &(&mb + &one) - &mib, &(&mkb + &one) - &mikb);
        let [(a_side, ma, mia), (ka_side, mka, mika)] = [side(&a, below(0)), side(&ka, below(1))];
        let name = format!("A{} kA{}, from a on", text(below(0)), text(below(1)));
        add(name, vec![a_side, ka_side], &(&one - &ma) + &mia, &(&one - &mka) + &mika);
    }
    add("all".into(), Vec::new(), one.clone(), one.clone());
    found
}
