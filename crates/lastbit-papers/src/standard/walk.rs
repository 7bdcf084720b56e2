//! What statements are made of, to be changed.

use lastbit_lang::ast::{Statement, StatementKind};

/// The blocks of a statement.
pub(super) fn blocks_mut(statement: &mut Statement) -> Vec<&mut [Statement]> {
    match &mut statement.kind {
        StatementKind::If { then, otherwise, .. } => vec![&mut then.statements, &mut otherwise.statements],
        StatementKind::For { body, .. } => vec![&mut body.statements],
        _ => Vec::new(),
    }
}
