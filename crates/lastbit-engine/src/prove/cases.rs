//! The ideal snapping mechanism case by case: the papers' tables with what they leave out, as data and in words.

use std::fmt::{Display, Write};

use lastbit_audit::columns;
use lastbit_papers::cases::{CaseRow, CaseTable, Formula, Pair, Values};
use lastbit_real::{Enclosure, IBig, Rational, Rounding};
use serde::{Serialize, Serializer};

use super::answer::{LOSS_DIGITS, Probability};
use crate::{Loss, Number, number};

/// Bits of probabilities and their ratios.
const BITS: u32 = 128;
/// Digits for people.
const DIGITS: usize = 7;
/// Longer numbers are rounded in what people read, so that lines stay below 110 columns.
const WIDEST: usize = 12;

const LEGEND: &str = "  ⌊x⌉: x rounded to a multiple of Λ    b: the largest multiple of Λ below B    t = ⌊f⌉ - f    \
                      t' = ⌊f'⌉ - f'\n";

/// The ideal snapping mechanism case by case.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Cases {
    /// The mechanism and inputs of the numbers; nothing for formulas alone.
    pub parameters: Option<CaseParameters>,
    /// The cases in the order of their outputs.
    pub cases: Vec<CaseFound>,
}

/// The mechanism and its two inputs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CaseParameters {
    /// ε
    #[serde(serialize_with = "exactly")]
    pub epsilon: Rational,
    /// Λ
    #[serde(serialize_with = "exactly")]
    pub grid: Rational,
    /// B
    #[serde(serialize_with = "exactly")]
    pub bound: Rational,
    /// The largest multiple of Λ below B.
    #[serde(serialize_with = "exactly")]
    pub b: Rational,
    /// `f` and `f'`.
    #[serde(serialize_with = "both_exactly")]
    pub inputs: [Rational; 2],
    /// The inputs, rounded to the grid.
    #[serde(serialize_with = "both_exactly")]
    pub rounded: [Rational; 2],
    /// The most that the loss may be: `ε|f - f'|`.
    pub claimed: Number,
}

/// A case.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CaseFound {
    /// Its outputs, such as `(⌊f⌉, ⌊f'⌉)`.
    pub event: String,
    /// When the formulas hold, if they do not always.
    pub condition: Option<&'static str>,
    /// The reason that it has no outputs, if it has none.
    pub empty: Option<String>,
    /// Its formulas, if it has outputs.
    pub formulas: Option<CaseFormulas>,
    /// Its numbers, if it has outputs and there are parameters.
    pub values: Option<CaseValues>,
    /// A remark where the papers have something else, or nothing.
    pub note: Option<String>,
}

/// The formulas of a case.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CaseFormulas {
    /// `P[f]` and `P[f']`.
    pub probabilities: [String; 2],
    /// Their ratio.
    pub ratio: String,
}

/// The numbers of a case.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CaseValues {
    /// Its least and its greatest output.
    #[serde(serialize_with = "both_exactly")]
    pub outputs: [Rational; 2],
    /// The number of its outputs.
    #[serde(serialize_with = "exactly")]
    pub n_outputs: IBig,
    /// `P[f]` and `P[f']`.
    pub probabilities: [Probability; 2],
    /// Their ratio.
    pub ratio: Number,
    /// The logarithm of the ratio.
    pub ln_ratio: Number,
    /// Its magnitude: the loss of the event.
    pub loss: Loss,
    /// Whether that is at most what is claimed. Decided exactly.
    pub within: bool,
}

fn exactly<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn both_exactly<S: Serializer>(values: &[Rational; 2], serializer: S) -> Result<S::Ok, S::Error> {
    values.each_ref().map(Rational::to_string).serialize(serializer)
}

impl Cases {
    pub(super) fn of(table: &CaseTable) -> Cases {
        Cases {
            parameters: table.pair.as_ref().map(CaseParameters::of),
            cases: table.rows.iter().map(CaseFound::of).collect(),
        }
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(parameters) = &self.parameters {
            let heads = ["event", "outputs", "P[f]", "P[f']", "ratio", "ln ratio", "<= ε|f-f'|"];
            let mut rows = vec![heads.map(str::to_owned)];
            rows.extend(self.cases.iter().map(CaseFound::cells));
            let _ = writeln!(text, "{}\n{}", parameters.heading(), columns(&rows));
            let remarks: String = self.cases.iter().filter_map(CaseFound::remark).collect();
            if !remarks.is_empty() {
                text += &remarks;
                text.push('\n');
            }
        }
        text += "formulas\n";
        text += LEGEND;
        text.extend(self.cases.iter().map(CaseFound::formulas));
        text
    }
}

impl CaseParameters {
    fn of(pair: &Pair) -> CaseParameters {
        let [rounded, rounded2, _, _, b, _] = pair.symbols();
        CaseParameters {
            epsilon: pair.mechanism.epsilon().clone(),
            grid: pair.mechanism.grid().clone(),
            bound: pair.mechanism.bound().clone(),
            b,
            inputs: pair.inputs.clone(),
            rounded: [rounded, rounded2],
            claimed: Number::exact(&pair.claimed(), LOSS_DIGITS),
        }
    }

    fn heading(&self) -> String {
        let values = |pairs: [(&str, &Rational); 4]| {
            pairs.map(|(name, value)| format!("{name} = {}", short(value))).join("    ")
        };
        let first = values([("ε", &self.epsilon), ("Λ", &self.grid), ("B", &self.bound), ("b", &self.b)]);
        let [f, f2] = &self.inputs;
        let [t, t2] = [0, 1].map(|i| &self.rounded[i] - &self.inputs[i]);
        let second = values([("f", f), ("f'", f2), ("t", &t), ("t'", &t2)]);
        format!("ideal snapping by cases\n  {first}\n  {second}\n")
    }
}

impl CaseFound {
    fn of(row: &CaseRow) -> CaseFound {
        CaseFound {
            event: row.event.clone(),
            condition: row.condition,
            empty: row.empty.clone(),
            formulas: row.formula.as_ref().map(CaseFormulas::of),
            values: row.values.as_ref().map(CaseValues::of),
            note: row.note.as_ref().map(ToString::to_string),
        }
    }

    fn cells(&self) -> [String; 7] {
        let none = || ["0", "", "", "", "", ""].map(str::to_owned);
        let [count, p, p2, ratio, ln, within] = self.values.as_ref().map_or_else(none, CaseValues::cells);
        [self.event.clone(), count, p, p2, ratio, ln, within]
    }

    /// What is to be said about it, apart from numbers.
    fn remark(&self) -> Option<String> {
        let empty = self.empty.as_ref().map(|why| format!("empty, {why}"));
        let remark = empty.or_else(|| self.note.clone())?;
        Some(format!("  {}: {remark}\n", self.event))
    }

    fn formulas(&self) -> String {
        let Some(formulas) = &self.formulas else { return String::new() };
        let condition = self.condition.map_or(String::new(), |condition| format!("  if {condition}"));
        let [p, p2] = &formulas.probabilities;
        let ratio = &formulas.ratio;
        format!("  {}{condition}\n    P[f]  = {p}\n    P[f'] = {p2}\n    ratio = {ratio}\n", self.event)
    }
}

impl CaseFormulas {
    fn of(formula: &Formula) -> CaseFormulas {
        CaseFormulas {
            probabilities: formula.probabilities.each_ref().map(ToString::to_string),
            ratio: formula.ratio.to_string(),
        }
    }
}

impl CaseValues {
    fn of(values: &Values) -> CaseValues {
        let exact = |value: &Rational| Number::exact(value, LOSS_DIGITS);
        let enclosed = |value: &Enclosure| Number::enclosed(value, LOSS_DIGITS);
        let (ln_ratio, loss) = match &values.exact_ln_ratio {
            Some(ln) => (exact(ln), exact(&ln.abs())),
            None => {
                let ln = values.ln_ratio(BITS);
                (enclosed(&ln), enclosed(&ln.abs()))
            }
        };
        CaseValues {
            outputs: values.outputs.clone(),
            n_outputs: values.count.clone(),
            probabilities: values
                .probabilities
                .each_ref()
                .map(|p| Probability { number: enclosed(&p.enclose_to(BITS)), formula: Some(p.to_string()) }),
            ratio: enclosed(&values.ratio(BITS)),
            ln_ratio,
            loss: Loss::Finite(loss),
            within: values.within,
        }
    }

    fn cells(&self) -> [String; 6] {
        let [p, p2] = self.probabilities.each_ref().map(|p| rounded(&p.number));
        let ln = self.ln_ratio.value().map_or_else(|| rounded(&self.ln_ratio), short);
        let within = if self.within { "yes" } else { "NO" };
        let count = short(&Rational::from(self.n_outputs.clone()));
        [count, p, p2, rounded(&self.ratio), ln, within.to_owned()]
    }
}

/// A number, rounded if it is long.
fn short(value: &Rational) -> String {
    let text = value.to_string();
    if text.len() <= WIDEST { text } else { number::decimal(value, DIGITS, Rounding::Nearest) }
}

fn rounded(number: &Number) -> String {
    Number::between(number.lower(), number.upper(), DIGITS).decimal().to_owned()
}

#[cfg(test)]
mod tests {
    use lastbit_papers::cases::{symbolic, table};

    use super::*;

    fn cases(epsilon: &str, grid: &str, bound: &str, inputs: [&str; 2]) -> Cases {
        let [epsilon, grid, bound, f, f2] =
            [epsilon, grid, bound, inputs[0], inputs[1]].map(|text| text.parse().expect("a number"));
        Cases::of(&table(epsilon, grid, bound, [f, f2]).expect("positive parameters"))
    }

    #[test]
    fn text_and_data() {
        let cases = cases("1", "1", "4", ["0", "1"]);
        let text = cases.text();
        assert_eq!(
            text.split("\n\n").next().expect("a heading"),
            "ideal snapping by cases\n  ε = 1    Λ = 1    B = 4    b = 3\n  f = 0    f' = 1    t = 0    t' = 0"
        );
        let json = serde_json::to_value(&cases).expect("JSON");
        let cell = &json["cases"][2];
        assert_eq!(cell["event"], "{⌊f⌉}");
        assert_eq!(cell["formulas"]["probabilities"][0], "1 - ½(e^(ε(t-Λ/2)) + e^(ε(-t-Λ/2)))");
        assert_eq!(cell["formulas"]["probabilities"][1], "½(e^(ε(⌊f⌉+Λ/2-f')) - e^(ε(⌊f⌉-f'-Λ/2)))");
        assert_eq!(cell["values"]["probabilities"][0]["decimal"], "0.39346934028736657640");
        assert_eq!(cell["values"]["probabilities"][0]["formula"], "1 - e^(-1/2)");
        assert_eq!(json["cases"][3]["empty"], "no multiple of Λ lies between");
        let last = &json["cases"][6]["values"];
        assert_eq!((&last["ln_ratio"]["exact"], &last["loss"]["exact"]), (&"-1".into(), &"1".into()));
        assert_eq!(json["parameters"]["claimed"]["exact"], "1");
    }

    /// The widest that there is still fits a terminal.
    #[test]
    fn tables_are_narrow() {
        let wide = [
            cases("262143/1000003", "1/1000000007", "999999", ["-1234567/89", "7654321/98"]),
            cases("100000", "1/3", "2", ["-2", "2"]),
            cases("1", "1", "2", ["2", "7/4"]),
            Cases::of(&symbolic()),
        ];
        for cases in wide {
            for line in cases.text().lines() {
                assert!(line.chars().count() <= 110, "{line}");
            }
        }
    }
}
