//! The table for people and for programs.

use std::fmt;

use lastbit_audit::columns;
use lastbit_audit::decimal::{scientific, scientific_of, settled};
use lastbit_real::{Enclosure, IBig, Rational, Rounding};
use serde_json::{Value, json};

use super::{CaseRow, CaseTable, Pair, Values};

/// Digits for people, and for programs.
const DIGITS: usize = 7;
const MANY_DIGITS: usize = 30;
/// Longer numbers are rounded in what people read, so that lines stay below 110 columns.
const WIDEST: usize = 12;

const LEGEND: &str = "  ⌊x⌉: x rounded to a multiple of Λ    b: the largest multiple of Λ below B    t = ⌊f⌉ - f    \
                      t' = ⌊f'⌉ - f'\n";

/// A number, rounded if it is long.
fn short(value: &Rational) -> String {
    let text = value.to_string();
    if text.len() <= WIDEST { text } else { scientific(value, DIGITS) }
}

fn short_count(count: &IBig) -> String {
    short(&Rational::from(count.clone()))
}

fn short_of(enclose: impl FnMut(u32) -> Enclosure) -> String {
    settled(enclose, |value| value.to_decimal(DIGITS, Rounding::Nearest))
}

fn many_of(enclose: impl FnMut(u32) -> Enclosure) -> String {
    scientific_of(MANY_DIGITS, enclose)
}

impl Values {
    fn cells(&self) -> [String; 6] {
        let [p, p2] = self.probabilities.each_ref().map(|p| short_of(|bits| p.enclose_to(bits)));
        let ln = match &self.exact_ln_ratio {
            Some(exact) => short(exact),
            None => short_of(|bits| self.ln_ratio(bits)),
        };
        let within = if self.within { "yes" } else { "NO" };
        [short_count(&self.count), p, p2, short_of(|bits| self.ratio(bits)), ln, within.to_owned()]
    }

    fn to_json(&self) -> Value {
        let probabilities = self
            .probabilities
            .each_ref()
            .map(|p| json!({ "exact": p.to_string(), "decimal": many_of(|bits| p.enclose_to(bits)) }));
        let [least, greatest] = self.outputs.each_ref().map(Rational::to_string);
        json!({
            "outputs": { "least": least, "greatest": greatest, "count": self.count.to_string() },
            "probabilities": probabilities,
            "ratio": many_of(|bits| self.ratio(bits)),
            "ln_ratio": many_of(|bits| self.ln_ratio(bits)),
            "exact_ln_ratio": self.exact_ln_ratio.as_ref().map(Rational::to_string),
            "within": self.within,
        })
    }
}

impl CaseRow {
    fn to_json(&self) -> Value {
        let formulas = self.formula.as_ref().map(|formula| {
            let probabilities = formula.probabilities.each_ref().map(ToString::to_string);
            json!({ "probabilities": probabilities, "ratio": formula.ratio.to_string() })
        });
        json!({
            "event": self.event,
            "condition": self.condition,
            "empty": self.empty,
            "formulas": formulas,
            "values": self.values.as_ref().map(Values::to_json),
            "note": self.note.as_ref().map(ToString::to_string),
        })
    }

    fn numbers(&self) -> [String; 7] {
        let none = || ["0", "", "", "", "", ""].map(str::to_owned);
        let [count, p, p2, ratio, ln, within] = self.values.as_ref().map_or_else(none, Values::cells);
        [self.event.clone(), count, p, p2, ratio, ln, within]
    }

    /// What is to be said about the row, apart from numbers.
    fn remark(&self) -> Option<String> {
        let empty = self.empty.as_ref().map(|why| format!("empty, {why}"));
        let remark = empty.or_else(|| self.note.as_ref().map(ToString::to_string))?;
        Some(format!("  {}: {remark}\n", self.event))
    }

    fn formulas(&self) -> String {
        let Some(formula) = &self.formula else { return String::new() };
        let condition = self.condition.map_or(String::new(), |condition| format!("  if {condition}"));
        let [p, p2] = &formula.probabilities;
        let ratio = &formula.ratio;
        format!("  {}{condition}\n    P[f]  = {p}\n    P[f'] = {p2}\n    ratio = {ratio}\n", self.event)
    }
}

impl Pair {
    fn heading(&self) -> String {
        let [rounded, rounded2, f, f2, b, _] = self.symbols();
        let mechanism = &self.mechanism;
        let values = |pairs: [(&str, &Rational); 4]| {
            pairs.map(|(name, value)| format!("{name} = {}", short(value))).join("    ")
        };
        let first = values([
            ("ε", mechanism.epsilon()),
            ("Λ", mechanism.grid()),
            ("B", mechanism.bound()),
            ("b", &b),
        ]);
        let second = values([("f", &f), ("f'", &f2), ("t", &(rounded - &f)), ("t'", &(rounded2 - &f2))]);
        let clamped = if self.starts == self.inputs { "" } else { "    (inputs clamped to [-B, B])" };
        format!("ideal snapping by cases\n  {first}\n  {second}{clamped}\n")
    }

    fn to_json(&self) -> Value {
        let mechanism = &self.mechanism;
        let [_, _, _, _, b, _] = self.symbols();
        json!({
            "epsilon": mechanism.epsilon().to_string(),
            "grid": mechanism.grid().to_string(),
            "bound": mechanism.bound().to_string(),
            "b": b.to_string(),
            "inputs": self.inputs.each_ref().map(Rational::to_string),
            "clamped": self.starts.each_ref().map(Rational::to_string),
            "claimed": self.claimed().to_string(),
        })
    }
}

impl CaseTable {
    /// The table as data. Numbers are text: exact, or rounded to 30 digits.
    pub fn to_json(&self) -> Value {
        let cases: Vec<Value> = self.rows.iter().map(CaseRow::to_json).collect();
        json!({ "parameters": self.pair.as_ref().map(Pair::to_json), "cases": cases })
    }
}

impl fmt::Display for CaseTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(pair) = &self.pair {
            let heads = ["event", "outputs", "P[f]", "P[f']", "ratio", "ln ratio", "<= ε|f-f'|"];
            let mut rows = vec![heads.map(str::to_owned)];
            rows.extend(self.rows.iter().map(CaseRow::numbers));
            write!(f, "{}\n{}\n", pair.heading(), columns(&rows))?;
            let remarks: String = self.rows.iter().filter_map(CaseRow::remark).collect();
            if !remarks.is_empty() {
                writeln!(f, "{remarks}")?;
            }
        }
        f.write_str("formulas\n")?;
        f.write_str(LEGEND)?;
        self.rows.iter().try_for_each(|row| f.write_str(&row.formulas()))
    }
}
