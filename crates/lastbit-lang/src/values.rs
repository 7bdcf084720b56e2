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

use lastbit_real::{Float, Rational};

use crate::ast::{
    Arithmetic, Binder, ClauseKind, CompareOp, Constraint, Declaration, DeclarationKind, ExprId, ExprKind,
    File, Function, Logic, Quantifier, Scalar, Side,
};
use crate::constant::constant;
use crate::eval::MachineFloat;
use crate::{Bindings, Diagnostic, Span};

/// The float that a value of this type stands for, and a note if it is another number.
pub fn rounded(scalar: Option<Scalar>, name: &str, value: &Rational) -> (Rational, Option<String>) {
    let float = match scalar {
        Some(Scalar::F64) => f64::of_number(value),
        Some(Scalar::F32) => f32::of_number(value).into(),
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

/// `Λ` (`L` in a text), where it is left open: [`lastbit_real::default_grid`] of `λ` (`lambda`), or `1/ε` (`eps`).
pub fn default_grid(declaration: &Declaration, bindings: &mut Bindings) {
    if !is_open(declaration, bindings, "L") || bindings.ranges.contains_key("L") {
        return;
    }
    let value = |name: &str| bindings.values.get(name);
    let at_least = value("lambda").cloned().or_else(|| value("eps").and_then(Rational::recip));
    if let Some(scale) = at_least {
        // A scale that is not positive is refused for what it is, and any grid will do until then.
        bindings.values.insert("L".into(), lastbit_real::default_grid(&scale).unwrap_or(Rational::ONE));
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

/// The value of a parameter, if it is known: given, or written in the text.
pub fn parameter(
    file: &File,
    declaration: &Declaration,
    bindings: &Bindings,
    name: &str,
) -> Option<Rational> {
    if let Some(value) = bindings.values.get(name) {
        return Some(value.clone());
    }
    let declared = declaration.parameters().find(|binder| binder.name.text == name)?;
    match declared.constraint {
        Some(Constraint::Compare(CompareOp::Equal, value)) => constant(file, value, |_| None).ok(),
        _ => None,
    }
}

/// A bound on how far apart an argument, or the answer of a query, is in two neighbouring inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Distance {
    /// The value that the distance is about: `x`, or `count(a)`.
    pub of: String,
    /// The largest distance.
    pub at_most: Rational,
    /// The place of the clause that states it.
    pub span: Span,
}

/// The distances that `adjacent` bounds: all clauses hold together, so that each `|x<1> - x<2>| <= bound` that is a clause, or joined to others by `&`,
/// holds for all neighbours.
///
/// # Errors
/// If there is none, or a bound is not known: no distance is as good as any other then.
pub fn distances_of_neighbours(
    file: &File,
    declaration: &Declaration,
    bindings: &Bindings,
) -> Result<Vec<Distance>, Diagnostic> {
    let hint = "say `adjacent |x<1> - x<2>| <= 1`, with the argument for x and a number for 1";
    let mut found = Vec::new();
    let mut first = None;
    for clause in &declaration.clauses {
        let ClauseKind::Adjacent(quantifier, condition) = &clause.kind else { continue };
        first = first.or(Some(clause.span));
        if *quantifier != Quantifier::None {
            continue;
        }
        for (of, bound) in conjuncts(file, *condition).into_iter().filter_map(|c| bound_of_distance(file, c))
        {
            let at_most = constant(file, bound, |name| parameter(file, declaration, bindings, name))?;
            found.push(Distance { of, at_most, span: clause.span });
        }
    }
    match first {
        _ if !found.is_empty() => Ok(found),
        Some(span) => {
            let message = "the distance of neighbours cannot be read off this";
            Err(Diagnostic::new(span, message).with_hint(hint))
        }
        None => {
            let message = format!("`{}` does not say which inputs are neighbours", declaration.name.text);
            Err(Diagnostic::new(declaration.name.span, message).with_hint(hint))
        }
    }
}

/// `a`, `b` and `c` of `a & b & c`.
pub(crate) fn conjuncts(file: &File, condition: ExprId) -> Vec<ExprId> {
    let mut stack = vec![condition];
    let mut found = Vec::new();
    while let Some(id) = stack.pop() {
        match file.expr(id).kind {
            ExprKind::Logic(Logic::And, a, b) => stack.extend([b, a]),
            _ => found.push(id),
        }
    }
    found
}

/// What `|x<1> - x<2>| <= bound`, or `<`, is about, and the bound.
fn bound_of_distance(file: &File, condition: ExprId) -> Option<(String, ExprId)> {
    let ExprKind::Compare(CompareOp::LessOrEqual | CompareOp::Less, distance, bound) =
        &file.expr(condition).kind
    else {
        return None;
    };
    let ExprKind::Call(Function::Abs, arguments) = &file.expr(*distance).kind else { return None };
    let ExprKind::Arithmetic(Arithmetic::Sub, a, b) = &file.expr(*arguments.first()?).kind else {
        return None;
    };
    let ((a, side_a), (b, side_b)) = (copy(file, *a)?, copy(file, *b)?);
    (a == b && side_a != side_b).then_some((a, *bound))
}

/// `x` of `x<1>`, `count(a)` of `count(a<1>)`, and the side.
fn copy(file: &File, id: ExprId) -> Option<(String, Side)> {
    match &file.expr(id).kind {
        ExprKind::Copy(of, side) => match &file.expr(*of).kind {
            ExprKind::Name(name) => Some((name.clone(), *side)),
            _ => None,
        },
        ExprKind::Query(name, arguments) => match arguments.as_slice() {
            [data] => {
                let (data, side) = copy(file, *data)?;
                Some((format!("{}({data})", name.text), side))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The privacy that a declaration claims. The default is to find out whether there is a finite loss at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// `ε`, or `None` if it is to be found out (`infer`).
    pub epsilon: Option<Rational>,
    /// `δ`: 0 if the claim is pure.
    pub delta: Rational,
}

/// The claim of a declaration in numbers; `None` if it makes none.
///
/// # Errors
/// If its numbers are not known.
pub fn claimed(
    file: &File,
    declaration: &Declaration,
    bindings: &Bindings,
) -> Result<Option<Claimed>, Diagnostic> {
    let number = |id: ExprId| constant(file, id, |name| parameter(file, declaration, bindings, name));
    let claim = declaration.clauses.iter().find_map(|clause| match clause.kind {
        ClauseKind::ClaimPure(None) => Some(Ok(Claimed { epsilon: None, delta: Rational::ZERO })),
        ClauseKind::ClaimPure(Some(epsilon)) => {
            Some(number(epsilon).map(|epsilon| Claimed { epsilon: Some(epsilon), delta: Rational::ZERO }))
        }
        ClauseKind::ClaimApprox(epsilon, delta) => Some(
            number(epsilon).and_then(|epsilon| Ok(Claimed { epsilon: Some(epsilon), delta: number(delta)? })),
        ),
        _ => None,
    });
    claim.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(clauses: &str) -> (Result<Rational, Diagnostic>, Result<Option<Claimed>, Diagnostic>) {
        let text = format!(
            "mechanism m(x: f64) -> f64 param eps: f64 > 0, D: f64 > 0, E: f64 = 1/4 {clauses} {{ return x }}"
        );
        let (file, messages) = crate::parse(&text);
        assert!(messages.is_empty(), "{messages:?}");
        let bindings =
            Bindings { values: [("eps".into(), "1/3".parse().unwrap())].into(), ..Bindings::default() };
        let declaration = &file.declarations[0];
        let distance = distances_of_neighbours(&file, declaration, &bindings).map(|mut all| {
            assert_eq!(all[0].of, "x");
            all.swap_remove(0).at_most
        });
        (distance, claimed(&file, declaration, &bindings))
    }

    #[test]
    fn distances() {
        for (bound, distance) in
            [("1", "1"), ("1/1024", "1/1024"), ("1 + 1", "2"), ("3 * eps", "1"), ("E", "1/4")]
        {
            assert_eq!(of(&format!("adjacent |x<1> - x<2>| <= {bound}")).0, Ok(distance.parse().unwrap()));
        }
        // What else holds of neighbours does not bring them farther apart.
        for more in ["& x<1> <= x<2>", "adjacent x<1> <= x<2>", "adjacent forall i: 0 <= i"] {
            let adjacent = format!("adjacent |x<1> - x<2>| <= 3 {more}");
            assert_eq!(of(&adjacent).0, Ok(Rational::from(3)), "{adjacent}");
        }
        // No distance is understood to be 1.
        for adjacent in [
            "",
            "adjacent |x<1> - x<2>| <= D",
            "adjacent x<1> - x<2> <= 3",
            "adjacent |x<1> - x<1>| <= 3",
            "adjacent |x<1> + x<2>| <= 3",
            "adjacent |2 * x<1> - x<2>| <= 3",
            "adjacent |x<1> - x<2>| <= 3 | x<1> = 0",
        ] {
            assert!(of(adjacent).0.is_err(), "{adjacent}");
        }
    }

    #[test]
    fn claims() {
        let claim = |epsilon: Option<&str>, delta: &str| {
            let epsilon = epsilon.map(|epsilon| epsilon.parse().unwrap());
            Ok(Some(Claimed { epsilon, delta: delta.parse().unwrap() }))
        };
        assert_eq!(of("").1, Ok(None));
        assert_eq!(of("claim pure infer").1, claim(None, "0"));
        assert_eq!(of("claim pure eps / 2").1, claim(Some("1/6"), "0"));
        assert_eq!(of("claim approx(eps, 1/10)").1, claim(Some("1/3"), "1/10"));
        assert!(of("claim pure D").1.is_err());
    }
}
