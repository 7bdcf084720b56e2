//! Two distributions over the same outputs, compared output by output.
//!
//! Weights are exact, or enclosed: then so is everything that is computed from them. Outputs come one at a time and are not
//! kept, so that a comparison of many of them needs no memory.

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, exp_rational, ln_quotient};

/// An output with its weights under the first and the second input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<O> {
    /// The output.
    pub output: O,
    /// The weights under the two inputs, over the total of the comparison.
    pub weights: [Enclosure; 2],
}

impl<O> Outcome<O> {
    /// An outcome whose weights are known exactly.
    pub fn exact(output: O, weights: [IBig; 2]) -> Outcome<O> {
        Outcome { output, weights: weights.map(|weight| Enclosure::exact(Dyadic::from(weight))) }
    }

    /// `ln(P/P')` to `bits`.
    pub fn ln_ratio(&self, bits: u32) -> LnRatio {
        let [first, second] = &self.weights;
        match [first, second].map(|weight| weight.lo().signum() > 0) {
            [true, true] => {
                let lo = ln_of(first.lo(), second.hi(), bits);
                let is_exact = first.lo() == first.hi() && second.lo() == second.hi();
                let hi = if is_exact { lo.clone() } else { ln_of(first.hi(), second.lo(), bits) };
                LnRatio::Finite(Enclosure::new(lo.lo().clone(), hi.hi().clone()).expect("in order"))
            }
            [true, false] if second.hi().is_zero() => LnRatio::OnlyFirst,
            [false, true] if first.hi().is_zero() => LnRatio::OnlySecond,
            _ => LnRatio::Unknown,
        }
    }

    /// `|ln(P/P')|` to `bits`, as far as it is known.
    pub(crate) fn loss(&self, bits: u32) -> ExactLoss {
        match self.ln_ratio(bits) {
            LnRatio::Finite(ratio) => ExactLoss::Finite(ratio.abs()),
            LnRatio::OnlyFirst | LnRatio::OnlySecond => ExactLoss::Infinite,
            LnRatio::Unknown => ExactLoss::AtLeast(Dyadic::ZERO),
        }
    }

    /// Whether the loss of this output is certainly smaller than that of `other`.
    pub fn loses_less_than(&self, other: &Outcome<O>) -> bool {
        self.least_ratio().is_less_than(&other.least_ratio())
    }

    /// The largest ratio that is certain.
    fn least_ratio(&self) -> Ratio {
        let [first, second] = &self.weights;
        Ratio::larger(first.lo(), second.hi(), second.lo(), first.hi())
    }
}

/// `ln(P/P')` of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LnRatio {
    /// Both inputs can produce the output.
    Finite(Enclosure),
    /// Only the first input can: `∞`.
    OnlyFirst,
    /// Only the second input can: `-∞`.
    OnlySecond,
    /// A weight is not known to be positive, and not known to be 0; or both are 0.
    Unknown,
}

/// `ln(p/q)` of positive numbers.
fn ln_of(p: &Dyadic, q: &Dyadic, bits: u32) -> Enclosure {
    ln_quotient(p, q, bits).expect("positive numbers")
}

/// A quotient of two weights that is at least 1, infinite if the second is 0.
#[derive(Clone, Debug)]
struct Ratio {
    large: Dyadic,
    small: Dyadic,
}

impl Ratio {
    fn is_less_than(&self, other: &Ratio) -> bool {
        match [self, other].map(|ratio| ratio.small.is_zero()) {
            [true, _] => false,
            [false, true] => true,
            [false, false] => &self.large * &other.small < &other.large * &self.small,
        }
    }

    /// The larger of `p/q'` and `p'/q`; 1 if both are less.
    fn larger(p: &Dyadic, q2: &Dyadic, p2: &Dyadic, q: &Dyadic) -> Ratio {
        let [a, b] = [(p, q2), (p2, q)].map(|(large, small)| match large > small {
            true => Ratio { large: large.clone(), small: small.clone() },
            false => Ratio { large: Dyadic::ONE, small: Dyadic::ONE },
        });
        if a.is_less_than(&b) { b } else { a }
    }

    /// Its logarithm.
    fn ln(&self, bits: u32) -> Option<Enclosure> {
        (!self.small.is_zero()).then(|| ln_of(&self.large, &self.small, bits))
    }
}

/// The loss, from below and from above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExactLoss {
    /// Between two numbers.
    Finite(Enclosure),
    /// Some output comes from one input only.
    Infinite,
    /// A lower bound; it is not known whether some output comes from one input only.
    AtLeast(Dyadic),
}

impl ExactLoss {
    /// Whether the loss is certainly more than this.
    pub fn exceeds(&self, bound: &Rational) -> bool {
        match self {
            ExactLoss::Infinite => true,
            ExactLoss::Finite(loss) => loss.lo().cmp_rational(bound).is_gt(),
            ExactLoss::AtLeast(least) => least.cmp_rational(bound).is_gt(),
        }
    }
}

/// Bits of `e^ε` for hockey-stick divergences: what remains after a subtraction is known to more than 200 bits, whatever the
/// weights, which have up to 1074 and differ from their multiples by a part in 2¹⁰⁰ at the least.
const EXP_BITS: u32 = 1400;

/// `Σ max(0, P - e^ε·P')`, both ways.
#[derive(Clone, Debug)]
struct HockeyStick {
    exp_epsilon: Enclosure,
    sums: [Enclosure; 2],
}

impl HockeyStick {
    fn add(&mut self, [first, second]: &[Enclosure; 2], count: &Enclosure) {
        for (sum, (p, q)) in self.sums.iter_mut().zip([(first, second), (second, first)]) {
            let above = p - &(&self.exp_epsilon * q);
            if above.hi().signum() > 0 {
                let zero = Enclosure::exact(Dyadic::ZERO);
                *sum = &*sum + &(&above.max(&zero) * count);
            }
        }
    }
}

/// The comparison of two distributions: how much an output reveals about the input.
#[derive(Clone, Debug)]
pub struct Comparison<O> {
    total: IBig,
    outputs: u64,
    only: [Enclosure; 2],
    /// The largest ratio that is certain, and the output that has it.
    least: Option<(Ratio, Outcome<O>)>,
    /// The same among the outputs that both inputs can produce.
    least_finite: Option<(Ratio, Outcome<O>)>,
    /// The largest ratio that is possible.
    most: Option<Ratio>,
    hockey_stick: HockeyStick,
}

impl<O: Clone> Comparison<O> {
    /// A comparison of weights over `total`, with hockey-stick divergences at `epsilon`.
    ///
    /// # Panics
    /// If `epsilon` is beyond `2⁶⁰` in magnitude.
    pub fn new(total: IBig, epsilon: &Rational) -> Comparison<O> {
        let zero = || Enclosure::exact(Dyadic::ZERO);
        let exp_epsilon = exp_rational(epsilon, EXP_BITS).expect("a loss that can be exponentiated");
        Comparison {
            total,
            outputs: 0,
            only: [zero(), zero()],
            least: None,
            least_finite: None,
            most: None,
            hockey_stick: HockeyStick { exp_epsilon, sums: [zero(), zero()] },
        }
    }

    /// Adds an output. One that neither input can produce is left out.
    pub fn push(&mut self, outcome: Outcome<O>) {
        self.push_many(outcome, 1);
    }

    /// Adds `count` outputs of the same weights, one of which is given.
    pub(crate) fn push_many(&mut self, outcome: Outcome<O>, count: u64) {
        let [first, second] = &outcome.weights;
        if first.hi().is_zero() && second.hi().is_zero() {
            return;
        }
        self.outputs += count;
        let count = Enclosure::exact(Dyadic::from(count));
        self.hockey_stick.add(&outcome.weights, &count);
        for (only, (this, other)) in self.only.iter_mut().zip([(first, second), (second, first)]) {
            if other.lo().is_zero() {
                // What may be impossible counts from above, what certainly is from below as well.
                let least = if other.hi().is_zero() { this.lo().clone() } else { Dyadic::ZERO };
                let share = Enclosure::new(least, this.hi().clone()).expect("in order");
                *only = &*only + &(&share * &count);
            }
        }
        let most = Ratio::larger(first.hi(), second.lo(), second.hi(), first.lo());
        if self.most.as_ref().is_none_or(|known| known.is_less_than(&most)) {
            self.most = Some(most);
        }
        let least = outcome.least_ratio();
        let is_worse = |known: &Option<(Ratio, Outcome<O>)>| {
            known.as_ref().is_none_or(|(ratio, _)| ratio.is_less_than(&least))
        };
        let both = first.lo().signum() > 0 && second.lo().signum() > 0;
        if both && is_worse(&self.least_finite) {
            self.least_finite = Some((least.clone(), outcome.clone()));
        }
        if is_worse(&self.least) {
            self.least = Some((least, outcome));
        }
    }

    /// The total weight, the denominator of all probabilities.
    pub fn total(&self) -> &IBig {
        &self.total
    }

    /// The number of outputs.
    pub fn outputs(&self) -> u64 {
        self.outputs
    }

    /// The first output of the largest loss, if there is any output.
    pub fn witness(&self) -> Option<&Outcome<O>> {
        self.least.as_ref().map(|(_, outcome)| outcome)
    }

    /// The same among the outputs that both inputs can produce.
    pub fn finite_witness(&self) -> Option<&Outcome<O>> {
        self.least_finite.as_ref().map(|(_, outcome)| outcome)
    }

    /// `max |ln(P/P')|`, to `bits`.
    pub fn loss(&self, bits: u32) -> ExactLoss {
        let (Some((least, _)), Some(most)) = (&self.least, &self.most) else {
            return ExactLoss::Finite(Enclosure::exact(Dyadic::ZERO));
        };
        match (least.ln(bits), most.ln(bits)) {
            (None, _) => ExactLoss::Infinite,
            (Some(least), None) => ExactLoss::AtLeast(least.lo().clone()),
            (Some(least), Some(most)) => {
                let enclosure = Enclosure::new(least.lo().clone(), most.hi().clone());
                ExactLoss::Finite(enclosure.expect("what is certain is possible"))
            }
        }
    }

    /// The largest finite `|ln(P/P')|`, to `bits`; 0 if there is none.
    pub fn finite_loss(&self, bits: u32) -> Enclosure {
        let ratio = self.least_finite.as_ref().map(|(ratio, _)| ratio);
        ratio.and_then(|ratio| ratio.ln(bits)).unwrap_or_else(|| Enclosure::exact(Dyadic::ZERO))
    }

    /// The weight of the outputs that only the first, and only the second input can produce; enclosed if that is not known of some.
    pub fn only(&self) -> &[Enclosure; 2] {
        &self.only
    }

    /// The hockey-stick divergences `Σ max(0, P - e^ε·P')` and `Σ max(0, P' - e^ε·P)`, times the total.
    pub fn hockey_stick(&self) -> &[Enclosure; 2] {
        &self.hockey_stick.sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::scientific_of;
    use lastbit_real::ln_rational;

    fn compared(weights: &[[i64; 2]], epsilon: &str) -> Comparison<usize> {
        let total = weights.iter().map(|[first, _]| first).sum::<i64>();
        let mut comparison = Comparison::new(total.into(), &epsilon.parse().unwrap());
        for (i, pair) in weights.iter().enumerate() {
            comparison.push(Outcome::exact(i, pair.map(IBig::from)));
        }
        comparison
    }

    #[test]
    fn the_first_of_the_worst_outputs() {
        let found = compared(&[[2, 4], [4, 2], [6, 6]], "0");
        assert_eq!(found.witness().unwrap().output, 0);
        let ExactLoss::Finite(_) = found.loss(100) else { panic!("a finite loss") };
        let loss = scientific_of(10, |bits| found.finite_loss(bits));
        assert_eq!(loss, "6.931471806e-01");
        // At ε = 0 it is the statistical distance: 2/12.
        assert_eq!(found.hockey_stick()[0], Enclosure::exact(2.into()));
    }

    #[test]
    fn what_only_one_input_can_produce() {
        let found = compared(&[[2, 0], [0, 1], [3, 4], [0, 0]], "1");
        assert_eq!(found.loss(100), ExactLoss::Infinite);
        assert_eq!(found.witness().unwrap().output, 0);
        assert_eq!(found.finite_witness().unwrap().output, 2);
        assert_eq!(found.only(), &[2, 1].map(|n| Enclosure::exact(n.into())));
        assert_eq!(found.outputs(), 3);
        assert_eq!(found.hockey_stick()[1], Enclosure::exact(1.into()));
    }

    /// Weights that are enclosed give a loss that is enclosed; one that may be 0 leaves it open.
    #[test]
    fn enclosed_weights() {
        let between = |lo: i64, hi: i64| Enclosure::new(lo.into(), hi.into()).unwrap();
        let mut comparison = Comparison::new(10.into(), &Rational::ONE);
        comparison.push(Outcome { output: 'a', weights: [between(4, 5), between(2, 3)] });
        let ExactLoss::Finite(loss) = comparison.loss(100) else { panic!("a finite loss") };
        let ln = |p: i64, q: i64| ln_rational(&Rational::new(p, q).unwrap(), 90).unwrap();
        assert!(loss.lo() <= ln(4, 3).hi() && loss.hi() >= ln(5, 2).lo());
        let less = Rational::from(ln(4, 3).lo()) - Rational::pow2(-80);
        assert!(comparison.loss(100).exceeds(&less));
        comparison.push(Outcome { output: 'b', weights: [between(1, 2), between(0, 1)] });
        let ExactLoss::AtLeast(least) = comparison.loss(100) else { panic!("it may be infinite") };
        assert!(least >= *loss.lo());
        assert_eq!(comparison.witness().unwrap().output, 'a');
        // 'b' may be impossible under the second input, and is possible under the first.
        assert_eq!(comparison.only(), &[between(0, 2), between(0, 0)]);
    }
}
