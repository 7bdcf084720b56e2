//! Half of the noise.

use std::collections::BTreeSet;

use lastbit_lang::ast::{Arithmetic, ClauseKind, Distribution, ExprId, ExprKind, Statement, StatementKind};
use lastbit_lang::{File, Span};

use super::walk;

/// Halves the noise of every declaration. Ensures: whether something was changed.
pub(super) fn halve(file: &mut File) -> bool {
    let mut changed = false;
    for position in 0..file.declarations.len() {
        let mut body = std::mem::take(&mut file.declarations[position].body);
        let halved = halve_scales(file, &mut body) || double_claimed(file, position, &body);
        file.declarations[position].body = body;
        changed |= halved;
    }
    changed
}

fn two(file: &mut File) -> ExprId {
    file.push_expr(ExprKind::Number { value: 2.into(), text: "2".to_owned() }, Span::default())
}

fn halve_scales(file: &mut File, statements: &mut [Statement]) -> bool {
    let mut changed = false;
    for statement in statements {
        if let StatementKind::Sample(
            _,
            Distribution::Lap(scale) | Distribution::Expo(scale) | Distribution::Dlap(scale, _),
        ) = &mut statement.kind
        {
            let kind = ExprKind::Arithmetic(Arithmetic::Div, *scale, two(file));
            *scale = file.push_expr(kind, Span::default());
            changed = true;
        }
        for block in walk::blocks_mut(statement) {
            changed |= halve_scales(file, block);
        }
    }
    changed
}

/// Where the body names what the claim names, it is doubled: half of the noise is what a loss of twice as much would need.
fn double_claimed(file: &mut File, position: usize, body: &[Statement]) -> bool {
    let mut claimed = BTreeSet::new();
    for clause in &file.declarations[position].clauses {
        if let ClauseKind::ClaimPure(Some(loss)) | ClauseKind::ClaimApprox(loss, _) = clause.kind {
            claimed.extend(file.post_order(loss).into_iter().filter_map(|id| name(file, id)));
        }
    }
    let inside: Vec<ExprId> = expressions(body).into_iter().flat_map(|root| file.post_order(root)).collect();
    let mut changed = false;
    for id in inside {
        let Some(text) = name(file, id).filter(|text| claimed.contains(text)) else { continue };
        let span = file.expr(id).span;
        let original = file.push_expr(ExprKind::Name(text), span);
        let factor = two(file);
        // In place, so that what uses the name uses its double; the text is all that remains of this tree.
        file.expressions[id.0 as usize].kind = ExprKind::Arithmetic(Arithmetic::Mul, factor, original);
        changed = true;
    }
    changed
}

fn name(file: &File, id: ExprId) -> Option<String> {
    match &file.expr(id).kind {
        ExprKind::Name(text) => Some(text.clone()),
        _ => None,
    }
}

/// The expressions of statements and of what is in them.
fn expressions(statements: &[Statement]) -> Vec<ExprId> {
    statements
        .iter()
        .flat_map(|statement| {
            let inside = statement.blocks().into_iter().flat_map(expressions);
            statement.expressions().into_iter().chain(inside).collect::<Vec<_>>()
        })
        .collect()
}
