//! The law of what a program returns, with numbers for its parameters and inputs.

use std::collections::BTreeMap;

use lastbit_audit::ExponentialSum;
use lastbit_audit::continuous::{Budget, HalfSpace, Noise, probability};
use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{
    Constraint, Fresh, Law, Path, Polynomial, Program, Relation, Sample, Symbol, Value, paths,
};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::event::{Event, Output, Part};
use super::quotient::Quotient;
use super::template::{Tail, Template};
use crate::logic::kernel::KernelError;
use crate::logic::kernel::align::label;

/// Exponentials of more than this are refused.
const MOST_EXPONENT: i64 = 1 << 12;
/// What one integral may use.
const BUDGET: Budget = Budget { terms: 1 << 13 };

/// The values of inputs, by the names of their variables.
pub(super) type Point = BTreeMap<Symbol, Rational>;

/// Every way through a program whose parameters are numbers.
pub(super) struct Model {
    paths: Vec<Path>,
    /// Which paths return the same where that does not depend on noise; those that decide most come first.
    pub(super) groups: Vec<Vec<usize>>,
    watch: Watch,
}

impl Model {
    /// Runs the program on symbols for its inputs.
    pub(super) fn new(program: &Program<'_>) -> Result<Model, KernelError> {
        let paths = paths(program, Side::One, &Fresh)?;
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, path) in paths.iter().enumerate() {
            groups.entry(label(path)).or_default().push(index);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        let decisions = |group: &Vec<usize>| group.iter().map(|index| paths[*index].guards.len()).max();
        groups.sort_by_key(|group| std::cmp::Reverse(decisions(group)));
        Ok(Model { paths, groups, watch: program.watch().clone() })
    }

    /// Whether noise is discrete.
    pub(super) fn has_discrete_noise(&self) -> bool {
        self.samples().any(|sample| matches!(sample.law, Law::DiscreteLaplace(..)))
    }

    pub(super) fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.paths.iter().flat_map(|path| &path.samples)
    }

    /// How many values a group returns.
    pub(super) fn outputs(&self, group: usize) -> usize {
        self.groups[group].first().map_or(0, |index| self.paths[*index].result.len())
    }

    /// The largest scale of a noise at a point, if it is known.
    pub(super) fn scale(&self, point: &Point) -> Option<Rational> {
        let at = |path: &Path| {
            let view = View { path, point };
            path.samples.iter().filter_map(|sample| Some(view.noise(sample)?.scale().clone())).max()
        };
        self.paths.iter().filter_map(at).max()
    }

    /// Whether every operation on the paths that can be taken at a point is defined, as far as that is known.
    pub(super) fn is_defined(&self, point: &Point) -> bool {
        self.paths.iter().map(|path| View { path, point }).all(|view| match view.guards() {
            Some(Some(_)) => view.is_defined() == Some(true),
            Some(None) => true,
            None => false,
        })
    }

    /// The probability of an event at a point where the program is defined. `None` if its noise does not act linearly, or the watch is over.
    pub(super) fn probability(&self, event: &Event, point: &Point) -> Option<Quotient> {
        let mut sum = Quotient::from(Rational::ZERO);
        for path in &self.paths {
            if self.watch.is_over() {
                return None;
            }
            let view = View { path, point };
            let Some(inside) = event.region(&view.outputs()?) else { continue };
            let Some(guards) = view.guards()? else { continue };
            let noises = path.samples.iter().map(|sample| view.noise(sample)).collect::<Option<Vec<_>>>()?;
            let mass = probability(&noises, &[guards, inside].concat(), BUDGET).ok()?;
            sum = sum.plus(&view.weight()?.times(&mass.into()));
        }
        Some(sum)
    }

    /// The event that a template describes for a point: what its group returns there, and how far out.
    pub(super) fn event(&self, template: &Template, point: &Point) -> Option<Event> {
        let mut alive = Vec::new();
        for (index, path) in self.paths.iter().enumerate() {
            if self.watch.is_over() {
                return None;
            }
            let view = View { path, point };
            if view.guards()?.is_some() {
                alive.push((index, view.outputs()?));
            }
        }
        let (_, outputs) = alive.iter().find(|(index, _)| self.groups[template.group].contains(index))?;
        let atoms = |place: usize| {
            alive.iter().filter_map(move |(_, outputs)| match outputs.get(place) {
                Some(Output::Number(value)) => Some(value.clone()),
                _ => None,
            })
        };
        let part = |(place, output): (usize, &Output)| match (output, template.tails.get(place)) {
            (Output::Truth(value), _) => Part::Is(*value),
            (Output::Number(value), _) => Part::Equals(value.clone()),
            (Output::Noisy(form), Some(Some(Tail { up: true, far }))) => Part::AtLeast(&form.constant + far),
            (Output::Noisy(form), Some(Some(Tail { up: false, far }))) => Part::AtMost(&form.constant - far),
            (Output::Noisy(_), _) => Part::Except(atoms(place).collect()),
        };
        Some(Event { parts: outputs.iter().enumerate().map(part).collect() })
    }
}

/// A path with numbers for the inputs. Everything is `None` where a value is not what is needed.
struct View<'v> {
    path: &'v Path,
    point: &'v Point,
}

impl View<'_> {
    /// The value of a symbol that is no noise.
    fn symbol(&self, symbol: &Symbol) -> Option<Quotient> {
        if let Some(value) = self.point.get(symbol) {
            return Some(value.clone().into());
        }
        let application = self.path.applications.get(symbol)?;
        let argument = self.number(application.arguments.first()?)?;
        match application.function {
            "recip" => argument.reciprocal(),
            "exp" => {
                let exponent = argument.as_rational().filter(|x| x.abs() <= MOST_EXPONENT.into())?;
                Some(ExponentialSum::term(Rational::ONE, exponent).into())
            }
            _ => None,
        }
    }

    /// The product of powers of symbols.
    fn product<'s>(&self, powers: impl Iterator<Item = &'s (Symbol, i32)>) -> Option<Quotient> {
        let mut product = Quotient::from(Rational::ONE);
        for (symbol, power) in powers {
            let value = self.symbol(symbol)?;
            let base = if *power < 0 { value.reciprocal()? } else { value };
            for _ in 0..power.unsigned_abs() {
                product = product.times(&base);
            }
        }
        Some(product)
    }

    /// The value of a polynomial without noise.
    fn number(&self, p: &Polynomial) -> Option<Quotient> {
        p.terms().try_fold(Quotient::from(Rational::ZERO), |sum, (monomial, coefficient)| {
            let product = self.product(monomial.powers().iter())?;
            Some(sum.plus(&product.times(&coefficient.clone().into())))
        })
    }

    /// A polynomial that is linear in the noises. Of a uniform sample the coordinate is `ln(u)`, and `-ln(u)` is exponential noise.
    fn linear(&self, p: &Polynomial) -> Option<HalfSpace> {
        let mut form = HalfSpace::new(vec![Rational::ZERO; self.path.samples.len()], Rational::ZERO);
        for (monomial, coefficient) in p.terms() {
            let place = |(symbol, _): &&(Symbol, i32)| {
                self.path.samples.iter().position(|sample| sample.coordinate() == *symbol)
            };
            let noisy: Vec<_> = monomial.powers().iter().filter(|power| place(power).is_some()).collect();
            let rest = monomial.powers().iter().filter(|power| place(power).is_none());
            let value = coefficient * &self.product(rest)?.as_rational()?;
            match noisy.as_slice() {
                [] => form.constant = &form.constant + value,
                [power @ (_, 1)] => {
                    let place = place(power)?;
                    let is_uniform = self.path.samples[place].law == Law::Uniform;
                    let value = if is_uniform { -value } else { value };
                    form.coefficients[place] = &form.coefficients[place] + value;
                }
                _ => return None,
            }
        }
        Some(form)
    }

    fn holds(&self, constraint: &Constraint) -> Option<bool> {
        let sign = self.number(&constraint.polynomial)?.sign();
        Some(match constraint.relation {
            Relation::NonNegative => sign.is_ge(),
            Relation::Positive => sign.is_gt(),
            Relation::Zero => sign.is_eq(),
        })
    }

    /// Where the noises must lie for the path to be taken; nothing if they almost never do.
    fn guards(&self) -> Option<Option<Vec<HalfSpace>>> {
        let mut region = Vec::new();
        for guard in &self.path.guards {
            match self.holds(guard) {
                Some(true) => continue,
                Some(false) => return Some(None),
                None => {}
            }
            let form = self.linear(&guard.polynomial)?;
            let is_number = form.coefficients.iter().all(Rational::is_zero);
            match guard.relation {
                _ if is_number && guard.relation.holds(&form.constant) => {}
                _ if is_number => return Some(None),
                // A hyperplane has no probability.
                Relation::Zero => return Some(None),
                Relation::NonNegative => region.push(form),
                Relation::Positive => region.push(HalfSpace { strict: true, ..form }),
            }
        }
        Some(Some(region))
    }

    fn outputs(&self) -> Option<Vec<Output>> {
        let output = |value: &Value| match value {
            Value::Bool(value) => Some(Output::Truth(*value)),
            Value::Number(p) => {
                let form = self.linear(p)?;
                let is_number = form.coefficients.iter().all(Rational::is_zero);
                Some(if is_number { Output::Number(form.constant) } else { Output::Noisy(form) })
            }
            _ => None,
        };
        self.path.result.iter().map(output).collect()
    }

    /// Whether no operation on the path is undefined.
    fn is_defined(&self) -> Option<bool> {
        let mut forbidden = self.path.obligations.iter().map(|obligation| self.holds(&obligation.forbidden));
        forbidden.try_fold(true, |defined, holds| Some(defined && !holds?))
    }

    /// The probability of the choices among finitely many values.
    fn weight(&self) -> Option<Quotient> {
        let one = Quotient::from(Rational::ONE);
        self.path.choices.iter().try_fold(one, |product, choice| {
            let weight = self.number(&choice.law.weights[choice.value])?;
            Some(product.times(&weight.times(&self.number(&choice.law.total)?.reciprocal()?)))
        })
    }

    fn noise(&self, sample: &Sample) -> Option<Noise> {
        let scale = |p: &Polynomial| self.number(p)?.as_rational().filter(Rational::is_positive);
        match &sample.law {
            Law::Uniform => Some(Noise::Exponential(Rational::ONE)),
            Law::Laplace(p) => Some(Noise::Laplace(scale(p)?)),
            Law::Exponential(p) => Some(Noise::Exponential(scale(p)?)),
            Law::DiscreteLaplace(..) => None,
        }
    }
}

#[cfg(test)]
impl Model {
    /// The probability that the program returns anything.
    pub(super) fn total(&self, point: &Point) -> Option<Quotient> {
        let mut sum = Quotient::from(Rational::ZERO);
        for group in 0..self.groups.len() {
            let template = Template { group, tails: vec![None; self.outputs(group)] };
            if let Some(event) = self.event(&template, point) {
                sum = sum.plus(&self.probability(&event, point)?);
            }
        }
        Some(sum)
    }
}
