//! Bodies on symbols: every way through them.

use std::collections::{BTreeMap, HashMap};

use lastbit_real::Rational;

use super::evaluate::{self, Scope};
use super::{Application, Constraint, Obligation, Polynomial, Program, Symbol, Trace, Value, explore};
use crate::ast::{Distribution, ExprId, Place, Scalar, Shape, Side, Statement, StatementKind};
use crate::{Diagnostic, Span};

/// A law with infinitely many values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// Uniform on (0, 1].
    Uniform,
    /// Laplace of this scale.
    Laplace(Polynomial),
    /// Exponential of this mean.
    Exponential(Polynomial),
    /// Discrete Laplace: the scale, and the exponent of the grid.
    DiscreteLaplace(Polynomial, Polynomial),
}

impl Law {
    /// The scale, of those that have one.
    pub fn scale(&self) -> Option<&Polynomial> {
        match self {
            Law::Uniform => None,
            Law::Laplace(scale) | Law::Exponential(scale) | Law::DiscreteLaplace(scale, _) => Some(scale),
        }
    }
}

/// A sample from a [`Law`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The name: `z`, `nu[3]`; `z#2` if a loop draws it the second time.
    pub name: Symbol,
    /// The law that it is drawn from.
    pub law: Law,
    /// The place of the draw in the text.
    pub span: Span,
}

impl Sample {
    /// The variable that stands for it: itself, or `ln(u)` of a uniform one.
    pub fn coordinate(&self) -> Symbol {
        match self.law {
            Law::Uniform => format!("ln({})", self.name).into(),
            _ => self.name.clone(),
        }
    }
}

/// A law with finitely many values: the weight of each, and their sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteLaw {
    /// The weights. Of `sign` first that of 1, of `bernoulli` first that of `true`.
    pub weights: Vec<Polynomial>,
    /// Their sum.
    pub total: Polynomial,
}

/// A sample from a [`FiniteLaw`], and which of its values it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name.
    pub name: Symbol,
    /// The law that it is drawn from.
    pub law: FiniteLaw,
    /// The number of the value.
    pub value: usize,
}

/// A source of the samples of a run.
pub trait Samples {
    /// The value of a sample.
    ///
    /// # Errors
    /// If there is none.
    fn continuous(&self, sample: &Sample) -> Result<Value, Diagnostic>;
    /// The number of a value, or `None`: every one, in a way of its own.
    fn finite(&self, name: &Symbol) -> Option<usize>;
}

/// Samples are variables, of uniform ones the logarithm; those with finitely many values have each in turn.
#[derive(Clone, Copy, Debug)]
pub struct Fresh;

impl Samples for Fresh {
    fn continuous(&self, sample: &Sample) -> Result<Value, Diagnostic> {
        let variable = Polynomial::variable(sample.coordinate());
        Ok(if sample.law == Law::Uniform { Value::Exp(variable) } else { Value::Number(variable) })
    }
    fn finite(&self, _: &Symbol) -> Option<usize> {
        None
    }
}

/// A path through a program.
#[derive(Clone, Debug)]
pub struct Path {
    /// The conditions under which it is taken.
    pub guards: Vec<Constraint>,
    /// The samples with finitely many values, and which these are.
    pub choices: Vec<Choice>,
    /// The other samples that are drawn.
    pub samples: Vec<Sample>,
    /// The conditions under which the program is defined.
    pub obligations: Vec<Obligation>,
    /// The functions that are no polynomials.
    pub applications: BTreeMap<Symbol, Application>,
    /// The returned values: numbers and truth values.
    pub result: Vec<Value>,
    /// The last values of the variables.
    pub variables: BTreeMap<String, Value>,
}

/// Every way through the program.
///
/// # Errors
/// A message with the place, where the program cannot be run on symbols.
pub fn paths(program: &Program<'_>, side: Side, samples: &dyn Samples) -> Result<Vec<Path>, Diagnostic> {
    let span = program.declaration.name.span;
    let found = explore(span, program.watch(), |trace| {
        let mut run = Run {
            program,
            samples,
            trace,
            variables: program.start(side),
            drawn: HashMap::new(),
            path_samples: Vec::new(),
            choices: Vec::new(),
            result: None,
        };
        run.block(&program.declaration.body)?;
        let Some(result) = run.result.take() else {
            return Err(Diagnostic::new(span, "the mechanism returns nothing"));
        };
        Ok((result, run.variables, run.path_samples, run.choices))
    })?;
    let path = |((result, variables, samples, choices), trace): (_, Trace)| Path {
        guards: trace.guards,
        choices,
        samples,
        obligations: trace.obligations,
        applications: trace.applications,
        result,
        variables,
    };
    Ok(found.into_iter().map(path).collect())
}

struct Run<'r, 'a> {
    program: &'r Program<'a>,
    samples: &'r dyn Samples,
    trace: &'r mut Trace,
    variables: BTreeMap<String, Value>,
    /// The number of times that a name has been drawn.
    drawn: HashMap<String, usize>,
    path_samples: Vec<Sample>,
    choices: Vec<Choice>,
    result: Option<Vec<Value>>,
}

/// The variables of a run.
struct Variables<'v>(&'v BTreeMap<String, Value>);

impl Scope for Variables<'_> {
    fn lookup(&self, name: &str, _: Option<Side>) -> Option<Value> {
        self.0.get(name).cloned()
    }
}

impl Run<'_, '_> {
    fn number(&mut self, id: ExprId) -> Result<Polynomial, Diagnostic> {
        evaluate::number(self.program.file, &Variables(&self.variables), id, None, self.trace)
    }

    fn block(&mut self, statements: &[Statement]) -> Result<(), Diagnostic> {
        for statement in statements {
            if self.result.is_some() {
                break;
            }
            self.trace.step(statement.span)?;
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        let file = self.program.file;
        match &statement.kind {
            StatementKind::Declare(name, ty) => {
                if matches!(ty.scalar, Scalar::F64 | Scalar::F32) {
                    return Err(Diagnostic::new(
                        ty.span,
                        "the logic is about real numbers, and this is a float",
                    ));
                }
                if let Shape::Array(length) = ty.shape {
                    let length = self.program.length(length)?;
                    self.variables.insert(name.text.clone(), Value::List(vec![Value::Unset; length]));
                }
            }
            StatementKind::Assign(place, id) => {
                let value = evaluate::value(file, &Variables(&self.variables), *id, None, self.trace)?;
                let element = self.element(place)?;
                self.set(place, element, value)?;
            }
            StatementKind::Sample(place, distribution) => {
                let element = self.element(place)?;
                let name = match element {
                    Some(index) => format!("{}[{index}]", place.name.text),
                    None => place.name.text.clone(),
                };
                let count = self.drawn.entry(name.clone()).or_insert(0);
                *count += 1;
                let name: Symbol = if *count == 1 { name } else { format!("{name}#{count}") }.into();
                let value = self.sample(name, distribution, statement.span)?;
                self.set(place, element, value)?;
            }
            StatementKind::If { condition, then, otherwise } => {
                let scope = Variables(&self.variables);
                let holds = evaluate::condition(file, &scope, *condition, None, self.trace)?;
                self.block(if holds { &then.statements } else { &otherwise.statements })?;
            }
            StatementKind::For { variable, from, to, body } => {
                let (first, end) = (self.whole(*from)?, self.whole(*to)?);
                let before = self.variables.remove(&variable.text);
                for index in first..end {
                    self.trace.step(statement.span)?;
                    let value = Value::Number(Polynomial::constant(index));
                    self.variables.insert(variable.text.clone(), value);
                    self.block(&body.statements)?;
                }
                self.variables.remove(&variable.text);
                before.map(|value| self.variables.insert(variable.text.clone(), value));
            }
            StatementKind::Return(id) => {
                let value = evaluate::value(file, &Variables(&self.variables), *id, None, self.trace)?;
                let values = value.flatten(self.trace);
                if values.contains(&Value::Unset) {
                    return Err(Diagnostic::new(statement.span, "an element of what is returned is not set"));
                }
                self.result = Some(values);
            }
        }
        Ok(())
    }

    /// A whole number that is known.
    fn whole(&mut self, id: ExprId) -> Result<i64, Diagnostic> {
        let value = self.number(id)?.as_constant().filter(|value| value.is_integer());
        let whole = value.and_then(|value| i64::try_from(value.floor()).ok());
        whole.ok_or_else(|| {
            Diagnostic::new(self.program.file.expr(id).span, "this must be a known whole number")
                .with_hint("give the parameters in it a value")
        })
    }

    fn element(&mut self, place: &Place) -> Result<Option<i64>, Diagnostic> {
        place.index.map(|index| self.whole(index)).transpose()
    }

    fn set(&mut self, place: &Place, element: Option<i64>, value: Value) -> Result<(), Diagnostic> {
        let name = &place.name.text;
        let Some(element) = element else {
            self.variables.insert(name.clone(), value);
            return Ok(());
        };
        let Some(Value::List(items)) = self.variables.get_mut(name) else {
            return Err(Diagnostic::new(place.name.span, format!("`{name}` is not an array")));
        };
        let length = items.len();
        match usize::try_from(element).ok().and_then(|element| items.get_mut(element)) {
            Some(item) => *item = value,
            None => {
                let message = format!("`{name}` has no element {element}: it has {length}");
                return Err(Diagnostic::new(place.name.span, message));
            }
        }
        Ok(())
    }

    fn sample(&mut self, name: Symbol, distribution: &Distribution, span: Span) -> Result<Value, Diagnostic> {
        let law = match distribution {
            Distribution::Unif { .. } => Law::Uniform,
            Distribution::Lap(scale) => Law::Laplace(self.scale(*scale, span)?),
            Distribution::Expo(scale) => Law::Exponential(self.scale(*scale, span)?),
            Distribution::Dlap(scale, exponent) => {
                Law::DiscreteLaplace(self.scale(*scale, span)?, self.number(*exponent)?)
            }
            Distribution::Sign | Distribution::Bernoulli(_) | Distribution::Choose(_) => {
                return self.finite(name, distribution, span);
            }
        };
        let sample = Sample { name, law, span };
        let value = self.samples.continuous(&sample)?;
        self.path_samples.push(sample);
        Ok(value)
    }

    fn scale(&mut self, id: ExprId, span: Span) -> Result<Polynomial, Diagnostic> {
        let scale = self.number(id)?;
        if let Some(value) = scale.as_constant().filter(|value| !value.is_positive()) {
            let message = format!("a scale must be positive, but this one is {value}");
            let hint = "a scale is a distance over ε, such as 1 / eps";
            return Err(Diagnostic::new(self.program.file.expr(id).span, message).with_hint(hint));
        }
        self.trace.forbid(Constraint::non_negative(-&scale), "a scale must be positive", span);
        Ok(scale)
    }

    fn finite(&mut self, name: Symbol, distribution: &Distribution, span: Span) -> Result<Value, Diagnostic> {
        let one = Polynomial::constant(1);
        let law = match distribution {
            Distribution::Bernoulli(id) => {
                let p = self.number(*id)?;
                if let Some(value) = p.as_constant().filter(|p| p.is_negative() || *p > Rational::ONE) {
                    let message = format!("a probability must lie in [0, 1], but this one is {value}");
                    return Err(Diagnostic::new(self.program.file.expr(*id).span, message));
                }
                let weights = vec![p.clone(), &one - &p];
                let reason = "a probability must be between 0 and 1";
                for weight in &weights {
                    self.trace.forbid(Constraint::positive(-weight), reason, span);
                }
                FiniteLaw { weights, total: one }
            }
            Distribution::Choose(ids) => {
                let mut weights = Vec::new();
                for id in ids {
                    let weight = self.number(*id)?;
                    if let Some(value) = weight.as_constant().filter(Rational::is_negative) {
                        let message = format!("a weight must not be negative, but this one is {value}");
                        return Err(Diagnostic::new(self.program.file.expr(*id).span, message));
                    }
                    self.trace.forbid(Constraint::non_negative(-&weight), "a weight must be positive", span);
                    weights.push(weight);
                }
                let total = weights.iter().fold(Polynomial::zero(), |sum, weight| &sum + weight);
                FiniteLaw { weights, total }
            }
            _ => FiniteLaw { weights: vec![one.clone(), one], total: Polynomial::constant(2) },
        };
        let value = self.samples.finite(&name).unwrap_or_else(|| self.trace.choose(law.weights.len()));
        self.choices.push(Choice { name, law, value });
        Ok(match distribution {
            Distribution::Bernoulli(_) => Value::Bool(value == 0),
            Distribution::Choose(_) => Value::Number(Polynomial::constant(value as i64)),
            _ => Value::Number(Polynomial::constant(1 - 2 * value as i64)),
        })
    }
}
