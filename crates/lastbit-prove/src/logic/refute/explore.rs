//! The first look: which inputs are tried for which events.
//!
//! The loss of an event is largest where it is unlikely. So inputs are moved to where the event becomes less likely, each coordinate on its
//! own, by several distances; and the other way, for events that are impossible to begin with. The neighbour is the one that
//! a linear program says to make the event less likely still, with the slopes of the logarithm of its probability.

use lastbit_real::Rational;

use super::event::Part;
use super::hunt::{Hunt, Step};
use super::setting::{Candidate, Setting};
use super::template::Template;

/// Logarithms of probabilities that are 0, and steepest slopes.
const STEEPEST: f64 = 64.0;
/// Slopes are rounded to multiples of one over this.
const PARTS: i64 = 1024;

/// How far inputs are moved.
#[derive(Clone, Copy)]
enum Distance {
    /// Times the scale of noise.
    Scales(i64),
    /// Times how far neighbours can be apart.
    Reaches(i64),
}

use Distance::{Reaches, Scales};

/// In the order in which they are tried; negative ones are towards likelier events.
const DISTANCES: [Distance; 11] = [
    Scales(0),
    Scales(2),
    Reaches(-1),
    Scales(4),
    Reaches(1),
    Reaches(-2),
    Reaches(2),
    Scales(1),
    Scales(-2),
    Scales(8),
    Scales(-1),
];

impl Setting<'_> {
    /// Tries all events with inputs at all distances, and gives what loses most.
    pub(super) fn explore(&self, hunt: &mut Hunt<'_>) -> Step<Option<Candidate>> {
        if self.model.has_discrete_noise() {
            return self.explore_discrete(hunt).map(|()| None);
        }
        let mut best: Option<Candidate> = None;
        let templates: Vec<(usize, Template)> = (0..self.cases.len())
            .flat_map(|case| self.templates(case).into_iter().map(move |template| (case, template)))
            .collect();
        let mut directions: Vec<Option<Vec<i64>>> = vec![None; templates.len()];
        for distance in DISTANCES {
            for ((case, template), directions) in templates.iter().zip(&mut directions) {
                if hunt.is_over() {
                    return Ok(best);
                }
                let candidate = self.at(hunt, *case, template, directions, distance);
                let Some(candidate) = candidate else { continue };
                hunt.consider(self, &candidate)?;
                if best.as_ref().is_none_or(|best| candidate.loss > best.loss) {
                    best = Some(candidate);
                }
            }
        }
        Ok(best)
    }

    fn templates(&self, case: usize) -> Vec<Template> {
        // Where noise is on one side only, an event that reaches a little to the other side tells; elsewhere those that are far out.
        let scales = |times: i64| Rational::from(times) * &self.unit;
        let farthest = self.reach.iter().max().cloned().unwrap_or_default();
        let distances = [scales(0), scales(4), -farthest, scales(16)];
        let of_group = |group: usize| {
            let plain = Template { group, tails: vec![None; self.model.outputs(group)] };
            let event = self.event(&plain, &self.cases[case].base);
            let is_noisy = |part: &Part| matches!(part, Part::Except(_));
            let noisy: Option<Vec<bool>> = event.map(|event| event.parts.iter().map(is_noisy).collect());
            noisy.map_or(Vec::new(), |noisy| Template::all(group, &noisy, &distances, &distances[1]))
        };
        (0..self.model.groups.len()).flat_map(of_group).collect()
    }

    /// The candidate for a template at a distance. Directions are found when they are needed first.
    fn at(
        &self,
        hunt: &mut Hunt<'_>,
        case: usize,
        template: &Template,
        directions: &mut Option<Vec<i64>>,
        distance: Distance,
    ) -> Option<Candidate> {
        let base = &self.cases[case].base;
        let first = match distance {
            Scales(0) => base.clone(),
            _ => {
                if directions.is_none() {
                    *directions = self.directions(hunt, case, template);
                }
                self.moved(case, directions.as_ref()?, distance).filter(|first| first != base)?
            }
        };
        let second = self.worst_neighbour(hunt, case, template, &first)?;
        self.candidate(hunt, case, template, [first, second])
    }

    /// For every coordinate in which neighbours can differ the direction in which the event becomes less likely: -1, 0 or 1.
    fn directions(&self, hunt: &mut Hunt<'_>, case: usize, template: &Template) -> Option<Vec<i64>> {
        let base = &self.cases[case].base;
        let event = self.event(template, base)?;
        let at = self.probability(hunt, &event, base)?;
        let mut directions = vec![0; base.len()];
        for (i, direction) in directions.iter_mut().enumerate() {
            if self.reach[i].is_zero() {
                continue;
            }
            let [up, down] = [1, -1].map(|sign| {
                let mut input = base.clone();
                input[i] = &input[i] + Rational::from(sign) * &self.unit;
                self.probability(hunt, &event, &input).unwrap_or(at)
            });
            *direction = match up.min(down) < at || up.max(down) > at {
                false => 0,
                true if up < down => 1,
                true if up > down => -1,
                // Both ways the same: where it is less likely, any way.
                true => i64::from(up < at),
            };
        }
        Some(directions)
    }

    /// The base, moved.
    fn moved(&self, case: usize, directions: &[i64], distance: Distance) -> Option<Vec<Rational>> {
        let case = &self.cases[case];
        let along = |i: usize| match distance {
            Scales(times) => Rational::from(times) * &self.unit,
            Reaches(times) => Rational::from(times) * &self.reach[i],
        };
        let each = case.base.iter().zip(directions).enumerate();
        let wanted: Vec<Rational> =
            each.map(|(i, (base, direction))| base + Rational::from(*direction) * along(i)).collect();
        self.space.nearest(&case.hypotheses, &wanted)
    }

    /// The neighbour for which the event is least likely, as far as slopes tell.
    fn worst_neighbour(
        &self,
        hunt: &mut Hunt<'_>,
        case: usize,
        template: &Template,
        first: &[Rational],
    ) -> Option<Vec<Rational>> {
        let event = self.event(template, first)?;
        let at = self.probability(hunt, &event, first).filter(|p| *p > 0.0)?;
        let mut weights = vec![Rational::ZERO; first.len()];
        for (i, weight) in weights.iter_mut().enumerate() {
            if self.reach[i].is_zero() {
                continue;
            }
            let mut input = first.to_vec();
            input[i] = &input[i] + &self.reach[i];
            let there = self.probability(hunt, &event, &input)?;
            let slope =
                ((there / at).ln() * PARTS as f64).clamp(-STEEPEST * PARTS as f64, STEEPEST * PARTS as f64);
            *weight = Rational::from(slope.round() as i64) / &self.reach[i];
        }
        self.space.neighbour(&self.cases[case].hypotheses, first, &weights)
    }

    /// The candidate with the neighbour that is worst for its first input.
    pub(super) fn with_worst_neighbour(
        &self,
        hunt: &mut Hunt<'_>,
        candidate: &Candidate,
    ) -> Option<Candidate> {
        let first = candidate.pair[0].clone();
        let second = self.worst_neighbour(hunt, candidate.case, &candidate.template, &first)?;
        self.candidate(hunt, candidate.case, &candidate.template, [first, second])
    }
}
