//! Programs with discrete Laplace noise: all outcomes at once, through the exact audit.

use lastbit_audit::Outcome;
use lastbit_audit::discrete::{Options, audit};
use lastbit_real::{Rational, Rounding};

use super::hunt::{Hunt, Step};
use super::setting::{Case, Setting};
use super::witness::{Observation, Probability, Witness};
use crate::logic::kernel::Direction;

/// Precision of an audit, and of its losses.
const BITS: u32 = 64;
/// How far inputs are spread, in multiples of how far neighbours can be apart.
const SPREADS: [i64; 4] = [0, 4, 8, 16];
/// With more coordinates than this not all patterns of signs are tried.
const MOST_COORDINATES: usize = 5;

impl Setting<'_> {
    /// Tries inputs that are spread by patterns of signs, and neighbours that are spread further.
    pub(super) fn explore_discrete(&self, hunt: &mut Hunt<'_>) -> Step<()> {
        for spread in SPREADS {
            for case in &self.cases {
                for signs in self.patterns() {
                    if hunt.is_over() {
                        return Ok(());
                    }
                    self.look_at(hunt, case, spread, &signs)?;
                }
            }
        }
        Ok(())
    }

    /// Signs for the coordinates in which neighbours can differ.
    fn patterns(&self) -> Vec<Vec<i64>> {
        let moving: Vec<usize> = (0..self.reach.len()).filter(|i| !self.reach[*i].is_zero()).collect();
        let pattern = |is_negative: &dyn Fn(usize) -> bool| {
            let mut signs = vec![0; self.reach.len()];
            moving
                .iter()
                .enumerate()
                .for_each(|(place, i)| signs[*i] = if is_negative(place) { -1 } else { 1 });
            signs
        };
        if moving.len() <= MOST_COORDINATES {
            return (0..1usize << moving.len())
                .map(|bits| pattern(&|place| bits >> place & 1 == 1))
                .collect();
        }
        let from = |first: usize| [pattern(&|place| place >= first), pattern(&|place| place < first)];
        (0..moving.len()).flat_map(from).collect()
    }

    fn look_at(&self, hunt: &mut Hunt<'_>, case: &Case, spread: i64, signs: &[i64]) -> Step<()> {
        let along = |i: usize| Rational::from(signs[i] * spread) * &self.reach[i];
        let wanted: Vec<Rational> = case.base.iter().enumerate().map(|(i, base)| base + along(i)).collect();
        let weights: Vec<Rational> = signs.iter().map(|sign| Rational::from(-sign)).collect();
        let Some(first) = self.space.nearest(&case.hypotheses, &wanted) else { return Ok(()) };
        let Some(second) = self.space.neighbour(&case.hypotheses, &first, &weights) else { return Ok(()) };
        let inputs = [&first, &second].map(|input| self.space.arguments(input));
        let options = Options { precision: BITS, ..Options::default() };
        hunt.count();
        let report = audit(self.file, self.declaration, &self.parameters, [&inputs[0], &inputs[1]], &options);
        let Ok(report) = report else { return Ok(()) };
        for is_swapped in [false, true] {
            let sides = if is_swapped { [1, 0] } else { [0, 1] };
            let direction = case.hypotheses.direction;
            let direction = if is_swapped { opposite(direction) } else { direction };
            let turned = report.outcomes.iter().map(|Outcome { output, weights }| Outcome {
                output: output.as_str(),
                weights: sides.map(|side| weights[side].clone()),
            });
            let ranked = turned.map(|outcome| (self.certain_loss(&outcome), outcome));
            let Some((loss, outcome)) = ranked.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let witness = Witness {
                parameters: self.parameters.clone(),
                inputs: sides.map(|side| inputs[side].clone()),
                direction,
                observation: Observation::Outcome(outcome.output.to_owned()),
                ln_ratio: outcome.ln_ratio(BITS),
                probabilities: outcome.weights.map(Probability::Enclosed),
                epsilon: self.epsilon.clone(),
                delta: self.delta.clone(),
            };
            if self.is_adjacent(&witness) {
                hunt.offer(self.relative(loss), witness)?;
            }
        }
        Ok(())
    }

    /// The least loss that the enclosures allow, about.
    fn certain_loss(&self, outcome: &Outcome<&str>) -> f64 {
        let [p, q] = &outcome.weights;
        let [p, q] = [p.lo(), q.hi()].map(|end| Rational::from(end).to_f64(Rounding::Nearest));
        self.loss(p, q)
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
    }
}
