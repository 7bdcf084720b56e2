//! Two inputs that are neighbours by everything that a text says: ranges, assumptions, adjacency.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_audit::discrete::{Argument, DiscreteError, Inputs, Parameters, unmet, unmet_by_parameters};
use lastbit_lang::ast::{Binder, ClauseKind, Constraint, ExprId, ExprKind, Scalar, Shape};
use lastbit_lang::values::Distance;
use lastbit_lang::{Diagnostic, Format};
use lastbit_real::{Float, Rational, Rounding};

use super::Statement;
use super::broken::{self, Tie};

/// The values of the arguments and queries by their names; of a condition, 0 or 1.
pub type Point = BTreeMap<String, Rational>;

/// Pairs of values that are tried for an argument that moves.
const MOST_MOVES: usize = 128;
/// Values that are tried for an argument.
const MOST_VALUES: usize = 24;
/// Ways in which arguments that do not move are set.
const MOST_SETTINGS: usize = 32;

impl Statement<'_> {
    /// The values of parameters.
    pub fn parameters(&self) -> Parameters {
        let is_parameter =
            |name: &&String| self.declaration.parameters().any(|binder| binder.name.text == **name);
        let known = self.bindings.values.iter().filter(|(name, _)| is_parameter(name));
        known.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Refuses values of parameters that the text excludes: what is proved of them would be proved of nothing.
    pub(super) fn parameters_are_allowed(&self) -> Result<(), Diagnostic> {
        let name = self.declaration.name.span;
        match unmet_by_parameters(self.file, self.declaration, &self.parameters()) {
            Ok(unmet) => unmet.first().map_or(Ok(()), |unmet| {
                let message = format!("these values do not satisfy `{}`", unmet.clause);
                Err(Diagnostic::new(unmet.span, message).with_hint("the text says nothing about such values"))
            }),
            // A parameter that is open is told elsewhere, if it is needed.
            Err(DiscreteError::Missing { .. }) => Ok(()),
            Err(DiscreteError::NotAllowed { name, value, span }) => {
                let message = format!("`{name}` is declared so that it cannot be {value}");
                Err(Diagnostic::new(span, message))
            }
            Err(error) => Err(Diagnostic::new(name, error.to_string())),
        }
    }

    /// Whether two inputs are neighbours by all that the text says, and by the distance that is given instead of the text's.
    pub(crate) fn admits(&self, pair: [&Point; 2]) -> bool {
        if broken::is_cut(Tie::AdmissibleWitness) {
            return true;
        }
        let [Some(first), Some(second)] = pair.map(|point| self.inputs(point)) else { return false };
        let in_range =
            pair.into_iter().all(|point| point.iter().all(|(name, value)| self.is_in_range(name, value)));
        let Ok(unmet) = unmet(self.file, self.declaration, &self.parameters(), [&first, &second]) else {
            return false;
        };
        let near = match &self.given.distance {
            None => unmet.is_empty(),
            // Only one value may move, and no farther.
            Some(distance) => {
                let moved = pair[0].iter().filter(|(name, value)| pair[1].get(*name) != Some(value));
                let moved: Vec<_> = moved.map(|(name, value)| (value - &pair[1][name]).abs()).collect();
                unmet.iter().all(|unmet| unmet.is_adjacency)
                    && moved.len() <= 1
                    && moved.iter().all(|moved| moved <= distance)
            }
        };
        in_range && near
    }

    /// In the range that is given for it.
    fn is_in_range(&self, name: &str, value: &Rational) -> bool {
        self.given.ranges.get(name).is_none_or(|(lo, hi)| lo <= value && value <= hi)
    }

    /// The point as the evaluator of clauses has it, if each value is one of its type.
    fn inputs(&self, point: &Point) -> Option<Inputs> {
        let format = self.program.format;
        let mut inputs = Inputs::new();
        for binder in self.private() {
            let value = point.get(&binder.name.text)?;
            let argument = match binder.ty.scalar {
                Scalar::Bool => Argument::Bool(!value.is_zero()),
                Scalar::F64 | Scalar::F32 if nearest(value, format) != *value => return None,
                _ => Argument::Number(value.clone()),
            };
            inputs.insert(binder.name.text.clone(), argument);
        }
        Some(inputs)
    }

    /// Arguments and queries that are numbers or conditions.
    fn private(&self) -> impl Iterator<Item = &Binder> {
        let arguments = self.declaration.arguments.iter().chain(self.declaration.queries());
        arguments.filter(|binder| binder.ty.scalar != Scalar::Data)
    }

    /// Two neighbours, if some are found: without any, what the text claims may be about nothing.
    pub(super) fn neighbours(&self) -> Option<[Point; 2]> {
        self.pairs(&[], 1).pop()
    }

    /// Up to `most` pairs of neighbours to look at: first those in `first`, then with one argument moving as far as its distance allows, or
    /// at all, the others standing still. Not all there are, and none of a mechanism with arrays.
    pub(super) fn pairs(&self, first: &[[Rational; 2]], most: usize) -> Vec<[Point; 2]> {
        let binders: Vec<&Binder> = self.private().collect();
        if binders.iter().any(|binder| binder.ty.shape != Shape::One) {
            return Vec::new();
        }
        let distances = self.distances().unwrap_or_default();
        let moving = |moving: &Binder, rest: Vec<[Rational; 2]>| {
            let given = if binders.len() == 1 { first } else { &[] };
            let settings = self.settings(&binders, moving);
            let moves: Vec<_> = given.iter().cloned().chain(rest).take(MOST_MOVES).collect();
            let moving = moving.clone();
            moves.into_iter().filter_map(move |values| self.first_admitted(&moving, &settings, values))
        };
        // What the body does not read does not show in what it returns.
        let is_read =
            |binder: &&&Binder| self.program.inputs.iter().any(|input| base(&input.name) == binder.name.text);
        let read = binders.iter().filter(is_read);
        let mut of_each: Vec<_> = read.map(|binder| moving(binder, self.moves(binder, &distances))).collect();
        // In turn, so that every argument has moved soon.
        let mut found = Vec::new();
        loop {
            let before = found.len();
            for pairs in &mut of_each {
                found.extend(pairs.next());
                if found.len() >= most {
                    return found;
                }
            }
            if found.len() == before {
                break;
            }
        }
        if found.is_empty() {
            // Neighbours all the same, to show that there are any.
            let still = |binder: &Binder| self.values(binder).into_iter().map(|value| [value.clone(), value]);
            let mut all = binders.iter().flat_map(|binder| {
                moving(binder, still(binder).chain(self.moves(binder, &distances)).collect())
            });
            found.extend(all.next());
        }
        found
    }

    /// Both values of an argument, with the first setting of the others that makes the inputs neighbours.
    fn first_admitted(
        &self,
        moving: &Binder,
        settings: &[Point],
        values: [Rational; 2],
    ) -> Option<[Point; 2]> {
        let with = |setting: &Point| {
            values.each_ref().map(|value| {
                let mut point = setting.clone();
                point.insert(moving.name.text.clone(), value.clone());
                point
            })
        };
        settings.iter().map(with).find(|[a, b]| self.admits([a, b]))
    }

    /// Both values of an argument, with values for the others that make the inputs neighbours, if some are found.
    pub(super) fn completed(&self, of: &str, values: [Rational; 2]) -> Option<[Point; 2]> {
        let binders: Vec<&Binder> = self.private().collect();
        let moving = binders.iter().find(|binder| binder.name.text == base(of))?;
        self.first_admitted(moving, &self.settings(&binders, moving), values)
    }

    /// Values for the arguments that do not move.
    fn settings(&self, binders: &[&Binder], moving: &Binder) -> Vec<Point> {
        let mut settings = vec![Point::new()];
        for binder in binders.iter().filter(|binder| binder.name != moving.name) {
            let values = self.values(binder);
            let with = |setting: &Point, value: &Rational| {
                let mut setting = setting.clone();
                setting.insert(binder.name.text.clone(), value.clone());
                setting
            };
            let all = values.iter().flat_map(|value| settings.iter().map(|setting| with(setting, value)));
            settings = all.take(MOST_SETTINGS).collect();
        }
        settings
    }

    /// Pairs of values of an argument, those as far apart as neighbours may be first, then those farthest apart.
    fn moves(&self, binder: &Binder, distances: &[Distance]) -> Vec<[Rational; 2]> {
        let values = self.values(binder);
        let own = distances.iter().filter(|distance| base(&distance.of) == binder.name.text);
        let far: Vec<&Rational> =
            self.given.distance.iter().chain(own.map(|distance| &distance.at_most)).collect();
        let mut moves = Vec::new();
        for distance in far {
            // Not above the distance, also where the sum is no float.
            let toward = |value: &Rational, sum: Rational, rounding| {
                let float = match binder.ty.scalar {
                    Scalar::F64 => Rational::try_from(f64::from_rational(&sum, rounding)).ok(),
                    Scalar::F32 => Rational::try_from(f32::from_rational(&sum, rounding)).ok(),
                    _ => Some(sum),
                };
                float.filter(|float| float != value)
            };
            for value in &values {
                let above = toward(value, value + distance, Rounding::Down);
                let below = toward(value, value - distance, Rounding::Up);
                moves.extend([above, below].into_iter().flatten().map(|other| [value.clone(), other]));
            }
        }
        let mut any: Vec<[Rational; 2]> = Vec::new();
        for (i, a) in values.iter().enumerate() {
            any.extend(values[i + 1..].iter().map(|b| [a.clone(), b.clone()]));
        }
        any.sort_by_key(|[a, b]| std::cmp::Reverse((a - b).abs()));
        moves.extend(any);
        moves
    }

    /// Values that an argument can have by its range: simple ones, the ends, and what the text compares it with.
    fn values(&self, binder: &Binder) -> Vec<Rational> {
        match binder.ty.scalar {
            Scalar::Bool => return vec![Rational::ZERO, Rational::ONE],
            Scalar::Sign => return vec![Rational::ONE, Rational::from(-1)],
            _ => {}
        }
        let name = &binder.name.text;
        let (lo, hi) = self.range(binder);
        let one = Rational::ONE;
        let mut values = vec![Rational::ZERO, one.clone(), Rational::pow2(-1), -&one];
        values.extend([lo.clone(), hi.clone()].into_iter().flatten());
        if let (Some(lo), Some(hi)) = (&lo, &hi) {
            values.push((lo + hi) * Rational::pow2(-1));
        }
        for number in self.numbers() {
            values.extend([&number + &one, &number - &one, number]);
        }
        let format = self.program.format;
        let is_float = matches!(binder.ty.scalar, Scalar::F64 | Scalar::F32);
        let fit = |value: Rational| if is_float { nearest(&value, format) } else { value };
        let inside = |value: &Rational| {
            lo.as_ref().is_none_or(|lo| lo <= value)
                && hi.as_ref().is_none_or(|hi| value <= hi)
                && self.is_in_range(name, value)
        };
        let mut seen = BTreeSet::new();
        let values = values.into_iter().map(fit).filter(inside);
        values.filter(|value| seen.insert(value.clone())).take(MOST_VALUES).collect()
    }

    /// The declared or given range of an argument, as far as it is known.
    fn range(&self, binder: &Binder) -> (Option<Rational>, Option<Rational>) {
        let used = self.program.inputs.iter().find(|input| base(&input.name) == binder.name.text);
        let given = self.given.ranges.get(&binder.name.text);
        match (given, used) {
            (Some((lo, hi)), _) => (Some(lo.clone()), Some(hi.clone())),
            (None, Some(input)) if binder.constraint.is_some() => {
                (Some(input.lo.clone()), Some(input.hi.clone()))
            }
            _ => match binder.constraint {
                Some(Constraint::In(interval)) => (self.number(interval.lo), self.number(interval.hi)),
                _ => (None, None),
            },
        }
    }

    fn number(&self, id: ExprId) -> Option<Rational> {
        match &self.file.expr(id).kind {
            ExprKind::Number { value, .. } => Some(value.clone()),
            ExprKind::Name(name) => self.bindings.values.get(name).cloned(),
            _ => None,
        }
    }

    /// The numbers and parameters in the text's clauses, and the parameters' values.
    fn numbers(&self) -> BTreeSet<Rational> {
        let mut numbers: BTreeSet<Rational> = self.parameters().into_values().collect();
        for clause in &self.declaration.clauses {
            let (ClauseKind::Assume(condition) | ClauseKind::Adjacent(_, condition)) = &clause.kind else {
                continue;
            };
            numbers.extend(self.file.post_order(*condition).into_iter().filter_map(|id| self.number(id)));
        }
        numbers
    }
}

/// `count` of `count(a)`.
fn base(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

/// The float nearest to a number, as a number.
fn nearest(value: &Rational, format: Format) -> Rational {
    let float = match format {
        Format::Binary64 => f64::from_rational(value, Rounding::Nearest),
        Format::Binary32 => f32::from_rational(value, Rounding::Nearest).into(),
    };
    Rational::try_from(float).unwrap_or_else(|_| value.clone())
}
