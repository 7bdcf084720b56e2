//! Parameters and arguments: what a program starts from.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use lastbit_lang::ast::{
    Binder, CompareOp, Constraint, Declaration, ExprId, File, Scalar, Shape, Statement, StatementKind,
};
use lastbit_real::Rational;

use super::error::{DiscreteError, Stop};
use super::expression::{Guesses, Scope, number};
use super::number::{Arithmetic, Number};
use super::state::{State, Value};

/// The value of an argument or of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Number(Rational),
    /// A condition.
    Bool(bool),
    /// An array of numbers.
    Numbers(Vec<Rational>),
    /// An array of conditions.
    Bools(Vec<bool>),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: ToString>(values: &[T]) -> String {
            format!("[{}]", values.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
        }
        match self {
            Argument::Number(value) => write!(f, "{value}"),
            Argument::Bool(value) => write!(f, "{value}"),
            Argument::Numbers(values) => f.write_str(&list(values)),
            Argument::Bools(values) => f.write_str(&list(values)),
        }
    }
}

/// The values of the arguments by their names. Of `data` nothing is given but the answers to queries: `f(a)` by that text, or
/// by `f` whatever it is asked of.
pub type Inputs = BTreeMap<String, Argument>;

/// The values of parameters by their names.
pub type Parameters = BTreeMap<String, Rational>;

/// Refuses a mechanism over floats: here numbers are real, as clauses have them and bodies do not.
pub(super) fn without_floats(declaration: &Declaration) -> Result<(), DiscreteError> {
    let binders = declaration.arguments.iter().chain(declaration.parameters()).chain(declaration.queries());
    let mut types = binders.map(|binder| &binder.ty).chain([&declaration.result]);
    let float = types.find(|ty| matches!(ty.scalar, Scalar::F64 | Scalar::F32));
    float.map_or(Ok(()), |ty| Err(DiscreteError::Float { span: ty.span }))
}

/// The scopes of both runs. A float is the real number that it stands for.
pub(super) fn scopes<'a>(
    file: &'a File,
    declaration: &'a Declaration,
    parameters: &Parameters,
    inputs: [&Inputs; 2],
    bits: u32,
) -> Result<[Scope<'a>; 2], DiscreteError> {
    known_names(declaration, parameters, inputs)?;
    let [first, second] = inputs.map(|inputs| answers(declaration, inputs));
    let queries = [first?, second?];
    let scope = |run: usize| {
        let mut scope = of_parameters(file, declaration, parameters, queries.clone(), bits)?;
        for binder in &declaration.arguments {
            let value = scope.argument(binder, run, inputs[run])?;
            scope.constants.insert(&binder.name.text, value);
        }
        for binder in &declaration.arguments {
            scope.allowed(binder, &scope.constants[binder.name.text.as_str()])?;
        }
        for binder in declaration.queries() {
            let answers = scope.queries[run].iter();
            let own = answers.filter(|(call, _)| base(call) == binder.name.text);
            own.into_iter().try_for_each(|(_, answer)| scope.allowed(binder, answer))?;
        }
        Ok(scope)
    };
    Ok([scope(0)?, scope(1)?])
}

/// A scope that knows the parameters, which lie in their ranges.
pub(super) fn of_parameters<'a>(
    file: &'a File,
    declaration: &'a Declaration,
    parameters: &Parameters,
    queries: [HashMap<String, Value>; 2],
    bits: u32,
) -> Result<Scope<'a>, DiscreteError> {
    let variables = variables(&declaration.body);
    let names = declaration.parameters().map(|binder| binder.name.text.as_str()).collect();
    let mut scope = Scope { file, parameters: names, constants: HashMap::new(), queries, variables, bits };
    for binder in declaration.parameters() {
        let value = scope.parameter(binder, parameters)?;
        scope.constants.insert(&binder.name.text, value);
    }
    for binder in declaration.parameters() {
        scope.allowed(binder, &scope.constants[binder.name.text.as_str()])?;
    }
    Ok(scope)
}

/// `f` of `f(a)`.
fn base(call: &str) -> &str {
    call.split('(').next().unwrap_or(call)
}

fn known_names(
    declaration: &Declaration,
    parameters: &Parameters,
    inputs: [&Inputs; 2],
) -> Result<(), DiscreteError> {
    let is_parameter = |name: &&String| declaration.parameters().any(|binder| binder.name.text == **name);
    let is_input = |name: &&String| {
        let is_argument = declaration.arguments.iter().any(|binder| binder.name.text == **name);
        is_argument || declaration.queries().any(|binder| binder.name.text == base(name))
    };
    let unknown = parameters.keys().find(|name| !is_parameter(name));
    let unknown =
        unknown.or_else(|| inputs.into_iter().flat_map(BTreeMap::keys).find(|name| !is_input(name)));
    unknown.map_or(Ok(()), |name| Err(DiscreteError::Unknown(name.clone())))
}

/// The answers of all queries.
fn answers(declaration: &Declaration, inputs: &Inputs) -> Result<HashMap<String, Value>, DiscreteError> {
    let mut answers = HashMap::new();
    for binder in declaration.queries() {
        let name = &binder.name.text;
        let given: Vec<_> = inputs.iter().filter(|(call, _)| base(call) == name).collect();
        if given.is_empty() {
            return Err(DiscreteError::Missing { name: name.clone(), span: binder.span });
        }
        for (call, argument) in given {
            answers.insert(call.clone(), typed(binder, argument)?);
        }
    }
    Ok(answers)
}

/// The places of all variables that the statements set.
fn variables(statements: &[Statement]) -> HashMap<&str, usize> {
    let mut variables = HashMap::new();
    let mut stack: Vec<&Statement> = statements.iter().rev().collect();
    while let Some(statement) = stack.pop() {
        match &statement.kind {
            StatementKind::Declare(name, _) => {
                let next = variables.len();
                variables.entry(name.text.as_str()).or_insert(next);
            }
            StatementKind::Sample(place, _) | StatementKind::Assign(place, _) => {
                let next = variables.len();
                variables.entry(place.name.text.as_str()).or_insert(next);
            }
            StatementKind::If { then, otherwise, .. } => {
                stack.extend(otherwise.statements.iter().rev());
                stack.extend(then.statements.iter().rev());
            }
            StatementKind::For { body, .. } => stack.extend(body.statements.iter().rev()),
            StatementKind::Return(_) => {}
        }
    }
    variables
}

/// A value of the declared type.
fn typed(binder: &Binder, argument: &Argument) -> Result<Value, DiscreteError> {
    let scalar = binder.ty.scalar;
    let number = |value: &Rational| {
        let fits = match scalar {
            Scalar::Int => value.is_integer(),
            Scalar::Sign => value.abs() == Rational::ONE,
            Scalar::Bool => value.is_zero() || *value == Rational::ONE,
            _ => true,
        };
        fits.then(|| match scalar {
            Scalar::Bool => Value::Bool(*value == Rational::ONE),
            _ => Value::Number(Number::Exact(value.clone())),
        })
    };
    let bool = |value: &bool| (scalar == Scalar::Bool).then_some(Value::Bool(*value));
    let is_array = binder.ty.shape != Shape::One;
    let value = match argument {
        Argument::Number(value) if !is_array => number(value),
        Argument::Bool(value) if !is_array => bool(value),
        Argument::Numbers(values) if is_array => {
            values.iter().map(number).collect::<Option<_>>().map(Value::List)
        }
        Argument::Bools(values) if is_array => {
            values.iter().map(bool).collect::<Option<_>>().map(Value::List)
        }
        _ => None,
    };
    value.ok_or_else(|| not_allowed(binder, argument.to_string()))
}

fn not_allowed(binder: &Binder, value: String) -> DiscreteError {
    DiscreteError::NotAllowed { name: binder.name.text.clone(), value, span: binder.span }
}

impl Scope<'_> {
    /// A parameter, from the caller or the file; it may refer to those before it.
    fn parameter(&self, binder: &Binder, parameters: &Parameters) -> Result<Value, DiscreteError> {
        let name = &binder.name.text;
        if let Some(value) = parameters.get(name) {
            return typed(binder, &Argument::Number(value.clone()));
        }
        match binder.constraint {
            Some(Constraint::Compare(CompareOp::Equal, value)) => {
                let value = self.constant(value).map_err(error)?;
                match value {
                    Value::Number(Number::Exact(value)) => typed(binder, &Argument::Number(value)),
                    value => Ok(value),
                }
            }
            _ => Err(DiscreteError::Missing { name: name.clone(), span: binder.span }),
        }
    }

    fn argument(&self, binder: &Binder, run: usize, inputs: &Inputs) -> Result<Value, DiscreteError> {
        let name = &binder.name.text;
        if binder.ty.scalar == Scalar::Data {
            return Ok(Value::Data(run, name.clone()));
        }
        let missing = || DiscreteError::Missing { name: name.clone(), span: binder.span };
        let value = typed(binder, inputs.get(name).ok_or_else(missing)?)?;
        if let (Value::List(items), Shape::Array(length)) = (&value, binder.ty.shape)
            && items.len() != self.length(length)?
        {
            return Err(not_allowed(binder, format!("an array of {}", items.len())));
        }
        Ok(value)
    }

    /// Refuses a value outside of the declared range.
    fn allowed(&self, binder: &Binder, value: &Value) -> Result<(), DiscreteError> {
        let items = match value {
            Value::List(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        for item in items {
            let Value::Number(item) = item else { continue };
            let fits = match binder.constraint {
                None => true,
                Some(Constraint::Compare(op, bound)) => self.compares(op, item, bound)?,
                Some(Constraint::In(interval)) => {
                    let above =
                        if interval.lo_closed { CompareOp::GreaterOrEqual } else { CompareOp::Greater };
                    let below = if interval.hi_closed { CompareOp::LessOrEqual } else { CompareOp::Less };
                    self.compares(above, item, interval.lo)? && self.compares(below, item, interval.hi)?
                }
            };
            if !fits {
                let shown = match item {
                    Number::Exact(value) => value.to_string(),
                    _ => "this".to_owned(),
                };
                return Err(not_allowed(binder, shown));
            }
        }
        Ok(())
    }

    fn compares(&self, op: CompareOp, value: &Number, bound: ExprId) -> Result<bool, DiscreteError> {
        let bound = self.constant(bound).and_then(number).map_err(error)?;
        let arithmetic = Arithmetic { samples: &BTreeMap::new(), bits: self.bits };
        // What cannot be told from the end of a range is not in it.
        Ok(arithmetic.compare(op, value, &bound).map_err(error)?.unwrap_or(false))
    }

    /// The value of an expression of a clause.
    pub(super) fn clause(&self, id: ExprId) -> Result<Number, DiscreteError> {
        let value = self.value(id, &State::new(self.variables.len()), &Guesses::new());
        value.and_then(number).map_err(|stop| error(self.located(stop, id)))
    }
}

/// Where there are no samples, nothing but an error stops an evaluation.
pub(super) fn error(stop: Stop) -> DiscreteError {
    match stop {
        Stop::Error(error) => *error,
        Stop::Fault(fault) => DiscreteError::Statement { fault, span: Default::default() },
        _ => unreachable!("there are no samples in a clause"),
    }
}
