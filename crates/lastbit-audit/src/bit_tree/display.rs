//! A report for people.

use std::fmt;

use lastbit::Measure;
use lastbit_real::{Rational, Rounding};

use super::report::{EventRow, SamplerReport, Side};
use crate::Loss;
use crate::decimal::scientific;

/// Rows of the table.
const ROWS: usize = 12;

/// A number to a few digits, rounded as told.
fn short(value: impl Into<Rational>, rounding: Rounding) -> String {
    value.into().to_decimal(12, rounding)
}

/// `2^-x`, from above.
fn power(value: &Rational) -> String {
    match value.floor_log2() {
        None => "0".into(),
        Some(log) if *value == Rational::pow2(log) => format!("2^{log}"),
        Some(log) => format!("below 2^{}", log + 1),
    }
}

impl fmt::Display for SamplerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, inputs {:?} and {:?}", self.mechanism, self.inputs[0], self.inputs[1])?;
        writeln!(f, "claim: {}", self.loss.claim)?;
        writeln!(
            f,
            "tree: words of {} bits, {} bits deep, {}",
            self.word_bits,
            self.depth_bits,
            self.enumeration.name()
        )?;
        for side in &self.sides {
            self.write_side(f, side)?;
        }
        self.write_table(f)?;
        self.write_loss(f)?;
        write!(f, "{}", if self.is_refuted() { "REFUTED" } else { "nothing is refuted" })
    }
}

impl SamplerReport {
    fn write_side(&self, f: &mut fmt::Formatter<'_>, side: &Side) -> fmt::Result {
        write!(f, "input {:?}: {} replays, undecided {}", side.input, side.replays, power(&side.remainder))?;
        match &side.tiers {
            Some(tiers) => writeln!(f, "; leaves: {tiers}")?,
            None => writeln!(f)?,
        }
        match &side.divergence.refuted_by {
            Some(found) => writeln!(
                f,
                "  law: REFUTED by {}: between {} and {}, by the law {}",
                self.events[found.event].label,
                short(found.bounds[0].clone(), Rounding::Down),
                short(found.bounds[1].clone(), Rounding::Up),
                short(found.law.lo(), Rounding::Nearest),
            )?,
            None => writeln!(f, "  law: every probability is in bounds")?,
        }
        let [least, most] = &side.divergence.total_variation;
        writeln!(f, "  total variation from the law: {} to {}", scientific(least, 4), scientific(most, 4))?;
        let production = &side.production;
        let tried = format!("{} thresholds, {} replays", production.thresholds, production.replays);
        match &production.wrong {
            Some(wrong) => writeln!(
                f,
                "  64-bit words: {tried}: REFUTED by {:#018x?}: {}, by the law {}",
                wrong.words, self.events[wrong.event].label, self.events[wrong.expected].label,
            ),
            None if side.tiers.is_some() => {
                writeln!(f, "  64-bit words: {tried}, all right; {}", production.tiers)
            }
            None => writeln!(f, "  64-bit words: {tried}, all right"),
        }
    }

    /// The most likely events, in order.
    fn write_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let likely = |row: &EventRow| row.bounds[0][0].clone().max(row.bounds[1][0].clone());
        let mut chosen: Vec<usize> = (0..self.events.len()).collect();
        chosen.sort_by_key(|event| std::cmp::Reverse(likely(&self.events[*event])));
        chosen.truncate(ROWS);
        chosen.sort_unstable();
        let label_width =
            chosen.iter().map(|event| self.events[*event].label.chars().count()).max().unwrap_or(0);
        writeln!(f, "{:label_width$}  {:24} {:24} law", "output", "at least", "at most")?;
        for event in chosen {
            let row = &self.events[event];
            for (i, input) in self.inputs.iter().enumerate() {
                let label = if i == 0 { row.label.as_str() } else { "" };
                let [least, most] = &row.bounds[i];
                writeln!(
                    f,
                    "{label:label_width$}  {:24} {:24} {:24} input {input:?}",
                    least.to_decimal(18, Rounding::Down),
                    most.to_decimal(18, Rounding::Up),
                    Rational::from(row.law[i].lo()).to_decimal(18, Rounding::Nearest),
                )?;
            }
        }
        Ok(())
    }

    fn write_loss(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = &self.loss.claim;
        let found = match &self.loss.loss {
            Loss::Finite(loss) => {
                format!("in [{}, {}]", short(loss.lo(), Rounding::Down), short(loss.hi(), Rounding::Up))
            }
            Loss::Infinite => "infinite".into(),
            Loss::AtLeast(least) => format!("at least {}", short(least, Rounding::Down)),
        };
        let witness =
            self.loss.witness.map_or(String::new(), |event| format!(" at {}", self.events[event].label));
        let whole = claim.loss.to_string();
        let claimed = if whole.len() <= 12 { whole } else { short(claim.loss.clone(), Rounding::Up) };
        match claim.measure {
            Measure::MaxDivergence if self.loss.refuted => {
                writeln!(f, "loss: claimed {claimed}, true loss {found}{witness}: REFUTED")
            }
            Measure::MaxDivergence => writeln!(f, "loss: claimed {claimed}, true loss {found}{witness}"),
            Measure::ZeroConcentratedDivergence => writeln!(
                f,
                "loss: claimed {claimed} in {}; the largest log-ratio of these outputs is {found}{witness}",
                claim.measure
            ),
        }
    }
}
