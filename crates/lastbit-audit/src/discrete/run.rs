//! One run of a program: from the distribution of its states before a statement to that after it.

use std::collections::BTreeMap;

use lastbit_lang::Span;
use lastbit_lang::ast::{Block, Name, Place, Scalar, Shape, Statement, StatementKind, Type};
use lastbit_real::{Dyadic, Enclosure, Rational};

use super::error::{DiscreteError, Fault};
use super::expression::{Scope, place};
use super::law::{Laws, product, sum};
use super::liveness::{Live, MAX_ROUNDS};
use super::noisy::Noisy;
use super::number::Number;
use super::sample::Draw;
use super::state::{Sample, SampleId, State, Value, Weighted};

/// States with their weights.
pub(super) type Distribution = BTreeMap<State, Enclosure>;

/// Adds to the weight of a key.
pub(super) fn add<K: Ord>(weights: &mut BTreeMap<K, Enclosure>, key: K, weight: Enclosure, bits: u32) {
    match weights.get_mut(&key) {
        Some(known) => *known = sum(known, &weight, bits),
        None => {
            weights.insert(key, weight);
        }
    }
}

/// A run on one input.
pub(super) struct Run<'a, 'l> {
    pub(super) scope: Scope<'a>,
    pub(super) laws: &'l mut Laws,
    /// What is cut off of a tail weighs about `2^-precision`.
    pub(super) precision: u32,
    /// Most states at a time.
    pub(super) budget: u64,
    /// The number of samples that have been drawn.
    samples: SampleId,
    /// What has been returned: states whose only value it is.
    pub(super) returned: Distribution,
    /// The probability of what may be any output.
    pub(super) rest: Enclosure,
}

impl<'a, 'l> Run<'a, 'l> {
    pub(super) fn new(scope: Scope<'a>, laws: &'l mut Laws, precision: u32, budget: u64) -> Run<'a, 'l> {
        let rest = Enclosure::exact(Dyadic::ZERO);
        Run { scope, laws, precision, budget, samples: 0, returned: Distribution::new(), rest }
    }

    /// Runs the whole body.
    pub(super) fn body(&mut self, statements: &'a [Statement]) -> Result<(), DiscreteError> {
        let start = State::new(self.scope.variables.len());
        let certain = Enclosure::exact(Dyadic::ONE);
        self.block(statements, [(start, certain)].into(), &Live::default()).map(|_| ())
    }

    pub(super) fn bits(&self) -> u32 {
        self.scope.bits
    }

    fn block(
        &mut self,
        statements: &'a [Statement],
        mut states: Distribution,
        after: &Live,
    ) -> Result<Distribution, DiscreteError> {
        let (after_each, before) = self.scope.live_after_each(statements, after);
        states = self.kept(states, &before);
        for (statement, live) in statements.iter().zip(&after_each) {
            if states.is_empty() {
                break;
            }
            states = self.statement(statement, states, live)?;
            self.within_budget(states.len(), statement.span)?;
        }
        Ok(states)
    }

    fn statement(
        &mut self,
        statement: &'a Statement,
        states: Distribution,
        live: &Live,
    ) -> Result<Distribution, DiscreteError> {
        let span = statement.span;
        let mut next = Distribution::new();
        match &statement.kind {
            StatementKind::Declare(name, ty) => return self.declare(name, ty, states),
            StatementKind::Assign(place, value) => {
                let answers = self.answers(states, span, |scope, state, guesses| {
                    Ok((scope.value(*value, state, guesses)?, scope.element(place, state, guesses)?))
                })?;
                for (mut state, (value, element), weight) in answers {
                    self.set(&mut state, place, element, value)?;
                    self.keep(&mut next, state, &weight, live);
                }
            }
            StatementKind::Sample(place, law) => {
                self.samples += 1;
                let answers = self.answers(states, span, |scope, state, guesses| {
                    Ok((scope.draw(law, span, state, guesses)?, scope.element(place, state, guesses)?))
                })?;
                for (state, (draw, element), weight) in answers {
                    for (value, sample, mass) in self.drawn(draw) {
                        let mut state = state.clone();
                        state.samples.extend(sample.map(|sample| (self.samples, sample)));
                        self.set(&mut state, place, element, value)?;
                        let weight = product(&weight, &mass, self.bits());
                        self.keep(&mut next, state, &weight, live);
                    }
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                let answers = self
                    .answers(states, span, |scope, state, guesses| scope.holds(*condition, state, guesses))?;
                let mut sides = [Distribution::new(), Distribution::new()];
                for (state, holds, weight) in answers {
                    add(&mut sides[usize::from(!holds)], state, weight, self.bits());
                }
                for (block, side) in [then, otherwise].into_iter().zip(sides) {
                    let after = self.block(&block.statements, side, live)?;
                    after.into_iter().for_each(|(state, weight)| self.keep(&mut next, state, &weight, live));
                }
            }
            StatementKind::For { variable, from, to, body } => {
                let answers = self.answers(states, span, |scope, state, guesses| {
                    Ok([scope.whole(*from, state, guesses)?, scope.whole(*to, state, guesses)?])
                })?;
                let mut groups: BTreeMap<[i64; 2], Distribution> = BTreeMap::new();
                for (state, ends, weight) in answers {
                    add(groups.entry(ends).or_default(), state, weight, self.scope.bits);
                }
                for ([from, to], states) in groups {
                    let after = self.repeat(variable, from..to, body, states, live, span)?;
                    after.into_iter().for_each(|(state, weight)| self.keep(&mut next, state, &weight, live));
                }
            }
            StatementKind::Return(value) => {
                let answers =
                    self.answers(states, span, |scope, state, guesses| scope.result(*value, state, guesses))?;
                for (mut state, value, weight) in answers {
                    state.values = vec![value];
                    let mass = state.forget(self.laws, self.scope.bits);
                    let weight = product(&weight, &mass, self.bits());
                    add(&mut self.returned, state, weight, self.scope.bits);
                }
                self.within_budget(self.returned.len(), span)?;
            }
        }
        Ok(next)
    }

    fn repeat(
        &mut self,
        variable: &'a Name,
        range: std::ops::Range<i64>,
        body: &'a Block,
        mut states: Distribution,
        after: &Live,
        span: Span,
    ) -> Result<Distribution, DiscreteError> {
        let rounds = range.end.saturating_sub(range.start);
        if rounds > MAX_ROUNDS as i64 {
            return Err(DiscreteError::TooManyRounds { rounds, span });
        }
        let (after_rounds, _) = self.scope.live_in_loop(variable, range.clone(), body, after);
        for (index, live) in range.zip(after_rounds.iter().rev()) {
            self.scope.set_constant(variable, index);
            states = self.block(&body.statements, states, live)?;
        }
        self.scope.constants.remove(variable.text.as_str());
        Ok(states)
    }

    /// The values of a draw, with their probabilities.
    fn drawn(&mut self, draw: Draw) -> Vec<(Value, Option<Sample>, Enclosure)> {
        match draw {
            Draw::Values(values) => values.into_iter().map(|(value, mass)| (value, None, mass)).collect(),
            Draw::Noise { rate, step } => {
                let law = self.laws.of_rate(rate);
                let noisy = Noisy { offset: Rational::ZERO, slope: step, sample: self.samples };
                let sample = Sample { law, lo: None, hi: None };
                let certain = Enclosure::exact(Dyadic::ONE);
                vec![(Value::Number(Number::Noisy(noisy)), Some(sample), certain)]
            }
        }
    }

    fn declare(
        &mut self,
        name: &'a Name,
        ty: &Type,
        states: Distribution,
    ) -> Result<Distribution, DiscreteError> {
        if matches!(ty.scalar, Scalar::F64 | Scalar::F32) {
            return Err(DiscreteError::Float { span: ty.span });
        }
        let Shape::Array(length) = ty.shape else { return Ok(states) };
        let length = self.scope.length(length)?;
        let set = |(mut state, weight): Weighted| {
            if let Some(variable) = self.scope.variable(&name.text) {
                state.values[variable] = Value::List(vec![Value::Unset; length]);
            }
            (state, weight)
        };
        Ok(states.into_iter().map(set).collect())
    }

    /// Sets a variable or an element.
    fn set(
        &self,
        state: &mut State,
        target: &Place,
        element: Option<i64>,
        value: Value,
    ) -> Result<(), DiscreteError> {
        let fault = |fault| DiscreteError::Statement { fault, span: target.name.span };
        let Some(variable) = self.scope.variable(&target.name.text) else { return Err(fault(Fault::NotSet)) };
        let known = &mut state.values[variable];
        match (element, known, value) {
            (Some(element), Value::List(items), value) => match place(&element.into(), items.len()) {
                Ok(place) => items[place] = value,
                Err(_) => return Err(fault(Fault::NoElement(element.into()))),
            },
            (Some(_), ..) => return Err(fault(Fault::Expected("an array"))),
            // The length of a declared array may be a parameter, which the types do not know.
            (None, Value::List(items), Value::List(new)) if items.len() != new.len() => {
                return Err(fault(Fault::Expected("an array of the declared length")));
            }
            (None, known, value) => *known = value,
        }
        Ok(())
    }

    /// Forgets what is not needed.
    fn kept(&mut self, states: Distribution, live: &Live) -> Distribution {
        let mut kept = Distribution::new();
        states.into_iter().for_each(|(state, weight)| self.keep(&mut kept, state, &weight, live));
        kept
    }

    fn keep(&mut self, states: &mut Distribution, mut state: State, weight: &Enclosure, live: &Live) {
        live.restrict(&mut state);
        let mass = state.forget(self.laws, self.scope.bits);
        add(states, state, product(weight, &mass, self.scope.bits), self.scope.bits);
    }

    pub(super) fn too_many(&self, states: u64, span: Span) -> DiscreteError {
        DiscreteError::TooManyStates { states, budget: self.budget, span }
    }

    pub(super) fn within_budget(&self, states: usize, span: Span) -> Result<(), DiscreteError> {
        let states = states as u64;
        if states > self.budget { Err(self.too_many(states, span)) } else { Ok(()) }
    }
}
