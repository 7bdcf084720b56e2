//! The ideal snapping mechanism case by case: the tables in the papers' proofs that it is ε-differentially private, corrected.
//!
//! The outputs are grouped as the proofs group them, by where they lie seen from the cells of the two inputs. Every group has formulas for its
//! probability under both inputs and for their ratio; with values, also the exact numbers. Where the papers leave a case blank or forget
//! one, the row has a [`Note`].
//!
//! ```
//! use lastbit_papers::cases::table;
//! use lastbit_real::Rational;
//!
//! let [zero, one, four] = [0, 1, 4].map(Rational::from);
//! let table = table(one.clone(), one.clone(), four, [zero, one])?; // ε, Λ, B, [f, f']
//! let row = table.rows.iter().find(|row| row.event == "{⌊f⌉}").unwrap();
//! let values = row.values.as_ref().unwrap();
//! assert_eq!(values.probabilities[0].to_string(), "1 - e^(-1/2)");
//! assert!(values.within);
//! assert!(row.note.as_ref().unwrap().to_string().starts_with("a paper leaves this blank"));
//! # Ok::<(), lastbit_audit::OutOfRange>(())
//! ```

mod applies;
mod formula;
mod note;
#[cfg(test)]
mod tests;
mod values;

pub use applies::applies;
use std::ops::RangeInclusive;

use lastbit_audit::OutOfRange;
use lastbit_audit::snapping::{Case, IdealSnap};
use lastbit_real::{IBig, Rational};

pub use formula::{Exponent, Formula, Probability, RatioFormula};
pub use note::Note;
pub use values::Values;

use formula::Side;

/// The cases of two inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseTable {
    /// The mechanism and its inputs; nothing for formulas alone.
    pub pair: Option<Pair>,
    /// The cases in the order of their outputs.
    pub rows: Vec<CaseRow>,
}

/// The mechanism with two inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// ε, Λ and B.
    pub mechanism: IdealSnap,
    /// `f` and `f'` as given.
    pub inputs: [Rational; 2],
    /// `f` and `f'` clamped to `[-B, B]`. The formulas are about these.
    pub starts: [Rational; 2],
}

/// A case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseRow {
    /// Its kind; the `f` of its name is the lower input.
    pub case: Case,
    /// Its outputs, such as `(⌊f⌉, ⌊f'⌉)`.
    pub event: String,
    /// When the formulas hold, if they do not always.
    pub condition: Option<&'static str>,
    /// The reason that it has no outputs, if it has none. There are no formulas then.
    pub empty: Option<String>,
    /// Its formulas.
    pub formula: Option<Formula>,
    /// The numbers, if the case has outputs.
    pub values: Option<Values>,
    /// A remark where the papers have something else, or nothing.
    pub note: Option<Note>,
}

/// The table for the inputs `[f, f']`, in the order of the two runs.
///
/// # Errors
/// [`OutOfRange`] unless ε, Λ and B are positive and `ε·(B + Λ)` is at most 2¹⁸.
pub fn table(
    epsilon: Rational,
    grid: Rational,
    bound: Rational,
    inputs: [Rational; 2],
) -> Result<CaseTable, OutOfRange> {
    let mechanism = IdealSnap::new(epsilon, bound, grid)?;
    let starts = inputs.each_ref().map(|f| mechanism.start(f));
    let pair = Pair { mechanism, inputs, starts };
    let rows = Case::ALL.into_iter().map(|case| pair.row(case)).collect();
    Ok(CaseTable { pair: Some(pair), rows })
}

/// The formulas alone, for `f < f'` in different cells that are not the ends; then the cases that the papers forget.
pub fn symbolic() -> CaseTable {
    // Which formulas hold depends only on how the cells lie, so that any pair with these cells has them.
    let rows = |f: i64, f2: i64, cases: &[Case], condition| -> Vec<CaseRow> {
        let inputs = [f, f2].map(|x| Rational::new(x, 4).expect("4 is not 0"));
        let table =
            table(Rational::ONE, Rational::ONE, Rational::from(9), inputs).expect("positive parameters");
        let chosen = table.rows.into_iter().filter(|row| cases.contains(&row.case));
        chosen.map(|row| CaseRow { condition, values: None, note: None, ..row }).collect()
    };
    let special = [
        rows(-1, 1, &[Case::AtF], Some("⌊f⌉ = ⌊f'⌉")),
        rows(-35, 0, &[Case::LowerEnd], Some("f < -b-Λ/2 < f'")),
        rows(-36, -35, &[Case::LowerEnd], Some("f, f' < -b-Λ/2")),
        rows(0, 35, &[Case::UpperEnd], Some("f < b+Λ/2 < f'")),
        rows(35, 36, &[Case::UpperEnd], Some("f, f' > b+Λ/2")),
    ];
    let generic = rows(-11, 13, &Case::ALL, None);
    CaseTable { pair: None, rows: generic.into_iter().chain(special.into_iter().flatten()).collect() }
}

impl Pair {
    /// The number of the lower input.
    fn low(&self) -> usize {
        usize::from(self.starts[1] < self.starts[0])
    }

    /// The numbers of the outputs that the inputs round to, the lower first.
    fn cells(&self) -> [IBig; 2] {
        [self.low(), 1 - self.low()].map(|i| self.mechanism.number_of(&self.starts[i]))
    }

    /// The most that the loss may be: `ε|f - f'|`.
    pub fn claimed(&self) -> Rational {
        self.mechanism.claimed(&self.inputs)
    }

    /// `⌊f⌉, ⌊f'⌉, f, f', b, Λ/2`
    pub fn symbols(&self) -> [Rational; 6] {
        let grid = self.mechanism.grid();
        let [rounded, rounded2] =
            self.starts.each_ref().map(|x| Rational::from(self.mechanism.number_of(x)) * grid);
        let [f, f2] = self.starts.clone();
        let b = Rational::from(self.mechanism.top() - IBig::ONE) * grid;
        [rounded, rounded2, f, f2, b, grid * Rational::pow2(-1)]
    }

    /// The outputs of a case, by their numbers. The cell of an input that rounds to an end is that end, and not a case of its own.
    fn numbers(&self, case: Case) -> RangeInclusive<IBig> {
        let top = self.mechanism.top();
        let [low, high] = self.cells();
        let one = IBig::ONE;
        let cell = |number: IBig, counts: bool| {
            if counts && -top < number && number < *top {
                number.clone()..=number
            } else {
                one.clone()..=IBig::ZERO
            }
        };
        match case {
            Case::LowerEnd => -top..=-top,
            Case::Below => &one - top..=low - &one,
            Case::AtF => cell(low, true),
            Case::Between => low + &one..=high - &one,
            Case::AtF2 => cell(high.clone(), low != high),
            Case::Above => high + &one..=top - &one,
            Case::UpperEnd => top.clone()..=top.clone(),
        }
    }

    fn row(&self, case: Case) -> CaseRow {
        let numbers = self.numbers(case);
        let event = self.event(case);
        let row =
            CaseRow { case, event, condition: None, empty: None, formula: None, values: None, note: None };
        if numbers.is_empty() {
            return CaseRow { empty: Some(self.why_empty(case)), ..row };
        }
        let outputs = [numbers.start(), numbers.end()].map(|number| self.mechanism.output(number));
        let count = numbers.end() - numbers.start() + IBig::ONE;
        let probabilities = self.starts.each_ref().map(|x| self.mechanism.probability(x, &numbers));
        let values = Values::new(outputs, count, probabilities, &self.claimed());
        let exact = values.exact_ln_ratio.as_ref();
        let note = Note::on(case, &self.mechanism, &self.starts, self.low(), exact);
        CaseRow { formula: Some(self.formula(&numbers)), values: Some(values), note, ..row }
    }

    fn formula(&self, numbers: &RangeInclusive<IBig>) -> Formula {
        let top = self.mechanism.top();
        let cuts = [numbers.start().clone(), numbers.end() + IBig::ONE];
        let is_finite = |number: &IBig| -top < *number && number <= top;
        let cuts = cuts.map(|number| is_finite(&number).then_some(number));
        let values = cuts.each_ref().map(|cut| cut.as_ref().map(|number| self.mechanism.cut_below(number)));
        let sides = self.starts.each_ref().map(|x| Side::of(values.each_ref().map(Option::as_ref), x));
        let written = |i: usize| match [i, 1 - i].into_iter().find(|&j| self.is_cell_of(numbers, j)) {
            Some(j) => [-1, 1].map(|side| Some(Exponent::beside_cell(j, side))),
            None => cuts.each_ref().map(|cut| cut.as_ref().map(|number| self.written(number))),
        };
        Formula::new([written(0), written(1)], sides)
    }

    /// Whether these outputs are the cell of an input, and not an end.
    fn is_cell_of(&self, numbers: &RangeInclusive<IBig>, i: usize) -> bool {
        let number = self.mechanism.number_of(&self.starts[i]);
        let top = self.mechanism.top();
        -top < number && number < *top && *numbers == (number.clone()..=number)
    }

    /// The cut below output `number` in symbols, for more than a cell: it is where an end begins, or beside a cell.
    fn written(&self, number: &IBig) -> Exponent {
        let top = self.mechanism.top();
        let beside = |i: usize| {
            let cell = self.mechanism.number_of(&self.starts[i]);
            match () {
                () if *number == cell => Some(Exponent::beside_cell(i, -1)),
                () if *number == cell + IBig::ONE => Some(Exponent::beside_cell(i, 1)),
                () => None,
            }
        };
        match () {
            () if *number == IBig::ONE - top => Exponent::end(-1),
            () if number == top => Exponent::end(1),
            () => beside(0).or_else(|| beside(1)).expect("a case begins and ends at an end or beside a cell"),
        }
    }

    fn event(&self, case: Case) -> String {
        let [low, high] = if self.low() == 0 { ["⌊f⌉", "⌊f'⌉"] } else { ["⌊f'⌉", "⌊f⌉"] };
        match case {
            Case::LowerEnd => "{-B}".to_owned(),
            Case::Below => format!("(-B, {low})"),
            Case::AtF => format!("{{{low}}}"),
            Case::Between => format!("({low}, {high})"),
            Case::AtF2 => format!("{{{high}}}"),
            Case::Above => format!("({high}, B)"),
            Case::UpperEnd => "{B}".to_owned(),
        }
    }

    fn why_empty(&self, case: Case) -> String {
        let top = self.mechanism.top();
        let [low, high] = self.cells();
        let own = match case {
            Case::AtF => low,
            Case::AtF2 => high,
            _ => return "no multiple of Λ lies between".to_owned(),
        };
        let same = match () {
            () if own == -top => Case::LowerEnd,
            () if own == *top => Case::UpperEnd,
            () => Case::AtF,
        };
        format!("it is {}", self.event(same))
    }
}
