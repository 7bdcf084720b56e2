//! Whether one assertion follows from another, across a statement.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::{Assertion, CompareOp, ExprId, ExprKind, File, Logic, Side, StatementKind};
use lastbit_lang::symbolic::{
    Constraint, Polynomial, Program, Symbol, Trace, Value, condition, explore, value,
};
use lastbit_lang::{Diagnostic, Reading, expression_text};
use lastbit_real::Rational;

use super::counterexample::{Counterexample, model, points};
use super::scope::Names;
use super::text::replaced;
use super::{Rejection, Status};
use crate::logic::kernel::{Judge, KernelError};
use crate::logic::search::Finder;

/// The conjuncts of a condition.
pub(super) fn conjuncts(file: &File, id: ExprId) -> Vec<ExprId> {
    match file.expr(id).kind {
        ExprKind::Logic(Logic::And, a, b) => [conjuncts(file, a), conjuncts(file, b)].concat(),
        _ => vec![id],
    }
}

/// The kinds of conjunct.
pub(super) enum Found {
    Equation(ExprId, ExprId),
    Other,
}

impl Found {
    pub(super) fn of(file: &File, id: ExprId) -> Found {
        match file.expr(id).kind {
            ExprKind::Compare(CompareOp::Equal, a, b) => Found::Equation(a, b),
            _ => Found::Other,
        }
    }
}

/// What a sampling rule says of the two copies of its variable.
pub(super) type Set<'f> =
    dyn FnMut(&mut Names<'_, '_>, &mut Trace, &Assertion) -> Result<(), Diagnostic> + 'f;

/// Checks premises, and remembers what was shown or assumed.
pub(super) struct Checker<'n, 'a> {
    pub(super) program: &'n Program<'a>,
    pub(super) finder: Finder,
    facts: Vec<Constraint>,
    adjacency: Vec<Vec<Constraint>>,
    known: Vec<Assertion>,
}

impl<'n, 'a> Checker<'n, 'a> {
    pub(super) fn new(program: &'n Program<'a>) -> Result<Checker<'n, 'a>, KernelError> {
        // Of facts with alternatives only what all of them say.
        let mut facts = program.facts()?.into_iter().map(|way| way.constraints);
        let first = facts.next().unwrap_or_default();
        let rest: Vec<Vec<Constraint>> = facts.collect();
        let facts = first.into_iter().filter(|fact| rest.iter().all(|way| way.contains(fact))).collect();
        let adjacency = program.adjacency()?.into_iter().map(|way| way.constraints).collect();
        Ok(Checker { program, finder: Finder::new(program.watch()), facts, adjacency, known: Vec::new() })
    }

    pub(super) fn facts(&self) -> &[Constraint] {
        &self.facts
    }

    /// From here on an assertion is known.
    pub(super) fn assume(&mut self, assertion: &Assertion) {
        self.known.push(assertion.clone());
    }

    /// COMP and FRAME: an assertion follows from the adjacency and from what earlier steps have shown. What is said of
    /// logical variables alone is a restriction of them, not a claim.
    pub(super) fn composes(&mut self, pre: &Assertion) -> Result<Option<Rejection>, KernelError> {
        let file = self.program.file;
        let span = file.expr(pre.condition).span;
        for alternative in self.adjacency.clone() {
            let ways = explore(span, self.program.watch(), |trace| {
                trace.guards.extend(self.facts.iter().chain(&alternative).cloned());
                let mut names = Names::new(self.program);
                for (index, known) in self.known.iter().enumerate() {
                    // The variables of one `exists` are not those of another.
                    for name in &known.exists {
                        let own = Polynomial::variable(format!("{}@{index}", name.text));
                        names.logical.insert(name.text.clone(), Value::Number(own));
                    }
                    if !condition(file, &names, known.condition, None, trace)? {
                        return Ok(true);
                    }
                    known.exists.iter().for_each(|name| drop(names.logical.remove(&name.text)));
                }
                self.witness(&mut names, pre, trace)?;
                for id in conjuncts(file, pre.condition) {
                    if self.is_about_runs(id) && !condition(file, &names, id, None, trace)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            })?;
            for (_, trace) in ways.into_iter().filter(|(holds, _)| !holds) {
                let known = with_rounding(&trace);
                if !self.finder.are_refuted(&known.iter().collect::<Vec<_>>()) {
                    let premise = format!("what is known before it gives {}", self.assertion(pre));
                    return Ok(Some(Rejection {
                        rule: "COMP".into(),
                        premise,
                        counterexample: model(&known, self.program.watch()),
                    }));
                }
            }
        }
        Ok(None)
    }

    /// DP: an assertion says that both runs return the same.
    pub(super) fn returns_same(&mut self, post: &Assertion) -> Result<Option<Rejection>, KernelError> {
        let file = self.program.file;
        let returned = self.program.declaration.body.iter().find_map(|statement| match statement.kind {
            StatementKind::Return(id) => Some(id),
            _ => None,
        });
        let Some(id) = returned else { return Ok(None) };
        let ways = explore(file.expr(id).span, self.program.watch(), |trace| {
            trace.guards.extend(self.facts.iter().cloned());
            let names = Names::new(self.program);
            if !condition(file, &names, post.condition, None, trace)? {
                return Ok(true);
            }
            let [one, two] = [Side::One, Side::Two].map(|side| value(file, &names, id, Some(side), trace));
            let (one, two) = (one?.flatten(trace), two?.flatten(trace));
            let mut same = one.len() == two.len();
            for (a, b) in one.iter().zip(&two) {
                same &= match (a.number(trace), b.number(trace)) {
                    (Some(a), Some(b)) => trace.holds(Constraint::zero(&a - &b)),
                    _ => a == b,
                };
            }
            Ok(same)
        })?;
        for (_, trace) in ways.into_iter().filter(|(same, _)| !same) {
            let known = with_rounding(&trace);
            if !self.finder.are_refuted(&known.iter().collect::<Vec<_>>()) {
                let premise = format!("{}  |=  both runs return the same", self.assertion(post));
                return Ok(Some(Rejection {
                    rule: "DP".into(),
                    premise,
                    counterexample: model(&known, self.program.watch()),
                }));
            }
        }
        Ok(None)
    }

    /// Whether a condition speaks of the two runs, and not of logical variables alone.
    fn is_about_runs(&self, id: ExprId) -> bool {
        let file = self.program.file;
        file.post_order(id).iter().any(|id| matches!(file.expr(*id).kind, ExprKind::Copy(..)))
    }

    /// EXISTS: gives logical variables the values that equations say.
    fn witness(
        &self,
        names: &mut Names<'_, '_>,
        assertion: &Assertion,
        trace: &mut Trace,
    ) -> Result<(), Diagnostic> {
        for name in &assertion.exists {
            names.logical.insert(name.text.clone(), Value::Number(Polynomial::variable("?")));
            if let Some(found) = names.solve(self.program.file, assertion, "?", trace)? {
                names.logical.insert(name.text.clone(), Value::Number(found));
            }
        }
        Ok(())
    }

    /// Runs a statement between two assertions; whether the second holds, or `None` if the first does not.
    fn run(
        &self,
        names: &mut Names<'_, '_>,
        (pre, post): (&Assertion, &Assertion),
        assignment: Option<(&str, ExprId)>,
        set: &mut Set<'_>,
        trace: &mut Trace,
    ) -> Result<Option<bool>, Diagnostic> {
        let file = self.program.file;
        if !condition(file, names, pre.condition, None, trace)? {
            return Ok(None);
        }
        if let Some((name, id)) = assignment {
            for side in [Side::One, Side::Two] {
                let result = value(file, names, id, Some(side), trace)?;
                names.set.insert((name.to_owned(), side), result);
            }
        }
        set(names, trace, post)?;
        // The logical variables of the first assertion keep their names; those of the second are to be found.
        for name in &pre.exists {
            let own = Value::Number(Polynomial::variable(name.text.as_str()));
            names.logical.insert(name.text.clone(), own);
        }
        self.witness(names, post, trace)?;
        condition(file, names, post.condition, None, trace).map(Some)
    }

    /// Whether the second assertion follows from the first, across an assignment or what `set` does.
    pub(super) fn follows(
        &mut self,
        rule: &str,
        pre: &Assertion,
        post: &Assertion,
        assignment: Option<(&str, ExprId)>,
        set: &mut Set<'_>,
    ) -> Result<Status, KernelError> {
        let span = self.program.file.expr(post.condition).span;
        let ways = explore(span, self.program.watch(), |trace| {
            trace.guards.extend(self.facts.iter().cloned());
            let mut names = Names::new(self.program);
            self.run(&mut names, (pre, post), assignment, set, trace)
        })?;
        let mut symbols = BTreeSet::new();
        for (holds, trace) in &ways {
            let reciprocals = reciprocals(trace);
            for obligation in &trace.obligations {
                let before = &trace.guards[..obligation.guards];
                let known = before.iter().chain(&reciprocals).chain([&obligation.forbidden]);
                let known: Vec<&Constraint> = known.collect();
                if holds.is_some() && !self.finder.are_refuted(&known) {
                    let known: Vec<Constraint> = known.into_iter().cloned().collect();
                    let counterexample = model(&known, self.program.watch());
                    let premise =
                        format!("{}; not shown: {}", obligation.reason, obligation.forbidden.negated()[0]);
                    return Ok(Status::Rejected(Rejection { rule: rule.into(), premise, counterexample }));
                }
            }
            let polynomials = trace.guards[self.facts.len()..].iter().map(|guard| &guard.polynomial);
            let arguments = trace.applications.values().flat_map(|application| &application.arguments);
            symbols.extend(polynomials.chain(arguments).flat_map(Polynomial::variables));
        }
        for (_, trace) in ways.iter().filter(|(holds, _)| *holds == Some(false)) {
            let known = with_rounding(trace);
            if self.finder.are_refuted(&known.iter().collect::<Vec<_>>()) {
                continue;
            }
            let functions = !trace.applications.is_empty();
            let counterexample = if functions { None } else { model(&known, self.program.watch()) };
            let mut counterexample =
                counterexample.or_else(|| self.point(&symbols, (pre, post), assignment, set));
            // Parameters that only facts speak of have nothing to do with it.
            if let Some(found) = &mut counterexample {
                found.values.retain(|name, _| symbols.contains(name.as_str()));
            }
            let premise = format!("{}  |=  {}", self.assertion(pre), self.across(post, assignment));
            return Ok(Status::Rejected(Rejection { rule: rule.into(), premise, counterexample }));
        }
        Ok(Status::Accepted(None))
    }

    /// Simple values at which the first assertion holds and the second does not, by evaluation.
    fn point(
        &self,
        symbols: &BTreeSet<Symbol>,
        assertions: (&Assertion, &Assertion),
        assignment: Option<(&str, ExprId)>,
        set: &mut Set<'_>,
    ) -> Option<Counterexample> {
        let names: Vec<Symbol> = symbols.iter().filter(|symbol| !symbol.ends_with(')')).cloned().collect();
        let found = points(names.len(), |point| {
            let values: BTreeMap<Symbol, Polynomial> =
                names.iter().cloned().zip(point.iter().cloned().map(Polynomial::constant)).collect();
            let number =
                |fact: &Constraint| fact.polynomial.substitute(&values).and_then(|p| p.as_constant());
            let is_fact = |fact: &Constraint| number(fact).is_none_or(|value| fact.relation.holds(&value));
            if !self.facts.iter().all(is_fact) {
                return false;
            }
            let mut scope = Names::new(self.program);
            scope.values = values;
            let mut trace = Trace::default();
            let result = self.run(&mut scope, assertions, assignment, set, &mut trace);
            matches!(result, Ok(Some(false))) && trace.guards.is_empty()
        })?;
        let values: BTreeMap<String, Rational> =
            names.iter().map(|name| name.to_string()).zip(found).collect();
        Some(Counterexample { values })
    }

    pub(super) fn assertion(&self, assertion: &Assertion) -> String {
        let condition = expression_text(self.program.file, assertion.condition, Reading::Real);
        let names: Vec<&str> = assertion.exists.iter().map(|name| name.text.as_str()).collect();
        if names.is_empty() { condition } else { format!("exists {}: {condition}", names.join(", ")) }
    }

    /// An assertion with the assigned expression in the place of the variable.
    fn across(&self, assertion: &Assertion, assignment: Option<(&str, ExprId)>) -> String {
        let Some((name, id)) = assignment else { return self.assertion(assertion) };
        let mut file = self.program.file.clone();
        let is_parameter = |name: &str| self.program.declaration.parameters().any(|p| p.name.text == name);
        let condition = replaced(&mut file, assertion.condition, name, id, &is_parameter);
        let names: Vec<&str> = assertion.exists.iter().map(|name| name.text.as_str()).collect();
        let text = expression_text(&file, condition, Reading::Real);
        if names.is_empty() { text } else { format!("exists {}: {text}", names.join(", ")) }
    }
}

/// What is decided on a way, and that a rounded number is within half a step.
fn with_rounding(trace: &Trace) -> Vec<Constraint> {
    let mut known = trace.guards.clone();
    for (symbol, application) in &trace.applications {
        if let ("round", [w, step]) = (application.function, application.arguments.as_slice()) {
            let distance = &Polynomial::variable(symbol.clone()) - w;
            let half = step.scale(&Rational::pow2(-1));
            known.extend([
                Constraint::non_negative(&half - &distance),
                Constraint::non_negative(&half + &distance),
            ]);
        }
    }
    known.extend(reciprocals(trace));
    known
}

/// What is true of `exp` and of reciprocals of sums of positive terms.
fn reciprocals(trace: &Trace) -> Vec<Constraint> {
    use crate::logic::kernel::Axiom;
    let mut known = Vec::new();
    for application in trace.applications.values() {
        let argument = application.arguments[0].clone();
        match application.function {
            "exp" => {
                known.extend(Axiom::ExpPositive(argument.clone()).conclusions());
                known.extend(Axiom::ExpTangent(argument).conclusions());
            }
            "recip" => {
                let is_positive = |symbol: &Symbol| symbol.starts_with("exp(");
                let terms_positive = argument.terms().all(|(monomial, c)| {
                    c.is_positive() && monomial.powers().iter().all(|(symbol, _)| is_positive(symbol))
                });
                if terms_positive {
                    known.extend(Axiom::Reciprocal(argument).conclusions());
                }
            }
            _ => {}
        }
    }
    known
}
