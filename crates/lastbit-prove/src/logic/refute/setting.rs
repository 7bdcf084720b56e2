//! A program with numbers for its parameters, and losses of candidates.

use std::collections::BTreeMap;

use lastbit_audit::discrete::{self, Parameters};
use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::symbolic::{Law, Program};
use lastbit_lang::watch::Watch;
use lastbit_real::{Rational, Rounding};

use super::RefuteError;
use super::event::Event;
use super::hunt::Hunt;
use super::model::Model;
use super::neighbours::Space;
use super::quotient::{Quotient, ln_ratio};
use super::template::Template;
use super::witness::{Observation, Probability, Witness};
use crate::logic::kernel::{self, Hypotheses, KernelError};

/// Bits of losses.
const BITS: u32 = 64;

/// Two inputs and an event.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) case: usize,
    pub(super) template: Template,
    pub(super) pair: [Vec<Rational>; 2],
    /// `ln((P - δ)/P')`, about.
    pub(super) loss: f64,
}

/// Numbers for all parameters.
pub(super) struct Setting<'a> {
    pub(super) file: &'a File,
    pub(super) declaration: &'a Declaration,
    pub(super) parameters: Parameters,
    pub(super) model: Model,
    pub(super) space: Space,
    pub(super) cases: Vec<Case>,
    pub(super) epsilon: Rational,
    pub(super) delta: Rational,
    /// The largest scale of noise: how far inputs and half-lines are moved at a time.
    pub(super) unit: Rational,
    /// How far each coordinate of neighbours can be apart, in any case.
    pub(super) reach: Vec<Rational>,
}

/// A way in which inputs can be neighbours, and an input near 0 that has a neighbour.
pub(super) struct Case {
    pub(super) hypotheses: Hypotheses,
    pub(super) base: Vec<Rational>,
}

impl<'a> Setting<'a> {
    /// `None` if the claim is no rational number here, or no inputs are neighbours.
    pub(super) fn new(
        file: &'a File,
        declaration: &'a Declaration,
        parameters: BTreeMap<String, Rational>,
        watch: &Watch,
    ) -> Result<Option<Setting<'a>>, RefuteError> {
        let program = Program::new(file, declaration, &parameters).map_err(KernelError::from)?.watched(watch);
        let model = Model::new(&program)?;
        let exponents = model.samples().filter_map(|sample| match &sample.law {
            Law::DiscreteLaplace(_, exponent) => i64::try_from(exponent.as_constant()?.floor()).ok(),
            _ => None,
        });
        let space = Space::new(&program, &Rational::pow2(exponents.max().unwrap_or(0)));
        let origin = vec![Rational::ZERO; space.len()];
        let mut cases = Vec::new();
        for hypotheses in kernel::hypotheses(&program)? {
            if watch.is_over() {
                return Ok(None);
            }
            let base = space.nearest(&hypotheses, &origin);
            cases.extend(base.map(|base| Case { hypotheses, base }));
        }
        let Some((epsilon, delta)) = kernel::claim(&program)? else { return Ok(None) };
        let delta = delta.map_or(Some(Rational::ZERO), |delta| delta.as_constant());
        let (Some(epsilon), Some(delta), Some(first)) = (epsilon.as_constant(), delta, cases.first()) else {
            return Ok(None);
        };
        let mut reach = vec![Rational::ZERO; space.len()];
        for case in &cases {
            if watch.is_over() {
                return Ok(None);
            }
            let here = space.reach(&case.hypotheses, &case.base);
            reach = reach.into_iter().zip(here).map(|(a, b)| a.max(b)).collect();
        }
        let farthest = reach.iter().max().filter(|reach| reach.is_positive()).cloned();
        let unit = model.scale(&space.point(&first.base)).or(farthest).unwrap_or(Rational::ONE);
        let (file, declaration) = (program.file, program.declaration);
        Ok(Some(Setting { file, declaration, parameters, model, space, cases, epsilon, delta, unit, reach }))
    }

    /// The probability of an event, counted.
    pub(super) fn probability(&self, hunt: &mut Hunt<'_>, event: &Event, input: &[Rational]) -> Option<f64> {
        hunt.count();
        Some(self.model.probability(event, &self.space.point(input))?.approximate())
    }

    /// The event of a template at an input.
    pub(super) fn event(&self, template: &Template, input: &[Rational]) -> Option<Event> {
        self.model.event(template, &self.space.point(input))
    }

    /// `ln((p - δ)/q)`
    pub(super) fn loss(&self, p: f64, q: f64) -> f64 {
        let rest = p - self.delta.to_f64(Rounding::Nearest);
        if rest > 0.0 { (rest / q).ln() } else { f64::NEG_INFINITY }
    }

    /// A loss in multiples of the claim.
    pub(super) fn relative(&self, loss: f64) -> f64 {
        match self.epsilon.is_positive() {
            true => loss / self.epsilon.to_f64(Rounding::Nearest),
            // Of a claim of nothing every loss is too much.
            false => 1.0 + loss,
        }
    }

    /// The loss of a candidate with these inputs.
    pub(super) fn candidate(
        &self,
        hunt: &mut Hunt<'_>,
        case: usize,
        template: &Template,
        pair: [Vec<Rational>; 2],
    ) -> Option<Candidate> {
        let event = self.event(template, &pair[0])?;
        let p = self.probability(hunt, &event, &pair[0]).filter(|p| *p > 0.0)?;
        let q = self.probability(hunt, &event, &pair[1])?;
        let loss = self.loss(p, q);
        (!loss.is_nan()).then(|| Candidate { case, template: template.clone(), pair, loss })
    }

    /// The exact probabilities of a candidate, if its inputs are neighbours by every condition of the declaration.
    pub(super) fn witness(&self, candidate: &Candidate) -> Option<Witness> {
        let hypotheses = &self.cases[candidate.case].hypotheses;
        let [first, second] = &candidate.pair;
        if !self.space.are_neighbours(hypotheses, [first, second]) {
            return None;
        }
        let event = self.event(&candidate.template, first)?;
        let exact = |input: &Vec<Rational>| {
            let point = self.space.point(input);
            self.model.is_defined(&point).then(|| self.model.probability(&event, &point))?
        };
        let [p, q]: [Quotient; 2] = [exact(first)?, exact(second)?];
        let witness = Witness {
            parameters: self.parameters.clone(),
            inputs: [first, second].map(|input| self.space.arguments(input)),
            direction: hypotheses.direction,
            observation: Observation::Event(event),
            ln_ratio: ln_ratio(&p, &q, BITS),
            probabilities: [Probability::Exact(p), Probability::Exact(q)],
            epsilon: self.epsilon.clone(),
            delta: self.delta.clone(),
        };
        self.is_adjacent(&witness).then_some(witness)
    }

    /// Whether the clauses of the declaration, read with the numbers of the witness, hold.
    pub(super) fn is_adjacent(&self, witness: &Witness) -> bool {
        let unmet = discrete::unmet(self.file, self.declaration, &self.parameters, witness.as_adjacent());
        unmet.is_ok_and(|unmet| unmet.is_empty())
    }
}
