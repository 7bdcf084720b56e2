//! A page for the person who signs: what is published about whom, what it may reveal, how wrong it is, what it cost, and how to check that.

use std::fmt::Write;

use lastbit::{Claim, Measure};
use lastbit_real::{Rational, Rounding, exp_rational};
use lastbit_table::spec::QuerySpec;
use lastbit_table::{Plan, Released};

use super::answer::digits;
use super::noise::{neighbours, unit_of};
use super::table::numbers;
use super::text::count;
use super::{Accuracy, Question, ReleaseAnswer};
use crate::Refusal;
use crate::html::{escaped, page};
use crate::ledger::Entered;
use crate::noise::{Approximate, Promised};
use crate::number::decimal;

/// Digits of numbers for people.
const DIGITS: usize = 6;

/// Digits of percentages.
const PERCENT_DIGITS: usize = 4;

/// Bits of enclosures.
const BITS: u32 = 64;

/// Beyond this loss nothing is left to hide, as far as percentages show.
const MOST_LOSS: u64 = 100;

/// The columns of a page of text.
const WIDTH: usize = 100;

/// What a released table says about people, in plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// What is released.
    pub title: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A part of a [`Statement`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// The question that it answers.
    pub heading: &'static str,
    /// The answer.
    pub parts: Vec<Part>,
}

/// A piece of a [`Section`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Sentences.
    Text(String),
    /// Names, and what is said of each.
    List(Vec<[String; 2]>),
    /// A command to run.
    Command(String),
}

impl Question {
    /// The statement that goes with a released table.
    ///
    /// # Errors
    /// A spec that makes no sense.
    pub fn statement(&self, answer: &ReleaseAnswer) -> Result<Statement, Refusal> {
        let (plan, _) = self.plan()?;
        let facts = Facts { question: self, answer, plan: &plan, unit: unit_of(&plan) };
        Ok(Statement {
            title: format!("Statement on the release of {}", self.spec.table.paths.join(", ")),
            sections: vec![
                facts.published(),
                facts.privacy(),
                facts.attacker(),
                facts.errors(),
                facts.spent(),
                facts.verification(),
            ],
        })
    }
}

/// What the sections are made of.
struct Facts<'a> {
    question: &'a Question,
    answer: &'a ReleaseAnswer,
    plan: &'a Plan,
    unit: String,
}

fn text(text: impl Into<String>) -> Part {
    Part::Text(text.into())
}

impl Facts<'_> {
    fn published(&self) -> Section {
        let groups = self.plan.keys().len();
        let by = self.plan.by().join(" and ");
        let table = match self.plan.by().is_empty() {
            true => "One line about all rows together. It has:".to_owned(),
            false => {
                format!("A table with {}, by {by}. For each group it has:", count(groups as u64, "group"))
            }
        };
        let asked = &self.question.spec.queries;
        let mut parts = vec![
            text(table),
            Part::List(asked.iter().map(|query| [query.name.clone(), self.described(query)]).collect()),
        ];
        if let Some(filter) = &self.question.spec.filter {
            parts.push(text(format!("Only rows for which this is true count: {filter}")));
        }
        if !self.plan.by().is_empty() {
            parts.push(text(
                "The groups were declared beforehand, not looked up in the table, and all of them are published, also those that nobody is in.",
            ));
        }
        Section { heading: "What is published", parts }
    }

    /// What a query tells of a group.
    fn described(&self, query: &QuerySpec) -> String {
        let column = query.column.clone().unwrap_or_default();
        let list = |numbers: &Option<Vec<Rational>>| {
            numbers.iter().flatten().map(Rational::to_short).collect::<Vec<_>>().join(", ")
        };
        let moved = query.bounds.as_ref().map_or(String::new(), |[low, high]| {
            format!(
                "; values below {} count as {0}, and values above {} as {1}",
                low.to_short(),
                high.to_short()
            )
        });
        match query.kind.as_str() {
            "count" => "the number of rows".to_owned(),
            "count-units" if self.plan.unit_is_row() => "the number of rows".to_owned(),
            "count-units" => format!("the number of different values of {}", self.unit),
            "sum" => format!("the sum of {column}{moved}"),
            "mean" => format!("the mean of {column}{moved}"),
            "histogram" => format!("the number of rows by {column}, in bins between {}", list(&query.edges)),
            "variance" => format!("the variance of {column}{moved}"),
            "std" => format!("the standard deviation of {column}{moved}"),
            "distinct" => format!("how many of the declared values of {column} occur"),
            "median" => format!("the median of {column}, out of {}", list(&query.edges)),
            "quantile" => {
                let part = query.q.as_ref().map_or(String::new(), Rational::to_short);
                format!(
                    "the number below which {part} of the values of {column} lie, out of {}",
                    list(&query.edges)
                )
            }
            kind => format!("the {kind} of {column}{moved}"),
        }
    }

    fn privacy(&self) -> Section {
        let (groups, rows) = (count(self.answer.groups, "group"), count(self.answer.rows_a_group, "row"));
        let unit = &self.unit;
        let mut parts = match self.plan.unit_is_row() {
            true => vec![text(
                "Each row is protected for itself, as if each were about somebody else. Whoever has several rows is protected less: twice as many rows \
                 may reveal twice as much (ε is multiplied by their number, ρ by its square).",
            )],
            false => vec![
                text(format!(
                    "All rows with the same {unit} are protected together, as one {unit}, however many they are."
                )),
                text(format!(
                    "One {unit} counts in at most {groups}, with at most {rows} in each. What one {unit} has beyond that does not count."
                )),
                text(format!(
                    "If one person has several values of {unit}, each of them is protected for itself, and the person less."
                )),
            ],
        };
        let changes: Vec<[String; 2]> = self
            .plan
            .queries()
            .iter()
            .flat_map(|query| {
                query.components.iter().map(move |component| {
                    let name = match query.components.len() {
                        1 => query.name.clone(),
                        _ => format!("{}, {}", query.name, component.role),
                    };
                    let said = match component.released {
                        Released::Chosen => {
                            let groups = count(component.sensitivity.groups, "group");
                            format!("the rows by which candidates are compared, in {groups}")
                        }
                        _ => {
                            let most = &component.sensitivity.l1 * &component.step;
                            format!("at most {}", shown(&most, Rounding::Up))
                        }
                    };
                    [name, said]
                })
            })
            .collect();
        parts.push(text(format!(
            "If one {unit} is added or removed, the exact numbers change, in all groups together, by:"
        )));
        parts.push(Part::List(changes));
        parts.push(text("Random noise that is large enough to hide these changes is added to each of them, or to the choice of a candidate."));
        Section { heading: "What one person's presence can change", parts }
    }

    fn attacker(&self) -> Section {
        let heading = "What an attacker can learn";
        let Promised::Claimed(claim) = &self.answer.promise.claim else {
            return Section {
                heading,
                parts: vec![text(
                    "Everything. The noise was made from a seed, and anyone can take it away: this table must not be published.",
                )],
            };
        };
        let unit = &self.unit;
        let right = right_at_most(claim, self.answer.promise.approximate.as_ref());
        let mut parts = vec![
            text(format!(
                "Suppose that somebody wants to know whether a certain {unit} is in the table, knows all other rows, and thinks yes and no equally \
                 likely. After seeing what is published, they guess right at most {right}% of the time; a blind guess is right 50% of the time."
            )),
            text(format!(
                "Suppose that they know that the {unit} is in the table, and wonder which of two things its rows say. Then they guess right at most {}% of the \
                 time: exchanging rows is taking one {unit} out and putting another one in.",
                percent(&exchange_share(claim))
            )),
            text(format!(
                "This holds for every {unit}, whatever else the attacker knows or has, and whatever becomes known later."
            )),
            text(format!("The formal claim: {}.", loss(claim, self.answer.promise.approximate.as_ref()))),
            text(
                "What is true of people in general is not hidden: the table is published to show it, and it may tell something about somebody who is not \
                 in it.",
            ),
        ];
        if self.answer.ledger.is_none() {
            parts.push(text(
                "Other releases from the same data add to this. No ledger was used, so this statement knows of none.",
            ));
        }
        Section { heading, parts }
    }

    fn errors(&self) -> Section {
        let percent = (&self.answer.confidence * Rational::from(100)).to_short();
        let mut rows = Vec::new();
        for (i, query) in self.answer.queries.iter().enumerate() {
            let values = self.answer.rows.iter().filter_map(|row| row.values.get(i)).flatten();
            let (mut most, mut ranks) = (None, None);
            for value in values {
                let (widest, off) = match &value.accuracy {
                    Accuracy::Interval([low, high]) => {
                        (&mut most, (&value.value - low).max(high - &value.value))
                    }
                    Accuracy::Rank(rows) => (&mut ranks, rows.clone()),
                };
                *widest = widest.take().max(Some(off));
            }
            let each = if numbers(query).len() > 1 { " each" } else { "" };
            let said = match (most, ranks) {
                (Some(most), _) => format!("{} or less{each}", shown(&most, Rounding::Up)),
                (None, Some(rows)) => {
                    format!(
                        "its rank is off by {} rows or less; by how much the number is off is not known",
                        shown(&rows, Rounding::Up)
                    )
                }
                (None, None) => continue,
            };
            rows.push([query.name.clone(), said]);
        }
        Section {
            heading: "How wrong the numbers are",
            parts: vec![
                text(format!("With a probability of {percent}%, noise moves a number by:")),
                Part::List(rows),
                text(
                    "Beyond the noise, numbers are too small where people have more rows or larger values than count. This statement does not say by how \
                     much, because that would tell something about the table. Nor does it say how well the table represents anybody who is not in it.",
                ),
            ],
        }
    }

    fn spent(&self) -> Section {
        let Some(entered) = &self.answer.ledger else {
            return Section {
                heading: "What was spent, and what is left",
                parts: vec![text(
                    "No ledger was used: nothing remembers this release, and the same release again would cost as much again.",
                )],
            };
        };
        Section { heading: "What was spent, and what is left", parts: self.book(entered) }
    }

    fn book(&self, entered: &Entered) -> Vec<Part> {
        let symbol = if entered.measure == "epsilon" { "ε" } else { "ρ" };
        let analyst = entered.analyst.as_ref().filter(|_| entered.is_analysts);
        let whose = analyst.map_or(String::new(), |analyst| format!(" for {analyst}"));
        let mut parts = vec![
            text(format!(
                "The ledger {} has this release of the data set {2} under the name {1}.",
                entered.path, entered.id, entered.dataset
            )),
            text(format!(
                "All releases from {} so far{whose} cost {symbol} = {} together; {symbol} = {} is left.",
                entered.dataset, entered.spent, entered.left
            )),
        ];
        // With a δ beside it, ε does not say how often a guess is right.
        if entered.measure == "epsilon" && !entered.has_delta {
            let percent = pure_percent(entered.spent.upper());
            parts.push(text(format!(
                "Whoever sees all of these releases guesses right at most {percent}% of the time."
            )));
        }
        parts
    }

    fn verification(&self) -> Section {
        let mut parts = Vec::new();
        if let Some(entered) = &self.answer.ledger {
            parts.push(text(
                "This checks every entry of the ledger, and that it has this release. It fails for an older copy of the ledger, and for a forged one:",
            ));
            parts.push(Part::Command(format!(
                "lastbit budget verify {} --head {}",
                quoted(&entered.path),
                entered.head
            )));
        }
        parts.push(text(
            "The same command that made the release, with --dry-run instead of its outputs, shows the plan, the noise and the loss without reading the \
             table.",
        ));
        parts.push(text(format!("The plan has the SHA-256 {}.", self.answer.plan)));
        parts.push(text(format!("Neighbouring tables differ in {}.", neighbours(self.plan))));
        Section { heading: "How to verify this", parts }
    }
}

/// As a shell takes it.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_');
    match path.chars().all(is_plain) && !path.is_empty() {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

fn shown(x: &Rational, rounding: Rounding) -> String {
    let all = digits(x);
    if all.len() <= DIGITS + 1 { all } else { decimal(x, DIGITS, rounding) }
}

fn loss(claim: &Claim, approximate: Option<&Approximate>) -> String {
    let loss = decimal(claim.loss(), DIGITS, Rounding::Up);
    let formal = match claim.measure() {
        Measure::MaxDivergence => format!("{loss}-differential privacy (ε = {loss})"),
        Measure::ZeroConcentratedDivergence => {
            format!("{loss}-zero-concentrated differential privacy (ρ = {loss})")
        }
    };
    match approximate {
        Some(approximate) => format!("{formal}; {}", approximate.in_words()),
        None => formal,
    }
}

/// How often somebody who thinks both of two neighbours equally likely is right at most, in percent.
fn right_at_most(claim: &Claim, approximate: Option<&Approximate>) -> String {
    match claim.measure() {
        Measure::MaxDivergence => pure_percent(claim.loss()),
        Measure::ZeroConcentratedDivergence => {
            let concentrated = concentrated_share(claim.loss());
            let other = approximate.map(|both| approximate_share(both.epsilon.upper(), both.delta.upper()));
            percent(&other.map_or(concentrated.clone(), |other| other.min(concentrated)))
        }
    }
}

/// The same for two tables that differ in one unit's rows, in place of its presence: they are two steps apart, which is twice the ε, or four times the ρ
/// (Bun and Steinke 2016, Proposition 1.9).
fn exchange_share(claim: &Claim) -> Rational {
    match claim.measure() {
        Measure::MaxDivergence => approximate_share(&(claim.loss() * Rational::from(2)), &Rational::ZERO),
        Measure::ZeroConcentratedDivergence => concentrated_share(&(claim.loss() * Rational::from(4))),
    }
}

fn pure_percent(epsilon: &Rational) -> String {
    percent(&approximate_share(epsilon, &Rational::ZERO))
}

fn percent(share: &Rational) -> String {
    decimal(&(share * Rational::from(100)), PERCENT_DIGITS, Rounding::Up)
}

/// `(e^ε + δ)/(1 + e^ε)`, from above: half of `1 + δ(0)`, where `δ(0)`, the distance in total variation, is at most `(e^ε - 1 + 2δ)/(e^ε + 1)`.
fn approximate_share(epsilon: &Rational, delta: &Rational) -> Rational {
    let exp = Some(epsilon)
        .filter(|epsilon| **epsilon <= Rational::from(MOST_LOSS))
        .and_then(|epsilon| exp_rational(epsilon, BITS).ok());
    let Some(exp) = exp else { return Rational::ONE };
    // (x + δ)/(1 + x) grows with x if δ <= 1.
    let exp = Rational::from(exp.hi());
    ((&exp + delta) / (exp + Rational::ONE)).min(Rational::ONE)
}

/// `(1 + min(√(ρ/2), √(1 - e^-ρ)))/2`, from above. The Kullback-Leibler divergence is at most `ρ`, which bounds the total variation (Pinsker; Bretagnolle
/// and Huber 1979).
fn concentrated_share(rho: &Rational) -> Rational {
    let half = Rational::pow2(-1);
    let shrunk = Some(rho)
        .filter(|rho| **rho <= Rational::from(MOST_LOSS))
        .and_then(|rho| exp_rational(&-rho.clone(), BITS).ok());
    let shrunk = shrunk.map_or(Rational::ZERO, |exp| Rational::from(exp.lo()));
    let square = (rho * &half).min(Rational::ONE - shrunk);
    (Rational::ONE + super::noise::root_above(&square)) * half
}

impl Statement {
    /// The statement as text of a page's width.
    pub fn text(&self) -> String {
        let mut page = format!("{}\n", self.title);
        for section in &self.sections {
            let _ = write!(page, "\n{}\n\n", section.heading.to_uppercase());
            for part in &section.parts {
                match part {
                    Part::Text(text) => wrap(&mut page, text, ""),
                    Part::List(rows) => {
                        let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
                        for [name, said] in rows {
                            let padding = " ".repeat(width - name.chars().count());
                            wrap(&mut page, &format!("  {name}{padding}  {said}"), &" ".repeat(width + 4));
                        }
                    }
                    Part::Command(command) => {
                        let _ = writeln!(page, "  {command}");
                    }
                }
            }
        }
        page
    }

    /// The statement as a page of HTML that prints on paper.
    pub fn html(&self) -> String {
        const STYLE: &str = "h1{font-size:150%}h2{font-size:110%;margin:1.4em 0 .3em}p{margin:.4em 0}\
             th{padding:2px 18px 2px 0;text-align:left;vertical-align:top;font-weight:600}td{padding:2px 0}\
             pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4em 0}\
             @media print{body{margin:0;max-width:none;font-size:11px;color:#000;background:#fff}}";
        let mut body = format!("<h1>{}</h1>", escaped(&self.title));
        for section in &self.sections {
            let _ = write!(body, "\n<h2>{}</h2>", escaped(section.heading));
            for part in &section.parts {
                body.push_str(&match part {
                    Part::Text(text) => format!("<p>{}</p>", escaped(text)),
                    Part::List(rows) => {
                        let row = |[name, said]: &[String; 2]| {
                            format!(
                                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
                                escaped(name),
                                escaped(said)
                            )
                        };
                        format!("<table><tbody>{}</tbody></table>", rows.iter().map(row).collect::<String>())
                    }
                    Part::Command(command) => format!("<pre><code>{}</code></pre>", escaped(command)),
                });
            }
        }
        page(&self.title, STYLE, &body)
    }
}

/// Adds a paragraph in lines of a page's width, all but the first of which begin with `indent`.
fn wrap(page: &mut String, text: &str, indent: &str) {
    let start = text.len() - text.trim_start().len();
    let mut line = text[..start].to_owned();
    let mut is_first = true;
    // Blanks that align a list stay where they are.
    for word in text[start..].split(' ') {
        let longer = line.chars().count() + 1 + word.chars().count();
        if !is_first && longer > WIDTH && !word.is_empty() {
            page.push_str(line.trim_end());
            page.push('\n');
            line = indent.to_owned();
            is_first = true;
        }
        if !is_first {
            line.push(' ');
        }
        line.push_str(word);
        is_first = false;
    }
    page.push_str(line.trim_end());
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    #[test]
    fn guesses_are_bounded_from_above() {
        assert_eq!(pure_percent(&Rational::ONE), "73.11");
        assert_eq!(pure_percent(&rational("1e-9")), "50.01");
        assert_eq!(pure_percent(&rational("1000000")), "100");
        assert_eq!(percent(&approximate_share(&Rational::ONE, &rational("1/10"))), "75.80");
        assert_eq!(approximate_share(&Rational::ZERO, &Rational::ONE), Rational::ONE);
        // Pinsker for small losses: (1 + 0.05)/2, from above; for large ones the other bound.
        assert_eq!(percent(&concentrated_share(&rational("0.005"))), "52.51");
        assert_eq!(percent(&concentrated_share(&rational("3"))), "98.74");
        assert!(concentrated_share(&rational("1e9")) <= rational("1.0000000001"));
    }

    #[test]
    fn lines_are_as_wide_as_a_page() {
        let mut page = String::new();
        wrap(&mut page, &format!("  a  {}", "word ".repeat(40)), "     ");
        assert!(page.lines().all(|line| line.chars().count() <= WIDTH), "{page}");
        assert!(page.lines().skip(1).all(|line| line.starts_with("     word")), "{page}");
        assert_eq!(page.split_whitespace().count(), 41);
    }

    #[test]
    fn paths_are_quoted_for_a_shell() {
        assert_eq!(quoted("a/b.db"), "a/b.db");
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
    }
}
