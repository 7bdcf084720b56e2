//! The events that outputs are grouped into.

use lastbit::AnyMechanism;
use lastbit_real::{Float, Rational};

use super::error::BitTreeError;
use super::laws::exact;
use super::shipped::ShippedSampler;

/// How far cuts go, in scales: beyond lies a share of `e^-14`, or `2^-20`; of the discrete Gaussian's about as much.
const REACH: i64 = 14;
const DISCRETE_GAUSSIAN_REACH: i64 = 5;
/// Of the real Gaussian a share of `2^-8`: it has few cuts, and a tree does not tell much about less likely events.
const GAUSSIAN_REACH: i64 = 3;

/// Up to this scale, in units of outputs, the outputs next to the inputs are events of their own. Beyond, they are as unlikely as
/// what a tree leaves undecided.
const SINGLE_SCALE: i64 = 1 << 20;

/// The events of an audit: the outputs below the first cut, from each cut to the next, and from the last on.
#[derive(Clone, Debug, PartialEq)]
pub struct Events {
    cuts: Vec<f64>,
    /// Whether an event is one output: from its first cut to the next there is no other.
    single: Vec<bool>,
}

impl Events {
    /// About `most` cuts around two inputs: at the outputs next to each, and evenly spaced further out.
    pub(super) fn around(
        shipped: &ShippedSampler,
        inputs: [f64; 2],
        most: u32,
    ) -> Result<Events, BitTreeError> {
        let (scale, step) = shipped.scale_and_step();
        let each_side = i64::from(most.max(8) / 8);
        let scales = match shipped.mechanism() {
            AnyMechanism::Gaussian(_) => GAUSSIAN_REACH,
            AnyMechanism::DiscreteGaussian(_) => DISCRETE_GAUSSIAN_REACH,
            _ => REACH,
        };
        let spacing = &scale * Rational::new(scales, each_side).expect("positive");
        let mut cuts = Vec::new();
        let mut spaced = |centre: &Rational, spacing: &Rational| {
            let multiples = (-each_side..=each_side + 1).map(|i| Rational::from(i) * spacing);
            cuts.extend(multiples.map(|far| shipped.nearest(&(centre + far))));
        };
        for x in inputs {
            let x = exact(x)?;
            let Some(step) = &step else {
                spaced(&x, &spacing);
                continue;
            };
            // Where outputs lie on a grid, so do the cuts.
            let centre = Rational::from((&x / step).round_half_up()) * step;
            spaced(&centre, &(Rational::from((&spacing / step).ceil()) * step));
            if scale <= step * Rational::from(SINGLE_SCALE) {
                spaced(&centre, step);
            }
        }
        if let Some(bound) = shipped.bound() {
            cuts.retain(|cut| cut.abs() < bound);
            // A bound that no noise reaches is no event of its own: its probability has more digits than there is room for.
            let reach = &scale * Rational::from(4 * REACH);
            let is_near =
                |x: &f64| exact(*x).is_ok_and(|x| exact(bound).is_ok_and(|bound| bound - x <= reach));
            if inputs.iter().any(is_near) {
                cuts.push(bound);
            }
        }
        cuts.retain(|cut| cut.is_finite());
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        Ok(Events::new(shipped, cuts, step.as_ref()))
    }

    fn new(shipped: &ShippedSampler, cuts: Vec<f64>, step: Option<&Rational>) -> Events {
        let next = |cut: f64| {
            let above = if shipped.is_single() { f64::from((cut as f32).next_up()) } else { cut.next_up() };
            shifted(shipped, cut, step).max(above)
        };
        let single = cuts.windows(2).map(|pair| next(pair[0]) >= pair[1]).collect();
        Events { cuts, single }
    }

    /// The cuts.
    pub(crate) fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    /// How many events there are.
    pub(crate) fn count(&self) -> usize {
        self.cuts.len() + 1
    }

    /// An event in words: an output, or an interval of outputs.
    pub(crate) fn label(&self, event: usize) -> String {
        let cut = |i: usize| number(self.cuts[i]);
        match event {
            0 => format!("< {}", cut(0)),
            _ if event >= self.cuts.len() => format!(">= {}", cut(self.cuts.len() - 1)),
            _ if self.single[event - 1] => cut(event - 1),
            _ => format!("[{}, {})", cut(event - 1), cut(event)),
        }
    }
}

/// A double in the fewest digits that stand for it.
pub(super) fn number(x: f64) -> String {
    let x = x + 0.0; // no negative zero
    x.to_short()
}

fn shifted(shipped: &ShippedSampler, cut: f64, step: Option<&Rational>) -> f64 {
    let cut = cut.to_dyadic().map(Rational::from).unwrap_or_default();
    shipped.nearest(&(cut + step.cloned().unwrap_or_default()))
}
