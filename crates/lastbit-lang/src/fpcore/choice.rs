//! Conditions of any shape as choices between two numbers, one comparison each.

use crate::{Comparison, NodeId, Op, Span, StraightLine};

/// A condition over nodes. Conditions refer to others by their place in a list, so that dropping them does not recurse.
#[derive(Debug)]
pub(super) enum Condition {
    Constant(bool),
    Compare(Comparison, NodeId, NodeId),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
}

/// The conditions of `All` or `Any` that are still to be put in front of what was made of the later ones.
struct Pending<'c> {
    rest: &'c [usize],
    /// The value of the conjunction if one fails, or of the disjunction if one holds.
    settled: NodeId,
    is_all: bool,
}

/// Adds the nodes that choose `then` if the condition holds and `otherwise` if not, and returns the last one.
///
/// `and` becomes a choice in the first branch of a choice, `or` in the second; the branches are shared, so the number of
/// nodes is that of the comparisons.
pub(super) fn choose(
    program: &mut StraightLine,
    conditions: &[Condition],
    condition: usize,
    then: NodeId,
    otherwise: NodeId,
    span: Span,
) -> NodeId {
    let mut pending: Vec<Pending<'_>> = Vec::new();
    let (mut condition, mut then, mut otherwise) = (condition, then, otherwise);
    loop {
        let chosen = match &conditions[condition] {
            Condition::Constant(holds) => Some(if *holds { then } else { otherwise }),
            &Condition::Compare(test, lhs, rhs) => {
                Some(program.push(Op::Select { test, lhs, rhs, then, otherwise }, Some(span)))
            }
            &Condition::Not(inner) => {
                condition = inner;
                (then, otherwise) = (otherwise, then);
                None
            }
            Condition::All(list) | Condition::Any(list) => {
                let is_all = matches!(conditions[condition], Condition::All(_));
                let settled = if is_all { otherwise } else { then };
                match list.split_last() {
                    None => Some(if is_all { then } else { otherwise }),
                    Some((&last, rest)) => {
                        pending.push(Pending { rest, settled, is_all });
                        condition = last;
                        None
                    }
                }
            }
        };
        let Some(chosen) = chosen else { continue };
        // What was chosen is what the condition before it leads on to.
        loop {
            let Some(Pending { rest, settled, is_all }) = pending.pop() else { return chosen };
            if let Some((&last, rest)) = rest.split_last() {
                pending.push(Pending { rest, settled, is_all });
                condition = last;
                (then, otherwise) = if is_all { (chosen, settled) } else { (settled, chosen) };
                break;
            }
        }
    }
}
