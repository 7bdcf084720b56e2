//! Two inputs of a text: `1`, `true`, `1,2,3`, `q=1,2,3;T=0`, or values by name.

use std::collections::BTreeMap;

use lastbit_audit::discrete::Argument;
use lastbit_lang::ast::{Binder, Declaration, Scalar, Shape};
use lastbit_lang::values::rounded;
use lastbit_real::Rational;

use crate::Refusal;
use crate::number::parse;
use crate::refusal::cut;

/// An input as a front end has it.
#[derive(Clone, Debug)]
pub enum Input {
    /// Inputs as text.
    Written(String),
    /// The value of the only argument.
    Only(Argument),
    /// Values by name.
    Named(BTreeMap<String, Argument>),
}

/// The values of one input, by name.
pub(super) type Values = BTreeMap<String, Argument>;

/// What an input gives values to: arguments, and queries instead of data.
fn binders(declaration: &Declaration) -> Vec<&Binder> {
    let arguments = declaration.arguments.iter().filter(|binder| binder.ty.scalar != Scalar::Data);
    arguments.chain(declaration.queries()).collect()
}

fn names(binders: &[&Binder]) -> String {
    binders.iter().map(|binder| binder.name.text.as_str()).collect::<Vec<_>>().join(", ")
}

/// An example of inputs of this declaration, as text.
pub fn example(declaration: &Declaration) -> [String; 2] {
    let value = |scalar: Scalar, shape: Shape, i: usize| match (scalar, shape) {
        (Scalar::Bool, Shape::One) => ["true", "false"][i].to_owned(),
        (Scalar::Bool, _) => ["true,false", "false,false"][i].to_owned(),
        (_, Shape::One) => ["0", "1"][i].to_owned(),
        (_, _) => ["0,1,2", "1,1,2"][i].to_owned(),
    };
    let named = |i: usize| match binders(declaration).as_slice() {
        [only] => value(only.ty.scalar, only.ty.shape, i),
        several => {
            let text = |binder: &&Binder| {
                format!("{}={}", binder.name.text, value(binder.ty.scalar, binder.ty.shape, i))
            };
            format!("'{}'", several.iter().map(text).collect::<Vec<_>>().join(";"))
        }
    };
    [named(0), named(1)]
}

/// The values of an input, each fit for its argument.
pub(super) fn values(declaration: &Declaration, input: &Input) -> Result<Values, Refusal> {
    let binders = binders(declaration);
    match input {
        Input::Written(text) => written(text, &binders),
        Input::Only(value) => match binders.as_slice() {
            [only] => Ok([(only.name.text.clone(), fit(only, value)?)].into()),
            several => Err(Refusal::usage(
                format!("an input must be a dictionary of values for {}", names(several)),
                "name each argument",
            )),
        },
        Input::Named(given) => {
            let mut values = Values::new();
            for (name, value) in given {
                values.insert(name.clone(), fit(named(&binders, name)?, value)?);
            }
            Ok(values)
        }
    }
}

fn named<'b>(binders: &[&'b Binder], name: &str) -> Result<&'b Binder, Refusal> {
    binders.iter().copied().find(|binder| binder.name.text == name).ok_or_else(|| {
        let name = cut(name);
        let message = format!("there is no argument {name:?}: there are {}", names(binders));
        Refusal::usage(message, "name an argument of the declaration")
    })
}

/// An input in writing.
fn written(text: &str, binders: &[&Binder]) -> Result<Values, Refusal> {
    if !text.contains('=') {
        let [only] = binders else {
            return Err(Refusal::usage(
                format!("the input {:?} does not say which argument it is", cut(text)),
                format!("write NAME=VALUE;NAME=VALUE, with the names {}", names(binders)),
            ));
        };
        return Ok([(only.name.text.clone(), read(only, text)?)].into());
    }
    let mut given = Values::new();
    for part in text.split(';') {
        let (name, values) = part.split_once('=').unwrap_or((part, ""));
        let binder = named(binders, name.trim())?;
        if given.insert(binder.name.text.clone(), read(binder, values)?).is_some() {
            return Err(Refusal::usage(format!("the input gives {} twice", name.trim()), "give it once"));
        }
    }
    Ok(given)
}

/// The value of an argument in writing.
fn read(binder: &Binder, text: &str) -> Result<Argument, Refusal> {
    let name = binder.name.text.as_str();
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_bool = binder.ty.scalar == Scalar::Bool;
    match (binder.ty.shape, words.as_slice()) {
        (Shape::One, [word]) if is_bool => truth(name, word).map(Argument::Bool),
        (Shape::One, [word]) => number(name, word).map(Argument::Number),
        (Shape::One, several) => Err(Refusal::usage(
            format!("{name} is one value, and {} are given", several.len()),
            "write NAME=VALUE;NAME=VALUE for several arguments",
        )),
        (_, words) if is_bool => {
            words.iter().map(|word| truth(name, word)).collect::<Result<_, _>>().map(Argument::Bools)
        }
        (_, words) => {
            words.iter().map(|word| number(name, word)).collect::<Result<_, _>>().map(Argument::Numbers)
        }
    }
}

/// A number; `true` and `false` are 1 and 0.
fn number(name: &str, word: &str) -> Result<Rational, Refusal> {
    match word {
        "true" => return Ok(Rational::ONE),
        "false" => return Ok(Rational::ZERO),
        _ => {}
    }
    parse(word).map_err(|error| {
        Refusal::usage(
            format!("{name} = {:?}: {error}", cut(word)),
            "numbers are written like 1, 0.1, 1/10 or 0x1p-3; conditions are true and false",
        )
    })
}

fn truth(name: &str, word: &str) -> Result<bool, Refusal> {
    match word {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        other => Err(Refusal::usage(
            format!("{name} = {:?} is neither true nor false", cut(other)),
            "write true or false",
        )),
    }
}

/// A value that has the shape and the type of an argument.
fn fit(binder: &Binder, value: &Argument) -> Result<Argument, Refusal> {
    let name = binder.name.text.as_str();
    let wrong = |what: &str| Err(Refusal::usage(format!("{name} {what}"), "give a value of its type"));
    let is_one = binder.ty.shape == Shape::One;
    let is_bool = binder.ty.scalar == Scalar::Bool;
    match value {
        Argument::Number(_) | Argument::Bool(_) if !is_one => wrong("is a list"),
        Argument::Numbers(_) | Argument::Bools(_) if is_one => wrong("is one value, not a list"),
        Argument::Numbers(numbers) if is_bool && !numbers.is_empty() => wrong("must be True or False"),
        Argument::Number(_) if is_bool => wrong("must be True or False"),
        Argument::Numbers(_) if is_bool => Ok(Argument::Bools(Vec::new())),
        Argument::Bool(truth) if !is_bool => Ok(Argument::Number(of_truth(truth))),
        Argument::Bools(truths) if !is_bool => Ok(Argument::Numbers(truths.iter().map(of_truth).collect())),
        fitting => Ok(fitting.clone()),
    }
}

fn of_truth(truth: &bool) -> Rational {
    if *truth { Rational::ONE } else { Rational::ZERO }
}

/// An input as text, the same however the front end had it.
pub(super) fn shown(values: &Values) -> String {
    let each: Vec<String> = match values.len() {
        1 => values.values().map(Argument::to_string).collect(),
        _ => values.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
    };
    each.join(", ")
}

/// The numbers of an input for a program over floats, with what should be said of them; decimals are rounded to the nearest float.
pub(super) fn floats(declaration: &Declaration, given: &Values) -> (BTreeMap<String, Rational>, Vec<String>) {
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
