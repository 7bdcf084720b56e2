//! One `(FPCore …)`: its arguments and properties.

use std::collections::HashMap;

use lastbit_real::Rational;

use super::sexp::{ItemId, Kind, Tree};
use super::{FpcoreError, expression, number, operators, precondition, prune};
use crate::{Accuracy, Diagnostic, Format, Input, InputKind, Libm, Role, StraightLine};

/// The declared accuracy of `log` and `exp` in units in the last place: properties of our own, as FPCore has none for it.
pub(super) const LOG_ULPS: &str = ":lastbit-log-ulps";
pub(super) const EXP_ULPS: &str = ":lastbit-exp-ulps";

/// A program in its parts.
struct Parts<'s> {
    arguments: Vec<(&'s str, ItemId)>,
    properties: HashMap<&'s str, ItemId>,
    body: ItemId,
}

/// Reads the `number`-th form of a text.
pub(super) fn read(tree: &Tree<'_>, form: ItemId, number: usize) -> Result<StraightLine, FpcoreError> {
    let name = name(tree, form).unwrap_or_else(|| format!("program {number}"));
    let fail = |diagnostics| FpcoreError { program: Some(name.clone()), diagnostics };
    let parts = parts(tree, form).map_err(|diagnostic| fail(vec![diagnostic]))?;
    convert(tree, &parts, &name).map_err(fail)
}

/// The `:name`, or the identifier after `FPCore`, of whatever may be a program.
fn name(tree: &Tree<'_>, form: ItemId) -> Option<String> {
    let children: Vec<ItemId> = tree.children(form).collect();
    let property = children.windows(2).find(|pair| tree.text(pair[0]) == ":name");
    property
        .and_then(|pair| tree.string(pair[1]))
        .or_else(|| children.get(1).and_then(|&id| tree.symbol(id)).map(str::to_owned))
}

fn parts<'s>(tree: &Tree<'s>, form: ItemId) -> Result<Parts<'s>, Diagnostic> {
    let fail = |item, message: String| Err(Diagnostic::new(tree.span(item), message));
    let mut children = tree.children(form).peekable();
    match children.next().map(|head| (head, tree.text(head))) {
        Some((_, "FPCore")) => {}
        Some((head, _)) => return fail(head, "a program starts with FPCore".to_owned()),
        None => return fail(form, "a program starts with FPCore".to_owned()),
    }
    children.next_if(|&item| tree.kind(item) == Kind::Symbol);
    let Some(list) = children.next().filter(|&item| tree.kind(item) == Kind::List) else {
        return fail(form, "the list of the arguments is missing".to_owned());
    };
    let mut arguments: Vec<(&str, ItemId)> = Vec::new();
    let mut seen = HashMap::new();
    for item in tree.children(list) {
        let Some(name) = tree.symbol(item) else {
            let message = format!("{} is not an argument's name", operators::shorten(tree.text(item)));
            return Err(Diagnostic::new(tree.span(item), message)
                .with_hint("annotated arguments and tensors are not supported"));
        };
        if seen.insert(name, item).is_some() {
            return fail(item, format!("the argument `{name}` is given twice"));
        }
        arguments.push((name, item));
    }
    let mut properties = HashMap::new();
    while let Some(key) = children.next_if(|&item| tree.kind(item) == Kind::Property) {
        let Some(value) = children.next() else {
            return fail(key, format!("the property {} has no value", tree.text(key)));
        };
        if properties.insert(tree.text(key), value).is_some() {
            return fail(key, format!("the property {} is given twice", tree.text(key)));
        }
    }
    let Some(body) = children.next() else {
        return fail(form, "the program has no expression".to_owned());
    };
    match children.next() {
        Some(extra) => fail(extra, "nothing may follow the program's expression".to_owned()),
        None => Ok(Parts { arguments, properties, body }),
    }
}

fn convert(tree: &Tree<'_>, parts: &Parts<'_>, name: &str) -> Result<StraightLine, Vec<Diagnostic>> {
    let alone = |diagnostic| vec![diagnostic];
    let format = format(tree, parts).map_err(alone)?;
    let mut program = StraightLine::new(name, format);
    program.libm = libm(tree, parts).map_err(alone)?;

    let mut diagnostics = Vec::new();
    let places: HashMap<&str, usize> =
        parts.arguments.iter().enumerate().map(|(i, &(name, _))| (name, i)).collect();
    let (ranges, left_out) = match parts.properties.get(":pre") {
        Some(&condition) => precondition::ranges(tree, condition, &places, format),
        None => (vec![precondition::Range::default(); places.len()], Vec::new()),
    };
    for (&(name, item), range) in parts.arguments.iter().zip(ranges) {
        match range_of(tree, name, item, range, format) {
            Ok((lo, hi)) => {
                let input =
                    Input { name: name.to_owned(), role: Role::Argument, kind: InputKind::Float, lo, hi };
                program.input(input, Some(tree.span(item)));
            }
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                // The body may still be read, to report what is wrong there in the same run.
                let input = Input {
                    name: name.to_owned(),
                    role: Role::Argument,
                    kind: InputKind::Float,
                    lo: Rational::ZERO,
                    hi: Rational::ZERO,
                };
                program.input(input, None);
            }
        }
    }
    program.notes = left_out.iter().map(|text| format!("precondition left out: {text}")).collect();
    if let Err(diagnostic) = expression::build(tree, parts.body, &mut program) {
        diagnostics.push(diagnostic);
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    prune::prune(&mut program);
    Ok(program)
}

fn range_of(
    tree: &Tree<'_>,
    name: &str,
    item: ItemId,
    range: precondition::Range,
    format: Format,
) -> Result<(Rational, Rational), Diagnostic> {
    let missing = match (range.lo, range.hi) {
        (Some(lo), Some(hi)) => {
            let message = format!(
                "the precondition leaves no {format} number for `{name}`: [{}, {}]",
                number::write(&lo),
                number::write(&hi)
            );
            return precondition::finite(lo, hi, format)
                .ok_or_else(|| Diagnostic::new(tree.span(item), message));
        }
        (None, None) => "range",
        (None, Some(_)) => "lower bound",
        (Some(_), None) => "upper bound",
    };
    let message = format!("the argument `{name}` has no {missing}");
    Err(Diagnostic::new(tree.span(item), message).with_hint(format!("give it in :pre (<= lo {name} hi)")))
}

fn format(tree: &Tree<'_>, parts: &Parts<'_>) -> Result<Format, Diagnostic> {
    if let Some(&item) = parts.properties.get(":round").filter(|&&item| tree.text(item) != "nearestEven") {
        let message = format!("the rounding mode {} is not supported", operators::shorten(tree.text(item)));
        return Err(Diagnostic::new(tree.span(item), message).with_hint("supported is nearestEven"));
    }
    let Some(&item) = parts.properties.get(":precision") else {
        return Ok(Format::default());
    };
    match tree.text(item) {
        "binary64" => Ok(Format::Binary64),
        "binary32" => Ok(Format::Binary32),
        other => {
            let message = format!("the precision {} is not supported", operators::shorten(other));
            Err(Diagnostic::new(tree.span(item), message).with_hint("supported are binary64 and binary32"))
        }
    }
}

fn libm(tree: &Tree<'_>, parts: &Parts<'_>) -> Result<Libm, Diagnostic> {
    let accuracy = |key| match parts.properties.get(key) {
        None => Ok(Accuracy::CorrectlyRounded),
        Some(&item) => {
            let ulps = number::read(tree.text(item), tree.span(item))?;
            if ulps.is_negative() {
                return Err(Diagnostic::new(tree.span(item), "an accuracy must not be negative"));
            }
            Ok(Accuracy::Ulps(ulps))
        }
    };
    Ok(Libm { ln: accuracy(LOG_ULPS)?, exp: accuracy(EXP_ULPS)? })
}
