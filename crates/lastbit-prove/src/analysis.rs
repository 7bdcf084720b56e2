//! The search for a tight bound, and what it finds: boxes with bounds.

use lastbit_lang::NodeId;
use lastbit_real::{Dyadic, Enclosure};

pub use crate::boxes::Cut;
use crate::boxes::InputBox;
use crate::refusal::Refusal;
pub use crate::search::{Effort, Goal, Progress, analyse, analyse_goal, analyse_while};

/// The method that gave the bound of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// The rules, node by node.
    Interval,
    /// A linear form.
    Linear,
}

/// A bound on one box.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leaf {
    /// The box.
    pub inputs: InputBox,
    /// The range of the real result.
    pub range: Enclosure,
    /// The bound on the error.
    pub error: Dyadic,
    /// The method that gave the bound.
    pub method: Method,
    /// The least value of the claimed bound on this box, if one is claimed.
    pub claimed: Option<Dyadic>,
}

impl Leaf {
    /// How far the bound lies above what is claimed, or above 0: what the search brings down.
    pub(crate) fn excess(&self) -> Dyadic {
        &self.error - self.claimed.as_ref().unwrap_or(&Dyadic::ZERO)
    }
}

/// Boxes, cut and cut again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A bound.
    Leaf(Leaf),
    /// A cut, and the trees of both parts, by their places in [`Analysis::tree`].
    Cut {
        /// The cut itself.
        cut: Cut,
        /// The left part, then the right.
        parts: [usize; 2],
    },
}

/// A bound on the error of a program's result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Analysis {
    /// The bound: the largest of the leaves'.
    pub error: Dyadic,
    /// The range of the real result.
    pub range: Enclosure,
    /// The node whose real value was claimed to be a bound, if one was.
    pub claim: Option<NodeId>,
    /// The tree; its root is the first.
    pub tree: Vec<Tree>,
}

impl Analysis {
    /// The analysis with this tree.
    pub(crate) fn of(tree: Vec<Tree>, claim: Option<NodeId>) -> Analysis {
        let range = Enclosure::exact(Dyadic::ZERO);
        let mut analysis = Analysis { error: Dyadic::ZERO, range, claim, tree };
        let range = analysis.leaves().map(|leaf| leaf.range.clone()).reduce(|a, b| a.hull(&b));
        analysis.error = analysis.leaves().map(|leaf| leaf.error.clone()).max().expect("a tree has leaves");
        analysis.range = range.expect("a tree has leaves");
        analysis
    }

    /// The leaves.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.tree.iter().filter_map(|tree| match tree {
            Tree::Leaf(leaf) => Some(leaf),
            Tree::Cut { .. } => None,
        })
    }

    /// Whether the bound is at most the claimed one, on every box. True if nothing is claimed.
    pub fn meets_claim(&self) -> bool {
        self.leaves().all(|leaf| leaf.claimed.is_none() || leaf.excess().signum() <= 0)
    }

    /// The method that gave the bound, in up to three words.
    pub fn method(&self) -> String {
        let leaves = self.leaves().count();
        let linear = self.leaves().filter(|leaf| leaf.method == Method::Linear).count();
        let kind = if 2 * linear >= leaves { "linear" } else { "interval" };
        if leaves == 1 { kind.into() } else { format!("{kind}, {leaves} boxes") }
    }
}

/// The reason why a program has no bound, and on which box of inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{refusal}")]
#[non_exhaustive]
pub struct NoBound {
    /// The premise that fails.
    pub refusal: Refusal,
    /// The box of inputs; empty if the range of an input itself is refused.
    pub inputs: InputBox,
}
