//! The value of an expression in a state.

use std::collections::{BTreeMap, HashMap, HashSet};

use lastbit_lang::ast::{self, CompareOp, ExprId, ExprKind, File, Function, Logic, UnaryOp};
use lastbit_lang::{Reading, expression_text};
use lastbit_real::Rational;

use super::error::{DiscreteError, Fault, Stop};
use super::number::{Arithmetic, Number};
use super::state::{State, Value};

/// Which way comparisons go that depend on a tail.
pub(super) type Guesses = BTreeMap<ExprId, bool>;

/// What names stand for: constants are the same in all states, variables are not.
pub(super) struct Scope<'a> {
    pub(super) file: &'a File,
    /// The names of parameters.
    pub(super) parameters: HashSet<&'a str>,
    /// Parameters, arguments and the variables of loops.
    pub(super) constants: HashMap<&'a str, Value>,
    /// The answers of queries, by run: `f(a)`, or `f` whatever it is asked of.
    pub(super) queries: [HashMap<String, Value>; 2],
    /// The places of variables in a state.
    pub(super) variables: HashMap<&'a str, usize>,
    /// Working bits of what is not exact.
    pub(super) bits: u32,
}

/// The value of an expression, or why there is none. What a branch that is not taken would have run into does not matter, so
/// every operand has an outcome of its own.
type Outcome = Result<Value, Stop>;

impl<'a> Scope<'a> {
    pub(super) fn arithmetic<'s>(&self, state: &'s State) -> Arithmetic<'s> {
        Arithmetic { samples: &state.samples, bits: self.bits }
    }

    /// The value of an expression.
    pub(super) fn value(&self, root: ExprId, state: &State, guesses: &Guesses) -> Outcome {
        let mut stack: Vec<Outcome> = Vec::new();
        for id in self.file.post_order(root) {
            let mut operands = 0;
            self.file.expr(id).kind.for_each_operand(|_| operands += 1);
            let operands = stack.split_off(stack.len() - operands);
            stack.push(self.node(id, operands, state, guesses));
        }
        stack.pop().unwrap_or(Err(Fault::NotSet.into()))
    }

    /// The value of an expression that is the same in all states, if it is.
    pub(super) fn constant(&self, root: ExprId) -> Outcome {
        self.value(root, &State::new(self.variables.len()), &Guesses::new())
    }

    /// A whole number that is the same in all states.
    pub(super) fn constant_index(&self, root: ExprId) -> Option<usize> {
        match self.constant(root) {
            Ok(Value::Number(Number::Exact(value))) if value.is_integer() => {
                value.numerator().try_into().ok()
            }
            _ => None,
        }
    }

    /// A fault with its place.
    pub(super) fn located(&self, stop: Stop, id: ExprId) -> Stop {
        match stop {
            Stop::Fault(fault) => {
                let expression = expression_text(self.file, id, Reading::Real);
                DiscreteError::Expression { expression, fault, span: self.file.expr(id).span }.into()
            }
            stop => stop,
        }
    }

    /// The value of one expression whose operands have theirs.
    pub(super) fn node(
        &self,
        id: ExprId,
        operands: Vec<Outcome>,
        state: &State,
        guesses: &Guesses,
    ) -> Outcome {
        self.apply(id, operands, state, guesses).map_err(|stop| self.located(stop, id))
    }

    fn apply(&self, id: ExprId, operands: Vec<Outcome>, state: &State, guesses: &Guesses) -> Outcome {
        let arithmetic = self.arithmetic(state);
        let mut operands = operands.into_iter();
        let mut next = || operands.next().unwrap_or(Err(Fault::NotSet.into()));
        let number = |outcome: Outcome| outcome.and_then(number);
        Ok(Value::Number(match &self.file.expr(id).kind {
            ExprKind::Number { value, .. } => Number::Exact(value.clone()),
            ExprKind::Bool(value) => return Ok(Value::Bool(*value)),
            ExprKind::Name(name) => return self.named(name, state),
            // In one run there is one value.
            ExprKind::Copy(..) => return next(),
            ExprKind::Index(..) => {
                let Value::List(items) = next()? else { return Err(Fault::Expected("an array").into()) };
                let index = arithmetic.known(&number(next())?)?;
                return element(&items, &index).cloned();
            }
            ExprKind::Unary(UnaryOp::Not, _) => return Ok(Value::Bool(!truth(next()?)?)),
            ExprKind::Unary(UnaryOp::Neg, _) => arithmetic.neg(&number(next())?),
            ExprKind::Arithmetic(op, ..) => {
                let (a, b) = (number(next())?, number(next())?);
                match op {
                    ast::Arithmetic::Add => arithmetic.add(&a, &b)?,
                    ast::Arithmetic::Sub => arithmetic.sub(&a, &b)?,
                    ast::Arithmetic::Mul => arithmetic.mul(&a, &b)?,
                    ast::Arithmetic::Div => arithmetic.div(&a, &b)?,
                }
            }
            ExprKind::Compare(op, ..) => {
                let holds = match (next()?, next()?) {
                    (Value::Bool(a), Value::Bool(b)) => Some((a == b) == (*op == CompareOp::Equal)),
                    (Value::Number(a), Value::Number(b)) => arithmetic.compare(*op, &a, &b)?,
                    (Value::Unset, _) | (_, Value::Unset) => return Err(Fault::NotSet.into()),
                    _ => return Err(Fault::Expected("a number").into()),
                };
                let guess = || guesses.get(&id).copied();
                return holds.or_else(guess).map(Value::Bool).ok_or(Stop::Undecided(id));
            }
            ExprKind::Logic(op, ..) => {
                let decisive = *op == Logic::Or;
                // The second one does not matter if the first one decides.
                return match truth(next()?)? == decisive {
                    true => Ok(Value::Bool(decisive)),
                    false => truth(next()?).map(Value::Bool),
                };
            }
            ExprKind::Call(function, _) => {
                let first = number(next())?;
                match function {
                    Function::Ln => arithmetic.ln(&first)?,
                    Function::Exp => arithmetic.exp(&first)?,
                    Function::Sqrt => arithmetic.sqrt(&first)?,
                    Function::Abs => arithmetic.abs(&first)?,
                    Function::Min => arithmetic.min(&first, &number(next())?)?,
                    Function::Max => arithmetic.max(&first, &number(next())?)?,
                    Function::Clamp => arithmetic.clamp(&first, &number(next())?)?,
                    Function::Fma => {
                        let product = arithmetic.mul(&first, &number(next())?)?;
                        arithmetic.add(&product, &number(next())?)?
                    }
                }
            }
            ExprKind::Query(name, _) => return self.query(&name.text, operands.collect::<Result<_, _>>()?),
            ExprKind::Round(_, _, tie) => {
                let (a, grid) = (number(next())?, number(next())?);
                arithmetic.round(&a, &grid, *tie)?
            }
            ExprKind::If(..) => {
                let (condition, then, otherwise) = (truth(next()?)?, next(), next());
                return if condition { then } else { otherwise };
            }
            ExprKind::List(_) => return operands.collect::<Result<_, _>>().map(Value::List),
        }))
    }

    fn named(&self, name: &str, state: &State) -> Outcome {
        let variable = || self.variables.get(name).map(|place| &state.values[*place]);
        match self.constants.get(name).or_else(variable) {
            None | Some(Value::Unset) => Err(Fault::NotSet.into()),
            Some(value) => Ok(value.clone()),
        }
    }

    /// The answer of the run that the data belongs to.
    fn query(&self, name: &str, arguments: Vec<Value>) -> Outcome {
        let data = arguments.iter().find_map(|argument| match argument {
            Value::Data(run, _) => Some(*run),
            _ => None,
        });
        let answers = &self.queries[data.unwrap_or(0)];
        let texts: Vec<String> = arguments.iter().map(text).collect();
        let call = format!("{name}({})", texts.join(", "));
        answers.get(&call).or_else(|| answers.get(name)).cloned().ok_or(Fault::NotSet.into())
    }
}

/// How an argument of a query is written.
fn text(value: &Value) -> String {
    match value {
        Value::Data(_, name) => name.clone(),
        Value::Number(Number::Exact(value)) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        _ => "_".to_owned(),
    }
}

/// A value that must be a number.
pub(super) fn number(value: Value) -> Result<Number, Stop> {
    match value {
        Value::Number(number) => Ok(number),
        Value::Unset => Err(Fault::NotSet.into()),
        _ => Err(Fault::Expected("a number").into()),
    }
}

/// A value that must be a condition.
pub(super) fn truth(value: Value) -> Result<bool, Stop> {
    match value {
        Value::Bool(value) => Ok(value),
        Value::Unset => Err(Fault::NotSet.into()),
        _ => Err(Fault::Expected("a condition").into()),
    }
}

/// The place of an index in an array of this length.
pub(super) fn place(index: &Rational, length: usize) -> Result<usize, Stop> {
    let place = index.is_integer().then(|| usize::try_from(index.numerator()).ok()).flatten();
    place.filter(|place| *place < length).ok_or_else(|| Fault::NoElement(index.clone()).into())
}

fn element<'v>(items: &'v [Value], index: &Rational) -> Result<&'v Value, Stop> {
    match &items[place(index, items.len())?] {
        Value::Unset => Err(Fault::NotSet.into()),
        value => Ok(value),
    }
}
