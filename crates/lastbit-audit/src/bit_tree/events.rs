//! The events that outputs are grouped into.

use lastbit_real::{Float, Rational};

use super::error::BitTreeError;
use super::laws::exact;
use super::shipped::Shipped;

/// How far cuts go, in scales: beyond lies a share of `e^-14`, or `2^-20`.
const REACH: i64 = 14;

/// The events of an audit: the outputs below the first cut, from each cut to the next, and from the last on.
#[derive(Clone, Debug, PartialEq)]
pub struct Events {
    cuts: Vec<f64>,
    /// Whether an event is one output: from its first cut to the next there is no other.
    single: Vec<bool>,
}

impl Events {
    /// Cuts around two inputs, up to about `most`: at every output if there are few, else evenly spaced.
    pub(super) fn around(shipped: &Shipped, inputs: [f64; 2], most: u32) -> Result<Events, BitTreeError> {
        let (scale, step) = shipped.scale_and_step();
        let each_side = Rational::from(most.max(4) / 4);
        let reach = &scale * Rational::from(REACH);
        let mut spacing = &reach / &each_side;
        let mut origin = None;
        if let Some(step) = &step {
            // A whole number of steps.
            spacing = Rational::from((&spacing / step).ceil()) * step;
            origin = Some(step);
        }
        let mut cuts = Vec::new();
        for x in inputs {
            let x = exact(x)?;
            // Where outputs lie on a grid, the first cut is on it, too.
            let centre = match origin {
                Some(step) => Rational::from((&x / step).round_half_up()) * step,
                None => x,
            };
            let count = i64::try_from((&reach / &spacing).ceil()).unwrap_or(1);
            cuts.extend((-count..=count + 1).map(|i| shipped.nearest(&(&centre + Rational::from(i) * &spacing))));
        }
        if let Some(bound) = shipped.bound() {
            cuts.retain(|cut| cut.abs() < bound);
            cuts.push(bound);
        }
        cuts.retain(|cut| cut.is_finite());
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        Ok(Events::new(shipped, cuts, step.as_ref()))
    }

    fn new(shipped: &Shipped, cuts: Vec<f64>, step: Option<&Rational>) -> Events {
        let next = |cut: f64| match shipped {
            Shipped::LaplaceSingle(_) => f64::from((cut as f32).next_up()),
            Shipped::GridLaplaceSingle(_) => shifted(shipped, cut, step).max(f64::from((cut as f32).next_up())),
            _ => shifted(shipped, cut, step).max(cut.next_up()),
        };
        let single = cuts.windows(2).map(|pair| next(pair[0]) >= pair[1]).collect();
        Events { cuts, single }
    }

    /// The cuts.
    pub fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    /// How many events there are.
    pub fn count(&self) -> usize {
        self.cuts.len() + 1
    }

    /// An event in words: an output, or an interval of outputs.
    pub fn label(&self, event: usize) -> String {
        let cut = |i: usize| format!("{:?}", self.cuts[i]);
        match event {
            0 => format!("< {}", cut(0)),
            _ if event >= self.cuts.len() => format!(">= {}", cut(self.cuts.len() - 1)),
            _ if self.single[event - 1] => cut(event - 1),
            _ => format!("[{}, {})", cut(event - 1), cut(event)),
        }
    }
}

fn shifted(shipped: &Shipped, cut: f64, step: Option<&Rational>) -> f64 {
    let cut = cut.to_dyadic().map(Rational::from).unwrap_or_default();
    shipped.nearest(&(cut + step.cloned().unwrap_or_default()))
}
