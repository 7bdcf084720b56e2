//! What a declaration says about its two inputs: `adjacent` and `assume`, at the inputs of an audit.

use lastbit_lang::ast::{ClauseKind, Declaration, ExprId, ExprKind, File, Name, Quantifier, Side};
use lastbit_lang::{Reading, Span, expression_text};

use super::error::{DiscreteError, Stop};
use super::expression::{Guesses, Scope, truth};
use super::inputs::error;
use super::state::{State, Value};

/// A clause that the inputs of an audit do not satisfy: what is found says nothing about the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unmet {
    /// The clause, as it is written.
    pub clause: String,
    /// The place of the clause in the text.
    pub span: Span,
    /// Whether the clause is an adjacency, and not an assumption.
    pub is_adjacency: bool,
}

/// A value in both runs.
type Pair = [Result<Value, Stop>; 2];

/// The clauses `adjacent` and `assume` that do not hold.
pub(super) fn unmet<'a>(
    file: &'a File,
    declaration: &'a Declaration,
    scopes: &mut [Scope<'a>; 2],
) -> Result<Vec<Unmet>, DiscreteError> {
    let mut unmet = Vec::new();
    for clause in &declaration.clauses {
        let (what, holds, condition) = match &clause.kind {
            ClauseKind::Assume(condition) => ("assume".to_owned(), holds(scopes, *condition)?, *condition),
            ClauseKind::Adjacent(quantifier, condition) => {
                let (what, holds) = match quantifier {
                    Quantifier::None => (String::new(), holds(scopes, *condition)?),
                    Quantifier::ForAll(index) => {
                        let all = at_each(scopes, index, *condition)?;
                        (format!(" forall {}:", index.text), all.iter().all(|(holds, _)| *holds))
                    }
                    Quantifier::AtMostOne(index) => {
                        let all = at_each(scopes, index, *condition)?;
                        let changed: Vec<_> = all.iter().filter(|(_, is_changed)| *is_changed).collect();
                        let holds = changed.len() <= 1 && changed.iter().all(|(holds, _)| *holds);
                        (format!(" at most one {}:", index.text), holds)
                    }
                };
                (format!("adjacent{what}"), holds, *condition)
            }
            _ => continue,
        };
        if !holds {
            let clause_text = format!("{what} {}", expression_text(file, condition, Reading::Real));
            let is_adjacency = matches!(clause.kind, ClauseKind::Adjacent(..));
            unmet.push(Unmet { clause: clause_text, span: clause.span, is_adjacency });
        }
    }
    Ok(unmet)
}

/// The clauses `assume` about nothing but parameters that do not hold.
pub(super) fn unmet_by_parameters(
    file: &File,
    declaration: &Declaration,
    scope: &Scope<'_>,
) -> Result<Vec<Unmet>, DiscreteError> {
    let is_public = |id: ExprId| match &file.expr(id).kind {
        ExprKind::Name(name) => scope.parameters.contains(name.as_str()),
        ExprKind::Query(..) => false,
        _ => true,
    };
    let mut unmet = Vec::new();
    for clause in &declaration.clauses {
        let ClauseKind::Assume(condition) = clause.kind else { continue };
        if file.post_order(condition).into_iter().all(is_public)
            && !scope.constant(condition).and_then(truth).map_err(error)?
        {
            let clause_text = format!("assume {}", expression_text(file, condition, Reading::Real));
            unmet.push(Unmet { clause: clause_text, span: clause.span, is_adjacency: false });
        }
    }
    Ok(unmet)
}

/// Whether a condition on both runs holds.
fn holds(scopes: &[Scope<'_>; 2], condition: ExprId) -> Result<bool, DiscreteError> {
    let [first, second] = pair(scopes, condition);
    Ok(first.and_then(truth).map_err(error)? && second.and_then(truth).map_err(error)?)
}

/// The value of an expression in both runs; `x<1>` is that of the first one in both.
fn pair(scopes: &[Scope<'_>; 2], root: ExprId) -> Pair {
    let file = scopes[0].file;
    let empty = State::new(scopes[0].variables.len());
    let mut stack: Vec<Pair> = Vec::new();
    for id in file.post_order(root) {
        let mut count = 0;
        file.expr(id).kind.for_each_operand(|_| count += 1);
        let operands = stack.split_off(stack.len() - count);
        let (first, second): (Vec<_>, Vec<_>) =
            operands.into_iter().map(|[first, second]| (first, second)).unzip();
        let (first, second) = match file.expr(id).kind {
            ExprKind::Copy(_, Side::One) => (first.clone(), first),
            ExprKind::Copy(_, Side::Two) => (second.clone(), second),
            _ => (first, second),
        };
        let node = |run: usize, operands| scopes[run].node(id, operands, &empty, &Guesses::new());
        stack.push([node(0, first), node(1, second)]);
    }
    stack.pop().unwrap_or_else(|| [Err(Stop::Lost), Err(Stop::Lost)])
}

/// For every index of the arrays in a condition: whether it holds there, and whether the runs differ there.
fn at_each<'a>(
    scopes: &mut [Scope<'a>; 2],
    index: &'a Name,
    condition: ExprId,
) -> Result<Vec<(bool, bool)>, DiscreteError> {
    let file = scopes[0].file;
    let is_index = |id: ExprId| matches!(&file.expr(id).kind, ExprKind::Name(name) if *name == index.text);
    let arrays: Vec<ExprId> = file
        .post_order(condition)
        .into_iter()
        .filter_map(|id| match file.expr(id).kind {
            ExprKind::Index(array, at) if is_index(at) => Some(array),
            _ => None,
        })
        .collect();
    let length = |pair: Pair| match pair {
        [Ok(Value::List(items)), _] => items.len(),
        _ => 0,
    };
    let length = arrays.iter().map(|array| length(pair(scopes, *array))).max().unwrap_or(0);
    let mut found = Vec::new();
    for place in 0..length {
        scopes.iter_mut().for_each(|scope| scope.set_constant(index, place as i64));
        let differs = |array: &ExprId| {
            // Of `q<1>[i]` the array without its copy.
            let array = match file.expr(*array).kind {
                ExprKind::Copy(of, _) => of,
                _ => *array,
            };
            match pair(scopes, array) {
                [Ok(Value::List(first)), Ok(Value::List(second))] => first.get(place) != second.get(place),
                _ => true,
            }
        };
        let is_changed = arrays.iter().any(differs);
        found.push((holds(scopes, condition)?, is_changed));
    }
    scopes.iter_mut().for_each(|scope| {
        scope.constants.remove(index.text.as_str());
    });
    Ok(found)
}
