//! An answer for people, in a terminal.

use std::fmt::Write;

use lastbit_audit::black_box::Finding;
use lastbit_real::{Rational, Rounding};

use super::histogram::{Bin, tick};
use super::{AttackAnswer, Bound, DIGITS, Needed, Question, Verdict};

/// Digits of the loss in the first line, unless more are needed to tell it from the claim.
const HEADLINE_DIGITS: usize = 3;

/// Lines of a histogram.
const ROWS: u64 = 7;

/// Columns of a bin, if there are few of them.
const WIDEST_BIN: usize = 6;

/// The amount of detail, and the width of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Columns of the terminal.
    pub width: usize,
    /// Everything that is known: how the loss follows, how the event was chosen, the histograms.
    pub details: bool,
    /// The histograms.
    pub histogram: bool,
}

/// The first line.
pub(super) fn headline(
    question: &Question,
    verdict: Verdict,
    finding: &Finding,
    samples: [u64; 2],
    needed: Option<Needed>,
) -> String {
    let sure = format!("(confidence {})", percent(&question.confidence));
    let claim = question.epsilon.as_ref().map(|epsilon| claim(epsilon, &question.delta)).unwrap_or_default();
    let (word, none) = (verdict.word(), finding.loss_lower_bound.is_zero());
    match verdict {
        Verdict::Leaks => {
            let loss = loss_above(finding, question.epsilon.as_ref());
            format!("{word}: loss at least {loss}, above {claim} {sure}")
        }
        Verdict::NotSeenToLeak if none => {
            format!("{word}: no loss was shown; the claim is {claim} {sure}")
        }
        Verdict::NotSeenToLeak => {
            format!("{word}: loss at least {}, not above {claim} {sure}", loss_above(finding, None))
        }
        Verdict::TooFewSamples => {
            let [first, second] = samples;
            let all = if first == second { format!("{first}") } else { format!("{first} and {second}") };
            let takes = match needed.and_then(|needed| needed.at_least) {
                Some(least) => format!("takes {} of each input", grouped(least)),
                None => "takes more than anybody has".to_owned(),
            };
            format!("{word}: {all} cannot show a loss above {claim}, which {takes} {sure}")
        }
        Verdict::NoClaim if none => format!("{word} 0: none was shown {sure}"),
        Verdict::NoClaim => format!("{word} {} {sure}", loss_above(finding, None)),
    }
}

/// What was found, in plain words. Noise that passes is not accused.
pub(super) fn explanation(verdict: Verdict, finding: &Finding) -> String {
    match verdict {
        Verdict::Leaks | Verdict::NoClaim => finding.explanation(),
        Verdict::NotSeenToLeak => {
            "Of the events that were tried this one differs most between the inputs, and by no more than the claim allows, as far as \
             these samples show. Not seeing a leak does not mean that there is none."
                .to_owned()
        }
        Verdict::TooFewSamples => {
            let certain = match finding.loss_lower_bound.is_zero() {
                true => String::new(),
                false => format!("A loss of {} is certain, which the claim allows. ", loss_above(finding, None)),
            };
            format!(
                "{certain}With so few samples no event can show a loss above the claim: nothing is decided, neither for nor against the noise."
            )
        }
    }
}

/// The loss from below, in few digits, but enough of them to be above the claim.
fn loss_above(finding: &Finding, epsilon: Option<&Rational>) -> String {
    let loss = &finding.loss_lower_bound;
    let shown = |digits: usize| loss.to_decimal(digits, Rounding::Down);
    let is_above = |text: &String| {
        epsilon.is_none_or(|epsilon| text.parse::<Rational>().is_ok_and(|shown| shown > *epsilon))
    };
    (HEADLINE_DIGITS..=17).map(shown).find(is_above).unwrap_or_else(|| format!("{loss}"))
}

fn claim(epsilon: &Rational, delta: &Rational) -> String {
    match delta.is_zero() {
        true => format!("ε = {}", plain(epsilon)),
        false => format!("ε = {} with δ = {}", plain(epsilon), plain(delta)),
    }
}

/// A probability as per cent.
pub fn percent(value: &Rational) -> String {
    format!("{}%", plain(&(value * Rational::from(100))))
}

/// A number exactly: as a decimal, if it is a short one.
pub fn plain(value: &Rational) -> String {
    const MOST_CHARS: usize = 12;
    let decimals = (1..=DIGITS).map(|digits| value.to_decimal(digits, Rounding::Nearest));
    let exact = |text: &String| text.parse::<Rational>().as_ref() == Ok(value);
    let fraction = || Some(value.to_string()).filter(|text| text.len() <= MOST_CHARS);
    let about = || format!("about {}", value.to_decimal(DIGITS, Rounding::Nearest));
    decimals.into_iter().find(exact).or_else(fraction).unwrap_or_else(about)
}

/// A whole number with its thousands apart.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// About so many: two digits.
fn roughly(n: u64) -> String {
    let unit = 10u64.pow(n.checked_ilog10().unwrap_or(0).saturating_sub(1));
    grouped(n.div_ceil(unit) * unit)
}

impl AttackAnswer {
    /// The answer in some lines, the verdict first.
    pub fn text(&self, layout: Layout) -> String {
        let mut text = self.headline.clone();
        text.push_str("\n\n");
        let mut row = |name: &str, value: String| {
            let hanging = wrapped(&value, layout.width, 9);
            let _ = write!(text, "{name:<9}{}", hanging.trim_start());
        };
        for (name, value) in self.rows() {
            row(name, value);
        }
        if layout.details {
            row("loss", self.derivation());
            row("chosen", self.choice());
        }
        if layout.histogram || layout.details {
            text.push('\n');
            text.push_str(&self.histograms(layout.width));
        }
        let _ = write!(text, "\n{}", wrapped(&self.explanation, layout.width, 2));
        text
    }

    /// What is always said: names, and what there is to say.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let both = [&self.inputs[self.favoured], &self.inputs[1 - self.favoured]];
        let counts = both.map(|input| {
            format!("{} of {} for {}", grouped(input.tested.hits), grouped(input.tested.trials), input.name)
        });
        let bounds = both.map(|input| match &input.probability {
            Bound::AtLeast(p) => format!("P >= {p} for {}", input.name),
            Bound::AtMost(p) => format!("P' <= {p} for {}", input.name),
        });
        let mut rows =
            vec![("event", self.event.clone()), ("counts", counts.join("; ")), ("bounds", bounds.join("; "))];
        rows.extend(self.needed_in_words().map(|needed| ("samples", needed)));
        rows
    }

    /// How many samples it takes.
    fn needed_in_words(&self) -> Option<String> {
        let (needed, epsilon) = (self.samples_needed?, self.epsilon.as_ref()?);
        let claim = claim(epsilon.lower(), self.delta.lower());
        let least = needed.at_least.map_or("more than anybody has".to_owned(), |n| {
            format!("at least {} samples of each input", grouped(n))
        });
        let event = match needed.at_these_rates {
            Some(n) => format!("at this event's rates about {}", roughly(n)),
            None => "at this event's rates no number of samples shows it".to_owned(),
        };
        Some(format!("showing a loss above {claim} takes {least}; {event}"))
    }

    /// How the loss follows from the bounds.
    fn derivation(&self) -> String {
        let ratio = if self.delta.is_zero() { "P/P'" } else { "(P - δ)/P'" };
        match self.loss_lower_bound.is_zero() {
            true => format!("none is certain: {ratio} may be 1 or less"),
            false => format!(">= ln({ratio}) >= {}", self.loss_lower_bound),
        }
    }

    /// How the event was chosen.
    fn choice(&self) -> String {
        let [first, second] = self.inputs.each_ref().map(|input| grouped(input.samples));
        format!("on the other half of {first} and {second} samples, out of {} events", self.events_tried)
    }

    /// Both histograms, on one scale.
    fn histograms(&self, width: usize) -> String {
        let histogram = self.histogram.merged(width.saturating_sub(2));
        let tallest = histogram.tallest().max(f64::MIN_POSITIVE);
        let bins = histogram.bins[0].len();
        let each = (width.saturating_sub(2) / bins).clamp(1, WIDEST_BIN);
        let mut text = String::new();
        for (input, about) in self.inputs.iter().enumerate() {
            let total = histogram.total(input).max(1) as f64;
            // In rows, from the bottom.
            let height = |count: u64| count as f64 / total / tallest * ROWS as f64;
            let outside = histogram.outside(input);
            let outside = if outside.is_empty() { outside } else { format!("; {outside}") };
            text.push_str(&wrapped(&format!("{}{outside}", about.name), width, 0));
            for row in (0..ROWS).rev() {
                let cell = |bin: &Bin| match row as f64 + 0.5 {
                    middle if middle < height(bin.in_event) => "█",
                    middle if middle < height(bin.count) => "░",
                    _ if row == 0 && bin.in_event > 0 => "▂",
                    _ if row == 0 && bin.count > 0 => "·",
                    _ => " ",
                };
                let line: String = histogram.bins[input].iter().map(|bin| cell(bin).repeat(each)).collect();
                let _ = writeln!(text, "{}", format!("  {line}").trim_end());
            }
            text.push_str(&axis(histogram.low, histogram.high, bins * each));
        }
        text + &wrapped("█ in the event, ░ not; only the half of the samples that tests it", width, 2)
    }
}

/// The numbers below a histogram.
fn axis(low: f64, high: f64, columns: usize) -> String {
    let [low, high] = [low, high].map(tick);
    let gap = columns.saturating_sub(low.chars().count() + high.chars().count()).max(1);
    format!("  {low}{:gap$}{high}\n", "")
}

/// Lines of at most this width, indented.
fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(lines, "{margin}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(lines, "{margin}{line}");
    lines
}
