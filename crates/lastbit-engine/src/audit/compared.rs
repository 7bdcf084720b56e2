//! Two distributions in numbers, as every audit has them.

use lastbit_audit::LnRatio;
use lastbit_audit::decimal::settled;
use lastbit_audit::{Comparison, ExactLoss as FoundLoss, Outcome};
use lastbit_real::{Dyadic, Enclosure, IBig, Rational, Rounding};

use super::{Delta, Favours, OutputRow};
use crate::{Loss, Number};

/// Digits of probabilities.
const DIGITS: usize = 20;
/// Bits of a logarithm whose sign or infinity is what counts.
const FEW_BITS: u32 = 64;
/// Bits of the losses of single outputs.
const OUTPUT_BITS: u32 = 128;

/// What outputs that were not looked at leave open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// All outputs were weighed.
    Nothing,
    /// Sums over all outputs, and not the loss.
    Sums,
    /// The loss, too.
    Loss,
}

/// How to describe a comparison.
pub(super) struct Compared<'a, O> {
    pub(super) comparison: &'a Comparison<O>,
    /// Significant digits of the loss.
    pub(super) digits: usize,
    pub(super) open: Open,
    /// An output as it is written in the answer, and as people call it.
    pub(super) id: &'a dyn Fn(&O) -> String,
    pub(super) name: &'a dyn Fn(&O) -> String,
}

/// Whether an enclosure is as narrow as so many digits ask for.
fn is_tight(enclosure: &Enclosure, digits: usize) -> bool {
    // Seven halves of a bit a digit, which is a little more than it takes.
    let most = enclosure.abs().hi().shl(-(7 * digits as i64 / 2));
    enclosure.width() <= most
}

/// Whether the loss is known to so many digits, or not a number.
pub(super) fn is_settled<O: Clone>(comparison: &Comparison<O>, digits: usize) -> bool {
    match comparison.loss(bits_of(digits)) {
        FoundLoss::Finite(loss) => is_tight(&loss, digits),
        _ => true,
    }
}

fn bits_of(digits: usize) -> u32 {
    4 * digits as u32 + 64
}

/// A number that can be enclosed with as many bits as it takes, unless what it is made of is enclosed itself.
fn number(digits: usize, enclose: impl Fn(u32) -> Enclosure) -> Number {
    let first = enclose(bits_of(digits));
    let number = Number::enclosed(&first, digits);
    match is_tight(&first, digits) && number.value().is_none() {
        true => number.with_decimal(settled(enclose, |value| value.to_decimal(digits, Rounding::Nearest))),
        false => number,
    }
}

/// A weight over the total.
pub(super) fn share(weight: &Enclosure, total: &IBig) -> Number {
    let end = |end: &Dyadic| Rational::from(end) / Rational::from(total.clone());
    Number::between(&end(weight.lo()), &end(weight.hi()), DIGITS)
}

impl<O: Clone> Compared<'_, O> {
    /// `max |ln(P/P')|`
    pub(super) fn loss(&self) -> Loss {
        let comparison = self.comparison;
        match comparison.loss(FEW_BITS) {
            FoundLoss::Infinite => Loss::Infinite,
            FoundLoss::AtLeast(least) => Loss::AtLeast(Number::at_least(&Rational::from(least), self.digits)),
            FoundLoss::Finite(_) => {
                let enclose = |bits| match comparison.loss(bits) {
                    FoundLoss::Finite(loss) => loss,
                    // The loss is finite whatever the precision.
                    _ => Enclosure::exact(Dyadic::ZERO),
                };
                let number = number(self.digits, enclose);
                if self.open == Open::Loss { Loss::AtLeast(number) } else { Loss::Finite(number) }
            }
        }
    }

    /// An output with its probabilities.
    pub(super) fn row(&self, outcome: &Outcome<O>) -> OutputRow {
        let [p_first, p_second] = outcome.weights.each_ref().map(|w| share(w, self.comparison.total()));
        let (loss, favours) = of_output(outcome);
        OutputRow {
            output: (self.id)(&outcome.output),
            p_first,
            p_second,
            loss,
            favours,
            u: None,
            name: (self.name)(&outcome.output),
        }
    }

    /// The output of the largest loss.
    pub(super) fn witness(&self) -> Option<OutputRow> {
        self.comparison.witness().map(|outcome| self.row(outcome))
    }

    /// Where the loss is infinite: the output of the largest finite one.
    pub(super) fn finite(&self) -> Option<OutputRow> {
        let is_infinite = self.comparison.loss(FEW_BITS) == FoundLoss::Infinite;
        self.comparison.finite_witness().filter(|_| is_infinite).map(|outcome| self.row(outcome))
    }

    /// The mass that only the first, and only the second input can produce.
    pub(super) fn only(&self) -> [Number; 2] {
        self.comparison.only().each_ref().map(|weight| self.sum(share(weight, self.comparison.total())))
    }

    /// A sum over outputs: at least that over those that were looked at, and at most 1.
    fn sum(&self, found: Number) -> Number {
        match self.open {
            Open::Nothing => found,
            Open::Sums if found.is_zero() => found,
            Open::Sums | Open::Loss => {
                let decimal = format!("at least {}", found.decimal());
                Number::between(found.lower(), &Rational::ONE, 1).with_decimal(decimal)
            }
        }
    }

    /// The hockey-stick divergences at the `ε` that they were taken at; `is_zero` if a theorem says so.
    pub(super) fn delta(&self, at: &Rational, from: &'static str, is_zero: bool) -> Delta {
        let total = Enclosure::exact(self.comparison.total().clone().into());
        let [first, second] = self.comparison.hockey_stick().each_ref().map(|sum| {
            if is_zero {
                return Number::exact(&Rational::ZERO, 1);
            }
            if sum.hi().is_zero() {
                return self.sum(Number::exact(&Rational::ZERO, 1));
            }
            let share = |bits| sum.div(&total, bits).unwrap_or_else(|| Enclosure::exact(Dyadic::ZERO));
            self.sum(number(self.digits, share))
        });
        Delta { at: Number::exact(at, DIGITS), from, first, second }
    }
}

/// `|ln(P/P')|` of an output, and which input it speaks for.
fn of_output<O: Clone>(outcome: &Outcome<O>) -> (Loss, Favours) {
    let [p, p2] = &outcome.weights;
    if p == p2 && p.lo() == p.hi() {
        return (Loss::Finite(Number::exact(&Rational::ZERO, 1)), Favours::Neither);
    }
    match outcome.ln_ratio(OUTPUT_BITS) {
        LnRatio::OnlyFirst => (Loss::Infinite, Favours::First),
        LnRatio::OnlySecond => (Loss::Infinite, Favours::Second),
        LnRatio::Unknown => (Loss::AtLeast(Number::exact(&Rational::ZERO, 1)), Favours::Neither),
        LnRatio::Finite(ratio) => {
            let favours = match ratio.sign() {
                Some(std::cmp::Ordering::Greater) => Favours::First,
                Some(std::cmp::Ordering::Less) => Favours::Second,
                _ => Favours::Neither,
            };
            (Loss::Finite(Number::enclosed(&ratio.abs(), DIGITS)), favours)
        }
    }
}
