//! Linear programming over the rationals, exact, with certificates: the simplex method.
//!
//! Every row is a slack `s_i = Σ a_ij x_j + c_i`. A dictionary holds the same equations solved for some of the slacks; a row of it in
//! which a nonnegative symbol equals a negative constant minus nonnegative terms is a Farkas certificate. Its rows are a circuit: the
//! linear parts of any fewer of them are independent, so no row of a certificate can be left out.

mod dictionary;
mod number;
mod phases;
#[cfg(test)]
mod tests;

pub(crate) use lastbit_lang::symbolic::Relation;
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use dictionary::{Dictionary, Line, Symbol};
use number::Number;
use phases::{Combination, End};

/// `Σ coefficient · x_j + constant`, compared with 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Variables with their coefficients. A variable may occur twice; its coefficients add.
    pub coefficients: Vec<(usize, Rational)>,
    /// The constant term.
    pub constant: Rational,
    /// Its relation to 0.
    pub relation: Relation,
}

/// Whether some point satisfies all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Feasibility {
    /// This one does.
    Feasible(Vec<Rational>),
    /// None does.
    Infeasible(Farkas),
}

/// Why rows contradict each other: a combination of them in which no variable is left.
///
/// Ensures: the multipliers are not 0, and positive for inequalities. `Σ multiplier · row` has no variables and a constant that is negative;
/// or 0, and one of the rows is strict. No row can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Farkas {
    /// Rows with their multipliers, in the order of the rows.
    pub multipliers: Vec<(usize, Rational)>,
}

/// The least value of an objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Optimum {
    /// A point where it is taken, and the value.
    At(Vec<Rational>, Rational),
    /// There is no least value: it goes to -∞.
    Unbounded,
    /// No point satisfies the rows.
    Infeasible(Farkas),
}

/// A point that satisfies all rows, at a vertex if they have one; or why there is none. The variables are `0..variables`. `None` if the
/// watch is over.
pub(crate) fn feasible(variables: usize, rows: &[Row], watch: &Watch) -> Option<Feasibility> {
    if rows.iter().any(|row| row.relation == Relation::Positive) {
        return strictly_feasible(variables, rows, watch);
    }
    Some(match minimise(variables, rows, &[], watch)? {
        Optimum::At(point, _) => Feasibility::Feasible(point),
        Optimum::Infeasible(farkas) => Feasibility::Infeasible(farkas),
        Optimum::Unbounded => unreachable!("the objective is 0"),
    })
}

/// Strict rows are made homogeneous: constants are multiplied by a new variable `h >= 1`, and what is to be positive is to be at least 1.
/// A solution divided by its `h` satisfies the rows, and a point that satisfies the rows is a solution when multiplied by a large `h`.
///
/// Of a certificate `Σ multiplier · row + ν·(h - 1) < 0`, the rows themselves add up to `-ν`; and if `ν` is 0, a strict one is among them. It
/// is a circuit of the rows with their constants. If it is none without them, a small change of the multipliers makes the sum negative, so
/// that its rows contradict each other even if none is strict.
fn strictly_feasible(variables: usize, rows: &[Row], watch: &Watch) -> Option<Feasibility> {
    let h = variables;
    let homogeneous = |row: &Row| {
        let mut coefficients = row.coefficients.clone();
        coefficients.push((h, row.constant.clone()));
        match row.relation {
            Relation::Positive => at_least_one(coefficients),
            relation => Row { coefficients, constant: Rational::ZERO, relation },
        }
    };
    let mut system: Vec<Row> = rows.iter().map(homogeneous).collect();
    system.push(at_least_one(vec![(h, Rational::ONE)]));
    let mut dictionary = dictionary(variables + 1, &system, &[], watch)?;
    if let Err(combination) = dictionary.make_feasible()? {
        let farkas = farkas(combination, rows.len());
        let closed = without_strictness(variables, rows, &farkas, watch);
        return Some(Feasibility::Infeasible(closed.unwrap_or(farkas)));
    }
    let mut point = point(&dictionary, variables + 1, system.len());
    let scale = point.pop().expect("h is the last one");
    Some(Feasibility::Feasible(point.iter().map(|value| value / &scale).collect()))
}

/// A certificate from the rows of another one, if they contradict each other even if none is strict.
fn without_strictness(variables: usize, rows: &[Row], farkas: &Farkas, watch: &Watch) -> Option<Farkas> {
    let places: Vec<usize> = farkas.multipliers.iter().map(|(row, _)| *row).collect();
    let closed: Vec<Row> = places.iter().map(|&row| rows[row].clone()).collect();
    let Optimum::Infeasible(closed) = minimise(variables, &closed, &[], watch)? else { return None };
    let multipliers = closed.multipliers.into_iter().map(|(row, multiplier)| (places[row], multiplier));
    Some(Farkas { multipliers: multipliers.collect() })
}

fn at_least_one(coefficients: Vec<(usize, Rational)>) -> Row {
    Row { coefficients, constant: -Rational::ONE, relation: Relation::NonNegative }
}

/// The least value of `Σ coefficient · x_j` over the points that satisfy all rows; strict rows count as if they were not. `None` if the
/// watch is over.
pub(crate) fn minimise(
    variables: usize,
    rows: &[Row],
    objective: &[(usize, Rational)],
    watch: &Watch,
) -> Option<Optimum> {
    let mut dictionary = dictionary(variables, rows, objective, watch)?;
    if let Err(combination) = dictionary.make_feasible()? {
        return Some(Optimum::Infeasible(farkas(combination, rows.len())));
    }
    Some(match dictionary.optimise()? {
        End::Unbounded => Optimum::Unbounded,
        End::Optimal => {
            let value = dictionary.objective.constant.to_rational();
            Optimum::At(point(&dictionary, variables, rows.len()), value)
        }
    })
}

/// The system with its variables eliminated. `None` if the watch is over.
fn dictionary(
    variables: usize,
    rows: &[Row],
    objective: &[(usize, Rational)],
    watch: &Watch,
) -> Option<Dictionary> {
    let line = |coefficients: &[(usize, Rational)], constant: &Rational| {
        let mut line = Line::zero(variables);
        line.constant = constant.into();
        for (variable, coefficient) in coefficients {
            line.entries[*variable].add_product(&Number::ONE, &coefficient.into());
        }
        line
    };
    let lines = rows.iter().enumerate().map(|(i, row)| {
        let symbol = if row.relation == Relation::Zero { Symbol::Equation(i) } else { Symbol::Slack(i) };
        (!watch.is_over()).then(|| (symbol, line(&row.coefficients, &row.constant)))
    });
    let lines = lines.collect::<Option<Vec<_>>>()?;
    let mut dictionary = Dictionary::new(variables, lines, line(objective, &Rational::ZERO), watch);
    dictionary.eliminate_variables()?;
    Some(dictionary)
}

fn point(dictionary: &Dictionary, variables: usize, rows: usize) -> Vec<Rational> {
    dictionary.point(variables, rows).iter().map(Number::to_rational).collect()
}

/// The multipliers of the first `rows` rows.
fn farkas(combination: Combination, rows: usize) -> Farkas {
    let mut multipliers: Vec<(usize, Rational)> = Vec::new();
    for (symbol, multiplier) in combination {
        let (Symbol::Slack(row) | Symbol::Equation(row)) = symbol else { continue };
        if row < rows && !multiplier.is_zero() {
            multipliers.push((row, multiplier.to_rational()));
        }
    }
    multipliers.sort_by_key(|(row, _)| *row);
    Farkas { multipliers }
}
