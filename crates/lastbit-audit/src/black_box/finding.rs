//! What an attack has found.

use lastbit_real::{Float, Rational, ln_rational};

use super::watch::Watch;
use super::{AttackError, Event, ordinal};

/// The number of samples in which an event happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The samples that it has happened in.
    pub hits: u64,
    /// The number of samples.
    pub trials: u64,
}

impl Count {
    /// Counts an event in samples, unless the attack is to stop.
    pub(super) fn of(
        event: &Event,
        samples: impl Iterator<Item = f64>,
        watch: Watch<'_>,
    ) -> Result<Count, AttackError> {
        let mut count = Count { hits: 0, trials: 0 };
        watch.each(samples, |y| {
            count.hits += u64::from(event.holds(y));
            count.trials += 1;
        })?;
        Ok(count)
    }

    /// The share of the samples that it has happened in, for estimates.
    pub(super) fn rate(self) -> f64 {
        self.hits as f64 / self.trials as f64
    }

    /// The count of the complement.
    pub(super) fn misses(self) -> Count {
        Count { hits: self.trials - self.hits, ..self }
    }
}

/// Bits of the logarithm.
const BITS: u32 = 64;

/// The event that best tells the two inputs apart, and what is certain about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The event.
    pub event: Event,
    /// The input under which the event is more likely: 0 or 1.
    pub favoured: usize,
    /// The counts in the samples that chose the event, by input.
    pub chosen: [Count; 2],
    /// The counts in the samples that tested the event, by input. Only these count.
    pub tested: [Count; 2],
    /// Bounds on its probability, by input: from below for the favoured input, from above for the other.
    pub probabilities: [Rational; 2],
    /// A number below `ln((p - δ)/q)` for these bounds, and 0 if there is no positive one.
    pub loss_lower_bound: Rational,
    /// The confidence: both bounds hold with at least this probability.
    pub confidence: Rational,
    /// The `δ` that the claim allows.
    pub delta: Rational,
    /// The number of events that were tried, complements included.
    pub events_tried: usize,
}

impl Finding {
    /// Whether a claim of `(ε, δ)` is refuted at this confidence: `p - δ > e^ε·q`, for the bounds `p` and `q`.
    pub fn exceeds(&self, epsilon: &Rational) -> bool {
        self.loss_lower_bound > *epsilon
    }

    /// An explanation of what leaks and why, in plain words.
    pub fn explanation(&self) -> String {
        let (more, less) = (self.favoured, 1 - self.favoured);
        let [often, seldom] = [more, less].map(|input| self.tested[input]);
        let counts = format!(
            "{}: in {} of {} outputs for the {} input, and in {} of {} for the {} one.",
            self.event,
            often.hits,
            often.trials,
            ordinal(more),
            seldom.hits,
            seldom.trials,
            ordinal(less),
        );
        if self.loss_lower_bound.is_zero() {
            return format!("Nothing is certain. The most telling event is {counts}");
        }
        format!("{counts} {}", why(&self.event, more))
    }
}

/// Ensures: at most `ln((p - δ)/q)` where that is positive, and 0 elsewhere.
pub(super) fn loss_lower_bound(p: &Rational, q: &Rational, delta: &Rational) -> Rational {
    let ratio = (p - delta).checked_div(q).unwrap_or(Rational::ZERO);
    if ratio <= Rational::ONE {
        return Rational::ZERO;
    }
    let loss = ln_rational(&ratio, BITS).expect("above 1");
    Rational::from(loss.lo()).max(Rational::ZERO)
}

/// What makes an event more likely for the input `more`.
fn why(event: &Event, more: usize) -> String {
    let [shows, hides] = [more, 1 - more].map(ordinal);
    match event {
        Event::Value(_) => {
            "A single output tells the inputs apart. Noise must give it about equally often for both, even \
             where it fails, saturates or leaves the value unchanged."
                .to_string()
        }
        Event::AtMost(_) | Event::AtLeast(_) => format!(
            "Outputs for the {shows} input lie there more often, which has nothing to do with their bits: the amount of \
             noise gives the input away, not how it was rounded."
        ),
        Event::Multiple { .. } => format!(
            "Outputs for the {hides} input have finer bits than outputs for the {shows} one. A sum of doubles has the grid of \
             its larger term, so the last bits reveal what the noise was added to."
        ),
        Event::TrailingZeros { .. } => format!(
            "The last bits are used more often for the {hides} input. The sum of input and noise has been rounded, and the \
             trace of the rounding depends on the input."
        ),
        Event::Reachable { from } => format!(
            "Adding a double to {from} does not give every double: it leaves gaps, in different places for every input.",
            from = from.to_short()
        ),
        Event::OneOf(_) => format!(
            "These outputs come more often from the {shows} input: noise around the {hides} one does not reach them, or not as \
             often."
        ),
        Event::Not(event) => why(event, 1 - more),
    }
}
