//! The answer for people.

use std::fmt::Write;

use lastbit_account::Question as Asked;
use lastbit_real::{Rational, Rounding};

use super::{AccountAnswer, Ends, Given};
use crate::Number;
use crate::number::decimal;

impl AccountAnswer {
    /// What there is to know first.
    pub fn headline(&self) -> String {
        match (self.results.first(), &self.attacker) {
            (Some(result), _) => result.headline(self.digits, self.releases, self.group),
            (None, Some(attacker)) => attacker.sentence.clone(),
            (None, None) => self.sums(),
        }
    }

    fn sums(&self) -> String {
        let sum = |name: &str, x: &Option<Number>| match x {
            Some(x) => format!("{name} losses add to {x}"),
            None => format!("{name} losses have no known finite sum"),
        };
        format!("{}; {}", sum("pure", &self.pure), sum("zero-concentrated", &self.zero_concentrated))
    }

    /// Everything, the answer first.
    pub fn text(&self, details: bool) -> String {
        let mut text = String::new();
        for result in &self.results {
            let _ = writeln!(text, "{}", result.headline(self.digits, self.releases, self.group));
            let _ = writeln!(text, "{}", result.bounds());
        }
        if let Some(attacker) = &self.attacker {
            let _ = writeln!(text, "attacker: {}", attacker.sentence);
            for at in &attacker.trade_off {
                let misses = at.misses.exact.lower.to_decimal(3, Rounding::Down);
                let _ =
                    writeln!(text, "  with {} of false alarms, at least {misses} of misses", at.false_alarms);
            }
        }
        if !self.curve.is_empty() {
            let _ = writeln!(text, "{:>10}  {:>12}  {:>12}", "ε", "δ at least", "δ at most");
            for point in &self.curve {
                let upper = point.upper.as_deref().unwrap_or("unknown");
                let _ = writeln!(text, "{:>10}  {:>12}  {upper:>12}", point.epsilon, point.lower);
            }
        }
        if details || text.is_empty() {
            let _ = writeln!(text, "{}", self.sums());
        }
        if details {
            for term in &self.terms {
                let _ = writeln!(text, "  {} times {}", term.times, term.term);
            }
            for result in &self.results {
                let sought = result.sought();
                let _ = writeln!(text, "exactly: from {}", sought.exact.lower);
                let upper = sought.exact.upper.as_ref().map_or("no bound".into(), Rational::to_string);
                let _ = writeln!(text, "         to {upper}");
            }
        }
        text
    }
}

impl Given {
    fn headline(&self, digits: usize, releases: u64, group: u64) -> String {
        let (sought, at) = match &self.asked {
            Asked::Delta { epsilon } => ("δ", format!("ε = {}", epsilon.to_short())),
            Asked::Epsilon { delta } => ("ε", format!("δ = {}", delta.to_short())),
        };
        let releases = if releases == 1 { "1 release".into() } else { format!("{releases} releases") };
        let group = if group == 1 { String::new() } else { format!(" and groups of {group}") };
        let found = match &self.interval.upper {
            Some(upper) => format!("is at most {}", decimal(upper, digits + 1, Rounding::Up)),
            None => "has no known bound".into(),
        };
        format!("{sought} {found} at {at}, for {releases}{group}")
    }

    fn sought(&self) -> &Ends {
        match (&self.epsilon, &self.delta) {
            (super::answer::Side::Found(ends), _) | (_, super::answer::Side::Found(ends)) => ends,
            _ => unreachable!("one of the two was asked for"),
        }
    }

    /// The lower end, and what each way to bound it gives.
    fn bounds(&self) -> String {
        let lower = &self.sought().lower;
        let mut ways = Vec::new();
        let by_sum = |bound: &Option<Number>| bound.as_ref().map(|bound| bound.decimal().to_owned());
        let by_lattice = self.distributions.as_ref().and_then(|ends| ends.upper.clone());
        let lattice = if self.used == Some("gaussian") { "closed form" } else { "distributions of losses" };
        for (name, bound) in [
            (lattice, by_lattice),
            ("pure losses", by_sum(&self.pure)),
            ("zero-concentrated losses", by_sum(&self.zero_concentrated)),
        ] {
            ways.extend(bound.map(|bound| format!("{bound} by {name}")));
        }
        format!(
            "  at least {lower}; at most: {}",
            if ways.is_empty() { "unknown".into() } else { ways.join(", ") }
        )
    }
}
