//! What statements ask of a state: what a distribution draws, where a place is, which way a condition goes, what is returned.

use std::collections::BTreeSet;

use lastbit_lang::Span;
use lastbit_lang::ast::{Distribution, ExprId, ExprKind, Place};
use lastbit_real::{Dyadic, Enclosure, Rational};

use super::error::{DiscreteError, Fault, Stop};
use super::expression::{Guesses, Scope, number, truth};
use super::law::{Rate, Unit};
use super::number::Number;
use super::state::{State, Value};

/// The grid of `dlap` is `2^k` for `|k|` up to this.
const MAX_GRID: i64 = 10_000;
/// Longest array.
const MAX_ARRAY: i64 = 10_000;

/// The values that a distribution draws.
pub(super) enum Draw {
    /// One of these values.
    Values(Vec<(Value, Enclosure)>),
    /// `step` times a whole number of the two-sided geometric law of this rate.
    Noise { rate: Rate, step: Rational },
}

impl Scope<'_> {
    fn number(&self, id: ExprId, state: &State, guesses: &Guesses) -> Result<Number, Stop> {
        self.value(id, state, guesses).and_then(number).map_err(|stop| self.located(stop, id))
    }

    fn known(&self, id: ExprId, state: &State, guesses: &Guesses) -> Result<Rational, Stop> {
        let number = self.number(id, state, guesses)?;
        self.arithmetic(state).known(&number).map_err(|stop| self.located(stop, id))
    }

    /// A number that is exact or enclosed.
    fn settled(&self, id: ExprId, state: &State, guesses: &Guesses) -> Result<(Number, Enclosure), Stop> {
        let number = self.number(id, state, guesses)?;
        let enclosure = self.arithmetic(state).enclosure(&number).map_err(|stop| self.located(stop, id))?;
        Ok((number, enclosure))
    }

    /// A whole number.
    pub(super) fn whole(&self, id: ExprId, state: &State, guesses: &Guesses) -> Result<i64, Stop> {
        let value = self.known(id, state, guesses)?;
        let whole = value.is_integer().then(|| i64::try_from(value.numerator()).ok()).flatten();
        whole.ok_or_else(|| self.located(Fault::Expected("a whole number").into(), id))
    }

    /// The element that a place is, if it is one.
    pub(super) fn element(
        &self,
        place: &Place,
        state: &State,
        guesses: &Guesses,
    ) -> Result<Option<i64>, Stop> {
        place.index.map(|index| self.whole(index, state, guesses)).transpose()
    }

    /// Whether a condition holds.
    pub(super) fn holds(&self, id: ExprId, state: &State, guesses: &Guesses) -> Result<bool, Stop> {
        self.value(id, state, guesses).and_then(truth).map_err(|stop| self.located(stop, id))
    }

    /// The length of an array, which all states agree on.
    pub(super) fn length(&self, id: ExprId) -> Result<usize, DiscreteError> {
        let length = self.whole(id, &State::new(self.variables.len()), &Guesses::new());
        match length {
            Ok(length @ 1..=MAX_ARRAY) => Ok(length as usize),
            Err(Stop::Error(error)) => Err(*error),
            _ => {
                let fault = Fault::Expected("the length of an array, a whole number from 1 to 10000");
                Err(DiscreteError::Statement { fault, span: self.file.expr(id).span })
            }
        }
    }

    /// What is returned: exact, or exact up to samples, each of which is in one element.
    pub(super) fn result(&self, id: ExprId, state: &State, guesses: &Guesses) -> Result<Value, Stop> {
        let value = self.value(id, state, guesses)?;
        let items = match &value {
            Value::List(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        let mut samples = BTreeSet::new();
        for item in items {
            match item {
                Value::Bool(_) | Value::Number(Number::Exact(_)) => {}
                Value::Number(Number::Noisy(noisy)) => {
                    if !samples.insert(noisy.sample) {
                        return Err(Stop::Force(noisy.sample));
                    }
                }
                Value::Number(Number::Within(..)) => return Err(self.located(Fault::NotExact.into(), id)),
                Value::Number(Number::Tail(_)) => return Err(Stop::Lost),
                Value::Unset => return Err(self.located(Fault::NotSet.into(), id)),
                Value::List(_) | Value::Data(..) => {
                    return Err(self.located(Fault::Expected("a number or a condition").into(), id));
                }
            }
        }
        Ok(value)
    }

    /// What a distribution draws in this state.
    pub(super) fn draw(
        &self,
        law: &Distribution,
        span: Span,
        state: &State,
        guesses: &Guesses,
    ) -> Result<Draw, Stop> {
        match law {
            Distribution::Unif { .. } | Distribution::Lap(_) | Distribution::Expo(_) => {
                Err(DiscreteError::Continuous { law: law.text(), span }.into())
            }
            Distribution::Sign => {
                let half = Enclosure::exact(Dyadic::pow2(-1));
                let sign = |value: i64| (exact(value), half.clone());
                Ok(Draw::Values(vec![sign(-1), sign(1)]))
            }
            Distribution::Bernoulli(p) => {
                let (_, probability) = self.settled(*p, state, guesses)?;
                let truth = probability_of(&probability).map_err(|fault| self.located(fault.into(), *p))?;
                let lie = &Enclosure::exact(Dyadic::ONE) - &truth;
                Ok(Draw::Values(possible(vec![(Value::Bool(true), truth), (Value::Bool(false), lie)])))
            }
            Distribution::Choose(list) => {
                let mut weights = Vec::new();
                for id in list {
                    let weight = self.settled(*id, state, guesses)?;
                    if weight.1.lo().is_negative() {
                        return Err(self.located(Fault::Weights.into(), *id));
                    }
                    weights.push(weight);
                }
                self.chosen(&weights).map_err(|fault| DiscreteError::Statement { fault, span }.into())
            }
            Distribution::Dlap(scale, exponent) => {
                let k = self.whole(*exponent, state, guesses)?;
                if k.abs() > MAX_GRID {
                    return Err(self.located(Fault::Exponent.into(), *exponent));
                }
                let (number, enclosure) = self.settled(*scale, state, guesses)?;
                if enclosure.lo().signum() <= 0 {
                    return Err(self.located(Fault::Scale.into(), *scale));
                }
                let step = Rational::pow2(k);
                let inverse = self.arithmetic(state).div(&Number::Exact(Rational::ONE), &number);
                let rate = match inverse.map_err(|stop| self.located(stop, *scale))? {
                    Number::Exact(inverse) => Rate { factor: inverse * &step, unit: Unit::One },
                    Number::Within(lo, hi) if self.is_of_parameters(*scale) => {
                        Rate { factor: step.clone(), unit: Unit::Parameter(*scale, lo, hi) }
                    }
                    Number::Within(lo, hi) => Rate { factor: step.clone(), unit: Unit::Value(lo, hi) },
                    Number::Noisy(_) | Number::Tail(_) => return Err(Stop::Lost),
                };
                Ok(Draw::Noise { rate, step })
            }
        }
    }

    /// Whether an expression is made of numbers and parameters alone.
    fn is_of_parameters(&self, root: ExprId) -> bool {
        self.file.post_order(root).into_iter().all(|id| match &self.file.expr(id).kind {
            ExprKind::Name(name) => self.parameters.contains(name.as_str()),
            ExprKind::Query(..) => false,
            _ => true,
        })
    }

    /// Indices with probabilities proportional to their weights.
    fn chosen(&self, weights: &[(Number, Enclosure)]) -> Result<Draw, Fault> {
        let exact_weights: Option<Vec<&Rational>> = weights
            .iter()
            .map(|(number, _)| match number {
                Number::Exact(weight) => Some(weight),
                _ => None,
            })
            .collect();
        let total = weights.iter().fold(Enclosure::exact(Dyadic::ZERO), |total, (_, weight)| &total + weight);
        let masses: Vec<Enclosure> = match exact_weights {
            Some(weights) => {
                let total: Rational = weights.iter().copied().sum();
                let shares = weights.iter().map(|weight| weight.checked_div(&total));
                let shares: Option<Vec<Rational>> = shares.collect();
                let shares = shares.ok_or(Fault::Weights)?;
                shares.iter().map(|share| Enclosure::of_rational(share, self.bits)).collect()
            }
            None => {
                let shares = weights.iter().map(|(_, weight)| weight.div(&total, self.bits));
                shares.collect::<Option<_>>().ok_or(Fault::Weights)?
            }
        };
        let indices = masses.into_iter().enumerate().map(|(index, mass)| (exact(index as i64), mass));
        Ok(Draw::Values(possible(indices.collect())))
    }
}

fn exact(value: i64) -> Value {
    Value::Number(Number::Exact(value.into()))
}

/// What has a probability other than 0.
fn possible(mut values: Vec<(Value, Enclosure)>) -> Vec<(Value, Enclosure)> {
    values.retain(|(_, mass)| !mass.hi().is_zero());
    values
}

/// The part of an interval that lies in [0, 1].
fn probability_of(value: &Enclosure) -> Result<Enclosure, Fault> {
    let lo = value.lo().max(&Dyadic::ZERO).clone();
    let hi = value.hi().min(&Dyadic::ONE).clone();
    Enclosure::new(lo, hi).ok_or(Fault::Probability)
}
