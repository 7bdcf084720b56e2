//! Programs run in doubles with random noise: a second opinion on probabilities that shares only the parser.

use std::collections::BTreeMap;

use lastbit_audit::discrete::{Argument, Inputs, Parameters};
use lastbit_lang::ast::{
    Arithmetic, CompareOp, Declaration, Distribution, ExprId, ExprKind, File, Function, Logic, Statement,
    StatementKind, UnaryOp,
};
use lastbit_prove::logic::refute::{Event, Part};
use lastbit_real::{Rational, Rounding};

use super::xorshift::Xorshift;

#[derive(Clone, Debug)]
enum Val {
    Number(f64),
    Truth(bool),
    List(Vec<Val>),
}

impl Val {
    fn number(&self) -> f64 {
        let Val::Number(x) = self else { panic!("{self:?} is no number") };
        *x
    }

    fn truth(&self) -> bool {
        let Val::Truth(x) = self else { panic!("{self:?} is no truth value") };
        *x
    }
}

fn double(value: &Rational) -> f64 {
    value.to_f64(Rounding::Nearest)
}

/// How often an event happens in so many runs.
pub(super) fn frequency(
    (file, declaration): (&File, &Declaration),
    parameters: &Parameters,
    inputs: &Inputs,
    event: &Event,
    runs: usize,
) -> f64 {
    let mut start: BTreeMap<String, Val> =
        parameters.iter().map(|(name, value)| (name.clone(), Val::Number(double(value)))).collect();
    start.extend(inputs.iter().map(|(name, argument)| {
        let value = match argument {
            Argument::Number(x) => Val::Number(double(x)),
            Argument::Bool(x) => Val::Truth(*x),
            Argument::Numbers(list) => Val::List(list.iter().map(|x| Val::Number(double(x))).collect()),
            Argument::Bools(list) => Val::List(list.iter().map(|x| Val::Truth(*x)).collect()),
        };
        (name.clone(), value)
    }));
    let mut rng = Xorshift::new(7);
    let hits = (0..runs).filter(|_| {
        let mut run = Run { file, variables: start.clone(), rng: &mut rng };
        let returned = run.block(&declaration.body).expect("a mechanism returns");
        let values = if let Val::List(values) = returned { values } else { vec![returned] };
        contains(event, &values)
    });
    hits.count() as f64 / runs as f64
}

fn contains(event: &Event, values: &[Val]) -> bool {
    let holds = |(part, value): (&Part, &Val)| match (part, value) {
        (Part::Is(wanted), value) => *wanted == value.truth(),
        (Part::Equals(wanted), value) => value.number() == double(wanted),
        (Part::AtMost(most), value) => value.number() <= double(most),
        (Part::AtLeast(least), value) => value.number() >= double(least),
        (Part::Except(excepted), value) => !excepted.iter().any(|x| double(x) == value.number()),
    };
    event.parts.len() == values.len() && event.parts.iter().zip(values).all(holds)
}

struct Run<'r> {
    file: &'r File,
    variables: BTreeMap<String, Val>,
    rng: &'r mut Xorshift,
}

impl Run<'_> {
    /// In (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.rng.next() >> 12) as f64 + 0.5) * 2f64.powi(-52)
    }

    fn block(&mut self, statements: &[Statement]) -> Option<Val> {
        statements.iter().find_map(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Option<Val> {
        match &statement.kind {
            StatementKind::Declare(name, _) => {
                self.variables.insert(name.text.clone(), Val::List(vec![Val::Number(f64::NAN); 8]));
            }
            StatementKind::Assign(place, id) => {
                let value = self.value(*id);
                self.set(&place.name.text, place.index, value);
            }
            StatementKind::Sample(place, distribution) => {
                let value = self.sample(distribution);
                self.set(&place.name.text, place.index, value);
            }
            StatementKind::If { condition, then, otherwise } => {
                let holds = self.value(*condition).truth();
                return self.block(if holds { &then.statements } else { &otherwise.statements });
            }
            StatementKind::For { variable, from, to, body } => {
                let (from, to) = (self.value(*from).number() as i64, self.value(*to).number() as i64);
                for index in from..to {
                    self.variables.insert(variable.text.clone(), Val::Number(index as f64));
                    if let Some(returned) = self.block(&body.statements) {
                        return Some(returned);
                    }
                }
            }
            StatementKind::Return(id) => {
                let returned = self.value(*id);
                return Some(match returned {
                    // Declared with room to spare.
                    Val::List(items) => {
                        let is_set = |item: &Val| !matches!(item, Val::Number(x) if x.is_nan());
                        Val::List(items.into_iter().filter(is_set).collect())
                    }
                    other => other,
                });
            }
        }
        None
    }

    fn set(&mut self, name: &str, index: Option<ExprId>, value: Val) {
        let Some(index) = index else {
            self.variables.insert(name.to_owned(), value);
            return;
        };
        let index = self.value(index).number() as usize;
        let Some(Val::List(items)) = self.variables.get_mut(name) else { panic!("{name} is no array") };
        items[index] = value;
    }

    fn sample(&mut self, distribution: &Distribution) -> Val {
        let sign = if self.rng.next() >> 63 == 0 { 1.0 } else { -1.0 };
        let u = self.uniform();
        match distribution {
            Distribution::Unif { .. } => Val::Number(u),
            Distribution::Sign => Val::Number(sign),
            Distribution::Lap(scale) => Val::Number(sign * self.value(*scale).number() * -u.ln()),
            Distribution::Expo(scale) => Val::Number(self.value(*scale).number() * -u.ln()),
            Distribution::Bernoulli(p) => Val::Truth(u < self.value(*p).number()),
            Distribution::Choose(weights) => {
                let weights: Vec<f64> = weights.iter().map(|weight| self.value(*weight).number()).collect();
                let mut rest = u * weights.iter().sum::<f64>();
                let chosen = weights.iter().position(|weight| {
                    rest -= weight;
                    rest < 0.0
                });
                Val::Number(chosen.unwrap_or(weights.len() - 1) as f64)
            }
            Distribution::Dlap(..) => panic!("discrete noise is audited"),
        }
    }

    fn value(&self, id: ExprId) -> Val {
        let number = |id: &ExprId| self.value(*id).number();
        let truth = |id: &ExprId| self.value(*id).truth();
        match &self.file.expr(id).kind {
            ExprKind::Number { value, .. } => Val::Number(double(value)),
            ExprKind::Bool(value) => Val::Truth(*value),
            ExprKind::Name(name) => self.variables[name].clone(),
            ExprKind::Index(array, index) => {
                let Val::List(items) = self.value(*array) else { panic!("no array") };
                items[number(index) as usize].clone()
            }
            ExprKind::Unary(UnaryOp::Neg, a) => Val::Number(-number(a)),
            ExprKind::Unary(UnaryOp::Not, a) => Val::Truth(!truth(a)),
            ExprKind::Arithmetic(op, a, b) => Val::Number(match op {
                Arithmetic::Add => number(a) + number(b),
                Arithmetic::Sub => number(a) - number(b),
                Arithmetic::Mul => number(a) * number(b),
                Arithmetic::Div => number(a) / number(b),
            }),
            ExprKind::Compare(op, a, b) => Val::Truth(match op {
                CompareOp::Less => number(a) < number(b),
                CompareOp::LessOrEqual => number(a) <= number(b),
                CompareOp::Greater => number(a) > number(b),
                CompareOp::GreaterOrEqual => number(a) >= number(b),
                CompareOp::Equal => number(a) == number(b),
                CompareOp::NotEqual => number(a) != number(b),
            }),
            ExprKind::Logic(Logic::And, a, b) => Val::Truth(truth(a) && truth(b)),
            ExprKind::Logic(Logic::Or, a, b) => Val::Truth(truth(a) || truth(b)),
            ExprKind::If(c, a, b) => self.value(if truth(c) { *a } else { *b }),
            ExprKind::Call(Function::Exp, arguments) => Val::Number(number(&arguments[0]).exp()),
            ExprKind::Call(Function::Ln, arguments) => Val::Number(number(&arguments[0]).ln()),
            ExprKind::Query(query, arguments) => {
                let ExprKind::Name(data) = &self.file.expr(arguments[0]).kind else { panic!("no data") };
                self.variables[&format!("{}({data})", query.text)].clone()
            }
            ExprKind::List(items) => Val::List(items.iter().map(|item| self.value(*item)).collect()),
            other => panic!("{other:?} is not in these programs"),
        }
    }
}
