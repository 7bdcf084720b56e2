//! The first lines of an answer, and its row in a table.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use lastbit_real::{Float, Rational, Rounding};

use super::answer::{Found, Probability, ProofAnswer, Verdict, Witness};
use super::endpoint::CertifiedLoss;
use super::error_bound::ErrorBound;
use super::loss::LossFound;
use super::privacy::PrivacyFound;
use crate::{Judgement, Loss, number};

/// Digits of bounds, unless more are asked for.
pub const DIGITS: usize = 6;
/// The longest exact numbers and formulas that people read.
const LONGEST: usize = 24;
/// The largest number of steps, attempts and values that are shown.
const FEW: usize = 3;

/// The first line of an answer: `laplace: PROVED: eps-DP (pure), …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline<'a> {
    /// The name of the program or declaration.
    pub name: &'a str,
    /// The verdict in capitals, if there is one.
    pub word: Option<&'static str>,
    /// The judgement, which gives the line its colour.
    pub judgement: Option<Judgement>,
    /// The statement that is proved, refuted or undecided.
    pub rest: String,
}

impl Display for Headline<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.word {
            Some(word) => write!(f, "{}: {word}: {}", self.name, self.rest),
            None => write!(f, "{}: {}", self.name, self.rest),
        }
    }
}

/// A number in so many digits, on the safe side of a bound from above.
fn up(value: &Rational, digits: usize) -> String {
    number::decimal(value, digits, Rounding::Up)
}

fn down(value: &Rational, digits: usize) -> String {
    number::decimal(value, digits, Rounding::Down)
}

/// A number as it is, or as a float in hexadecimal or a decimal if that is shorter.
pub(super) fn short(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.chars().count() <= LONGEST {
        return exact;
    }
    let float = value.to_f64(Rounding::Nearest);
    match Rational::try_from(float).as_ref() == Ok(value) {
        true => short_hex(&float.to_hex()),
        false => number::decimal(value, DIGITS, Rounding::Nearest),
    }
}

fn short_text(value: &str) -> String {
    value.parse::<Rational>().map_or_else(|_| value.to_owned(), |value| short(&value))
}

/// `-0x1p-53`, without zeros that say nothing.
fn short_hex(hex: &str) -> String {
    match hex.split_once('p') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!("{}p{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => hex.to_owned(),
    }
}

/// `eps-DP (pure) with eps <= 1 + 1.1e-13`: digits that say what floating point adds to the ideal loss.
pub(super) fn certified(certified: &CertifiedLoss, digits: usize) -> String {
    let loss = total(certified, digits);
    match &certified.delta {
        None => format!("eps-DP (pure) with eps <= {loss}"),
        Some(delta) => format!("({loss}, {})-DP", up(delta.upper(), digits.min(3))),
    }
}

/// The certified loss, as the ideal one and what is added.
fn total(certified: &CertifiedLoss, digits: usize) -> String {
    let (loss, ideal) = (certified.loss.upper(), certified.ideal.upper());
    let excess = loss - ideal;
    let is_small = excess.is_positive() && &excess * &Rational::from(10).pow(digits as u32) < *loss;
    match is_small {
        true => format!("{} + {}", short(ideal), up(&excess, 3)),
        false => up(loss, digits),
    }
}

impl ErrorBound {
    /// `|float - real| <= 1.11023e-16 for values in [1, 2]`
    pub fn in_words(&self, digits: usize) -> String {
        let [lo, hi] = &self.range;
        let (lo, hi) = (down(lo.lower(), digits), up(hi.upper(), digits));
        format!("|float - real| <= {}  for values in [{lo}, {hi}]", up(self.abs_error.upper(), digits))
    }
}

impl ProofAnswer {
    /// The first line.
    pub fn headline(&self, digits: usize) -> Headline<'_> {
        let word = match self.verdict {
            Verdict::Proved => Some("PROVED"),
            Verdict::Undecided => Some("UNDECIDED"),
            Verdict::Refuted => Some("REFUTED"),
            Verdict::Rejected => Some("REJECTED"),
            Verdict::Bound | Verdict::Shown | Verdict::Refused => None,
        };
        Headline { name: &self.name, word, judgement: self.verdict.judgement(), rest: self.rest(digits) }
    }

    fn rest(&self, digits: usize) -> String {
        let statement = &self.statement;
        match (&self.found, self.verdict) {
            (Found::ErrorBound(found), Verdict::Undecided) => {
                format!("the claimed bound is not proved; {}", found.in_words(digits))
            }
            (Found::ErrorBound(found), Verdict::Proved) => {
                format!("{}; the claimed bound holds for all inputs", found.in_words(digits))
            }
            (Found::ErrorBound(found), _) => found.in_words(digits),
            (Found::Privacy(found), Verdict::Proved) if found.vacuous => {
                format!("VACUOUS: no two inputs satisfy what is declared about them: {statement}")
            }
            (Found::Privacy(_), Verdict::Rejected) => {
                let state = match self.cost() {
                    Some(_) => "true, by another proof",
                    None => "neither proved nor refuted",
                };
                format!("a proof of the file is wrong; the claim itself, {statement}, is {state}")
            }
            (Found::Privacy(found), Verdict::Refuted) => self.refuted(found.witness.as_ref(), digits),
            (Found::Loss(found), Verdict::Refuted) => self.refuted(found.witness.as_ref(), digits),
            (Found::Loss(found), Verdict::Proved) => match &found.certified {
                Some(loss) => {
                    let rest = statement.split_once(", for all ").map_or("", |(_, rest)| rest);
                    let vacuous = if found.neighbours_found { "" } else { "POSSIBLY VACUOUS: " };
                    format!("{vacuous}{}, for all {rest}", certified(loss, digits))
                }
                None => statement.clone(),
            },
            (Found::Paper(_), Verdict::Refuted) => format!("{statement} fail"),
            _ => statement.clone(),
        }
    }

    /// What is false, and by how much. For whom it was claimed does not matter then.
    fn refuted(&self, witness: Option<&Witness>, digits: usize) -> String {
        let claim = self.statement.split(", for all ").next().unwrap_or(&self.statement);
        format!("not {claim}{}", lost(witness, digits))
    }

    fn cost(&self) -> Option<&str> {
        match &self.found {
            Found::Privacy(found) => found.cost.as_deref(),
            _ => None,
        }
    }

    /// The lines below the first, without notes: by what it is proved, what refutes it, or how far it got and what to try.
    pub fn summary(&self, digits: usize) -> Vec<String> {
        let mut lines = match (&self.found, self.verdict) {
            (Found::Privacy(found), Verdict::Proved | Verdict::Rejected) => by(found),
            (Found::Privacy(found), Verdict::Refuted) => refuted(found.witness.as_ref(), digits),
            (Found::Loss(found), Verdict::Refuted) => refuted(found.witness.as_ref(), digits),
            (Found::Loss(found), Verdict::Proved) => {
                vec![format!(
                    "by {}, from the rounding errors of the text; --details shows every case",
                    found.rule
                )]
            }
            (Found::Theorem(found), Verdict::Proved) => found.theorem_a.lines().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        if let Found::Loss(found) = &self.found
            && let (Some(reason), Verdict::Refuted) = (&found.reason, self.verdict)
        {
            lines.push(format!(
                "no bound for all inputs: line {}, column {}: {}",
                reason.line, reason.column, reason.message
            ));
        }
        lines.extend(self.tried.iter().map(|tried| format!("so far: {tried}")));
        lines.extend(self.next.iter().map(|next| format!("try: {next}")));
        lines
    }

    /// The row in a table: name, verdict, bound or cost, time.
    pub fn row(&self, digits: usize) -> [String; 4] {
        let bound = match &self.found {
            Found::ErrorBound(found) => format!("<= {}", up(found.abs_error.upper(), digits)),
            Found::Privacy(found) => {
                let lost = || found.witness.as_ref().map(|witness| at_least(witness, digits));
                found.cost.clone().or_else(lost).unwrap_or_default()
            }
            Found::Loss(found) => of_loss(found, self.verdict, digits),
            Found::Refused(found) => found.error.lines().next().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let verdict =
            self.headline(digits).word.map_or_else(|| self.verdict.text().to_owned(), str::to_owned);
        [self.name.clone(), verdict, bound, format!("{:.1} s", self.seconds)]
    }
}

fn at_least(witness: &Witness, digits: usize) -> String {
    match &witness.loss {
        Loss::Infinite => "infinite".into(),
        Loss::Finite(loss) | Loss::AtLeast(loss) => format!(">= {}", down(loss.lower(), digits)),
    }
}

fn of_loss(found: &LossFound, verdict: Verdict, digits: usize) -> String {
    match (&found.witness, &found.certified, verdict) {
        (Some(witness), _, Verdict::Refuted) => at_least(witness, digits),
        (_, Some(certified), _) => format!("<= {}", total(certified, digits)),
        _ => String::new(),
    }
}

/// `: the loss is at least 1.99999, claimed is 1`
fn lost(witness: Option<&Witness>, digits: usize) -> String {
    let Some(witness) = witness else { return String::new() };
    match &witness.loss {
        Loss::Infinite => ": the loss is infinite".into(),
        Loss::Finite(loss) | Loss::AtLeast(loss) => {
            let digits = apart(loss.lower(), witness.claimed.as_ref().map(|claimed| claimed.upper()), digits);
            let claimed = witness.claimed.as_ref();
            let claimed = claimed
                .map_or(String::new(), |claimed| format!(", and {} is claimed", short(claimed.upper())));
            format!(": the loss is at least {}{claimed}", down(loss.lower(), digits))
        }
    }
}

/// As many digits as it takes to see that a loss is more than what is claimed.
fn apart(loss: &Rational, claimed: Option<&Rational>, digits: usize) -> usize {
    let Some(claimed) = claimed.filter(|claimed| *claimed < loss) else { return digits };
    let differs = |digits: &usize| {
        loss.to_decimal(*digits, Rounding::Down).parse::<Rational>().is_ok_and(|shown| shown > *claimed)
    };
    (digits..40).find(differs).unwrap_or(digits)
}

/// Parameters and inputs, the event, the probabilities.
fn refuted(witness: Option<&Witness>, digits: usize) -> Vec<String> {
    let Some(witness) = witness else { return Vec::new() };
    let given = |values: &BTreeMap<String, String>, side: &str| {
        let each = values.iter().map(|(name, value)| format!("{name}{side} = {}", short_text(value)));
        each.collect::<Vec<_>>().join(", ")
    };
    let [one, two] = &witness.inputs;
    let [first, second] = if witness.exchanged { ["<2>", "<1>"] } else { ["<1>", "<2>"] };
    let inputs = [given(one, first), given(two, second)].join(" and ");
    let parameters = given(&witness.parameters, "");
    let at = if parameters.is_empty() { String::new() } else { format!(", at {parameters}") };
    let [p, q] = &witness.probabilities;
    vec![
        format!("inputs {inputs}{at}"),
        format!("event {}", witness.event),
        format!(
            "probability {} with the first, {} with the second",
            probability(p, digits, true),
            probability(q, digits, false)
        ),
    ]
}

/// A probability: exact if that is short, else a decimal on the safe side.
fn probability(p: &Probability, digits: usize, from_below: bool) -> String {
    let exact = p.formula.clone().or_else(|| p.number.value().map(ToString::to_string));
    if let Some(exact) = exact.filter(|exact| exact.chars().count() <= LONGEST) {
        return exact;
    }
    match from_below {
        true => format!("at least {}", down(p.number.lower(), digits)),
        false => format!("at most {}", up(p.number.upper(), digits)),
    }
}

/// By what a claim is proved; before that, what is wrong with the proofs of the text.
fn by(found: &PrivacyFound) -> Vec<String> {
    let mut lines = Vec::new();
    for step in
        found.proofs.iter().flat_map(|proof| &proof.steps).filter(|step| step.status == "rejected").take(FEW)
    {
        let premise = step.premise.as_deref().unwrap_or_default();
        let at = step.counterexample.as_ref().map_or(String::new(), |point| {
            let point: Vec<String> = point.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!(", false at {}", point.join(" "))
        });
        lines.push(format!("line {}, step {} ({}): {premise}{at}", step.line, step.number, step.rule));
    }
    let scripts: Vec<&str> = found
        .proofs
        .iter()
        .filter(|proof| proof.verdict == "proved")
        .map(|proof| proof.name.as_deref().unwrap_or("a proof of the file"))
        .collect();
    let by = match (found.cost.is_some(), scripts.as_slice()) {
        (false, _) => return lines,
        (true, []) => "found by the search".to_owned(),
        (true, names) => names.join(" and "),
    };
    let rules = if found.rules.is_empty() { "no rule".to_owned() } else { found.rules.join(", ") };
    let first =
        found.rules.first().map_or(String::new(), |rule| format!(", lastbit explain {rule} what it means"));
    lines.push(format!("by {rules} ({by}); --tree shows the derivation{first}"));
    lines
}
