//! A report for people.

use std::collections::BTreeSet;
use std::fmt;

use lastbit::Measure;
use lastbit_real::{Rational, Rounding};

use super::events::number;
use super::report::{EventRow, SamplerReport, Side};
use super::tiers::Tier;
use crate::{ExactLoss, columns};

/// Rows of the table of outputs.
const ROWS: usize = 12;
/// Digits of losses and of probabilities.
const DIGITS: usize = 12;
/// Digits of what is left over.
const FEW_DIGITS: usize = 3;

/// A number to some digits, rounded as told.
fn decimal(value: impl Into<Rational>, digits: usize, rounding: Rounding) -> String {
    value.into().to_decimal(digits, rounding)
}

impl fmt::Display for SamplerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.inputs.map(number);
        writeln!(f, "{}: f = {first}, f' = {second}", self.mechanism)?;
        writeln!(f, "  claim: {}", self.loss.claim)?;
        writeln!(
            f,
            "  tree: words of {} bits, {} bits deep, {}\n",
            self.word_bits,
            self.depth_bits,
            self.enumeration.name()
        )?;
        writeln!(f, "verdict  {}", if self.is_refuted() { "REFUTED" } else { "nothing is refuted" })?;
        self.write_loss(f)?;
        for (name, side) in ["f", "f'"].into_iter().zip(&self.sides) {
            self.write_refutations(f, name, side)?;
        }
        if self.starts_over() {
            writeln!(
                f,
                "note     probabilities are those of one proposal; if it is rejected, all begins anew"
            )?;
        }
        if self.interrupted {
            writeln!(f, "note     interrupted: what was not tried by then is undecided")?;
        }
        let [rows, events] = [self.sides_table(), self.events_table()];
        write!(
            f,
            "\n{rows}\n{events}  law: what it should be; P lies between its least and that with what is undecided\n"
        )
    }
}

impl SamplerReport {
    fn write_loss(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = &self.loss.claim;
        let loss = match &self.loss.loss {
            ExactLoss::Finite(loss) => {
                let [lo, hi] = [(loss.lo(), Rounding::Down), (loss.hi(), Rounding::Up)]
                    .map(|(end, rounding)| decimal(end, DIGITS, rounding));
                format!("{lo} to {hi}")
            }
            ExactLoss::Infinite => "inf".into(),
            ExactLoss::AtLeast(least) => format!("at least {}", decimal(least, DIGITS, Rounding::Down)),
        };
        let witness =
            self.loss.witness.map_or(String::new(), |event| format!(", at {}", self.events[event].label));
        let exact = claim.loss().to_short();
        // A loss a few units of 2^-53 above a short number should look like it.
        let claimed =
            if exact.len() <= DIGITS { exact } else { decimal(claim.loss().clone(), 18, Rounding::Up) };
        match claim.measure() {
            Measure::MaxDivergence => {
                let refuted = if self.loss.refuted { ": REFUTED" } else { "" };
                writeln!(f, "loss     {loss} of these events{witness}; claimed {claimed}{refuted}")
            }
            Measure::ZeroConcentratedDivergence => {
                writeln!(
                    f,
                    "loss     {loss} of these events{witness}; claimed {claimed} in another measure, {}, and not compared",
                    claim.measure()
                )
            }
        }
    }

    /// What is wrong with one input.
    fn write_refutations(&self, f: &mut fmt::Formatter<'_>, input: &str, side: &Side) -> fmt::Result {
        let label = |event: usize| &self.events[event].label;
        if let Some(found) = &side.divergence.refuted_by {
            let [least, most] = [(0, Rounding::Down), (1, Rounding::Up)]
                .map(|(i, rounding)| decimal(found.bounds[i].clone(), DIGITS, rounding));
            let law = decimal(found.law.lo(), DIGITS, Rounding::Nearest);
            let output = label(found.event);
            writeln!(
                f,
                "law      REFUTED for {input} by output {output}: P is {least} to {most}, by the law {law}"
            )?;
        }
        if let Some(wrong) = &side.production.wrong {
            let [got, expected] = [wrong.event, wrong.expected].map(label);
            let words = &wrong.words;
            writeln!(
                f,
                "words    REFUTED for {input} by {words:#018x?}: output {got}, by the law {expected}"
            )?;
        }
        Ok(())
    }

    /// What was done for each input.
    fn sides_table(&self) -> String {
        let row = |name: &str, cell: &dyn Fn(&Side) -> String| {
            let [first, second] = self.sides.each_ref().map(cell);
            [name.to_owned(), first, second]
        };
        let mut rows = vec![
            row("input", &|side| number(side.input)),
            row("scripts tried", &|side| side.replays.to_string()),
        ];
        let tiers = self.sides.iter().filter_map(|side| side.tiers.as_ref());
        let tiers: BTreeSet<Tier> = tiers.flat_map(|tiers| tiers.iter().map(|(tier, _)| tier)).collect();
        rows.extend(tiers.into_iter().map(|tier| {
            let count = |side: &Side| side.tiers.as_ref().map_or(0, |tiers| tiers.of(tier)).to_string();
            row(&format!("decided by {}", tier.name()), &count)
        }));
        let up = |value: &Rational| decimal(value.clone(), FEW_DIGITS, Rounding::Up);
        rows.push(row("undecided, at most", &|side| up(&side.remainder)));
        rows.push(row("distance from the law", &|side| {
            let [least, most] = &side.divergence.total_variation;
            format!("{} to {}", decimal(least.clone(), FEW_DIGITS, Rounding::Down), up(most))
        }));
        rows.push(row("64-bit words", &|side| {
            let production = &side.production;
            let verdict = if production.wrong.is_some() { "REFUTED" } else { "all right" };
            format!("{} at {} thresholds, {verdict}", production.replays, production.thresholds)
        }));
        columns(&rows)
    }

    /// The most likely events, in order.
    fn events_table(&self) -> String {
        let likely = |row: &EventRow| row.law[0].hi().max(row.law[1].hi()).clone();
        let mut chosen: Vec<usize> = (0..self.events.len()).collect();
        chosen.sort_by_key(|event| std::cmp::Reverse(likely(&self.events[*event])));
        chosen.truncate(ROWS);
        chosen.sort_unstable();
        let mut rows = vec![["output", "P at least", "law", "P' at least", "law'"].map(str::to_owned)];
        rows.extend(chosen.into_iter().map(|event| {
            let row = &self.events[event];
            let least = |i: usize| decimal(row.bounds[i][0].clone(), DIGITS, Rounding::Down);
            let law = |i: usize| decimal(row.law[i].lo(), DIGITS, Rounding::Nearest);
            [row.label.clone(), least(0), law(0), least(1), law(1)]
        }));
        let mut text = columns(&rows);
        let left_out = self.events.len().saturating_sub(ROWS);
        if left_out > 0 {
            text.push_str(&format!("  and {left_out} less likely outputs or intervals of outputs\n"));
        }
        text
    }
}
