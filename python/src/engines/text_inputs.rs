//! Inputs of programs of the language.

use std::collections::BTreeMap;

use lastbit::Rational;
use lastbit_audit::discrete::Argument;
use lastbit_lang::ast::{Binder, Declaration, Scalar, Shape};
use lastbit_lang::values::rounded;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::ParameterError;
use crate::number;

/// The values of one input, by name.
pub(super) type Given = BTreeMap<String, Argument>;

/// What an input gives values to: arguments, and queries instead of data.
fn binders(declaration: &Declaration) -> Vec<&Binder> {
    let arguments = declaration.arguments.iter().filter(|binder| binder.ty.scalar != Scalar::Data);
    arguments.chain(declaration.queries()).collect()
}

/// An input: a value or a list for the only argument, or a dictionary.
pub(super) fn given(declaration: &Declaration, input: &Bound<'_, PyAny>) -> PyResult<Given> {
    let binders = binders(declaration);
    let names = || binders.iter().map(|binder| binder.name.text.as_str()).collect::<Vec<_>>().join(", ");
    let mut given = Given::new();
    if let Ok(named) = input.cast::<PyDict>() {
        for (name, value) in named {
            let name: String = name.extract()?;
            let binder = binders.iter().find(|binder| binder.name.text == name).ok_or_else(|| {
                ParameterError::new_err(format!("there is no argument {name:?}: there are {}", names()))
            })?;
            given.insert(name, argument(binder, &value)?);
        }
    } else if let [only] = binders.as_slice() {
        given.insert(only.name.text.clone(), argument(only, input)?);
    } else {
        return Err(ParameterError::new_err(format!(
            "an input must be a dictionary of values for {}",
            names()
        )));
    }
    Ok(given)
}

fn argument(binder: &Binder, value: &Bound<'_, PyAny>) -> PyResult<Argument> {
    let name = binder.name.text.as_str();
    let is_list = !value.is_instance_of::<PyString>() && value.hasattr("__len__")?;
    let is_bool = binder.ty.scalar == Scalar::Bool;
    let number = |value: &Bound<'_, PyAny>| number::value(name, value);
    let truth = |value: &Bound<'_, PyAny>| {
        value.extract::<bool>().map_err(|_| ParameterError::new_err(format!("{name} must be True or False")))
    };
    match (binder.ty.shape, is_list) {
        (Shape::One, false) if is_bool => truth(value).map(Argument::Bool),
        (Shape::One, false) => number(value).map(Argument::Number),
        (Shape::One, true) => Err(ParameterError::new_err(format!("{name} is one value, not a list"))),
        (_, false) => Err(ParameterError::new_err(format!("{name} is a list"))),
        (_, true) => {
            let items: Vec<_> = value.try_iter()?.collect::<PyResult<_>>()?;
            match is_bool {
                true => items.iter().map(truth).collect::<PyResult<_>>().map(Argument::Bools),
                false => items.iter().map(number).collect::<PyResult<_>>().map(Argument::Numbers),
            }
        }
    }
}

/// An input as text.
pub(super) fn shown(given: &Given) -> String {
    let each: Vec<String> = match given.len() {
        1 => given.values().map(Argument::to_string).collect(),
        _ => given.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
    };
    each.join(", ")
}

/// The numbers of an input for a program over floats, with what should be said of them; decimals are rounded to the nearest float.
pub(super) fn floats(declaration: &Declaration, given: &Given) -> (BTreeMap<String, Rational>, Vec<String>) {
    let of_truth = |truth: &bool| if *truth { Rational::ONE } else { Rational::ZERO };
    let mut numbers = BTreeMap::new();
    let mut notes = Vec::new();
    for binder in binders(declaration) {
        let name = &binder.name.text;
        let (values, is_one) = match given.get(name) {
            None => continue,
            Some(Argument::Number(value)) => (vec![value.clone()], true),
            Some(Argument::Bool(truth)) => (vec![of_truth(truth)], true),
            Some(Argument::Numbers(values)) => (values.clone(), false),
            Some(Argument::Bools(values)) => (values.iter().map(of_truth).collect(), false),
        };
        for (i, exact) in values.iter().enumerate() {
            let name = if is_one { name.clone() } else { format!("{name}[{i}]") };
            let (value, note) = rounded(Some(binder.ty.scalar), &name, exact);
            notes.extend(note);
            numbers.insert(name, value);
        }
    }
    (numbers, notes)
}
