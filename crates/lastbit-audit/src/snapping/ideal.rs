//! The snapping mechanism over the reals: `clamp_B(⌊clamp_B(f) + S·ln(U)/ε⌉_Λ)`.
//!
//! Its probabilities are sums of a few exponentials of rational numbers. They are kept as such and enclosed when asked for, to any
//! number of bits.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use lastbit_real::{IBig, Rational};

use crate::{Comparison, ExponentialSum, OutOfRange, Outcome};

/// The mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdealSnap {
    epsilon: Rational,
    bound: Rational,
    grid: Rational,
    /// `⌈B/Λ⌉`: outputs are numbered from `-top` to `top`, and the ends are `∓B`.
    top: IBig,
}

/// An output with its probabilities under two inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdealOutcome {
    /// The number of the output.
    pub number: IBig,
    /// The value.
    pub output: Rational,
    /// The probabilities under both inputs.
    pub probabilities: [ExponentialSum; 2],
}

impl IdealOutcome {
    /// Enclosed weights over a total of 1.
    pub fn outcome(&self, bits: u32) -> Outcome<Rational> {
        let weights = self.probabilities.each_ref().map(|p| p.enclose(bits));
        Outcome { output: self.output.clone(), weights }
    }

    /// Whether both probabilities are the same number.
    pub fn is_alike(&self) -> bool {
        self.probabilities[0] == self.probabilities[1]
    }
}

/// Outputs are all listed up to this many; beyond, those next to the inputs and the ends, which have every loss there is.
const ALL_OUTPUTS: u32 = 1 << 11;
/// Exponents beyond this are refused: `e^-2¹⁸` has a hundred thousand digits after the point.
const MOST_EXPONENT: i64 = 1 << 18;

impl IdealSnap {
    /// The mechanism of these parameters. `Λ` need not be a power of two.
    ///
    /// # Errors
    /// [`OutOfRange`] unless all are positive and `ε·(B + Λ)` is at most 2¹⁸.
    pub fn new(epsilon: Rational, bound: Rational, grid: Rational) -> Result<IdealSnap, OutOfRange> {
        for (name, value) in [("epsilon", &epsilon), ("bound", &bound), ("grid", &grid)] {
            if !value.is_positive() {
                return Err(OutOfRange { name, value: value.to_string(), reason: "it must be positive" });
            }
        }
        if &epsilon * (&bound + &grid) > Rational::from(MOST_EXPONENT) {
            let reason = "epsilon·(bound + grid) must be at most 2^18";
            return Err(OutOfRange { name: "bound", value: bound.to_string(), reason });
        }
        let top = (&bound / &grid).ceil();
        Ok(IdealSnap { epsilon, bound, grid, top })
    }

    /// The default `Λ` of this `ε`.
    pub fn default_grid(epsilon: &Rational) -> Option<Rational> {
        lastbit_real::default_grid(&epsilon.recip()?)
    }

    /// `ε`
    pub fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    /// `B`
    pub fn bound(&self) -> &Rational {
        &self.bound
    }

    /// `Λ`
    pub fn grid(&self) -> &Rational {
        &self.grid
    }

    /// `⌈B/Λ⌉`
    pub fn top(&self) -> &IBig {
        &self.top
    }

    /// The number of outputs.
    pub fn outputs(&self) -> IBig {
        &self.top + &self.top + IBig::ONE
    }

    /// `clamp_B(f)`
    pub fn start(&self, f: &Rational) -> Rational {
        f.clone().clamp(-&self.bound, self.bound.clone())
    }

    /// The number of the output that `x` rounds to, where `x` lies in `[-B, B]`.
    pub fn number_of(&self, x: &Rational) -> IBig {
        (x / &self.grid).round_half_up()
    }

    /// The value of an output.
    pub fn output(&self, number: &IBig) -> Rational {
        match () {
            () if *number <= -&self.top => -&self.bound,
            () if *number >= self.top => self.bound.clone(),
            () => Rational::from(number.clone()) * &self.grid,
        }
    }

    /// `(number - 1/2)Λ`: from here on, numbers round to that output or to a higher one.
    pub fn cut_below(&self, number: &IBig) -> Rational {
        (Rational::from(number.clone()) - Rational::pow2(-1)) * &self.grid
    }

    /// The probability of the outputs of these numbers for `x` in `[-B, B]`. It is what lies between two cuts, however many outputs that
    /// are; a tie has no probability.
    pub fn probability(&self, x: &Rational, numbers: &RangeInclusive<IBig>) -> ExponentialSum {
        if numbers.is_empty() {
            return ExponentialSum::default();
        }
        let half = || Rational::pow2(-1);
        // What lies above the cut less what lies above the next, from the side where both are small.
        let (first, last) = (numbers.start(), numbers.end());
        let lower = (*first > -&self.top).then(|| self.cut_below(first) - x);
        let upper = (*last < self.top).then(|| self.cut_below(&(last + IBig::ONE)) - x);
        let tail = |sum: ExponentialSum, coefficient: Rational, distance: &Rational| {
            sum.plus_term(coefficient * half(), -(distance.abs() * &self.epsilon))
        };
        let sum = ExponentialSum::default();
        match (lower, upper) {
            (None, None) => sum.plus_term(Rational::ONE, Rational::ZERO),
            // Below the upper cut.
            (None, Some(to)) if !to.is_positive() => tail(sum, Rational::ONE, &to),
            (None, Some(to)) => tail(sum.plus_term(Rational::ONE, Rational::ZERO), -Rational::ONE, &to),
            // Above the lower cut.
            (Some(from), None) if !from.is_negative() => tail(sum, Rational::ONE, &from),
            (Some(from), None) => tail(sum.plus_term(Rational::ONE, Rational::ZERO), -Rational::ONE, &from),
            (Some(from), Some(to)) if !from.is_negative() => {
                tail(tail(sum, Rational::ONE, &from), -Rational::ONE, &to)
            }
            (Some(from), Some(to)) if !to.is_positive() => {
                tail(tail(sum, Rational::ONE, &to), -Rational::ONE, &from)
            }
            (Some(from), Some(to)) => {
                let both = sum.plus_term(Rational::ONE, Rational::ZERO);
                tail(tail(both, -Rational::ONE, &from), -Rational::ONE, &to)
            }
        }
    }

    /// The outputs with their probabilities, in increasing order; and whether they are all there are. Where they are many, the ends and
    /// those next to an input: these have every extreme ratio. For a cell that lies below both inputs, or above both, it is
    /// `e^(ε(x - x'))` up to its sign; for one between them it falls from one input to the other.
    pub fn outcomes(&self, inputs: &[Rational; 2]) -> (Vec<IdealOutcome>, bool) {
        let starts = inputs.each_ref().map(|f| self.start(f));
        let all = self.top <= IBig::from(ALL_OUTPUTS / 2);
        let numbers: BTreeSet<IBig> = if all {
            let top = i64::try_from(self.top.clone()).expect("few outputs");
            (-top..=top).map(IBig::from).collect()
        } else {
            let places = starts.each_ref().map(|x| self.number_of(x));
            let near = places.iter().flat_map(|place| (-2..=2).map(move |i| place + IBig::from(i)));
            let near = near.filter(|number| -&self.top < *number && *number < self.top);
            near.chain([-&self.top, self.top.clone()]).collect()
        };
        let outcome = |number: IBig| IdealOutcome {
            output: self.output(&number),
            probabilities: starts.each_ref().map(|x| self.probability(x, &(number.clone()..=number.clone()))),
            number,
        };
        (numbers.into_iter().map(outcome).collect(), all)
    }

    /// The loss and the rest, with enclosures of `bits`, and hockey-stick divergences at `epsilon`.
    pub fn compare(&self, outcomes: &[IdealOutcome], epsilon: &Rational, bits: u32) -> Comparison<Rational> {
        let mut comparison = Comparison::new(IBig::ONE, epsilon);
        outcomes.iter().for_each(|outcome| comparison.push(outcome.outcome(bits)));
        comparison
    }

    /// The theorem: the loss is at most `ε·|clamp_B(f) - clamp_B(f')|`.
    pub fn claimed(&self, inputs: &[Rational; 2]) -> Rational {
        let [x, x2] = inputs.each_ref().map(|f| self.start(f));
        &self.epsilon * (x - x2).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExactLoss;

    fn snap(epsilon: &str, bound: &str, grid: &str) -> IdealSnap {
        let [epsilon, bound, grid] = [epsilon, bound, grid].map(|text| text.parse().unwrap());
        IdealSnap::new(epsilon, bound, grid).unwrap()
    }

    fn inputs(f: &str, f2: &str) -> [Rational; 2] {
        [f, f2].map(|text| text.parse().unwrap())
    }

    #[test]
    fn probabilities_add_up_to_one() {
        for (mechanism, pair) in [
            (snap("1", "4", "1"), inputs("0", "1")),
            (snap("1/3", "5/2", "4"), inputs("-5/2", "2")),
            (snap("3/2", "7/3", "1/4"), inputs("1/8", "9")),
        ] {
            let (outcomes, all) = mechanism.outcomes(&pair);
            assert!(all);
            for (i, input) in pair.iter().enumerate() {
                let sum: ExponentialSum = outcomes.iter().map(|outcome| &outcome.probabilities[i]).sum();
                assert_eq!(sum, ExponentialSum::from(Rational::ONE));
                // The same in three parts.
                let (x, top) = (mechanism.start(input), mechanism.top().clone());
                let parts = [-&top..=-&top, IBig::ONE - &top..=IBig::ZERO, IBig::ONE..=top];
                let parts = parts.map(|part| mechanism.probability(&x, &part));
                assert_eq!(parts.iter().sum::<ExponentialSum>(), sum);
            }
        }
    }

    /// The theorem, over pairs on and off the grid, inside and outside of the bound.
    #[test]
    fn the_loss_is_at_most_what_is_claimed() {
        let mechanism = snap("3/4", "5", "2");
        for (f, f2) in [("0", "1"), ("-5", "5"), ("9", "4"), ("1/3", "1/7"), ("1", "-1"), ("3", "3")] {
            let pair = inputs(f, f2);
            let outcomes = mechanism.outcomes(&pair).0;
            let compared = mechanism.compare(&outcomes, &Rational::ONE, 200);
            let ExactLoss::Finite(loss) = compared.loss(200) else { panic!("a finite loss") };
            let slack = Rational::pow2(-150);
            assert!(loss.lo().cmp_rational(&(mechanism.claimed(&pair) + slack)).is_le(), "{f} {f2}");
        }
    }

    /// What is left out where outputs are many has the losses of what is kept.
    #[test]
    fn few_outputs_stand_for_many() {
        let many = snap("1/2", "20000", "1");
        let few = snap("1/2", "40", "1");
        for (f, f2) in [("0", "1"), ("5/2", "-7/2"), ("1/3", "1/3")] {
            let pair = inputs(f, f2);
            let loss = |mechanism: &IdealSnap| {
                let (outcomes, all) = mechanism.outcomes(&pair);
                let compared = mechanism.compare(&outcomes, &Rational::ONE, 200);
                (compared.finite_loss(100).lo().clone().round_down(60), all)
            };
            assert_eq!(loss(&many).0, loss(&few).0);
            assert_eq!([loss(&many).1, loss(&few).1], [false, true]);
        }
    }

    /// An input above `b + Λ/2`, and two inputs in one cell: the papers' formulas give 0.824 and 0.970.
    #[test]
    fn cases_that_the_papers_miss() {
        let near = |mechanism: &IdealSnap, f: &str, f2: &str, output: &str| {
            let outcomes = mechanism.outcomes(&inputs(f, f2)).0;
            let output: Rational = output.parse().unwrap();
            let outcome = outcomes.into_iter().find(|outcome| outcome.output == output).unwrap();
            outcome.probabilities.map(|p| Rational::from(p.enclose(100).lo()))
        };
        let three_digits = |x: Rational| x.to_decimal(3, lastbit_real::Rounding::Nearest);
        let [at_b, _] = near(&snap("1", "2", "1"), "2", "2", "2");
        assert_eq!(three_digits(at_b), "0.697");
        let [p, p2] = near(&snap("1/4", "8", "4"), "0", "1", "0");
        assert_eq!(three_digits(p / p2), "1.05");
    }

    #[test]
    fn equal_probabilities_are_seen() {
        let mechanism = snap("1", "4", "1");
        let (outcomes, _) = mechanism.outcomes(&inputs("0", "2"));
        // Output 1 lies half-way between the inputs.
        let alike: Vec<_> = outcomes.iter().filter(|outcome| outcome.is_alike()).collect();
        assert_eq!(alike.len(), 1);
        assert_eq!(alike[0].output, Rational::ONE);
    }
}
