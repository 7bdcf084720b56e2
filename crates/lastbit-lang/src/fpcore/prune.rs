//! Leaving out what the result does not depend on: an unused `let` must not be reported as a division by zero.

use crate::{Op, StraightLine};

/// Keeps the inputs and the nodes that the result reads, directly or not.
pub(super) fn prune(program: &mut StraightLine) {
    let mut needed = vec![false; program.nodes.len()];
    needed[program.result] = true;
    for (id, node) in program.nodes.iter().enumerate().rev() {
        if needed[id] {
            node.op.operands().for_each(|operand| needed[operand] = true);
        }
        needed[id] |= matches!(node.op, Op::Input(_));
    }
    let mut places = Vec::with_capacity(needed.len());
    let mut next = 0;
    for &kept in &needed {
        places.push(next);
        next += usize::from(kept);
    }
    let mut kept = needed.into_iter();
    program.nodes.retain(|_| kept.next().unwrap_or(false));
    program.nodes.iter_mut().for_each(|node| node.op.map_operands(|operand| places[operand]));
    program.result = places[program.result];
}
