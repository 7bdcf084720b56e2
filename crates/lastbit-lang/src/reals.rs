//! What only a float program can mean, and a statement about the real numbers would silently leave out.

use crate::Diagnostic;
use crate::ast::{Arithmetic, ClauseKind, Declaration, ExprId, ExprKind, File, Scalar};

/// Whether a declaration can be taken for one over the real numbers: nothing is a float, no operation of its clauses and its body is written as one that
/// rounds, and it says nothing of a library or of the floats that `unif` draws from.
///
/// Whoever proves, refutes or computes the privacy of a mechanism over the reals asks this first. Its error bounds are another matter:
/// they are about its float reading.
///
/// ```
/// use lastbit_lang::{over_the_reals, parse};
///
/// let (file, _) = parse("mechanism m(x: real) -> real { z <$ lap(1);  return x ⊕ z }");
/// let refused = over_the_reals(&file, &file.declarations[0]).unwrap_err();
/// assert_eq!(refused.message, "`⊕` rounds, and `m` is over the reals");
/// ```
///
/// # Errors
/// The first such thing, with its place.
pub fn over_the_reals(file: &File, declaration: &Declaration) -> Result<(), Diagnostic> {
    let name = &declaration.name.text;
    let binders = declaration.arguments.iter().chain(declaration.parameters()).chain(declaration.queries());
    let mut types = binders.map(|binder| &binder.ty).chain([&declaration.result]);
    if let Some(ty) = types.find(|ty| matches!(ty.scalar, Scalar::F64 | Scalar::F32)) {
        return Err(Diagnostic::new(ty.span, "the logic is about real numbers, and this is a float"));
    }
    for clause in &declaration.clauses {
        let what = match clause.kind {
            ClauseKind::Sampler(_) => "`sampler` says which floats `unif` draws",
            ClauseKind::Libm(..) => "`libm` says how accurate a library of floats is",
            _ => continue,
        };
        let message = format!("{what}, and `{name}` is over the reals");
        let hint = "for a float program declare the arguments as f64, or f32; or remove this line";
        return Err(Diagnostic::new(clause.span, message).with_hint(hint));
    }
    let all = declaration.expressions().into_iter().flat_map(|root| file.post_order(root));
    match all.filter(|id| file.expr(*id).rounds).min_by_key(|id| file.expr(*id).span.start) {
        None => Ok(()),
        Some(id) => Err(rounding(file, name, id)),
    }
}

fn rounding(file: &File, name: &str, id: ExprId) -> Diagnostic {
    let expression = file.expr(id);
    let (written, exact) = match &expression.kind {
        ExprKind::Arithmetic(op, ..) => (Arithmetic::circled(*op).to_owned(), op.text()),
        ExprKind::Call(function, _) => (function.text().to_uppercase(), function.text()),
        _ => (String::new(), ""),
    };
    let hint = format!("for a float program declare the arguments as f64, or f32; or write `{exact}`");
    Diagnostic::new(expression.span, format!("`{written}` rounds, and `{name}` is over the reals"))
        .with_hint(hint)
}
