//! Another order of statements and operands, with the same meaning.

use std::collections::BTreeSet;

use lastbit_lang::File;
use lastbit_lang::ast::{Arithmetic, CompareOp, ExprKind, Statement, StatementKind};

use super::walk;

/// Swaps neighbouring independent statements, each at most once, in every block.
pub(super) fn swap_statements(file: &mut File) {
    for position in 0..file.declarations.len() {
        let mut body = std::mem::take(&mut file.declarations[position].body);
        swap_in(file, &mut body);
        file.declarations[position].body = body;
    }
}

fn swap_in(file: &File, statements: &mut [Statement]) {
    for statement in &mut *statements {
        walk::blocks_mut(statement).into_iter().for_each(|block| swap_in(file, block));
    }
    let mut first = 0;
    while first + 1 < statements.len() {
        let access = [first, first + 1].map(|position| Access::of(file, &statements[position]));
        if access[0].is_independent_of(&access[1]) {
            statements.swap(first, first + 1);
            first += 1;
        }
        first += 1;
    }
}

/// `b + a` for `a + b`, and comparisons from the other side. Floats add in either order, too.
pub(super) fn swap_operands(file: &mut File) {
    for expression in &mut file.expressions {
        match &mut expression.kind {
            ExprKind::Arithmetic(Arithmetic::Add, a, b) => std::mem::swap(a, b),
            ExprKind::Compare(op, a, b) => {
                *op = mirrored(*op);
                std::mem::swap(a, b);
            }
            _ => {}
        }
    }
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
        CompareOp::Equal | CompareOp::NotEqual => op,
    }
}

/// What a statement depends on, and what depends on it. An array is one thing.
#[derive(Default)]
struct Access {
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    /// Statements after it may not be reached.
    returns: bool,
}

impl Access {
    fn of(file: &File, statement: &Statement) -> Access {
        let mut access = Access::default();
        for block in statement.blocks() {
            for inner in block {
                let inner = Access::of(file, inner);
                access.reads.extend(inner.reads);
                access.writes.extend(inner.writes);
                access.returns |= inner.returns;
            }
        }
        match &statement.kind {
            StatementKind::Declare(name, _) => _ = access.writes.insert(name.text.clone()),
            StatementKind::Sample(place, _) | StatementKind::Assign(place, _) => {
                access.writes.insert(place.name.text.clone());
            }
            // The variable of a loop is known in it only: another loop may have the same.
            StatementKind::For { variable, .. } => _ = access.reads.remove(&variable.text),
            StatementKind::Return(_) => access.returns = true,
            StatementKind::If { .. } => {}
        }
        for id in statement.expressions().into_iter().flat_map(|root| file.post_order(root)) {
            if let ExprKind::Name(name) = &file.expr(id).kind {
                access.reads.insert(name.clone());
            }
        }
        access
    }

    fn is_independent_of(&self, other: &Access) -> bool {
        let none_in = |names: &BTreeSet<String>, of: &Access| {
            names.is_disjoint(&of.reads) && names.is_disjoint(&of.writes)
        };
        !self.returns && !other.returns && none_in(&self.writes, other) && none_in(&other.writes, self)
    }
}
