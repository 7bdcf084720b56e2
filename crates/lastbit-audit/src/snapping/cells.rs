//! Every output with the `u` that give it.

use std::ops::RangeInclusive;

use lastbit_real::{IBig, Rational};

use super::{FloatNoise, FloatSnap};
use crate::{Comparison, OutOfRange, Outcome};

/// The mechanism, with what may be different from it in implementations.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The mechanism.
    pub mechanism: FloatSnap,
    /// Whether the input is clamped to `[-B, B]` first. The papers' definitions of `Snap_F` leave it out.
    pub clamp_input: bool,
    /// See [`FloatNoise::ln_shift`].
    pub ln_shift: i32,
}

/// The doubles `u` with `[0] <= u < [1]`; none if both are equal. A lower end of 0 stands for the least `u`.
pub type Interval = [f64; 2];

/// The intervals of `u` that give an output, for one input.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cell {
    /// The interval for `s = 1`.
    pub plus: Interval,
    /// The interval for `s = -1`.
    pub minus: Interval,
    /// The weight, over `2·total` of the sampler.
    pub weight: IBig,
}

/// An output, for two inputs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairCell {
    /// The number of the output.
    pub number: i64,
    /// Under the first and the second input.
    pub cells: [Cell; 2],
}

impl PairCell {
    fn between(number: i64, lower: &[Cut; 2], upper: &[Cut; 2]) -> PairCell {
        let cell = |i: usize| Cell {
            plus: [lower[i].plus, upper[i].plus],
            minus: [upper[i].minus, lower[i].minus],
            weight: &upper[i].below - &lower[i].below,
        };
        PairCell { number, cells: [cell(0), cell(1)] }
    }

    /// The weights, for a [`Comparison`].
    pub fn outcome(&self) -> Outcome<i64> {
        Outcome::exact(self.number, [self.cells[0].weight.clone(), self.cells[1].weight.clone()])
    }

    /// Whether an input gives the output at all.
    pub fn is_reached(&self) -> bool {
        self.cells.iter().any(|cell| !cell.weight.is_zero())
    }
}

/// A threshold between two outputs, seen from an input.
#[derive(Clone)]
pub(super) struct Cut {
    /// With `s = 1`, what is below has `u` below this.
    plus: f64,
    /// With `s = -1`, what is above has `u` below this.
    minus: f64,
    /// The weight of what is below.
    pub(super) below: IBig,
}

/// Outputs are refused beyond this many, which take about 10 seconds.
const MOST_OUTPUTS: i64 = 1 << 20;

impl Variant {
    /// The mechanism as it should be.
    pub fn of(mechanism: FloatSnap) -> Variant {
        Variant { mechanism, clamp_input: true, ln_shift: 0 }
    }

    /// The number to which noise is added: the input, clamped if the mechanism does that.
    pub fn start(&self, f: f64) -> f64 {
        let bound = self.mechanism.bound();
        // Adding +0 keeps -0 out.
        if self.clamp_input { f.clamp(-bound, bound) + 0.0 } else { f + 0.0 }
    }

    /// `y`
    pub(crate) fn noise(&self) -> FloatNoise {
        FloatNoise { scaling: self.mechanism.scaling(), ln_shift: self.ln_shift }
    }

    /// `y` of the least `u`, the noise that reaches farthest; negative.
    pub(crate) fn farthest(&self) -> f64 {
        self.noise().of(self.mechanism.sampler().value(1))
    }

    /// The cut below output `k`, for an input that starts at `x`.
    pub(super) fn cut(&self, x: f64, k: i64, total: &IBig) -> Cut {
        let top = self.mechanism.top();
        if k <= -top {
            return Cut { plus: 0.0, minus: 1.0, below: IBig::ZERO };
        }
        if k > top {
            return Cut { plus: 1.0, minus: 0.0, below: total * 2 };
        }
        let threshold = self.mechanism.threshold(k);
        let u = self.noise().least_u(x, threshold);
        let weight = self.mechanism.sampler().weight_below(u);
        if threshold <= x {
            Cut { plus: u, minus: 1.0, below: weight }
        } else {
            Cut { plus: 1.0, minus: u, below: total * 2 - weight }
        }
    }

    /// The numbers of the outputs that some input can give: the noise of the least `u` reaches farthest.
    pub fn numbers(&self, inputs: [f64; 2]) -> RangeInclusive<i64> {
        let farthest = self.farthest();
        let [x, x2] = inputs.map(|f| self.start(f));
        let number = |w: f64| self.mechanism.number_of(w);
        number(x.min(x2) + farthest)..=number(x.max(x2) - farthest)
    }

    fn cuts(&self, inputs: [f64; 2], k: i64, total: &IBig) -> [Cut; 2] {
        inputs.map(|f| self.cut(self.start(f), k, total))
    }

    /// The cell of one output under two finite inputs.
    pub fn pair_cell(&self, inputs: [f64; 2], number: i64) -> PairCell {
        let total = self.mechanism.sampler().total();
        PairCell::between(number, &self.cuts(inputs, number, &total), &self.cuts(inputs, number + 1, &total))
    }

    /// Visits the outputs that either input can give, in increasing order; stops early if `visit` says no.
    ///
    /// # Errors
    /// [`OutOfRange`] if an input is not finite, or outputs are too many to look at.
    pub fn for_each_output(
        &self,
        inputs: [f64; 2],
        mut visit: impl FnMut(&PairCell) -> bool,
    ) -> Result<(), OutOfRange> {
        for f in inputs {
            if !f.is_finite() {
                return Err(OutOfRange { name: "input", value: f.to_string(), reason: "it must be finite" });
            }
        }
        let (first, last) = self.numbers(inputs).into_inner();
        if last - first >= MOST_OUTPUTS {
            let reason = "there are more than 2^20 outputs to weigh; a larger grid has fewer";
            return Err(OutOfRange { name: "outputs", value: (last - first + 1).to_string(), reason });
        }
        let total = self.mechanism.sampler().total();
        let mut lower = self.cuts(inputs, first, &total);
        for number in first..=last {
            let upper = self.cuts(inputs, number + 1, &total);
            let pair = PairCell::between(number, &lower, &upper);
            if pair.is_reached() && !visit(&pair) {
                break;
            }
            lower = upper;
        }
        Ok(())
    }

    /// The whole distribution under both inputs, with hockey-stick divergences at `epsilon`; each output is also shown to `visit`.
    ///
    /// # Errors
    /// As [`for_each_output`](Self::for_each_output).
    pub fn compare(
        &self,
        inputs: [f64; 2],
        epsilon: &Rational,
        mut visit: impl FnMut(&PairCell) -> bool,
    ) -> Result<Comparison<i64>, OutOfRange> {
        let mut comparison = Comparison::new(self.mechanism.sampler().total() * 2, epsilon);
        self.for_each_output(inputs, |pair| {
            comparison.push(pair.outcome());
            visit(pair)
        })?;
        Ok(comparison)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapping::{FloatSnap, Noise};
    use crate::{ExactLoss, Sampler};
    use lastbit_lang::Tie;
    use lastbit_real::Float;

    fn variant(epsilon: &str, bound: f64, exponent: Option<i64>, sampler: Sampler) -> Variant {
        let noise = Noise::Divided { epsilon: epsilon.parse().unwrap() };
        Variant::of(FloatSnap::new(noise, bound, exponent, Tie::Up, sampler).unwrap())
    }

    /// The cells of an input are all of the values of `u`, once for each sign.
    #[test]
    fn cells_are_a_partition() {
        for (epsilon, bound, sampler) in [("1", 5.0, Sampler::Ulp), ("3/4", 9.0, Sampler::Grid53)] {
            let variant = variant(epsilon, bound, None, sampler);
            let mut weights = [IBig::ZERO, IBig::ZERO];
            let mut ends = [0.0, 0.0];
            let visit = |pair: &PairCell| {
                for (i, cell) in pair.cells.iter().enumerate() {
                    weights[i] += &cell.weight;
                    assert_eq!(cell.plus[0], ends[i]);
                    ends[i] = cell.plus[1];
                }
                true
            };
            variant.for_each_output([1.25, -3.0], visit).unwrap();
            assert_eq!(weights, [0, 1].map(|_| sampler.total() * 2));
            assert_eq!(ends, [1.0, 1.0]);
        }
    }

    /// One ulp apart, one input can give -B and the other cannot.
    #[test]
    fn the_least_double_is_missed() {
        let variant = variant("1", 372.00000000000017, None, Sampler::Ulp);
        let f = f64::parse_hex("0x1.73f0a88dae385p+8").unwrap();
        let compared = variant.compare([f, f.next_up()], &Rational::ONE, |_| true).unwrap();
        assert_eq!(compared.loss(64), ExactLoss::Infinite);
        assert_eq!(compared.witness().unwrap().output, -variant.mechanism.top());
        assert_eq!(compared.witness().unwrap().weights[0].lo(), &1.into());
        assert!(compared.witness().unwrap().weights[1].hi().is_zero());
    }

    #[test]
    fn too_many_outputs_are_refused() {
        let fine = variant("1", 1e6, Some(-30), Sampler::Ulp);
        assert!(fine.compare([0.0, 1.0], &Rational::ONE, |_| true).is_err());
        assert!(fine.compare([0.0, f64::NAN], &Rational::ONE, |_| true).is_err());
    }
}
