//! What a declaration leaves open, and what stands for it if nobody says.
//!
//! ```
//! use lastbit_lang::values::{default_grid, is_open};
//! use lastbit_lang::{Bindings, parse};
//!
//! let (file, _) = parse("
//!     mechanism snap(x: real) -> grid
//!       param eps: real > 0, L: real > 0
//!     { z <$ lap(1 / eps);  return round(x + z, L) }");
//! let declaration = &file.declarations[0];
//! let mut bindings = Bindings { values: [("eps".into(), "1/3".parse()?)].into(), ..Bindings::default() };
//! assert!(is_open(declaration, &bindings, "L"));
//! default_grid(declaration, &mut bindings);
//! assert_eq!(bindings.values["L"], 4.into());
//! # Ok::<(), lastbit_real::ParseNumberError>(())
//! ```

use lastbit_real::{Float, Rational, Rounding};

use crate::Bindings;
use crate::ast::{
    Arithmetic, Binder, ClauseKind, CompareOp, Constraint, Declaration, DeclarationKind, ExprId, ExprKind,
    File, Function, Quantifier, Scalar,
};

/// The float that a value of this type stands for, and a note if it is another number.
pub fn rounded(scalar: Option<Scalar>, name: &str, value: &Rational) -> (Rational, Option<String>) {
    let float = match scalar {
        Some(Scalar::F64) => f64::from_rational(value, Rounding::Nearest),
        Some(Scalar::F32) => f32::from_rational(value, Rounding::Nearest).into(),
        _ => return (value.clone(), None),
    };
    match Rational::try_from(float) {
        Ok(rounded) if rounded != *value => {
            let of_type = if scalar == Some(Scalar::F32) { "float" } else { "double" };
            (rounded, Some(format!("{name} = {} is the {of_type} next to what was given", float.to_hex())))
        }
        _ => (value.clone(), None),
    }
}

/// The type of a parameter or an argument.
pub fn scalar(declaration: &Declaration, name: &str) -> Option<Scalar> {
    let mut binders = declaration.parameters().chain(&declaration.arguments);
    binders.find(|binder| binder.name.text == name).map(|binder| binder.ty.scalar)
}

/// Whether a parameter has no value.
pub fn is_open(declaration: &Declaration, bindings: &Bindings, name: &str) -> bool {
    let declared = declaration.parameters().find(|binder| binder.name.text == name);
    let has_value =
        |binder: &&Binder| matches!(binder.constraint, Some(Constraint::Compare(CompareOp::Equal, _)));
    declared.is_some_and(|binder| !has_value(&binder)) && !bindings.values.contains_key(name)
}

/// `Λ`, where it is left open: the smallest power of two that is at least `1/ε`, or `λ`.
pub fn default_grid(declaration: &Declaration, bindings: &mut Bindings) {
    if !is_open(declaration, bindings, "L") || bindings.ranges.contains_key("L") {
        return;
    }
    let value = |name: &str| bindings.values.get(name);
    let at_least = value("lambda").cloned().or_else(|| value("eps").and_then(Rational::recip));
    if let Some(scale) = at_least {
        // A scale that is not positive is refused for what it is, and any grid will do until then.
        let scale = if scale.is_positive() { scale } else { Rational::ONE };
        let floor = scale.floor_log2().expect("positive");
        let exponent = if scale == Rational::pow2(floor) { floor } else { floor + 1 };
        bindings.values.insert("L".into(), Rational::pow2(exponent));
    }
}

/// Arguments of a mechanism over floats that it clamps itself may be any doubles; what is large enough stands for all.
pub fn default_ranges(declaration: &Declaration, bindings: &mut Bindings) {
    if declaration.kind != DeclarationKind::Mechanism {
        return;
    }
    for argument in &declaration.arguments {
        let name = &argument.name.text;
        let known = bindings.values.contains_key(name) || bindings.ranges.contains_key(name);
        if argument.ty.scalar == Scalar::F64 && argument.constraint.is_none() && !known {
            let most = Rational::pow2(1000);
            bindings.ranges.insert(name.clone(), (-&most, most));
        }
    }
}

/// The bound of `adjacent |x<1> - x<2>| <= bound`.
pub fn distance_of_neighbours(file: &File, declaration: &Declaration) -> Option<Rational> {
    declaration.clauses.iter().find_map(|clause| {
        let ClauseKind::Adjacent(Quantifier::None, condition) = &clause.kind else { return None };
        let ExprKind::Compare(CompareOp::LessOrEqual, distance, bound) = &file.expr(*condition).kind else {
            return None;
        };
        let ExprKind::Call(Function::Abs, arguments) = &file.expr(*distance).kind else { return None };
        let ExprKind::Arithmetic(Arithmetic::Sub, a, b) = &file.expr(*arguments.first()?).kind else {
            return None;
        };
        let is_copy = |id: ExprId| matches!(file.expr(id).kind, ExprKind::Copy(..));
        let ExprKind::Number { value, .. } = &file.expr(*bound).kind else { return None };
        (is_copy(*a) && is_copy(*b)).then(|| value.clone())
    })
}
