//! Polyhedra. Only their insides matter: what lies on a boundary has no probability.

use std::collections::BTreeMap;

use lastbit_real::Rational;

use super::form::{Direction, LinearForm};

/// Where all of `direction + constant > 0` hold. Directions start with the coefficient 1 or -1, and of parallel half-spaces only
/// the smallest is kept, so that no two bounds of a variable are the same linear form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Region(BTreeMap<Direction, Rational>);

/// The bounds of one variable, and what the other variables must satisfy besides.
pub(super) struct Bounds {
    pub(super) rest: Region,
    pub(super) lower: Vec<LinearForm>,
    pub(super) upper: Vec<LinearForm>,
}

impl Region {
    /// The part where the form is positive, or `None` if that is seen to be empty.
    pub(super) fn with(mut self, form: LinearForm) -> Option<Region> {
        let Some((_, leading)) = form.direction.first() else {
            return form.constant.is_positive().then_some(self);
        };
        let form = form.scaled(&leading.abs().recip()?);
        let opposite: Direction = form.direction.iter().map(|(v, c)| (*v, -c)).collect();
        if self.0.get(&opposite).is_some_and(|constant| !(constant + &form.constant).is_positive()) {
            return None;
        }
        match self.0.get_mut(&form.direction) {
            Some(constant) if *constant <= form.constant => {}
            Some(constant) => *constant = form.constant,
            None => {
                self.0.insert(form.direction, form.constant);
            }
        }
        Some(self)
    }

    /// How many half-spaces bound the variable.
    pub(super) fn count(&self, variable: usize) -> usize {
        self.0.keys().filter(|direction| direction.iter().any(|(v, _)| *v == variable)).count()
    }

    /// The variables in groups without a half-space in common, each with its half-spaces: the events are independent.
    pub(super) fn components(self) -> Vec<(Vec<usize>, Region)> {
        let mut components: Vec<(Vec<usize>, Region)> = Vec::new();
        for (direction, constant) in self.0 {
            let mut variables: Vec<usize> = direction.iter().map(|(variable, _)| *variable).collect();
            let meets = |(others, _): &(Vec<usize>, Region)| others.iter().any(|v| variables.contains(v));
            let mut region = Region([(direction, constant)].into());
            let (joined, apart): (Vec<_>, Vec<_>) = components.into_iter().partition(meets);
            for (others, half_spaces) in joined {
                variables.extend(others);
                region.0.extend(half_spaces.0);
            }
            variables.sort_unstable();
            variables.dedup();
            components = apart;
            components.push((variables, region));
        }
        components
    }

    /// The bounds of a variable, as forms in the others.
    pub(super) fn bounds(self, variable: usize) -> Bounds {
        let mut bounds = Bounds { rest: Region::default(), lower: Vec::new(), upper: Vec::new() };
        for (direction, constant) in self.0 {
            let form = LinearForm { direction, constant };
            match form.without(variable) {
                None => {
                    bounds.rest.0.insert(form.direction, form.constant);
                }
                Some((coefficient, rest)) => {
                    let bound = rest.scaled(&-(Rational::ONE / &coefficient));
                    let side = if coefficient.is_positive() { &mut bounds.lower } else { &mut bounds.upper };
                    side.push(bound);
                }
            }
        }
        bounds
    }

    /// The same region without half-spaces that contain the box of the bounds of single variables; `None` if one misses that box.
    /// Neither is needed for the result: an empty region has no part that is not empty. Both keep the parts few.
    pub(super) fn pruned(mut self) -> Option<Region> {
        let ranges: BTreeMap<(usize, bool), Rational> = (self.0.iter())
            .filter_map(|(direction, constant)| match direction.as_slice() {
                [(variable, sign)] if sign.is_positive() => Some(((*variable, false), -constant)),
                [(variable, _)] => Some(((*variable, true), constant.clone())),
                _ => None,
            })
            .collect();
        // The least or the largest value of a form in the box, `None` where it is infinite.
        let extreme = |direction: &Direction, constant: &Rational, largest: bool| {
            direction.iter().try_fold(constant.clone(), |sum, (variable, coefficient)| {
                let end = ranges.get(&(*variable, largest == coefficient.is_positive()))?;
                Some(sum + coefficient * end)
            })
        };
        let long = |direction: &Direction| direction.len() > 1;
        let misses = |(direction, constant): (&Direction, &Rational)| {
            long(direction) && extreme(direction, constant, true).is_some_and(|most| !most.is_positive())
        };
        if self.0.iter().any(misses) {
            return None;
        }
        self.0.retain(|direction, constant| {
            !long(direction) || extreme(direction, constant, false).is_none_or(|least| least.is_negative())
        });
        Some(self)
    }
}

impl Bounds {
    /// Where `bound`, one of the bounds, is the tightest of its side and the range is not empty.
    pub(super) fn face(&self, bound: &LinearForm) -> Option<Region> {
        let above = self.lower.iter().filter(|lower| *lower != bound).map(|lower| bound.minus(lower));
        let below = self.upper.iter().filter(|upper| *upper != bound).map(|upper| upper.minus(bound));
        above.chain(below).try_fold(self.rest.clone(), Region::with)?.pruned()
    }
}
