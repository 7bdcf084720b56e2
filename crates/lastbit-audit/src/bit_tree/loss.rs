//! The loss between two inputs, from their trees.

use std::collections::BTreeSet;

use lastbit::{Claim, Measure};
use lastbit_real::{Enclosure, IBig, Rational, Rounding};

use super::error::BitTreeError;
use super::tree::Tree;
use crate::{Comparison, ExactLoss, Outcome};

/// Bits of a loss.
const BITS: u32 = 200;

/// The largest claim that is compared: no output of a tree has a smaller probability than `2^-320`.
const MOST_LOSS: i64 = 1 << 10;

/// Refuses a loss that no tree can show.
pub(super) fn check_loss(epsilon: &Rational) -> Result<(), BitTreeError> {
    if epsilon.is_negative() || *epsilon > Rational::from(MOST_LOSS) {
        let reason = "between outputs of a tree it is at most 1024: take inputs that are closer";
        return Err(BitTreeError::out_of_range("loss", epsilon.to_decimal(6, Rounding::Nearest), reason));
    }
    Ok(())
}

/// The two distributions of two trees, with the remainder as what is not known. `epsilon` is for hockey-stick divergences.
///
/// # Errors
/// [`BitTreeError::OutOfRange`] if `epsilon` is negative or beyond 1024.
pub fn compare<O: Ord + Clone>(
    trees: [&Tree<O>; 2],
    epsilon: &Rational,
) -> Result<Comparison<O>, BitTreeError> {
    check_loss(epsilon)?;
    let depth = trees[0].depth().max(trees[1].depth());
    let mut comparison = Comparison::new(IBig::ONE << depth as usize, epsilon);
    let outputs: BTreeSet<&O> = trees.iter().flat_map(|tree| tree.outputs()).collect();
    for output in outputs {
        let weights = trees.map(|tree| tree.probability(output).shl(i64::from(depth)));
        comparison.push(Outcome { output: output.clone(), weights });
    }
    Ok(comparison)
}

/// A true loss next to a claimed one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LossAudit {
    /// The claimed loss.
    pub claim: Claim,
    /// `max |ln(P/P')|` over the events: at most the loss over all outputs.
    pub loss: ExactLoss,
    /// The event that has it.
    pub witness: Option<usize>,
    /// The hockey-stick divergences at the claimed loss, both ways.
    pub delta: [Enclosure; 2],
    /// Whether the true loss is certainly more than the claimed one.
    pub refuted: bool,
}

impl LossAudit {
    /// The loss between the inputs of two trees. A claim that is not about the maximum is not refuted by one.
    pub(super) fn of(trees: [&Tree<usize>; 2], claim: Claim) -> Result<LossAudit, BitTreeError> {
        let comparison = compare(trees, claim.loss())?;
        let depth = i64::from(trees[0].depth());
        let loss = comparison.loss(BITS);
        let refuted = claim.measure() == Measure::MaxDivergence && loss.exceeds(claim.loss());
        let delta = comparison.hockey_stick().clone().map(|sum| sum.shl(-depth));
        let witness = comparison.witness().map(|outcome| outcome.output);
        Ok(LossAudit { claim, loss, witness, delta, refuted })
    }
}
