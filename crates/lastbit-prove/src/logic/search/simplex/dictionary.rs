//! A linear system solved for some of its symbols, and the pivots that exchange two of them.

use lastbit_lang::watch::Watch;

use super::number::Number;

/// In a pivot with more entries than this, the watch is asked for every row.
const MANY: usize = 64;

/// What stands in a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    /// The value of an inequality's left side: at least 0.
    Slack(usize),
    /// The value of an equation's left side: 0. It stays in its column, for the sake of its multiplier.
    Equation(usize),
    /// A variable, of any sign.
    Variable(usize),
}

/// An affine form in the symbols of the columns.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) entries: Vec<Number>,
    pub(super) constant: Number,
}

impl Line {
    pub(super) fn zero(width: usize) -> Line {
        Line { entries: vec![Number::ZERO; width], constant: Number::ZERO }
    }

    /// How many entries are not 0.
    fn weight(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.is_zero()).count()
    }

    /// Puts `solved`, which is what the symbol of `column` equals, in place of that symbol.
    fn substitute(&mut self, column: usize, solved: &Line, support: &[usize]) {
        let factor = std::mem::replace(&mut self.entries[column], Number::ZERO);
        if factor.is_zero() {
            return;
        }
        for &j in support {
            self.entries[j].add_product(&factor, &solved.entries[j]);
        }
        if !solved.constant.is_zero() {
            self.constant.add_product(&factor, &solved.constant);
        }
    }
}

/// A variable, and what it equals: the terms and the constant.
type Solved = (usize, Vec<(Symbol, Number)>, Number);

/// Every row's symbol equals its line. The point of the dictionary has 0 for every column's symbol.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    pub(super) columns: Vec<Symbol>,
    pub(super) rows: Vec<(Symbol, Line)>,
    /// What is to be minimised.
    pub(super) objective: Line,
    /// Costs made up so that the dual phase knows where to go; see [`super::phases`].
    pub(super) guide: Line,
    /// Variables that are solved for, each in the symbols of its time. No later pivot has to touch them.
    solved: Vec<Solved>,
    watch: Watch,
}

impl Dictionary {
    /// The variables in the columns, the rows as given.
    pub(super) fn new(
        variables: usize,
        rows: Vec<(Symbol, Line)>,
        objective: Line,
        watch: &Watch,
    ) -> Dictionary {
        let columns = (0..variables).map(Symbol::Variable).collect();
        let (guide, watch) = (Line::zero(variables), watch.clone());
        Dictionary { columns, rows, objective, guide, solved: Vec::new(), watch }
    }

    /// Exchanges the symbols of a row and a column whose common entry is not 0. `None` if the watch is over; then the dictionary is no
    /// longer one.
    pub(super) fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        if self.watch.is_over() {
            return None;
        }
        let solved = self.solve(row, column);
        let support: Vec<usize> = (0..self.columns.len()).filter(|&j| !solved.entries[j].is_zero()).collect();
        let others = self.rows.iter_mut().enumerate().filter(|(i, _)| *i != row).map(|(_, (_, line))| line);
        for line in others.chain([&mut self.objective, &mut self.guide]) {
            line.substitute(column, &solved, &support);
            if support.len() > MANY && self.watch.is_over() {
                return None;
            }
        }
        self.rows[row].1 = solved;
        std::mem::swap(&mut self.rows[row].0, &mut self.columns[column]);
        Some(())
    }

    /// The row's equation, solved for the symbol of the column.
    fn solve(&self, row: usize, column: usize) -> Line {
        let line = &self.rows[row].1;
        let scale = line.entries[column].reciprocal();
        let opposite = scale.negated();
        let scaled = |entry: &Number| if entry.is_zero() { Number::ZERO } else { entry.times(&opposite) };
        let mut entries: Vec<Number> = line.entries.iter().map(scaled).collect();
        entries[column] = scale;
        Line { entries, constant: scaled(&line.constant) }
    }

    /// Brings every variable that occurs out of the columns, equations first.
    ///
    /// Ensures: every row is a slack's or an equation's; slacks' rows have entries in columns of slacks and equations alone,
    /// equations' rows in those of equations alone. `None` if the watch is over.
    pub(super) fn eliminate_variables(&mut self) -> Option<()> {
        while let Some((row, column)) = self.sparsest_equation().or_else(|| self.sparsest_variable()) {
            self.pivot(row, column)?;
            let (symbol, line) = self.rows.swap_remove(row);
            let Symbol::Variable(variable) = symbol else { unreachable!("a variable's column was chosen") };
            let terms = self.columns.iter().copied().zip(line.entries);
            let terms = terms.filter(|(_, entry)| !entry.is_zero()).collect();
            self.solved.push((variable, terms, line.constant));
        }
        Some(())
    }

    /// The equation with the fewest terms that still has a variable, and where it is best solved.
    fn sparsest_equation(&self) -> Option<(usize, usize)> {
        let is_equation = |row: &usize| matches!(self.rows[*row].0, Symbol::Equation(_));
        let candidates = (0..self.rows.len()).filter(is_equation).filter_map(|row| {
            let entries = &self.rows[row].1.entries;
            let columns = (0..entries.len()).filter(|&j| self.is_variable(j) && !entries[j].is_zero());
            let column = columns.min_by_key(|&j| !entries[j].is_unit())?;
            Some((self.rows[row].1.weight(), row, column))
        });
        candidates.min().map(|(_, row, column)| (row, column))
    }

    /// The first variable in a column, and the sparsest row that it can be solved from.
    fn sparsest_variable(&self) -> Option<(usize, usize)> {
        let mut variables = (0..self.columns.len()).filter(|&j| self.is_variable(j));
        variables.find_map(|column| {
            let entry = |row: usize| &self.rows[row].1.entries[column];
            let rows = (0..self.rows.len()).filter(|&row| !entry(row).is_zero());
            let row = rows.min_by_key(|&row| (!entry(row).is_unit(), self.rows[row].1.weight()))?;
            Some((row, column))
        })
    }

    fn is_variable(&self, column: usize) -> bool {
        matches!(self.columns[column], Symbol::Variable(_))
    }

    /// The values of all variables at the dictionary's point.
    pub(super) fn point(&self, variables: usize, slacks: usize) -> Vec<Number> {
        let mut slack_values = vec![Number::ZERO; slacks];
        for (symbol, line) in &self.rows {
            if let Symbol::Slack(slack) = symbol {
                slack_values[*slack] = line.constant.clone();
            }
        }
        let mut values = vec![Number::ZERO; variables];
        // A solved variable may refer to those that were solved for after it.
        for (variable, terms, constant) in self.solved.iter().rev() {
            let mut value = constant.clone();
            for (symbol, coefficient) in terms {
                match symbol {
                    Symbol::Slack(slack) => value.add_product(coefficient, &slack_values[*slack]),
                    Symbol::Variable(other) => value.add_product(coefficient, &values[*other]),
                    Symbol::Equation(_) => {}
                }
            }
            values[*variable] = value;
        }
        values
    }
}
