//! An audit as people read it: the verdict first, then what it rests on; tables on request.

use std::fmt;

use lastbit_audit::columns;
use lastbit_real::{Rational, Rounding};

use super::sampler::{SamplerDetails, SideDetails};
use super::worst::{Certified, WorstInputs};
use super::{AuditAnswer, ClaimSource, Favours, Form, JudgedClaim, Listed, OutputRow, Parameter, map};
use crate::number::decimal;
use crate::{Judgement, Loss, Number};

/// Digits of probabilities, and of numbers that say how much.
const SHORT: usize = 6;
/// Digits of a loss that equals a claim as far as they go.
const MOST: usize = 40;
/// Longest exact number that is shown as it is.
const LONGEST: usize = 24;
/// Rows of the table of outputs, if not all are asked for.
const ROWS: usize = 24;

/// Options of what to show of an audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Significant digits of the loss; as many as matter, if nothing is said.
    pub digits: Option<usize>,
    /// Tables: outputs, what papers claim, what was tried.
    pub details: bool,
    /// Whether to show all outputs in the table.
    pub all: bool,
    /// The `u` of each output, as intervals and as a drawing.
    pub map: bool,
}

/// A number for people: exact if that is short.
pub fn short(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= LONGEST { exact } else { decimal(value, 17, Rounding::Nearest) }
}

/// A number to so many digits, or as many as are known.
pub fn long(number: &Number, digits: usize) -> String {
    if number.decimal().starts_with("at least") {
        return format!("at least {}", decimal(number.lower(), digits, Rounding::Down));
    }
    Number::between(number.lower(), number.upper(), digits).decimal().to_owned()
}

/// The digits at which a loss differs from a claim, and a few more; few if they are far apart.
fn telling(loss: &Number, claim: &Number) -> usize {
    let differ = |digits: &usize| {
        let [loss, claim] = [loss.lower(), claim.upper()].map(|x| x.to_decimal(*digits, Rounding::Nearest));
        loss != claim
    };
    let same = loss.lower() == claim.upper() && loss.value().is_some();
    let differ = (1..=MOST).find(differ).filter(|_| !same);
    differ.map_or(SHORT, |digits| (digits + 1).max(SHORT))
}

impl fmt::Display for AuditAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Shown::default()))
    }
}

impl AuditAnswer {
    /// The text. Its first line is the verdict.
    pub fn text(&self, shown: Shown) -> String {
        let mut lines = vec![self.headline(shown)];
        lines.push(self.title.clone());
        let parameter = |(name, value): (&String, &Parameter)| match value {
            Parameter::Number(number) => Some(format!("{name} = {}", shown_number(number))),
            Parameter::Count(count) => Some(format!("{name} = {count}")),
            _ => None,
        };
        let parameters: Vec<String> = self.parameters.iter().filter_map(parameter).collect();
        if !parameters.is_empty() {
            lines.push(format!("  {}", parameters.join(", ")));
        }
        let [first, second] = self.inputs.each_ref().map(|input| shown_input(input));
        lines.push(format!("  f = {first}, f' = {second}"));
        lines.push(String::new());
        self.facts(shown, &mut lines);
        let mut text = lines.join("\n") + "\n";
        if shown.details || shown.all {
            text.push_str(&self.tables(shown));
        }
        if shown.map {
            text.push_str(&map::text(&self.outputs, [&first, &second]));
        }
        text
    }

    /// The verdict with its number.
    fn headline(&self, shown: Shown) -> String {
        let witness = self.witness.as_ref().map(|row| format!(" at output {}", row.name)).unwrap_or_default();
        let Some(claim) = self.claims.first() else {
            let loss = self.loss_text(shown.digits.unwrap_or(SHORT));
            return format!("LOSS {loss}{witness}; nothing is claimed, so nothing is judged");
        };
        let digits = shown.digits.unwrap_or_else(|| match &self.loss {
            Loss::Finite(loss) | Loss::AtLeast(loss) => telling(loss, &claim.epsilon),
            Loss::Infinite => SHORT,
        });
        let claimed = match &claim.delta {
            Some(delta) => format!("ε = {}, δ = {}", shown_number(&claim.epsilon), shown_number(delta)),
            None => format!("ε = {}", claimed_number(&claim.epsilon, digits)),
        };
        let who = claim.source.in_words();
        let loss = self.loss_text(digits);
        let verdict = claim.verdict;
        if self.form == Form::Sampler && claim.source == ClaimSource::Library {
            return self.sampler_headline(claim);
        }
        let found = match (&self.loss, verdict) {
            (Loss::Infinite, _) => format!(
                "the loss is infinite: {} only one input can produce{}",
                if self.form == Form::Continuous { "an event that" } else { "an output that" },
                self.witness.as_ref().map(|row| format!(" ({})", row.name)).unwrap_or_default(),
            ),
            _ => format!("the loss is {loss}{witness}"),
        };
        let place = if self.worst.is_some() { "for all inputs searched" } else { "at these inputs" };
        match (verdict, claim.delta.is_some()) {
            (Judgement::Holds, false) if self.worst.is_some() => {
                format!("HOLDS: {found}, and no two inputs lose more than {claimed}, {who}")
            }
            // The loss that was found is a lower bound; that of the law decides.
            (Judgement::Holds, false) if self.form == Form::Sampler => {
                let bits = self.sampler.as_ref().map_or(0, |details| details.depth_bits);
                let law = self.claims.iter().find(|claim| claim.source == ClaimSource::Library);
                let law = law.map_or_else(String::new, |law| shown_number(&law.epsilon));
                format!(
                    "HOLDS as far as {bits} bits decide: {found}, and that of the law ε = {law}, at most {claimed}, {who}"
                )
            }
            (Judgement::Holds, false) => format!("HOLDS {place}: {found}, at most {claimed}, {who}"),
            (Judgement::Violated, false) => format!("VIOLATED: {found}, above {claimed}, {who}"),
            (Judgement::Holds, true) => format!("HOLDS {place}: δ is within {claimed}, {who}; {found}"),
            (Judgement::Violated, true) => format!("VIOLATED: δ is above {claimed}, {who}; {found}"),
            _ => format!("UNDECIDED: {found}; {claimed}, {who}: {}", self.why_undecided(claim)),
        }
    }

    fn why_undecided(&self, claim: &JudgedClaim) -> String {
        let not_neighbours = self.notes.iter().any(|note| note.starts_with("the inputs are not neighbours"));
        if not_neighbours {
            return "the inputs are not neighbours, and the claim says nothing about them".into();
        }
        match &self.loss {
            Loss::AtLeast(_) => "not all outputs are known; more depth or lastbit prove may decide".into(),
            _ => claim.words.split_once(": ").map_or(claim.words.clone(), |(_, why)| why.to_owned()),
        }
    }

    fn sampler_headline(&self, claim: &JudgedClaim) -> String {
        let Some(details) = &self.sampler else { return claim.words.clone() };
        let remainder = details.sides.iter().map(|side| side.remainder.upper()).max();
        let remainder = remainder.map_or(String::new(), |most| decimal(most, 3, Rounding::Up));
        match claim.verdict {
            Judgement::Violated => format!("VIOLATED: {}", details.what_is_wrong()),
            _ => format!(
                "HOLDS as far as {} bits decide: every output has the probability that the law says, but for {remainder} that is undecided",
                details.depth_bits
            ),
        }
    }

    fn loss_text(&self, digits: usize) -> String {
        match &self.loss {
            Loss::Finite(loss) => long(loss, digits),
            Loss::AtLeast(loss) => format!("at least {}", decimal(loss.lower(), digits, Rounding::Down)),
            Loss::Infinite => "infinite".into(),
        }
    }

    /// What the verdict rests on.
    fn facts(&self, shown: Shown, lines: &mut Vec<String>) {
        let digits = shown.digits.unwrap_or(20);
        lines.push(format!("loss     {}", self.loss_text(digits)));
        if let Some(row) = &self.witness {
            lines.push(format!("  at     {}: P = {}, P' = {}", row.name, p(&row.p_first), p(&row.p_second)));
        }
        if let Some(row) = &self.finite {
            let loss = loss_of(row, SHORT);
            lines.push(format!("finite   {loss}, of outputs that both can produce, at {}", row.name));
        }
        for (name, mass) in [("only f  ", &self.only_first), ("only f' ", &self.only_second)] {
            if mass.lower().is_positive() {
                lines.push(format!(
                    "{name} {} of the mass is on outputs that the other input cannot produce",
                    p(mass)
                ));
            }
        }
        if let Some(delta) = &self.delta {
            let why = match delta.from {
                "claim" => ", which is claimed",
                "parameter eps" => ", the parameter eps: no ε is claimed",
                "nothing" => ": no ε is claimed",
                _ => "",
            };
            let [first, second] = [&delta.first, &delta.second].map(delta_text);
            let at = shown_number(&delta.at);
            lines.push(format!("delta    {first} (f against f'), {second} (f' against f), at ε = {at}{why}"));
        }
        let what = if self.form == Form::Continuous { "events  " } else { "outputs " };
        let many = if matches!(self.loss, Loss::AtLeast(_)) { " were weighed" } else { "" };
        lines.push(format!("{what} {}{many}; {}", self.n_outputs, self.method));
        if let Some(excess) = &self.excess_eta {
            lines.push(match excess.starts_with('-') {
                true => "excess   none: the loss is below ε".into(),
                false => format!("excess   {} η over ε, η = 2^-53", few_digits(excess)),
            });
        }
        if let Some(shipped) = &self.shipped {
            lines.push(match shipped.replays {
                0 => format!(
                    "shipped  snap_f agrees at the ends of every cell, {} values of u; it never gives -0",
                    shipped.evaluations
                ),
                replays => format!(
                    "shipped  FloatSnapping agrees at the ends of every cell, {replays} values of u from replayed bits; it never gives -0"
                ),
            });
        }
        // What a sampler claims has words of its own, below.
        for claim in self.claims.iter().skip(1).filter(|claim| claim.source != ClaimSource::Library) {
            let bound = shown_number(&claim.epsilon);
            let verdict = claim.verdict.text();
            lines.push(format!("claim    loss <= {bound}, {}: {verdict}", claim.source.in_words()));
        }
        if let Some(claim) =
            self.claims.iter().find(|claim| matches!(claim.source, ClaimSource::Text | ClaimSource::Library))
        {
            lines.push(format!("claim    {}", claim.words));
        }
        if let Some(worst) = &self.worst {
            lines.push(worst.searched());
            lines.push(worst.certified_text());
        }
        lines.extend(self.notes.iter().map(|note| format!("note     {note}")));
        if !(shown.details || shown.all || shown.map) {
            lines.push("         --details lists outputs and what is known of each".into());
        }
    }

    /// Outputs, what papers claim, what was tried.
    fn tables(&self, shown: Shown) -> String {
        let mut text = String::new();
        if let Some(worst) = &self.worst {
            text.push_str(&worst.table());
        }
        if !self.papers.is_empty() {
            text.push_str("\nclaimed of the excess loss - ε, at inputs at most 1 apart\n");
            let head = ["claimed in", "of outputs", "at most", "found", "verdict"].map(str::to_owned);
            let rows = self.papers.iter().map(|paper| {
                let found = match paper.excess_eta.as_deref() {
                    None => "-".to_owned(),
                    Some(excess) if excess.starts_with('-') => "none".to_owned(),
                    Some(excess) => format!("{} η", few_digits(excess)),
                };
                let claimed = long(&paper.claimed_eta, SHORT);
                let [source, scope] = [paper.source.to_owned(), paper.scope.clone()];
                [source, scope, format!("{} = {claimed} η", paper.formula), found, paper.verdict.to_owned()]
            });
            text.push_str(&columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>()));
        }
        if let Some(details) = &self.sampler {
            text.push_str(&format!("\n{}", details.table()));
        }
        text.push('\n');
        if let Some(details) = &self.sampler {
            text.push_str(&self.law_table(details));
            return text;
        }
        let rows = self.chosen(shown.all);
        let head = ["output", "P", "P'", "ln(P/P')"].map(str::to_owned);
        let cells = rows.iter().map(|row| [row.name.clone(), p(&row.p_first), p(&row.p_second), signed(row)]);
        text.push_str(&columns(&std::iter::once(head).chain(cells).collect::<Vec<_>>()));
        let all: u64 = self.n_outputs.parse().unwrap_or(u64::MAX);
        let left_out = all.saturating_sub(rows.len() as u64);
        if left_out > 0 {
            let lose = if self.outputs_listed == Listed::All { ", which lose no more" } else { "" };
            let how = if shown.all { "" } else { ": --all lists them" };
            text.push_str(&format!("  and {} more{lose}{how}\n", left_out));
        }
        text
    }

    /// The most likely outputs of a sampler next to what the law says, in their order.
    fn law_table(&self, details: &SamplerDetails) -> String {
        let mut order: Vec<usize> = (0..self.outputs.len().min(details.law.len())).collect();
        order.sort_by_key(|i| {
            let [first, second] = &details.law[*i];
            std::cmp::Reverse(first.upper().clone().max(second.upper().clone()))
        });
        order.truncate(ROWS / 2);
        order.sort_unstable();
        let head = ["output", "P at least", "law", "P' at least", "law'"].map(str::to_owned);
        let rows = order.iter().map(|i| {
            let (row, [law, law2]) = (&self.outputs[*i], &details.law[*i]);
            let least = |number: &Number| decimal(number.lower(), 12, Rounding::Down);
            [row.name.clone(), least(&row.p_first), long(law, 12), least(&row.p_second), long(law2, 12)]
        });
        let mut text = columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
        let left_out = self.outputs.len().saturating_sub(ROWS / 2);
        if left_out > 0 {
            text.push_str(&format!("  and {left_out} less likely outputs or intervals of outputs\n"));
        }
        text.push_str("  law: what it should be; P lies between its least and that with what is undecided\n");
        text
    }

    /// The outputs, or those that lose most if they are many, in their order.
    fn chosen(&self, all: bool) -> Vec<&OutputRow> {
        if all || self.outputs.len() <= ROWS || self.outputs_listed == Listed::Selected {
            return self.outputs.iter().take(if all { usize::MAX } else { 2 * ROWS }).collect();
        }
        let mut order: Vec<usize> = (0..self.outputs.len()).collect();
        let key = |i: &usize| self.outputs[*i].loss.lower().cloned();
        order.sort_by(|a, b| match (key(a), key(b)) {
            (None, None) => std::cmp::Ordering::Equal,
            (None, _) => std::cmp::Ordering::Less,
            (_, None) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => b.cmp(&a),
        });
        order.truncate(ROWS / 2);
        order.sort_unstable();
        order.into_iter().map(|i| &self.outputs[i]).collect()
    }
}

/// A probability to a few digits.
fn p(number: &Number) -> String {
    long(number, SHORT)
}

/// `δ` to a few digits; one that may be nothing at all has no lower end worth showing.
fn delta_text(delta: &Number) -> String {
    match delta.lower().is_zero() && !delta.upper().is_zero() && delta.upper() < &Rational::ONE {
        true => format!("at most {}", decimal(delta.upper(), SHORT, Rounding::Up)),
        false => p(delta),
    }
}

/// The first few digits of a decimal number.
fn few_digits(text: &str) -> String {
    text.parse::<Rational>()
        .map_or_else(|_| text.to_owned(), |value| decimal(&value, SHORT, Rounding::Nearest))
}

/// Exact if that is short.
fn shown_number(number: &Number) -> String {
    let shortest = number.decimal();
    match number.value().map(Rational::to_string) {
        Some(exact) if exact.len() <= shortest.len() => exact,
        _ => shortest.to_owned(),
    }
}

/// A claimed number next to a loss of so many digits, rounded up.
fn claimed_number(number: &Number, digits: usize) -> String {
    match number.value().map(short) {
        Some(exact) if exact.len() <= 12 => exact,
        _ => decimal(number.upper(), digits, Rounding::Up),
    }
}

/// An input as people write it: hexadecimal only where its digits do not say it exactly.
fn shown_input(input: &str) -> String {
    use lastbit_real::Float;
    match f64::parse_hex(input) {
        Ok(double) => super::given::shown(double),
        Err(_) => input.to_owned(),
    }
}

fn loss_of(row: &OutputRow, digits: usize) -> String {
    match &row.loss {
        Loss::Finite(loss) => long(loss, digits),
        Loss::AtLeast(_) => "unknown".into(),
        Loss::Infinite => "inf".into(),
    }
}

/// `ln(P/P')`
fn signed(row: &OutputRow) -> String {
    let loss = loss_of(row, 18);
    if row.favours == Favours::Second { format!("-{loss}") } else { loss }
}

impl WorstInputs {
    fn searched(&self) -> String {
        let stopped = if self.interrupted { "; interrupted" } else { "" };
        format!("searched {} pairs of inputs, {} outputs{stopped}", self.pairs, self.outputs_weighed)
    }

    fn certified_text(&self) -> String {
        match &self.certified {
            Certified::Pure { loss } => {
                let gap = self.gap_eta.as_ref().map(|gap| format!("; {gap} η above what was found"));
                format!(
                    "certified loss <= {} for all inputs at most {} apart{}",
                    decimal(loss.upper(), 24, Rounding::Up),
                    shown_number(&self.sensitivity),
                    gap.unwrap_or_default()
                )
            }
            Certified::Approximate { loss, delta } => format!(
                "certified no pure bound; ({}, {})-differential privacy",
                decimal(loss.upper(), 20, Rounding::Up),
                decimal(delta.upper(), SHORT, Rounding::Up)
            ),
            Certified::None { reason } => format!("certified nothing: {reason}"),
        }
    }

    fn table(&self) -> String {
        let head = ["case", "output", "f", "f'", "excess in η", "in B·ε·η"].map(str::to_owned);
        let rows = self.cases.iter().map(|case| {
            let [f, f2] = case.inputs.clone();
            let units = case.excess_in_b_epsilon_eta.clone();
            [case.case.clone(), case.name.clone(), f, f2, few_digits(&case.excess_eta), units]
        });
        let table = columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
        format!("\nthe worst of each case, its excess over ε·Δ\n{table}")
    }
}

impl SamplerDetails {
    /// A description of what refutes the law.
    fn what_is_wrong(&self) -> String {
        for (name, side) in ["f", "f'"].iter().zip(&self.sides) {
            if let Some(found) = &side.law_refuted_by {
                let (p, law) = (p(&found.probability), p(&found.law));
                return format!(
                    "for {name} the output {} has probability {p}, by the law {law}",
                    found.output
                );
            }
            if let Some(wrong) = &side.production.wrong {
                let words = wrong.words.join(" ");
                return format!(
                    "for {name} the words {words} give the output {}, by the law {}",
                    wrong.output, wrong.expected
                );
            }
        }
        "the loss is more than what is claimed".into()
    }

    fn table(&self) -> String {
        let row = |name: &str, cell: &dyn Fn(&SideDetails) -> String| {
            let [first, second] = self.sides.each_ref().map(cell);
            [name.to_owned(), first, second]
        };
        let mut rows = vec![
            row("input", &|side| side.input.clone()),
            row("scripts tried", &|side| side.replays.to_string()),
        ];
        let tiers: std::collections::BTreeSet<&String> = self
            .sides
            .iter()
            .filter_map(|side| side.leaves.as_ref())
            .flat_map(|tiers| tiers.keys())
            .collect();
        rows.extend(tiers.into_iter().map(|tier| {
            let count = |side: &SideDetails| {
                side.leaves.as_ref().and_then(|leaves| leaves.get(tier)).unwrap_or(&0).to_string()
            };
            row(&format!("decided by {tier}"), &count)
        }));
        rows.push(row("undecided, at most", &|side| side.remainder.to_string()));
        rows.push(row("distance from the law", &|side| {
            let tv = &side.total_variation;
            let [lo, hi] = [(tv.lower(), Rounding::Down), (tv.upper(), Rounding::Up)];
            format!("{} to {}", decimal(lo.0, 3, lo.1), decimal(hi.0, 3, hi.1))
        }));
        rows.push(row("64-bit words", &|side| {
            let production = &side.production;
            let verdict = if production.wrong.is_some() { "violated" } else { "all right" };
            format!("{} at {} thresholds, {verdict}", production.replays, production.thresholds)
        }));
        columns(&rows)
    }
}
