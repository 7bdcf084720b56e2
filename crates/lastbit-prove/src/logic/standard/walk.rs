//! What statements are made of.

use lastbit_lang::ast::{Distribution, ExprId, Place, Shape, Statement, StatementKind};

/// The expressions of a statement, without those of its blocks.
pub(super) fn expressions(statement: &Statement) -> Vec<ExprId> {
    let with = |place: &Place, values: &[ExprId]| place.index.iter().chain(values).copied().collect();
    match &statement.kind {
        StatementKind::Declare(_, ty) => match ty.shape {
            Shape::Array(length) => vec![length],
            Shape::One | Shape::List => Vec::new(),
        },
        StatementKind::Sample(place, distribution) => with(place, &arguments(distribution)),
        StatementKind::Assign(place, value) => with(place, &[*value]),
        StatementKind::If { condition, .. } => vec![*condition],
        StatementKind::For { from, to, .. } => vec![*from, *to],
        StatementKind::Return(value) => vec![*value],
    }
}

fn arguments(distribution: &Distribution) -> Vec<ExprId> {
    match distribution {
        Distribution::Unif { .. } | Distribution::Sign => Vec::new(),
        Distribution::Bernoulli(a) | Distribution::Lap(a) | Distribution::Expo(a) => vec![*a],
        Distribution::Dlap(scale, exponent) => vec![*scale, *exponent],
        Distribution::Choose(weights) => weights.clone(),
    }
}

/// The blocks of a statement.
pub(super) fn blocks(statement: &Statement) -> Vec<&[Statement]> {
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => vec![&then.statements, &otherwise.statements],
        StatementKind::For { body, .. } => vec![&body.statements],
        _ => Vec::new(),
    }
}

/// The same, to be changed.
pub(super) fn blocks_mut(statement: &mut Statement) -> Vec<&mut [Statement]> {
    match &mut statement.kind {
        StatementKind::If { then, otherwise, .. } => vec![&mut then.statements, &mut otherwise.statements],
        StatementKind::For { body, .. } => vec![&mut body.statements],
        _ => Vec::new(),
    }
}
