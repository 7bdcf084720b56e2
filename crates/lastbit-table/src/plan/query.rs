//! The questions of a plan, and the integers that answer them.

use std::ops::Range;
use std::sync::Arc;

use lastbit_real::Rational;

use super::grid::{Edges, Grid, Squares};
use super::source::Source;
use super::{Keys, PlanFault};
use crate::sensitivity::Sensitivity;
use crate::spec::QuerySpec;
use crate::suggest::closest;

/// A question of a plan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Query {
    /// The name of the answer.
    pub name: String,
    /// What is asked.
    pub kind: QueryKind,
    /// The column that is asked about.
    pub column: Option<String>,
    /// What the answer may cost: ε or ρ, as the plan's measure says.
    pub loss: Rational,
    /// The part of δ that the answer may cost.
    pub delta: Option<Rational>,
    /// The integers that the answer is made of, in order.
    pub components: Vec<Component>,
}

/// What is asked of each group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryKind {
    /// The number of rows.
    Count,
    /// The number of units.
    CountUnits,
    /// The sum of a column.
    Sum,
    /// The mean of a column: the centre, plus the sum of distances from it over the number of values.
    Mean {
        /// The number in the middle of the bounds from which distances are taken.
        centre: Rational,
        /// The least and the largest value of a row.
        bounds: [Rational; 2],
    },
    /// The population variance of a column: the mean of squared distances from the centre, less the square of the mean distance.
    Variance(Spread),
    /// The root of that.
    Deviation(Spread),
    /// One of the edges that is about the quantile of a column: chosen by scores, not computed with noise.
    Quantile {
        /// The part of the values that lie below it, or half of those that are it.
        q: Rational,
        /// The candidates, in order.
        edges: Vec<Rational>,
    },
    /// How many of these values of a column occur.
    Distinct {
        /// The values, sorted.
        values: Vec<String>,
    },
    /// The number of rows in each bin of a column.
    Histogram {
        /// The edges of the bins; bins have their lower edge, and the last one has both.
        edges: Vec<Rational>,
    },
}

/// How a variance follows from its components.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spread {
    /// The number in the middle of all squared distances, from which those are counted.
    pub centre: Rational,
    /// The largest variance that values within the bounds can have.
    pub largest: Rational,
}

impl QueryKind {
    /// The word for it in specs.
    pub fn name(&self) -> &'static str {
        match self {
            QueryKind::Count => "count",
            QueryKind::CountUnits => "count-units",
            QueryKind::Sum => "sum",
            QueryKind::Mean { .. } => "mean",
            QueryKind::Variance(_) => "variance",
            QueryKind::Deviation(_) => "std",
            // Both are the same.
            QueryKind::Quantile { q, .. } if *q == Rational::pow2(-1) => "median",
            QueryKind::Quantile { .. } => "quantile",
            QueryKind::Distinct { .. } => "distinct",
            QueryKind::Histogram { .. } => "histogram",
        }
    }
}

/// Integers that answer a question, or a part of it: `cells` integers for every group.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Component {
    /// What the integers are, in a word.
    pub role: &'static str,
    /// The integers that a group has: the bins of a histogram, else 1.
    pub cells: usize,
    /// What one step of the integers means.
    pub step: Rational,
    /// How far one unit moves them.
    pub sensitivity: Sensitivity,
    /// What is released of them.
    pub released: Released,
    /// The place of the first of them among the integers of a group.
    pub(crate) first: usize,
    /// The places of what units contribute among all that is added up for a group.
    pub(crate) tallied: Range<usize>,
    pub(crate) tally: Tally,
}

/// What is released of the integers of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// All of them, with noise.
    Noisy,
    /// The place of one of them, from 0, likely of one of the largest: they are the scores of candidates.
    Chosen,
}

impl Component {
    /// How many integers are released of a group.
    pub fn released_cells(&self) -> usize {
        match self.released {
            Released::Noisy => self.cells,
            Released::Chosen => 1,
        }
    }
}

/// How the rows of a unit in a group become integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tally {
    /// 1.
    Units,
    /// The number of rows, clipped.
    Rows,
    /// The sum of a slot's steps, clipped to what that many rows can reach.
    Sum { slot: usize, low: i128, high: i128 },
    /// The sum of a slot's distances from the centre, scaled down to that many rows.
    Centred { slot: usize, centre: i64 },
    /// The number of rows with a value in a slot, clipped.
    Present { slot: usize },
    /// The number of rows in each bin of a slot, clipped together.
    Bins { slot: usize },
    /// The number of rows below, at and between edges, clipped together; the integers are the scores of the edges as the quantile at `part / of`.
    Ranks { slot: usize, part: i128, of: i128 },
    /// 1 for each value of a slot that the unit has, clipped together; the integer is how many values any unit has.
    Values { slot: usize },
}

impl Tally {
    /// The slot that the integers come from.
    pub(crate) fn slot(&self) -> Option<usize> {
        match self {
            Tally::Units | Tally::Rows => None,
            Tally::Sum { slot, .. }
            | Tally::Centred { slot, .. }
            | Tally::Present { slot }
            | Tally::Bins { slot }
            | Tally::Ranks { slot, .. }
            | Tally::Values { slot } => Some(*slot),
        }
    }
}

/// Something that each row contributes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slot {
    pub(crate) source: Source,
    pub(crate) reading: Reading,
}

/// The integer of a row in a slot, from 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    /// Steps above the lower bound.
    Steps(Grid),
    /// The number of the bin.
    Bin(Edges),
    /// Where it lies among edges: twice the number of edges below it, and 1 more if it is an edge.
    Rank(Edges),
    /// The squared distance from the centre of the bounds.
    Square(Squares),
    /// The place among declared values.
    Value(Arc<Keys>),
}

impl Reading {
    /// The least and the largest number of a row, where rows are added up; the integers of a slot are counted from the least.
    pub(crate) fn range(&self) -> Option<(i64, i64)> {
        match self {
            Reading::Steps(grid) => Some((grid.low, grid.high)),
            Reading::Square(squares) => Some((0, squares.largest)),
            Reading::Bin(_) | Reading::Rank(_) | Reading::Value(_) => None,
        }
    }
}

impl Slot {
    /// The largest integer of a row.
    pub(crate) fn largest(&self) -> u64 {
        match &self.reading {
            Reading::Steps(grid) => (grid.high - grid.low) as u64,
            Reading::Square(squares) => squares.largest as u64,
            Reading::Bin(edges) => edges.bins() as u64 - 1,
            Reading::Rank(edges) => 2 * edges.edges.len() as u64,
            Reading::Value(values) => values.sorted().len() as u64 - 1,
        }
    }
}

const KINDS: [&str; 10] =
    ["count", "count-units", "sum", "mean", "variance", "std", "median", "quantile", "distinct", "histogram"];

/// The largest denominator of a quantile: scores of 2^63 rows fit easily then.
const MOST_PARTS: i64 = 1_000_000_000;

/// What the queries of a plan share while they are built.
pub(super) struct Builder {
    pub(super) groups: u64,
    pub(super) rows: u64,
    pub(super) slots: Vec<Slot>,
    /// The integers of a group so far.
    pub(super) width: usize,
    /// The integers that are added up for a group so far.
    pub(super) tallied: usize,
}

impl Builder {
    /// The query that a spec asks for; `source` is its column, and `values` are those that it declares.
    pub(super) fn query(
        &mut self,
        asked: &QuerySpec,
        source: Option<Source>,
        values: Option<Keys>,
    ) -> Result<Query, (&'static str, PlanFault)> {
        let needs_column = !matches!(asked.kind.as_str(), "count" | "count-units");
        if !KINDS.contains(&asked.kind.as_str()) {
            let suggestion = closest(&asked.kind, KINDS).map(str::to_owned);
            return Err((
                "kind",
                PlanFault::Word { found: asked.kind.clone(), known: KINDS.join(", "), suggestion },
            ));
        }
        let useless =
            |key, present: bool, why| if present { Err((key, PlanFault::Useless { why })) } else { Ok(()) };
        let has_edges = matches!(asked.kind.as_str(), "histogram" | "median" | "quantile");
        let is_distinct = asked.kind == "distinct";
        useless(
            "column",
            asked.column.is_some() && !needs_column,
            "counts need no column; write `filter` to count some rows only",
        )?;
        useless(
            "bounds",
            asked.bounds.is_some() && (!needs_column || has_edges || is_distinct),
            "only sums, means, variances and standard deviations have bounds",
        )?;
        useless(
            "grid",
            asked.grid.is_some() && (!needs_column || has_edges || is_distinct),
            "only sums, means, variances and standard deviations have a grid",
        )?;
        useless("edges", asked.edges.is_some() && !has_edges, "only histograms and quantiles have edges")?;
        useless(
            "q",
            asked.q.is_some() && asked.kind != "quantile",
            "only quantiles have a q; a median is the quantile at 1/2",
        )?;
        useless("values", values.is_some() && !is_distinct, "only the kind \"distinct\" has values")?;
        let missing = |why| PlanFault::Missing { why };
        let source = match (needs_column, source) {
            (true, None) => return Err(("column", missing("the column that is asked about"))),
            (_, source) => source,
        };
        let (kind, components) = match (asked.kind.as_str(), source) {
            ("count-units", _) => {
                (QueryKind::CountUnits, vec![self.component("units", Tally::Units, Rational::ONE)])
            }
            (kind @ ("sum" | "mean" | "variance" | "std"), Some(source)) => {
                let bounds = asked.bounds.as_ref();
                let why = "without bounds on the values of a row one row could change the answer without limit, and no noise would hide it";
                let [low, high] = bounds.ok_or(("bounds", missing(why)))?;
                let grid = Grid::new(low, high, asked.grid.as_ref()).map_err(|fault| ("bounds", fault))?;
                self.check_totals(&grid).map_err(|fault| ("bounds", fault))?;
                match kind {
                    "sum" => self.sum(source, grid),
                    "mean" => self.mean(source, grid),
                    kind => {
                        let (spread, components) =
                            self.spread(source, grid).map_err(|fault| ("bounds", fault))?;
                        let is_root = kind == "std";
                        let kind = if is_root { QueryKind::Deviation } else { QueryKind::Variance };
                        (kind(spread), components)
                    }
                }
            }
            ("histogram", Some(source)) => {
                let why = "the edges of the bins; they are published as they are, and edges that follow from the private rows would tell about them, \
                           so list edges that you know without the table";
                let edges = asked.edges.as_ref().ok_or(("edges", missing(why)))?;
                self.histogram(source, edges).map_err(|fault| ("edges", fault))?
            }
            (kind @ ("median" | "quantile"), Some(source)) => {
                let why = "the candidates, one of which is the answer; candidates that follow from the private rows would tell about them, so list \
                           numbers that you know without the table";
                let edges = asked.edges.as_ref().ok_or(("edges", missing(why)))?;
                let q = match (kind, &asked.q) {
                    ("median", _) => Rational::pow2(-1),
                    (_, Some(q)) => q.clone(),
                    (_, None) => {
                        return Err(("q", missing("the part of the values that is to lie below: 0.25, 0.9")));
                    }
                };
                self.quantile(source, q, edges)?
            }
            ("distinct", Some(source)) => {
                let why = "the values that may occur; those that are taken from the data tell who is in it, so list them";
                self.distinct(source, values.ok_or(("values", missing(why)))?)
            }
            _ => (QueryKind::Count, vec![self.component("rows", Tally::Rows, Rational::ONE)]),
        };
        // The loss is settled when all queries are known.
        Ok(Query {
            name: asked.name.clone(),
            kind,
            column: asked.column.clone(),
            loss: Rational::ZERO,
            delta: None,
            components,
        })
    }

    /// Totals fit in `i128`: at most 2^63 units, each at most `rows · max(|low|, |high|)`.
    fn check_totals(&self, grid: &Grid) -> Result<(), PlanFault> {
        let product = i128::from(self.rows) * i128::from(grid.magnitude().max(grid.high - grid.low));
        match product <= i128::MAX >> 63 {
            true => Ok(()),
            false => Err(PlanFault::Overflow { product: product.to_string() }),
        }
    }

    fn sum(&mut self, source: Source, grid: Grid) -> (QueryKind, Vec<Component>) {
        let rows = i128::from(self.rows);
        // A unit with fewer rows, down to none, must not be moved up to a positive lower bound.
        let (low, high) = (rows * i128::from(grid.low.min(0)), rows * i128::from(grid.high.max(0)));
        let step = grid.step.clone();
        let slot = self.slot(source, Reading::Steps(grid));
        (QueryKind::Sum, vec![self.component("sum", Tally::Sum { slot, low, high }, step)])
    }

    fn mean(&mut self, source: Source, grid: Grid) -> (QueryKind, Vec<Component>) {
        let (centre, step) = (grid.centre(), grid.step.clone());
        let [centre_value, low, high] = [centre, grid.low, grid.high].map(|x| Rational::from(x) * &step);
        let slot = self.slot(source, Reading::Steps(grid));
        let kind = QueryKind::Mean { centre: centre_value, bounds: [low, high] };
        (kind, self.distances(slot, centre, step).into())
    }

    /// The sum of the distances from the centre, and the number of values.
    fn distances(&mut self, slot: usize, centre: i64, step: Rational) -> [Component; 2] {
        let distances = self.component("distances from the centre", Tally::Centred { slot, centre }, step);
        [distances, self.component("values", Tally::Present { slot }, Rational::ONE)]
    }

    fn spread(&mut self, source: Source, grid: Grid) -> Result<(Spread, Vec<Component>), PlanFault> {
        let (middle, step) = (grid.centre(), grid.step.clone());
        let squares = Squares::new(&grid, self.rows)?;
        let largest = (&step * Rational::from(grid.high - grid.low)).pow(2) / Rational::from(4);
        // The squares lie between 0 and the largest: so are their distances from the middle half as long.
        let (centre, square_step) = (squares.largest / 2, squares.step());
        let spread = Spread { centre: Rational::from(centre) * &square_step, largest };
        let slot = self.slot(source.clone(), Reading::Steps(grid));
        let mut components = Vec::from(self.distances(slot, middle, step));
        let slot = self.slot(source, Reading::Square(squares));
        let tally = Tally::Centred { slot, centre };
        components.push(self.component("squared distances", tally, square_step));
        Ok((spread, components))
    }

    fn histogram(
        &mut self,
        source: Source,
        edges: &[Rational],
    ) -> Result<(QueryKind, Vec<Component>), PlanFault> {
        let slot = self.slot(source, Reading::Bin(Edges::new(edges)?));
        let kind = QueryKind::Histogram { edges: edges.to_vec() };
        Ok((kind, vec![self.component("rows in bins", Tally::Bins { slot }, Rational::ONE)]))
    }

    fn quantile(
        &mut self,
        source: Source,
        q: Rational,
        edges: &[Rational],
    ) -> Result<(QueryKind, Vec<Component>), (&'static str, PlanFault)> {
        let ratio = [q.numerator(), q.denominator().into()].map(|part| i64::try_from(part).ok());
        let [Some(part @ 1..), Some(of @ ..=MOST_PARTS)] = ratio else {
            return Err(("q", PlanFault::Quantile { most: MOST_PARTS }));
        };
        if part >= of {
            return Err(("q", PlanFault::Quantile { most: MOST_PARTS }));
        }
        let slot = self.slot(source, Reading::Rank(Edges::new(edges).map_err(|fault| ("edges", fault))?));
        // A score counts rows as many times.
        let step = Rational::from(of).recip().unwrap_or(Rational::ONE);
        let tally = Tally::Ranks { slot, part: part.into(), of: of.into() };
        let scores = self.component("scores of candidates", tally, step);
        Ok((QueryKind::Quantile { q, edges: edges.to_vec() }, vec![scores]))
    }

    fn distinct(&mut self, source: Source, values: Keys) -> (QueryKind, Vec<Component>) {
        let kind = QueryKind::Distinct { values: values.sorted().concat() };
        let slot = self.slot(source, Reading::Value(Arc::new(values)));
        (kind, vec![self.component("values that occur", Tally::Values { slot }, Rational::ONE)])
    }

    /// The place of a slot; queries of one column with the same bounds share it.
    fn slot(&mut self, source: Source, reading: Reading) -> usize {
        let slot = Slot { source, reading };
        self.slots.iter().position(|known| *known == slot).unwrap_or_else(|| {
            self.slots.push(slot);
            self.slots.len() - 1
        })
    }

    fn component(&mut self, role: &'static str, tally: Tally, step: Rational) -> Component {
        let rows = Rational::from(self.rows);
        let bins = |slot: usize| self.slots[slot].largest() as usize + 1;
        let sum = |magnitude: &Rational| Sensitivity::of_groups(self.groups, magnitude);
        // How far the integers of a group move, how many there are, and how many are added up for them.
        let (sensitivity, cells, tallied) = match &tally {
            Tally::Units => (sum(&Rational::ONE), 1, 1),
            Tally::Rows | Tally::Present { .. } => (sum(&rows), 1, 1),
            Tally::Sum { low, high, .. } => (sum(&Rational::from((*high).max(-*low))), 1, 1),
            Tally::Centred { slot, centre } => {
                let (low, high) = self.slots[*slot].reading.range().unwrap_or_default();
                (sum(&(rows * Rational::from((high - centre).max(centre - low)))), 1, 1)
            }
            Tally::Bins { slot } => (sum(&rows), bins(*slot), bins(*slot)),
            // A row moves each score by `part` or by what `of` is more.
            Tally::Ranks { slot, part, of } => {
                let largest = rows * Rational::from((*part).max(of - part));
                let candidates = bins(*slot) / 2;
                (Sensitivity::of_scores(self.groups, candidates as u64, &largest), candidates, bins(*slot))
            }
            // A unit has no more values than there are.
            Tally::Values { slot } => (sum(&rows.min(Rational::from(bins(*slot) as u64))), 1, bins(*slot)),
        };
        let released = match &tally {
            Tally::Ranks { .. } => Released::Chosen,
            Tally::Units
            | Tally::Rows
            | Tally::Present { .. }
            | Tally::Sum { .. }
            | Tally::Centred { .. }
            | Tally::Bins { .. }
            | Tally::Values { .. } => Released::Noisy,
        };
        let (first, first_tallied) = (self.width, self.tallied);
        self.width += cells;
        self.tallied += tallied;
        Component {
            role,
            cells,
            step,
            sensitivity,
            released,
            first,
            tallied: first_tallied..self.tallied,
            tally,
        }
    }
}
