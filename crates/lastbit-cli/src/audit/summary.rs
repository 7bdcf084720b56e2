//! What a comparison of two distributions says, as text and as JSON.

use std::fmt::Write;

use lastbit::{IBig, Rational, Rounding};
use lastbit_audit::comparison::LnRatio;
use lastbit_audit::decimal::settled;
use lastbit_audit::{Comparison, ExactLoss, Outcome, columns};
use lastbit_real::{Dyadic, Enclosure};
use serde_json::{Map, Value, json};

/// Digits of probabilities for people.
const SHORT: usize = 6;
/// Digits of decimal probabilities in JSON, where no fraction is exact.
const LONG: usize = 40;
/// Bits of a logarithm whose sign or infinity is what counts.
const FEW_BITS: u32 = 64;

/// How numbers are written.
pub(crate) struct Style<'a, O> {
    /// Significant digits of the loss.
    pub(crate) digits: usize,
    /// The `ε` at which delta is computed.
    pub(crate) delta_at: Rational,
    /// Why at that one, as it is said after the number.
    pub(crate) delta_why: &'a str,
    /// An output for people.
    pub(crate) name: &'a dyn Fn(&O) -> String,
    /// An output in JSON.
    pub(crate) id: &'a dyn Fn(&O) -> String,
    /// What outputs that were not looked at leave open.
    pub(crate) open: Open,
    /// Whether delta is known to be 0 by a theorem.
    pub(crate) no_delta: bool,
}

/// What outputs that were not looked at leave open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    /// All were looked at.
    Nothing,
    /// Sums over all outputs, and not the loss.
    Sums,
    /// The loss, too.
    Loss,
}

/// A decimal with so many digits, rounded to nearest.
fn decimal(digits: usize, enclose: impl FnMut(u32) -> Enclosure) -> String {
    settled(enclose, |value| value.to_decimal(digits, Rounding::Nearest))
}

/// A weight over the total: exact as a fraction, which is not reduced; enclosed as a decimal.
fn fraction(weight: &Enclosure, total: &Total<'_>) -> String {
    if weight.hi().is_zero() {
        return "0".into();
    }
    if weight.lo() == weight.hi() && *total.value != IBig::ONE {
        return format!("{}/{}", weight.lo().floor(), total.text);
    }
    decimal_weight(weight, total.value, LONG)
}

/// What weights are over, and its digits, which all fractions share.
pub(crate) struct Total<'a> {
    value: &'a IBig,
    text: String,
}

impl Total<'_> {
    pub(crate) fn of<O: Clone>(comparison: &Comparison<O>) -> Total<'_> {
        Total { value: comparison.total(), text: comparison.total().to_string() }
    }
}

/// A weight over the total, as a decimal.
pub(crate) fn decimal_weight(weight: &Enclosure, total: &IBig, digits: usize) -> String {
    let share = |end: &Dyadic| Rational::from(end) / Rational::from(total.clone());
    known(&share(weight.lo()), &share(weight.hi()), digits)
}

/// A number between two others: as many of so many digits as are known, or both ends.
fn known(lo: &Rational, hi: &Rational, digits: usize) -> String {
    let agreed = (1..=digits).rev().find_map(|n| {
        let [lo, hi] = [lo, hi].map(|end| end.to_decimal(n, Rounding::Nearest));
        (lo == hi).then_some(lo)
    });
    let ends =
        || [(lo, Rounding::Down), (hi, Rounding::Up)].map(|(end, rounding)| end.to_decimal(SHORT, rounding));
    agreed.unwrap_or_else(|| ends().join(".."))
}

/// Whether an enclosure is as narrow as so many digits ask for.
fn is_tight(enclosure: &Enclosure, digits: usize) -> bool {
    // Seven halves of a bit a digit, which is a little more than it takes.
    let most = enclosure.abs().hi().shl(-(7 * digits as i64 / 2));
    enclosure.width() <= most
}

/// The loss as one number; `inf`; or the ends of what is known, if more is not.
fn loss<O: Clone>(comparison: &Comparison<O>, digits: usize) -> String {
    match comparison.loss(FEW_BITS) {
        ExactLoss::Infinite => "inf".into(),
        ExactLoss::AtLeast(least) => {
            format!("at least {}", Rational::from(least).to_decimal(digits, Rounding::Down))
        }
        ExactLoss::Finite(loss) if loss.hi().is_zero() => "0".into(),
        ExactLoss::Finite(_) => {
            let enclose = |bits| match comparison.loss(bits) {
                ExactLoss::Finite(loss) => loss,
                _ => unreachable!("the loss is finite whatever the precision"),
            };
            // Weights that are enclosed do not become better known by more bits of the logarithm.
            let first = enclose(4 * digits as u32 + 64);
            if is_tight(&first, digits) {
                decimal(digits, enclose)
            } else {
                known(&Rational::from(first.lo()), &Rational::from(first.hi()), digits)
            }
        }
    }
}

/// Whether the loss is known to so many digits, or not a number.
pub(crate) fn is_settled<O: Clone>(comparison: &Comparison<O>, digits: usize) -> bool {
    match comparison.loss(4 * digits as u32 + 64) {
        ExactLoss::Finite(loss) => is_tight(&loss, digits),
        _ => true,
    }
}

/// `ln(P/P')` of an output.
pub(crate) fn ln_ratio<O: Clone>(outcome: &Outcome<O>, digits: usize) -> String {
    if outcome.weights[0] == outcome.weights[1] && outcome.weights[0].lo() == outcome.weights[0].hi() {
        return "0".into();
    }
    match outcome.ln_ratio(FEW_BITS + 4 * digits as u32) {
        LnRatio::OnlyFirst => "inf".into(),
        LnRatio::OnlySecond => "-inf".into(),
        LnRatio::Unknown => "unknown".into(),
        // Between two tiny numbers of different signs.
        LnRatio::Finite(ratio) if ratio.sign().is_none() && ratio.width() < Dyadic::pow2(-100) => "0".into(),
        LnRatio::Finite(ratio) => known(&Rational::from(ratio.lo()), &Rational::from(ratio.hi()), digits),
    }
}

impl<O: Clone> Style<'_, O> {
    fn loss(&self, comparison: &Comparison<O>) -> String {
        let loss = loss(comparison, self.digits);
        if self.open == Open::Loss && loss != "inf" { format!("at least {loss}") } else { loss }
    }

    /// Of a sum over outputs, which is at least that over those that were looked at.
    fn sum(&self, found: String, is_zero: bool) -> String {
        match self.open {
            Open::Nothing => found,
            Open::Sums if is_zero => found,
            Open::Sums | Open::Loss => format!("at least {found}"),
        }
    }

    /// The mass that only the first, and only the second input can produce.
    fn only(&self, comparison: &Comparison<O>, write: impl Fn(&Enclosure) -> String) -> [String; 2] {
        comparison.only().each_ref().map(|weight| self.sum(write(weight), weight.hi().is_zero()))
    }

    /// The hockey-stick divergences, to so many digits.
    fn delta(&self, comparison: &Comparison<O>, digits: usize) -> [String; 2] {
        let total = Enclosure::exact(comparison.total().clone().into());
        comparison.hockey_stick().each_ref().map(|sum| {
            if sum.hi().is_zero() || self.no_delta {
                return self.sum("0".into(), self.no_delta);
            }
            let share = |bits| sum.div(&total, bits).expect("a positive total");
            let first = share(4 * digits as u32 + 64);
            let [lo, hi] = [first.lo(), first.hi()].map(Rational::from);
            self.sum(
                match () {
                    () if is_tight(&first, digits) => decimal(digits, share),
                    // The weights themselves are enclosed, and it may be nothing at all.
                    () if lo.is_zero() => format!("at most {}", hi.to_decimal(SHORT, Rounding::Up)),
                    () => known(&lo, &hi, digits),
                },
                false,
            )
        })
    }

    /// The fields that every audit has.
    pub(crate) fn json(&self, comparison: &Comparison<O>) -> Map<String, Value> {
        let total = &Total::of(comparison);
        let witness = comparison.witness();
        let p = |i: usize| witness.map(|outcome| fraction(&outcome.weights[i], total));
        let [delta_first, delta_second] = self.delta(comparison, self.digits);
        let larger = match comparison.hockey_stick() {
            [first, second] if first.hi() < second.hi() => delta_second.clone(),
            _ => delta_first.clone(),
        };
        let [only_first, only_second] = self.only(comparison, |weight| fraction(weight, total));
        let mut fields = Map::new();
        let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        add("loss", json!(self.loss(comparison)));
        add(
            "witness",
            json!({
                "output": witness.map(|outcome| (self.id)(&outcome.output)),
                "p_first": p(0),
                "p_second": p(1),
            }),
        );
        add("p_first", json!(p(0)));
        add("p_second", json!(p(1)));
        add("only_first", json!(only_first));
        add("only_second", json!(only_second));
        add("delta", json!(larger));
        add("delta_first", json!(delta_first));
        add("delta_second", json!(delta_second));
        add("delta_at", json!(self.delta_at.to_string()));
        add("n_outputs", json!(comparison.outputs()));
        add("partial", json!(self.open == Open::Loss));
        fields
    }

    /// An output in JSON.
    pub(crate) fn outcome_json(&self, outcome: &Outcome<O>, total: &Total<'_>) -> Value {
        json!({
            "output": (self.id)(&outcome.output),
            "p_first": fraction(&outcome.weights[0], total),
            "p_second": fraction(&outcome.weights[1], total),
            "ln_ratio": ln_ratio(outcome, 20),
        })
    }

    /// The lines that every audit has.
    pub(crate) fn text(&self, comparison: &Comparison<O>) -> String {
        let total = comparison.total();
        let mut text = String::new();
        let loss = self.loss(comparison);
        let _ = match comparison.witness() {
            Some(witness) => {
                let [p, p2] = witness.weights.each_ref().map(|weight| decimal_weight(weight, total, SHORT));
                writeln!(
                    text,
                    "loss     {loss}\n  at     {}: P = {p}, P' = {p2}",
                    (self.name)(&witness.output)
                )
            }
            None => writeln!(text, "loss     {loss}"),
        };
        if loss == "inf"
            && let Some(witness) = comparison.finite_witness()
        {
            let finite = decimal(SHORT, |bits| comparison.finite_loss(bits));
            let _ = writeln!(
                text,
                "finite   {finite}, of outputs that both can produce, at {}",
                (self.name)(&witness.output)
            );
        }
        let only = self.only(comparison, |weight| decimal_weight(weight, total, SHORT));
        for ((name, share), weight) in ["only f  ", "only f' "].iter().zip(only).zip(comparison.only()) {
            if !weight.hi().is_zero() {
                let _ = writeln!(
                    text,
                    "{name} {share} of the mass is on outputs that the other input cannot produce"
                );
            }
        }
        let [first, second] = self.delta(comparison, SHORT);
        let at = crate::audit::number(&self.delta_at);
        let why = self.delta_why;
        let _ = writeln!(text, "delta    {first} (f against f'), {second} (f' against f), at ε = {at}{why}");
        let of_many = if self.open == Open::Nothing { "" } else { " were weighed, of very many" };
        let _ = writeln!(text, "outputs  {}{of_many}", comparison.outputs());
        text
    }

    /// A table of outputs.
    pub(crate) fn table(&self, outcomes: &[Outcome<O>], total: &IBig) -> String {
        let row = |outcome: &Outcome<O>| {
            let [p, p2] = outcome.weights.each_ref().map(|weight| decimal_weight(weight, total, SHORT));
            [(self.name)(&outcome.output), p, p2, ln_ratio(outcome, 18)]
        };
        let head = ["output", "P", "P'", "ln(P/P')"].map(str::to_owned);
        let rows: Vec<[String; 4]> = std::iter::once(head).chain(outcomes.iter().map(row)).collect();
        columns(&rows)
    }
}
