//! Leaving out what the result does not depend on: an unused `let` must not be reported as a division by zero.

use crate::{NodeId, Op, StraightLine};

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
    program.nodes.iter_mut().for_each(|node| move_operands(&mut node.op, &places));
    program.result = places[program.result];
}

fn move_operands(op: &mut Op, places: &[NodeId]) {
    let operands: Vec<&mut NodeId> = match op {
        Op::Input(_) | Op::Const(_) => Vec::new(),
        Op::Neg(a) | Op::Abs(a) | Op::Sqrt(a) | Op::Ln(a) | Op::Exp(a) => vec![a],
        Op::Round { arg, .. } => vec![arg],
        Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) => vec![a, b],
        Op::Min(a, b) | Op::Max(a, b) => vec![a, b],
        Op::Clamp { arg, bound } => vec![arg, bound],
        Op::Fma(a, b, c) => vec![a, b, c],
        Op::Select { lhs, rhs, then, otherwise, .. } => vec![lhs, rhs, then, otherwise],
    };
    operands.into_iter().for_each(|operand| *operand = places[*operand]);
}
