//! The best candidate improved, one coordinate at a time.

use lastbit_real::Rational;

use super::hunt::{Hunt, Step};
use super::setting::{Candidate, Setting};
use super::template::{Tail, Template};

/// How far a coordinate is moved, in units of the scale of noise.
const MOVES: [i64; 4] = [4, -4, 1, -1];
/// How much farther out a half-line is moved, in the same units.
const FARTHER: i64 = 8;
/// By how much a loss must grow for a move to count.
const GAIN: f64 = 1e-6;

impl Setting<'_> {
    /// Moves inputs and half-lines of a candidate as long as the loss grows.
    pub(super) fn climb(&self, hunt: &mut Hunt<'_>, mut best: Candidate) -> Step<()> {
        loop {
            let before = best.loss;
            for next in self.steps(&best) {
                if hunt.is_over() {
                    return Ok(());
                }
                let Some(candidate) = self.with_worst_neighbour(hunt, &next) else { continue };
                if candidate.loss > best.loss + GAIN {
                    hunt.consider(self, &candidate)?;
                    best = candidate;
                }
            }
            if best.loss <= before + GAIN {
                return Ok(());
            }
        }
    }

    /// Candidates that differ in one place, without their losses.
    fn steps(&self, from: &Candidate) -> Vec<Candidate> {
        let mut steps = Vec::new();
        for i in 0..self.space.len() {
            for times in MOVES {
                let mut wanted = from.pair[0].clone();
                wanted[i] = &wanted[i] + Rational::from(times) * &self.unit;
                let first = self.space.nearest(&self.cases[from.case].hypotheses, &wanted);
                if let Some(first) = first.filter(|first| *first != from.pair[0]) {
                    steps.push(Candidate { pair: [first, from.pair[1].clone()], ..from.clone() });
                }
            }
        }
        let step = Rational::from(FARTHER) * &self.unit;
        for place in 0..from.template.tails.len() {
            for tail in tails(from.template.tails[place].as_ref(), &step) {
                let mut template: Template = from.template.clone();
                template.tails[place] = tail;
                steps.push(Candidate { template, ..from.clone() });
            }
        }
        steps
    }
}

/// Other half-lines for an output.
fn tails(from: Option<&Tail>, step: &Rational) -> Vec<Option<Tail>> {
    match from {
        None => [true, false].map(|up| Some(Tail { up, far: step.clone() })).to_vec(),
        Some(Tail { up, far }) => {
            let farther = Tail { up: *up, far: far + step };
            let other = Tail { up: !up, far: far.clone() };
            vec![None, Some(farther), Some(other)]
        }
    }
}
