//! Two inputs that are given: events with their exact probabilities.

use std::collections::BTreeMap;

use lastbit_audit::ExponentialSum;
use lastbit_audit::LnRatio;
use lastbit_audit::discrete::{Argument, Inputs};
use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::symbolic::Program;
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::RefuteError;
use super::event::{Event, Part};
use super::model::Model;
use super::neighbours::Space;
use super::quotient::{Quotient, ln_ratio};
use super::template::Template;
use crate::logic::kernel::KernelError;

/// Bits of `ln(P/P')`.
const BITS: u32 = 160;
/// How far out half-lines begin, in scales of the noise.
const FAR: [i64; 5] = [0, 1, 4, 16, -1];

/// An event under two inputs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EventAt {
    /// The event.
    pub event: Event,
    /// The probability under the first and under the second input.
    pub probabilities: [Quotient; 2],
    /// `ln(P/P')`
    pub ln_ratio: LnRatio,
}

impl EventAt {
    /// Whether `|ln(P/P')|` is more than `epsilon`, exactly.
    pub fn exceeds(&self, epsilon: &Rational) -> bool {
        let factor = Quotient::from(ExponentialSum::term(Rational::ONE, epsilon.clone()));
        let more = |p: &Quotient, q: &Quotient| p.minus(&q.times(&factor)).sign().is_gt();
        let [p, q] = &self.probabilities;
        more(p, q) || more(q, p)
    }

    /// Whether `|ln(P/P')|` is `epsilon`, exactly.
    pub fn is_exactly(&self, epsilon: &Rational) -> bool {
        let factor = Quotient::from(ExponentialSum::term(Rational::ONE, epsilon.clone()));
        let same = |p: &Quotient, q: &Quotient| p.minus(&q.times(&factor)).is_zero();
        let [p, q] = &self.probabilities;
        !p.is_zero() && !q.is_zero() && (same(p, q) || same(q, p))
    }
}

/// Events of a program whose parameters are numbers, under two inputs: what each group of paths returns, and half-lines of noisy
/// numbers that begin near either input. The loss of the program at these inputs is at least that of each event.
///
/// ```
/// use lastbit_audit::discrete::Argument;
/// use lastbit_lang::parse;
/// use lastbit_lang::watch::Watch;
/// use lastbit_prove::logic::refute::events_at;
///
/// let (file, _) = parse("mechanism m(x: real) -> real { z <$ lap(1);  return x + z }");
/// let [first, second] = [0, 1].map(|x| [("x".to_owned(), Argument::Number(x.into()))].into());
/// let events = events_at(&file, &file.declarations[0], &Default::default(), [&first, &second], &Watch::default())?;
/// assert!(events.iter().any(|event| event.is_exactly(&1.into())));
/// assert!(!events.iter().any(|event| event.exceeds(&1.into())));
/// # Ok::<(), lastbit_prove::logic::refute::RefuteError>(())
/// ```
///
/// # Errors
/// If the program cannot be run on symbols, an input has no value for an argument, or the noise does not act linearly.
pub fn events_at(
    file: &File,
    declaration: &Declaration,
    parameters: &BTreeMap<String, Rational>,
    inputs: [&Inputs; 2],
    watch: &Watch,
) -> Result<Vec<EventAt>, RefuteError> {
    let out_of_reach = || RefuteError::OutOfReach(declaration.name.text.clone());
    let program = Program::new(file, declaration, parameters).map_err(KernelError::from)?.watched(watch);
    let model = Model::new(&program)?;
    if model.has_discrete_noise() {
        return Err(out_of_reach());
    }
    let space = Space::new(&program, &Rational::ONE);
    let values = inputs.map(|inputs| space.values(inputs));
    let [Some(first), Some(second)] = values else { return Err(out_of_reach()) };
    let points = [space.point(&first), space.point(&second)];
    if points.iter().any(|point| !model.is_defined(point)) {
        return Err(out_of_reach());
    }
    let unit = points.iter().filter_map(|point| model.scale(point)).max().unwrap_or(Rational::ONE);
    let distances = FAR.map(|times| Rational::from(times) * &unit);
    let mut found: Vec<EventAt> = Vec::new();
    for group in 0..model.groups.len() {
        for anchor in &points {
            let plain = Template { group, tails: vec![None; model.outputs(group)] };
            let Some(event) = model.event(&plain, anchor) else { continue };
            let noisy: Vec<bool> = event.parts.iter().map(|part| matches!(part, Part::Except(_))).collect();
            for template in Template::all(group, &noisy, &distances, &distances[0]) {
                if watch.is_over() {
                    return Ok(found);
                }
                let Some(event) = model.event(&template, anchor) else { continue };
                if found.iter().any(|known| known.event == event) {
                    continue;
                }
                let [p, q] = points.each_ref().map(|point| model.probability(&event, point));
                let (Some(p), Some(q)) = (p, q) else { continue };
                if p.is_zero() && q.is_zero() {
                    continue;
                }
                let ln_ratio = ln_ratio(&p, &q, BITS);
                found.push(EventAt { event, probabilities: [p, q], ln_ratio });
            }
        }
    }
    if found.is_empty() { Err(out_of_reach()) } else { Ok(found) }
}

impl Space {
    /// The numbers of inputs that are given by name, in order; `None` if one is missing or has another length.
    fn values(&self, inputs: &Inputs) -> Option<Vec<Rational>> {
        let truth = |truth: &bool| if *truth { Rational::ONE } else { Rational::ZERO };
        let mut all = Vec::new();
        for (name, length) in self.names() {
            let here: Vec<Rational> = match inputs.get(name)? {
                Argument::Number(value) => vec![value.clone()],
                Argument::Bool(value) => vec![truth(value)],
                Argument::Numbers(values) => values.clone(),
                Argument::Bools(values) => values.iter().map(truth).collect(),
            };
            if here.len() != length.unwrap_or(1) {
                return None;
            }
            all.extend(here);
        }
        Some(all)
    }
}
