//! The law that a sampler claims, as rigorous enclosures.

use std::cmp::Ordering;

use lastbit_real::{Dyadic, Enclosure, Rational};

use super::error::BitTreeError;

/// The distribution of an output as `P(output >= cut)` for some increasing cuts. Between two cuts lies an *event*; event `i` is
/// that `i` cuts are reached.
///
/// ```
/// use lastbit_audit::bit_tree::Law;
/// use lastbit_real::Rational;
/// let law = Law::discrete_laplace(&Rational::ONE, 0.0, [0.0, 1.0, 2.0])?;
/// assert_eq!((law.event(-1.0), law.event(1.0), law.event(7.0)), (0, 2, 3));
/// // P(Z = 0) = (1 - q)/(1 + q) = 0.4621… with q = 1/e.
/// let zero = &law.probabilities()[1];
/// assert_eq!(lastbit_audit::decimal::scientific(&zero.lo().into(), 10), "4.621171573e-01");
/// # Ok::<(), lastbit_audit::bit_tree::BitTreeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    cuts: Vec<f64>,
    tails: Vec<Enclosure>,
    /// Whether the positive sign makes outputs smaller.
    flipped: bool,
}

/// The position of a cut.
enum Place {
    /// The centre, where the sign decides.
    Centre,
    /// A cut on one side of the centre. Outputs beyond it come from that side's sign and from `U` below `u`.
    Side { above: bool, u: Enclosure },
}

pub(super) fn one() -> Enclosure {
    Enclosure::exact(Dyadic::ONE)
}

impl Law {
    /// The law with `P(output >= cut) = tail(cut)`, for increasing cuts.
    ///
    /// # Errors
    /// Those of `tail`.
    pub(crate) fn new(
        cuts: impl IntoIterator<Item = f64>,
        tail: impl Fn(f64) -> Result<Enclosure, BitTreeError>,
    ) -> Result<Law, BitTreeError> {
        let cuts: Vec<f64> = cuts.into_iter().collect();
        let tails = cuts.iter().map(|cut| tail(*cut)).collect::<Result<_, _>>()?;
        Ok(Law { cuts, tails, flipped: false })
    }

    /// The law of a sampler whose positive sign makes outputs smaller.
    pub(super) fn flipped(self) -> Law {
        Law { flipped: true, ..self }
    }

    /// The cuts.
    pub fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    /// `P(output >= cut)` of each cut.
    pub fn tails(&self) -> &[Enclosure] {
        &self.tails
    }

    /// The number of cuts that `output` reaches.
    pub fn event(&self, output: f64) -> usize {
        self.cuts.partition_point(|cut| *cut <= output)
    }

    /// The probability of each event.
    pub fn probabilities(&self) -> Vec<Enclosure> {
        let (one, zero) = (one(), Enclosure::exact(Dyadic::ZERO));
        let reached = std::iter::once(&one).chain(&self.tails);
        let next = self.tails.iter().chain(std::iter::once(&zero));
        reached.zip(next).map(|(reached, next)| (reached - next).max(&zero)).collect()
    }

    /// The noise is monotone in `U` and the sign is fair, so that `P(output beyond a cut) = u/2`.
    fn place(&self, cut: usize) -> Place {
        let tail = &self.tails[cut];
        match tail.cmp_to(&Rational::pow2(-1)) {
            Some(Ordering::Less) => Place::Side { above: true, u: tail.shl(1) },
            Some(Ordering::Greater) => Place::Side { above: false, u: (&one() - tail).shl(1) },
            _ => Place::Centre,
        }
    }

    /// Where a cut lies in what a sampler reads: the sign bit, and the threshold of `U`. `None` if there is none.
    pub(super) fn threshold(&self, cut: usize) -> Option<(bool, Enclosure)> {
        match self.place(cut) {
            Place::Side { above, u } if u.lo().signum() > 0 => Some((above == self.flipped, u)),
            _ => None,
        }
    }

    /// The event of a sign bit and any `U` strictly inside an interval; `None` if not all have the same.
    pub(super) fn event_at(&self, negative: bool, u: &Enclosure) -> Option<usize> {
        let upward = negative == self.flipped;
        let reached = |cut: usize| match self.place(cut) {
            Place::Centre => Some(upward),
            Place::Side { above, .. } if above != upward => Some(!above),
            Place::Side { above, u: threshold } if u.hi() <= threshold.lo() => Some(above),
            Place::Side { above, u: threshold } if u.lo() >= threshold.hi() => Some(!above),
            Place::Side { .. } => None,
        };
        (0..self.cuts.len()).try_fold(0, |event, cut| Some(event + usize::from(reached(cut)?)))
    }
}
