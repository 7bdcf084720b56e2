//! The outputs of a program with their probabilities, path by path, in plain floats: slow, short, and independent of the audit.
//! Samples of `dlap` are cut off; the programs keep what is cut off below the tolerance of whoever compares.

use std::collections::BTreeMap;

use lastbit_lang::ast::{
    Arithmetic, Declaration, Distribution, ExprId, ExprKind, File, Function, Logic, Statement, StatementKind,
    UnaryOp,
};
use lastbit_lang::{Tie, ast::CompareOp};

/// The largest multiple of the grid that a sample can be.
pub(super) const CUT: i64 = 25;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Bool(bool),
    List(Vec<Value>),
}

type Environment = BTreeMap<String, Value>;

/// The probabilities of outputs, by their text.
pub(super) fn outputs(
    file: &File,
    declaration: &Declaration,
    inputs: &Environment,
) -> BTreeMap<String, (Value, f64)> {
    let mut naive = Naive { file, outputs: BTreeMap::new() };
    let body: Vec<Task> = declaration.body.iter().map(Task::Statement).collect();
    naive.run(&body, inputs.clone(), 1.0);
    naive.outputs
}

/// What is still to be done on a path.
#[derive(Clone, Copy)]
enum Task<'a> {
    Statement(&'a Statement),
    /// The next round of a loop.
    Bind(&'a str, f64),
}

struct Naive<'a> {
    file: &'a File,
    outputs: BTreeMap<String, (Value, f64)>,
}

impl<'a> Naive<'a> {
    /// All paths through the statements.
    fn run(&mut self, path: &[Task<'a>], mut environment: Environment, probability: f64) {
        let statement = match path.first() {
            Some(Task::Statement(statement)) => *statement,
            Some(Task::Bind(name, value)) => {
                environment.insert((*name).to_owned(), Value::Number(*value));
                return self.run(&path[1..], environment, probability);
            }
            None => panic!("a path without return"),
        };
        let rest = &path[1..];
        match &statement.kind {
            StatementKind::Declare(name, ty) => {
                if let lastbit_lang::ast::Shape::Array(length) = ty.shape {
                    let length = self.number(length, &environment) as usize;
                    environment.insert(name.text.clone(), Value::List(vec![Value::Number(f64::NAN); length]));
                }
                self.run(rest, environment, probability);
            }
            StatementKind::Assign(place, value) => {
                let value = self.value(*value, &environment);
                self.set(&place.name.text, place.index, value, &mut environment);
                self.run(rest, environment, probability);
            }
            StatementKind::Sample(place, law) => {
                for (value, chance) in self.law(law, &environment) {
                    let mut environment = environment.clone();
                    self.set(&place.name.text, place.index, value, &mut environment);
                    self.run(rest, environment, probability * chance);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                let Value::Bool(holds) = self.value(*condition, &environment) else { panic!("a condition") };
                let block = if holds { then } else { otherwise };
                let statements = block.statements.iter().map(Task::Statement);
                let path: Vec<Task> = statements.chain(rest.iter().copied()).collect();
                self.run(&path, environment, probability);
            }
            StatementKind::For { variable, from, to, body } => {
                let bound = |id: &ExprId| self.number(*id, &environment) as i64;
                let round = |index| {
                    let statements = body.statements.iter().map(Task::Statement);
                    [Task::Bind(&variable.text, index as f64)].into_iter().chain(statements)
                };
                let path = (bound(from)..bound(to)).flat_map(round).chain(rest.iter().copied());
                let path: Vec<Task> = path.collect();
                self.run(&path, environment, probability);
            }
            StatementKind::Return(value) => {
                let value = without_sign_of_zero(self.value(*value, &environment));
                let entry = self.outputs.entry(format!("{value:?}")).or_insert((value, 0.0));
                entry.1 += probability;
            }
        }
    }

    fn set(&self, name: &str, index: Option<ExprId>, value: Value, environment: &mut Environment) {
        match index {
            None => {
                environment.insert(name.to_owned(), value);
            }
            Some(index) => {
                let index = self.number(index, environment) as usize;
                let Some(Value::List(items)) = environment.get_mut(name) else { panic!("an array") };
                items[index] = value;
            }
        }
    }

    fn law(&self, law: &Distribution, environment: &Environment) -> Vec<(Value, f64)> {
        match law {
            Distribution::Sign => vec![(Value::Number(-1.0), 0.5), (Value::Number(1.0), 0.5)],
            Distribution::Bernoulli(p) => {
                let p = self.number(*p, environment);
                vec![(Value::Bool(true), p), (Value::Bool(false), 1.0 - p)]
            }
            Distribution::Choose(weights) => {
                let weights: Vec<f64> =
                    weights.iter().map(|weight| self.number(*weight, environment)).collect();
                let total: f64 = weights.iter().sum();
                let share = |(index, weight): (usize, &f64)| (Value::Number(index as f64), weight / total);
                weights.iter().enumerate().map(share).collect()
            }
            Distribution::Dlap(scale, exponent) => {
                let step = 2f64.powf(self.number(*exponent, environment));
                let ratio = (-step / self.number(*scale, environment)).exp();
                let chance = |z: i64| (1.0 - ratio) / (1.0 + ratio) * ratio.powi(z.unsigned_abs() as i32);
                (-CUT..=CUT).map(|z| (Value::Number(z as f64 * step), chance(z))).collect()
            }
            law => panic!("{} is not discrete", law.text()),
        }
    }

    fn number(&self, id: ExprId, environment: &Environment) -> f64 {
        match self.value(id, environment) {
            Value::Number(value) => value,
            value => panic!("{value:?} is not a number"),
        }
    }

    fn truth(&self, id: ExprId, environment: &Environment) -> bool {
        self.value(id, environment) == Value::Bool(true)
    }

    fn value(&self, id: ExprId, environment: &Environment) -> Value {
        let number = |id: &ExprId| self.number(*id, environment);
        Value::Number(match &self.file.expr(id).kind {
            ExprKind::Number { value, .. } => value.to_f64(lastbit_real::Rounding::Nearest),
            ExprKind::Bool(value) => return Value::Bool(*value),
            ExprKind::Name(name) => return environment[name].clone(),
            ExprKind::Index(array, index) => {
                let Value::List(items) = self.value(*array, environment) else { panic!("an array") };
                return items[number(index) as usize].clone();
            }
            ExprKind::Unary(UnaryOp::Not, a) => return Value::Bool(!self.truth(*a, environment)),
            ExprKind::Unary(UnaryOp::Neg, a) => -number(a),
            ExprKind::Arithmetic(op, a, b) => match op {
                Arithmetic::Add => number(a) + number(b),
                Arithmetic::Sub => number(a) - number(b),
                Arithmetic::Mul => number(a) * number(b),
                Arithmetic::Div => number(a) / number(b),
            },
            ExprKind::Compare(op, a, b) => {
                return Value::Bool(match (self.value(*a, environment), self.value(*b, environment)) {
                    (Value::Bool(a), Value::Bool(b)) => (a == b) == (*op == CompareOp::Equal),
                    _ => op.holds(number(a).partial_cmp(&number(b)).expect("numbers")),
                });
            }
            ExprKind::Logic(op, a, b) => {
                let (a, b) = (self.truth(*a, environment), self.truth(*b, environment));
                return Value::Bool(if *op == Logic::And { a && b } else { a || b });
            }
            ExprKind::Call(function, list) => {
                let list: Vec<f64> = list.iter().map(number).collect();
                match function {
                    Function::Ln => list[0].ln(),
                    Function::Exp => list[0].exp(),
                    Function::Sqrt => list[0].sqrt(),
                    Function::Abs => list[0].abs(),
                    Function::Min => list[0].min(list[1]),
                    Function::Max => list[0].max(list[1]),
                    Function::Fma => list[0] * list[1] + list[2],
                    Function::Clamp => list[0].clamp(-list[1], list[1]),
                }
            }
            ExprKind::Round(a, grid, tie) => {
                let (steps, grid) = (number(a) / number(grid), number(grid));
                grid * match tie {
                    Tie::Up => (steps + 0.5).floor(),
                    Tie::Even => steps.round_ties_even(),
                    Tie::Away => steps.round(),
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                let branch = if self.truth(*condition, environment) { then } else { otherwise };
                return self.value(*branch, environment);
            }
            ExprKind::List(items) => {
                return Value::List(items.iter().map(|item| self.value(*item, environment)).collect());
            }
            ExprKind::Copy(..) | ExprKind::Query(..) => panic!("not in these programs"),
        })
    }
}

/// There is one zero.
fn without_sign_of_zero(value: Value) -> Value {
    match value {
        Value::Number(value) => Value::Number(value + 0.0),
        Value::List(items) => Value::List(items.into_iter().map(without_sign_of_zero).collect()),
        value => value,
    }
}

/// Whether an output is one of those that an outcome of an audit stands for.
pub(super) fn is_in(value: &Value, outcome: &str) -> bool {
    match (value, outcome.strip_prefix('[').and_then(|outcome| outcome.strip_suffix(']'))) {
        (Value::List(items), Some(outcome)) => {
            let parts = parts(outcome);
            parts.len() == items.len() && items.iter().zip(parts).all(|(item, part)| is_in(item, part))
        }
        (Value::Bool(value), None) => outcome == value.to_string(),
        (Value::Number(value), None) => {
            match outcome.strip_prefix('{').and_then(|set| set.strip_suffix(", …}")) {
                Some(set) => {
                    let (first, second) = set.split_once(", ").expect("two numbers");
                    let (first, second) = (number_of(first), number_of(second));
                    let steps = (value - first) / (second - first);
                    steps >= 0.0 && steps.fract() == 0.0
                }
                None => {
                    outcome != "any other"
                        && !["true", "false"].contains(&outcome)
                        && *value == number_of(outcome)
                }
            }
        }
        _ => false,
    }
}

fn number_of(text: &str) -> f64 {
    text.parse::<lastbit_real::Rational>().expect("a number").to_f64(lastbit_real::Rounding::Nearest)
}

/// The elements of a list; a set in braces is one.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let commas = text.char_indices().filter(|(_, character)| {
        depth += i32::from(*character == '{') - i32::from(*character == '}');
        *character == ',' && depth == 0
    });
    let ends = commas.map(|(at, _)| at).chain([text.len()]);
    let mut start = 0;
    ends.map(|end| {
        let part = text[start..end].trim();
        start = (end + 1).min(text.len());
        part
    })
    .collect()
}
