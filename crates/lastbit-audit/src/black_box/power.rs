//! How many samples it takes to show a loss.

use lastbit_real::{Rational, Rounding};

use super::finding::{Count, Finding, loss_lower_bound};
use super::{Attack, chernoff, clopper_pearson};

/// Beyond so many samples the answer is "more than anybody has".
const MOST_TRIALS: u64 = 1 << 50;

/// How many of so many samples test.
fn tested(samples: u64) -> u64 {
    samples / 2
}

impl Attack {
    /// Whether so many samples for the two inputs could show a loss above `epsilon`: by an event that is seen in every sample of one
    /// input that tests, and in none of the other's. No other event has better bounds.
    pub fn could_exceed(&self, epsilon: &Rational, samples: [u64; 2]) -> bool {
        let [first, second] = samples.map(tested);
        self.separated(first, second) > *epsilon || self.separated(second, first) > *epsilon
    }

    /// The least number of samples of each input that could show a loss above `epsilon`; `None` if it is beyond `2^51`.
    ///
    /// ```
    /// use lastbit_audit::black_box::Attack;
    /// use lastbit_real::Rational;
    ///
    /// let attack = Attack::new("0.999".parse()?)?;
    /// let least = attack.least_samples(&Rational::ONE).unwrap();
    /// assert!(attack.could_exceed(&Rational::ONE, [least; 2]));
    /// assert!(!attack.could_exceed(&Rational::ONE, [least - 1; 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn least_samples(&self, epsilon: &Rational) -> Option<u64> {
        least(|trials| self.separated(trials, trials) > *epsilon).map(|trials| 2 * trials)
    }

    /// The loss that is shown by an event in all of `often` samples of one input and in none of `never` samples of the other.
    fn separated(&self, often: u64, never: u64) -> Rational {
        let alpha = self.alpha();
        let p = clopper_pearson::lower(Count { hits: often, trials: often }, &alpha);
        let q = clopper_pearson::upper(Count { hits: 0, trials: never }, &alpha);
        loss_lower_bound(&p, &q, &self.delta)
    }
}

impl Finding {
    /// About how many samples of each input would show a loss above `epsilon` if the event went on to happen as often as in the samples
    /// that tested it; `None` if no number would, or one beyond `2^51`.
    pub fn samples_at_these_rates(&self, epsilon: &Rational) -> Option<u64> {
        let alpha = super::alpha(&self.confidence);
        let [delta, alpha, epsilon] =
            [&self.delta, &alpha, epsilon].map(|number| number.to_f64(Rounding::Nearest));
        let ln_inverse_alpha = -alpha.max(f64::MIN_POSITIVE).ln();
        let [often, seldom] = [self.favoured, 1 - self.favoured].map(|input| self.tested[input].rate());
        let shows = |trials: u64| {
            let low = chernoff::lower(often, trials, ln_inverse_alpha);
            let high = 1.0 - chernoff::lower(1.0 - seldom, trials, ln_inverse_alpha);
            low > delta && ((low - delta) / high).ln() > epsilon
        };
        least(shows).map(|trials| 2 * trials)
    }
}

/// The least positive number with a property that all larger numbers have, too.
fn least(holds: impl Fn(u64) -> bool) -> Option<u64> {
    let mut above = 1;
    while !holds(above) {
        above = if above < MOST_TRIALS { 2 * above } else { return None };
    }
    let mut below = above / 2;
    while above - below > 1 {
        let middle = below.midpoint(above);
        if holds(middle) { above = middle } else { below = middle }
    }
    Some(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::black_box::Event;

    fn attack(confidence: &str) -> Attack {
        Attack::new(confidence.parse().unwrap()).unwrap()
    }

    /// With `a = (α/2)^(1/t)`, all of `t` and none of `t` show `a/(1 - a)`.
    #[test]
    fn the_least_number_is_that_of_the_closed_form() {
        for (confidence, epsilon) in [("0.999", 0.0), ("0.999", 1.0), ("0.9", 0.25), ("0.999999", 4.0)] {
            let alpha = (1.0 - confidence.parse::<f64>().unwrap()) / 2.0;
            let shows = |t: u32| {
                let a = alpha.powf(1.0 / f64::from(t));
                (a / (1.0 - a)).ln() > epsilon
            };
            let expected = (1..).find(|&t| shows(t)).unwrap();
            let found = attack(confidence).least_samples(&Rational::try_from(epsilon).unwrap());
            assert_eq!(found, Some(2 * u64::from(expected)), "{confidence} {epsilon}");
        }
    }

    #[test]
    fn more_is_claimed_than_samples_can_refute() {
        assert_eq!(attack("0.999").least_samples(&Rational::from(40)), None);
        // Hardly anything is left of a probability when δ is taken from it.
        let strict = attack("0.999").with_delta("0.999".parse().unwrap()).unwrap();
        assert!(strict.least_samples(&Rational::ONE) > attack("0.999").least_samples(&Rational::ONE));
    }

    #[test]
    fn either_input_may_have_the_event() {
        let few_and_many = [20, 1000];
        let attack = attack("0.99");
        assert!(attack.could_exceed(&Rational::ONE, few_and_many));
        assert!(attack.could_exceed(&Rational::ONE, [few_and_many[1], few_and_many[0]]));
        assert!(!attack.could_exceed(&Rational::ONE, [1, 1000]));
    }

    #[test]
    fn rates_that_a_claim_allows_never_show_it() {
        let finding = |hits: [u64; 2]| Finding {
            event: Event::AtMost(0.0),
            favoured: 0,
            chosen: hits.map(|hits| Count { hits, trials: 1000 }),
            tested: hits.map(|hits| Count { hits, trials: 1000 }),
            probabilities: [Rational::ZERO, Rational::ONE],
            loss_lower_bound: Rational::ZERO,
            confidence: "0.999".parse().unwrap(),
            delta: Rational::ZERO,
            events_tried: 1,
        };
        assert_eq!(finding([500, 200]).samples_at_these_rates(&Rational::ONE), None);
        let much = finding([500, 50]).samples_at_these_rates(&Rational::ONE).unwrap();
        let little = finding([500, 180]).samples_at_these_rates(&Rational::ONE).unwrap();
        assert!((100..1000).contains(&much) && little > 10 * much, "{much} {little}");
    }
}
