//! Other names.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::File;
use lastbit_lang::ast::{ClauseKind, Declaration, ExprKind, Name, Quantifier, Statement, StatementKind};

use super::walk;

/// Gives every name of every declaration a new one.
pub(super) fn rename(file: &mut File) {
    let mut old = Vec::new();
    for declaration in &mut file.declarations {
        for_each_name(declaration, &mut |name| {
            if !old.contains(&name.text) {
                old.push(name.text.clone());
            }
        });
    }
    let new = fresh(&old);
    let replace = |text: &mut String| {
        if let Some(name) = new.get(text) {
            text.clone_from(name);
        }
    };
    for declaration in &mut file.declarations {
        for_each_name(declaration, &mut |name| replace(&mut name.text));
    }
    for expression in &mut file.expressions {
        match &mut expression.kind {
            ExprKind::Name(text) => replace(text),
            ExprKind::Query(name, _) => replace(&mut name.text),
            _ => {}
        }
    }
}

/// `v1`, `v2`, …, none of which is an old name. The last name gets the first number, so that names do not sort as they did.
fn fresh(old: &[String]) -> BTreeMap<String, String> {
    let taken: BTreeSet<&String> = old.iter().collect();
    let numbered = (1..).map(|number| format!("v{number}")).filter(|name| !taken.contains(name));
    old.iter().rev().cloned().zip(numbered).collect()
}

/// Every place but expressions where a name stands: where it is bound, and where it is set.
fn for_each_name(declaration: &mut Declaration, visit: &mut impl FnMut(&mut Name)) {
    visit(&mut declaration.name);
    for argument in &mut declaration.arguments {
        visit(&mut argument.name);
    }
    for clause in &mut declaration.clauses {
        match &mut clause.kind {
            ClauseKind::Param(binders) => binders.iter_mut().for_each(|binder| visit(&mut binder.name)),
            ClauseKind::Query(binder) => visit(&mut binder.name),
            ClauseKind::Adjacent(Quantifier::ForAll(index) | Quantifier::AtMostOne(index), _) => visit(index),
            _ => {}
        }
    }
    names_of_statements(&mut declaration.body, visit);
}

fn names_of_statements(statements: &mut [Statement], visit: &mut impl FnMut(&mut Name)) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::Declare(name, _) => visit(name),
            StatementKind::Sample(place, _) | StatementKind::Assign(place, _) => visit(&mut place.name),
            StatementKind::For { variable, .. } => visit(variable),
            StatementKind::If { .. } | StatementKind::Return(_) => {}
        }
        walk::blocks_mut(statement).into_iter().for_each(|block| names_of_statements(block, visit));
    }
}
