//! Answers that depend on samples: a state is taken apart until it has one.

use std::collections::BTreeMap;

use lastbit_lang::Span;
use lastbit_real::Enclosure;

use super::error::{DiscreteError, Stop};
use super::expression::{Guesses, Scope};
use super::law::{at_most, product, sum};
use super::run::{Distribution, Run, add};
use super::state::{State, Weighted};

impl<'a> Run<'a, '_> {
    /// Answers a question in every state. Where that depends on a sample, the state is taken apart until it does not.
    pub(super) fn answers<T>(
        &mut self,
        states: Distribution,
        span: Span,
        question: impl Fn(&Scope<'a>, &State, &Guesses) -> Result<T, Stop>,
    ) -> Result<Vec<(State, T, Enclosure)>, DiscreteError> {
        let undivided = states.into_iter().map(|(state, weight)| ((state, Guesses::new()), weight));
        let mut queue: BTreeMap<(State, Guesses), Enclosure> = undivided.collect();
        let mut answers = Vec::new();
        while let Some(((state, guesses), weight)) = queue.pop_first() {
            let parts: Vec<Weighted> = match question(&self.scope, &state, &guesses) {
                Ok(answer) => {
                    answers.push((state, answer, weight));
                    continue;
                }
                Err(Stop::Force(id)) => {
                    let mass = product(&weight, &state.mass(self.laws, self.scope.bits), self.bits());
                    // What has a small weight anyway needs fewer bits.
                    let bits = i64::from(self.precision)
                        + mass.hi().floor_log2().map_or(i64::MIN / 2, |log2| log2 + 1);
                    let forced = state.forced(id, bits, self.budget, self.laws);
                    forced.map_err(|states| self.too_many(states, span))?
                }
                Err(Stop::Split(id, at)) => state.split(id, &at, self.laws),
                Err(Stop::Residues(id, count)) => state.residues(id, count, self.laws),
                Err(Stop::Undecided(comparison)) => {
                    for guess in [true, false] {
                        let mut guesses = guesses.clone();
                        guesses.insert(comparison, guess);
                        add(&mut queue, (state.clone(), guesses), at_most(&weight), self.scope.bits);
                    }
                    continue;
                }
                Err(Stop::Lost) => {
                    let mass = product(&weight, &state.mass(self.laws, self.scope.bits), self.bits());
                    self.rest = sum(&self.rest, &mass, self.bits());
                    continue;
                }
                Err(Stop::Error(error)) => return Err(*error),
                Err(Stop::Fault(fault)) => return Err(DiscreteError::Statement { fault, span }),
            };
            for (part, mass) in parts {
                let weight = product(&weight, &mass, self.bits());
                add(&mut queue, (part, guesses.clone()), weight, self.scope.bits);
            }
            self.within_budget(queue.len() + answers.len(), span)?;
        }
        Ok(answers)
    }
}
