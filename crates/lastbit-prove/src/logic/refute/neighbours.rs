//! Neighbouring inputs: points of a polyhedron, found by linear programming and then held against every condition.

use std::collections::BTreeMap;

use lastbit_audit::discrete::{Argument, Inputs};
use lastbit_lang::ast::{Declaration, Scalar, Side};
use lastbit_lang::symbolic::{Constraint, Polynomial, Program, Relation, Symbol, Value};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::model::Point;
use crate::logic::kernel::Hypotheses;
use crate::logic::search::simplex::{Optimum, Row, minimise};

/// How far inputs may be apart where nothing else bounds it.
const FARTHEST: i64 = 64;

/// One number, or truth value, of the inputs.
#[derive(Clone, Debug)]
struct Coordinate {
    /// Its variable in the first and in the second run.
    symbols: [Symbol; 2],
    is_truth: bool,
    /// The number that it must be a multiple of.
    step: Option<Rational>,
}

/// All inputs of a program, in the order of their names.
#[derive(Clone, Debug)]
pub(super) struct Space {
    coordinates: Vec<Coordinate>,
    /// The names, and how many coordinates each has if it is a list.
    names: Vec<(String, Option<usize>)>,
    watch: Watch,
}

impl Space {
    /// The inputs of a program. Those of type `grid` are multiples of `grid`.
    pub(super) fn new(program: &Program<'_>, grid: &Rational) -> Space {
        let mut space = Space { coordinates: Vec::new(), names: Vec::new(), watch: program.watch().clone() };
        let second = program.inputs(Side::Two);
        for (name, value) in program.inputs(Side::One) {
            let scalar = scalar(program.declaration, &name);
            if scalar == Scalar::Data {
                continue;
            }
            let step = match scalar {
                Scalar::Int => Some(Rational::ONE),
                Scalar::Grid => Some(grid.clone()),
                _ => None,
            };
            let [one, two] =
                [Some(&value), second.get(&name)].map(|value| value.map_or(Vec::new(), variables));
            space.names.push((name, matches!(value, Value::List(_)).then_some(one.len())));
            space.coordinates.extend(one.into_iter().zip(two).map(|(one, two)| Coordinate {
                symbols: [one, two],
                is_truth: scalar == Scalar::Bool,
                step: step.clone(),
            }));
        }
        space
    }

    /// The names of the arguments, and how many numbers each has if it is a list.
    pub(super) fn names(&self) -> &[(String, Option<usize>)] {
        &self.names
    }

    pub(super) fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// As values of the variables of the first run, in which the model is written, whichever input it is.
    pub(super) fn point(&self, values: &[Rational]) -> Point {
        let symbols = self.coordinates.iter().map(|coordinate| coordinate.symbols[0].clone());
        symbols.zip(values.iter().cloned()).collect()
    }

    /// By the names of the arguments.
    pub(super) fn arguments(&self, values: &[Rational]) -> Inputs {
        let mut rest = self.coordinates.iter().zip(values);
        let mut take = |length: Option<usize>| {
            let taken: Vec<_> = rest.by_ref().take(length.unwrap_or(1)).collect();
            let is_truth = taken.first().is_some_and(|(coordinate, _)| coordinate.is_truth);
            let numbers = || taken.iter().map(|(_, value)| (*value).clone()).collect::<Vec<Rational>>();
            let truths = || taken.iter().map(|(_, value)| !value.is_zero()).collect::<Vec<bool>>();
            match (length, is_truth) {
                (Some(_), true) => Argument::Bools(truths()),
                (Some(_), false) => Argument::Numbers(numbers()),
                (None, true) => Argument::Bool(truths()[0]),
                (None, false) => Argument::Number(numbers()[0].clone()),
            }
        };
        self.names.iter().map(|(name, length)| (name.clone(), take(*length))).collect()
    }

    /// Whether both inputs satisfy everything, exactly.
    pub(super) fn are_neighbours(&self, case: &Hypotheses, pair: [&[Rational]; 2]) -> bool {
        let on_grid = |values: &[Rational]| {
            let mut each = self.coordinates.iter().zip(values);
            each.all(|(c, value)| c.step.as_ref().is_none_or(|step| (value / step).is_integer()))
        };
        let mut values: BTreeMap<Symbol, Polynomial> = BTreeMap::new();
        for (side, numbers) in pair.into_iter().enumerate() {
            let symbols = self.coordinates.iter().map(|coordinate| coordinate.symbols[side].clone());
            values.extend(symbols.zip(numbers.iter().cloned().map(Polynomial::constant)));
        }
        let holds = |constraint: &Constraint| {
            let value = constraint.polynomial.substitute(&values).and_then(|p| p.as_constant());
            value.is_some_and(|value| constraint.relation.holds(&value))
        };
        pair.into_iter().all(on_grid) && case.constraints.iter().all(holds)
    }

    /// The neighbour of `first` for which `Σ weightᵢ·xᵢ` is least.
    pub(super) fn neighbour(
        &self,
        case: &Hypotheses,
        first: &[Rational],
        weights: &[Rational],
    ) -> Option<Vec<Rational>> {
        let n = self.len();
        let mut rows = self.rows(case);
        for (i, value) in first.iter().enumerate() {
            rows.push(Row {
                coefficients: vec![(i, Rational::ONE)],
                constant: -value,
                relation: Relation::Zero,
            });
            for sign in [1, -1] {
                // ±(y - x) <= FARTHEST
                let sign = Rational::from(sign);
                let constant = Rational::from(FARTHEST) - &sign * value;
                rows.push(Row {
                    coefficients: vec![(n + i, sign)],
                    constant,
                    relation: Relation::NonNegative,
                });
            }
        }
        let objective: Vec<(usize, Rational)> =
            weights.iter().enumerate().map(|(i, weight)| (n + i, weight.clone())).collect();
        let Optimum::At(solution, _) = minimise(2 * n, &rows, &objective, &self.watch)? else { return None };
        let second = self.on_grid(first, &solution[n..]);
        self.are_neighbours(case, [first, &second]).then_some(second)
    }

    /// The point nearest to `wanted` that has a neighbour.
    pub(super) fn nearest(&self, case: &Hypotheses, wanted: &[Rational]) -> Option<Vec<Rational>> {
        let n = self.len();
        let mut rows = self.rows(case);
        for (i, value) in wanted.iter().enumerate() {
            for sign in [1, -1] {
                // distance >= ±(x - wanted)
                let sign = Rational::from(sign);
                let constant = &sign * value;
                let coefficients = vec![(i, -sign), (2 * n + i, Rational::ONE)];
                rows.push(Row { coefficients, constant, relation: Relation::NonNegative });
            }
        }
        let distance: Vec<_> = (0..n).map(|i| (2 * n + i, Rational::ONE)).collect();
        let Optimum::At(mut solution, _) = minimise(3 * n, &rows, &distance, &self.watch)? else {
            return None;
        };
        solution.truncate(n);
        Some(self.on_grid(wanted, &solution))
    }

    /// Towards `from`, to the next multiples.
    fn on_grid(&self, from: &[Rational], to: &[Rational]) -> Vec<Rational> {
        let each = self.coordinates.iter().zip(from.iter().zip(to));
        each.map(|(coordinate, (from, to))| match &coordinate.step {
            None => to.clone(),
            Some(step) => {
                let multiples = to / step;
                let whole = if to < from { multiples.ceil() } else { multiples.floor() };
                Rational::from(whole) * step
            }
        })
        .collect()
    }

    /// What is linear of a case, the first input in front. A strict condition is kept with a little to spare.
    fn rows(&self, case: &Hypotheses) -> Vec<Row> {
        let mut places: BTreeMap<&Symbol, usize> = BTreeMap::new();
        for (i, coordinate) in self.coordinates.iter().enumerate() {
            let [one, two] = &coordinate.symbols;
            places.insert(one, i);
            places.insert(two, self.len() + i);
        }
        let row = |constraint: &Constraint| {
            let (mut coefficients, mut constant) = (Vec::new(), Rational::ZERO);
            for (monomial, coefficient) in constraint.polynomial.terms() {
                match monomial.powers() {
                    [] => constant = coefficient.clone(),
                    [(symbol, 1)] => coefficients.push((*places.get(symbol)?, coefficient.clone())),
                    _ => return None,
                }
            }
            let relation = constraint.relation;
            if relation == Relation::Positive {
                constant = constant - Rational::pow2(-4);
            }
            (!coefficients.is_empty()).then_some(Row { coefficients, constant, relation })
        };
        case.constraints.iter().filter_map(row).collect()
    }

    /// How far each coordinate of neighbours can be apart, near a point; 0 for truth values.
    pub(super) fn reach(&self, case: &Hypotheses, first: &[Rational]) -> Vec<Rational> {
        let farthest = |i: usize| {
            let ends = [1, -1].into_iter().filter_map(|sign| {
                let mut weights = vec![Rational::ZERO; self.len()];
                weights[i] = sign.into();
                Some((&self.neighbour(case, first, &weights)?[i] - &first[i]).abs())
            });
            ends.max().unwrap_or_default()
        };
        let each = self.coordinates.iter().enumerate();
        each.map(|(i, coordinate)| if coordinate.is_truth { Rational::ZERO } else { farthest(i) }).collect()
    }
}

/// The type of an argument, or of the answers of a query.
fn scalar(declaration: &Declaration, name: &str) -> Scalar {
    let query = name.split('(').next().unwrap_or(name);
    let argument = declaration.arguments.iter().find(|binder| binder.name.text == name);
    let binder = argument.or_else(|| declaration.queries().find(|binder| binder.name.text == query));
    binder.map_or(Scalar::Real, |binder| binder.ty.scalar)
}

fn variables(value: &Value) -> Vec<Symbol> {
    match value {
        Value::Number(p) | Value::Flag(p) => p.variables().into_iter().collect(),
        Value::List(items) => items.iter().flat_map(variables).collect(),
        _ => Vec::new(),
    }
}
