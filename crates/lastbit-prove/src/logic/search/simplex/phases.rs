//! The two phases on a dictionary whose variables are eliminated: first to a feasible point, then to the best one.
//!
//! Both take the steepest-looking pivot at first. That may cycle, so after a number of pivots they follow Bland's rule, under which no
//! dictionary comes back.

use super::dictionary::{Dictionary, Symbol};
use super::number::Number;

/// Multipliers of the rows, by their symbols.
pub(super) type Combination = Vec<(Symbol, Number)>;

/// How the second phase ends.
pub(super) enum End {
    /// No point is better than the dictionary's.
    Optimal,
    /// There is always a better one.
    Unbounded,
}

impl Dictionary {
    /// After so many pivots, Bland's rule.
    fn patience(&self) -> usize {
        4 * (self.rows.len() + self.columns.len())
    }

    fn is_slack(&self, column: usize) -> bool {
        matches!(self.columns[column], Symbol::Slack(_))
    }

    /// Pivots to a point at which no slack is negative; or a combination of rows that is a negative constant.
    ///
    /// This is the dual simplex method for the objective "the sum of the slacks in columns", which is at its least where they are 0. `None`
    /// if the watch is over.
    pub(super) fn make_feasible(&mut self) -> Option<Result<(), Combination>> {
        let width = self.columns.len();
        for column in 0..width {
            self.guide.entries[column] = if self.is_slack(column) { Number::ONE } else { Number::ZERO };
        }
        if let Some(combination) = self.contradictory_equation() {
            return Some(Err(combination));
        }
        let patience = self.patience();
        for pivots in 0.. {
            let Some(row) = self.violated_row(pivots > patience) else { break };
            let line = &self.rows[row].1;
            let rising = (0..width).filter(|&j| self.is_slack(j) && line.entries[j].is_positive());
            // The least ratio of guide to entry; of equals the first symbol, as Bland's rule asks.
            let ratio = |&j: &usize| self.guide.entries[j].times(&line.entries[j].reciprocal());
            let Some(column) = self.least(rising, ratio) else {
                return Some(Err(self.refutation(row, false)));
            };
            self.pivot(row, column)?;
        }
        Some(Ok(()))
    }

    /// An equation left without variables says `constant = Σ multiples of equations`; a constant that is not 0 is absurd.
    fn contradictory_equation(&self) -> Option<Combination> {
        let absurd = |(symbol, line): &(Symbol, _)| {
            let line: &super::dictionary::Line = line;
            matches!(symbol, Symbol::Equation(_)) && !line.constant.is_zero()
        };
        let row = self.rows.iter().position(absurd)?;
        Some(self.refutation(row, self.rows[row].1.constant.is_positive()))
    }

    /// The row's symbol minus its terms is its constant.
    fn refutation(&self, row: usize, flipped: bool) -> Combination {
        let (symbol, line) = &self.rows[row];
        let own = if flipped { Number::ONE.negated() } else { Number::ONE };
        let sign = own.negated();
        let terms = self.columns.iter().zip(&line.entries).filter(|(_, entry)| !entry.is_zero());
        let mut combination: Combination =
            terms.map(|(column, entry)| (*column, entry.times(&sign))).collect();
        combination.push((*symbol, own));
        combination
    }

    /// A row whose slack is negative: the most negative one, or by Bland's rule the first.
    fn violated_row(&self, bland: bool) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (row, (symbol, line)) in self.rows.iter().enumerate() {
            if !matches!(symbol, Symbol::Slack(_)) || !line.constant.is_negative() {
                continue;
            }
            let better = |&other: &usize| {
                let (other_symbol, other_line) = &self.rows[other];
                if bland { symbol < other_symbol } else { line.constant.is_below(&other_line.constant) }
            };
            if best.as_ref().is_none_or(better) {
                best = Some(row);
            }
        }
        best
    }

    /// The column with the least key; of equals, the one with the first symbol.
    fn least(&self, columns: impl Iterator<Item = usize>, key: impl Fn(&usize) -> Number) -> Option<usize> {
        let mut best: Option<(usize, Number)> = None;
        for column in columns {
            let value = key(&column);
            let better = |(other, least): &(usize, Number)| {
                value.is_below(least)
                    || !least.is_below(&value) && self.columns[column] < self.columns[*other]
            };
            if best.as_ref().is_none_or(better) {
                best = Some((column, value));
            }
        }
        best.map(|(column, _)| column)
    }

    /// From a feasible point to one where the objective is least: the primal simplex method. `None` if the watch is over.
    pub(super) fn optimise(&mut self) -> Option<End> {
        // A variable that occurs in no row moves freely.
        let width = self.columns.len();
        let loose = |j: usize| matches!(self.columns[j], Symbol::Variable(_));
        if (0..width).any(|j| loose(j) && !self.objective.entries[j].is_zero()) {
            return Some(End::Unbounded);
        }
        let patience = self.patience();
        for pivots in 0.. {
            let improving =
                (0..width).filter(|&j| self.is_slack(j) && self.objective.entries[j].is_negative());
            let bland = pivots > patience;
            let slope = |&j: &usize| if bland { Number::ZERO } else { self.objective.entries[j].clone() };
            let Some(column) = self.least(improving, slope) else { break };
            let Some(row) = self.blocking_row(column) else { return Some(End::Unbounded) };
            self.pivot(row, column)?;
        }
        Some(End::Optimal)
    }

    /// The row whose slack is the first to reach 0 as the column's symbol grows; of equals, the first symbol.
    fn blocking_row(&self, column: usize) -> Option<usize> {
        let mut best: Option<(usize, Number)> = None;
        for (row, (symbol, line)) in self.rows.iter().enumerate() {
            if !matches!(symbol, Symbol::Slack(_)) || !line.entries[column].is_negative() {
                continue;
            }
            let limit = line.constant.times(&line.entries[column].reciprocal().negated());
            let better = |(other, least): &(usize, Number)| {
                limit.is_below(least) || !least.is_below(&limit) && *symbol < self.rows[*other].0
            };
            if best.as_ref().is_none_or(better) {
                best = Some((row, limit));
            }
        }
        best.map(|(row, _)| row)
    }
}
