//! Exact weights of chosen outputs.

use lastbit_real::IBig;

use super::Variant;
use crate::Outcome;

impl Variant {
    /// The exact weights of the outputs of these numbers, in increasing order, under two finite inputs; over `2·total` of
    /// the sampler. Neighbouring outputs share a threshold, which is inverted once.
    ///
    /// ```
    /// use lastbit_audit::Sampler;
    /// use lastbit_audit::snapping::{FloatSnap, Noise, Variant};
    /// use lastbit_lang::Tie;
    /// use lastbit_real::{IBig, Rational};
    ///
    /// let noise = Noise::Divided { epsilon: Rational::ONE };
    /// let variant = Variant::of(FloatSnap::new(noise, 3.0, None, Tie::Up, Sampler::Grid53)?);
    /// let all = variant.weigh([0.0, 1.0], -3..=3);
    /// let sum: IBig = all.iter().map(|outcome| outcome.weights[0].lo().floor()).sum();
    /// assert_eq!(sum, Sampler::Grid53.total() * 2);
    /// # Ok::<(), lastbit_audit::OutOfRange>(())
    /// ```
    ///
    /// # Panics
    /// If an input is not finite.
    pub fn weigh(&self, inputs: [f64; 2], numbers: impl IntoIterator<Item = i64>) -> Vec<Outcome<i64>> {
        let starts = inputs.map(|f| self.start(f));
        let total = self.mechanism.sampler().total();
        let below = |k: i64| starts.map(|x| self.cut(x, k, &total).below);
        let mut last: Option<(i64, [IBig; 2])> = None;
        let mut outcomes = Vec::new();
        for number in numbers {
            let from = match last.take() {
                Some((k, known)) if k == number => known,
                _ => below(number),
            };
            let to = below(number + 1);
            outcomes.push(Outcome::exact(number, [&to[0] - &from[0], &to[1] - &from[1]]));
            last = Some((number + 1, to));
        }
        outcomes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;
    use crate::snapping::{FloatSnap, Noise};
    use lastbit_lang::Tie;

    /// What is chosen has the weights that it has among all outputs.
    #[test]
    fn chosen_outputs_weigh_what_they_weigh_among_all() {
        let noise = Noise::Multiplied { scale: "1.5".parse().unwrap() };
        let mechanism = FloatSnap::new(noise, 9.0, None, Tie::Even, Sampler::Ulp).unwrap();
        let variant = Variant { mechanism, clamp_input: false, ln_shift: 1 };
        let inputs = [-3.3, 14.0];
        let mut all = Vec::new();
        let visit = |pair: &crate::snapping::PairCell| {
            all.push(pair.outcome());
            true
        };
        variant.for_each_output(inputs, visit).unwrap();
        assert_eq!(variant.weigh(inputs, all.iter().map(|outcome| outcome.output)), all);
        let every_other = variant.weigh(inputs, all.iter().map(|outcome| outcome.output).step_by(2));
        assert!(every_other.iter().eq(all.iter().step_by(2)));
    }
}
