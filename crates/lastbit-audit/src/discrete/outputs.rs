//! What two runs return, output by output.

use std::collections::BTreeMap;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

use super::axis::{Axis, Cell, Element, Line};
use super::error::DiscreteError;
use super::law::{Laws, at_most, product, sum};
use super::run::{Distribution, add};
use super::state::Value;
use crate::Outcome;

/// Something that a run returns, with its weight.
struct Returned {
    run: usize,
    elements: Vec<Element>,
    weight: Enclosure,
}

/// The outputs of two runs.
pub(super) struct Outputs<'l> {
    pub(super) laws: &'l mut Laws,
    pub(super) bits: u32,
    pub(super) precision: u32,
    pub(super) budget: u64,
}

impl Outputs<'_> {
    /// All outcomes, with the probabilities in both runs; what may be any output is added to `rest`.
    pub(super) fn outcomes(
        &mut self,
        runs: [Distribution; 2],
        rest: &mut [Enclosure; 2],
    ) -> Result<Vec<Outcome<String>>, DiscreteError> {
        let mut groups: BTreeMap<(bool, usize), Vec<Returned>> = BTreeMap::new();
        for (run, states) in runs.into_iter().enumerate() {
            for (mut state, weight) in states {
                let (is_list, values) = match state.values.pop() {
                    Some(Value::List(values)) => (true, values),
                    value => (false, value.into_iter().collect()),
                };
                let elements: Vec<Element> =
                    values.into_iter().filter_map(|value| Element::of(value, &state.samples)).collect();
                let key = (is_list, elements.len());
                groups.entry(key).or_default().push(Returned { run, elements, weight });
            }
        }
        let mut outcomes = Vec::new();
        for ((is_list, length), group) in groups {
            for (cells, mut weights) in self.group(length, group, rest)? {
                for (weight, rest) in weights.iter_mut().zip(&*rest) {
                    *weight = sum(weight, &at_most(rest), self.bits);
                }
                outcomes.push(Outcome { output: text(is_list, &cells), weights });
            }
        }
        if rest.iter().any(|rest| !rest.hi().is_zero()) {
            let weights = [at_most(&rest[0]), at_most(&rest[1])];
            outcomes.push(Outcome { output: "any other".to_owned(), weights });
        }
        Ok(outcomes)
    }

    fn group(
        &mut self,
        length: usize,
        mut group: Vec<Returned>,
        rest: &mut [Enclosure; 2],
    ) -> Result<BTreeMap<Vec<Cell>, [Enclosure; 2]>, DiscreteError> {
        let mut axes: Vec<Axis> = (0..length).map(|_| Axis::default()).collect();
        for returned in &group {
            returned
                .elements
                .iter()
                .zip(&mut axes)
                .for_each(|(element, axis)| axis.include(element, self.laws));
        }
        for returned in &mut group {
            for (element, axis) in returned.elements.iter_mut().zip(&axes) {
                if let (Element::Line(line), true) = (element, axis.is_mixed) {
                    let lost = product(&self.cut(line), &returned.weight, self.bits);
                    rest[returned.run] = sum(&rest[returned.run], &lost, self.bits);
                }
            }
        }
        let mut sides = [BTreeMap::new(), BTreeMap::new()];
        for returned in group {
            let mut cells: Vec<(Vec<Cell>, Enclosure)> = vec![(Vec::new(), returned.weight)];
            for (element, axis) in returned.elements.iter().zip(&axes) {
                let parts = self.parts(element, axis)?;
                self.within_budget(cells.len() as u64 * parts.len() as u64)?;
                let mut longer = Vec::with_capacity(cells.len() * parts.len());
                for (start, weight) in &cells {
                    for (cell, mass) in &parts {
                        let with_cell = start.iter().chain([cell]).cloned().collect();
                        longer.push((with_cell, product(weight, mass, self.bits)));
                    }
                }
                cells = longer;
            }
            let side = &mut sides[returned.run];
            cells.into_iter().for_each(|(cells, weight)| add(side, cells, weight, self.bits));
            self.within_budget(side.len() as u64)?;
        }
        let zero = || Enclosure::exact(Dyadic::ZERO);
        let mut both: BTreeMap<Vec<Cell>, [Enclosure; 2]> = BTreeMap::new();
        for (run, side) in sides.into_iter().enumerate() {
            for (cells, weight) in side {
                both.entry(cells).or_insert_with(|| [zero(), zero()])[run] = weight;
            }
        }
        Ok(both)
    }

    /// Cuts the infinite ends of a line. Gives the probability of what is cut off.
    fn cut(&mut self, line: &mut Line) -> Enclosure {
        let enough = self.laws.enough(line.law, self.precision.into());
        let mut lost = Enclosure::exact(Dyadic::ZERO);
        if line.hi.is_none() {
            let last = line.lo.clone().map_or(IBig::ZERO, |lo| lo.max(IBig::ZERO)) + &enough;
            lost = &lost + &self.laws.mass(line.law, Some(&(&last + IBig::ONE)), None);
            line.hi = Some(last);
        }
        if line.lo.is_none() {
            let first = line.hi.clone().map_or(IBig::ZERO, |hi| hi.min(IBig::ZERO)) - &enough;
            lost = &lost + &self.laws.mass(line.law, None, Some(&(&first - IBig::ONE)));
            line.lo = Some(first);
        }
        at_most(&lost)
    }

    /// The cells of an element, with the probability of each.
    fn parts(&mut self, element: &Element, axis: &Axis) -> Result<Vec<(Cell, Enclosure)>, DiscreteError> {
        let certain = Enclosure::exact(Dyadic::ONE);
        let line = match element {
            Element::Bool(value) => return Ok(vec![(Cell::Bool(*value), certain)]),
            Element::Number(value) => return Ok(vec![(Cell::Point(value.clone()), certain)]),
            Element::Line(line) => line,
        };
        let [lowest, highest] = axis.ends.clone().unwrap_or_default();
        let steps_to = |value: &Rational| (value - &line.offset) / &line.step;
        let first = line.lo.clone().unwrap_or_else(|| steps_to(&lowest).ceil());
        let last = line.hi.clone().unwrap_or_else(|| steps_to(&highest).floor());
        self.within_budget(u64::try_from(&last - &first).unwrap_or(u64::MAX))?;
        let mut parts = Vec::new();
        if let (Some(beyond), true) = (&axis.beyond, line.is_infinite()) {
            let multiple = &beyond.multiple;
            let count = u64::try_from((multiple / &line.step).numerator()).unwrap_or(1);
            for next in (1..=count).map(IBig::from) {
                let below = line.lo.is_none().then(|| (&first - &next, -multiple));
                let above = line.hi.is_none().then(|| (&last + &next, multiple.clone()));
                for (z, step) in below.into_iter().chain(above) {
                    let mass = self.laws.progression(line.law, &z, count);
                    parts.push((Cell::Tail(line.at(&z), step), mass));
                }
            }
        }
        let mut z = first;
        while z <= last {
            parts.push((Cell::Point(line.at(&z)), self.laws.at(line.law, &z)));
            z += IBig::ONE;
        }
        Ok(parts)
    }

    fn within_budget(&self, outputs: u64) -> Result<(), DiscreteError> {
        let budget = self.budget;
        if outputs > budget { Err(DiscreteError::TooManyOutputs { outputs, budget }) } else { Ok(()) }
    }
}

fn text(is_list: bool, cells: &[Cell]) -> String {
    let texts: Vec<String> = cells.iter().map(Cell::to_string).collect();
    if is_list { format!("[{}]", texts.join(", ")) } else { texts.join(", ") }
}
