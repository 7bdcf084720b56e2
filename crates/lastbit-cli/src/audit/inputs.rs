//! Two inputs of a program, as they are written: `1`, `true`, `1,2,3`, `q=1,2,3;T=0`.

use std::collections::BTreeMap;

use lastbit::Rational;
use lastbit_audit::discrete::Argument;
use lastbit_lang::ast::{Binder, Declaration, Scalar, Shape};
use lastbit_lang::values::rounded;
use serde_json::{Value, json};

use crate::error::{Error, quoted};
use crate::prove::args::number;

/// The values of one input, by name.
type Given = BTreeMap<String, Vec<String>>;

/// Two inputs, split into words.
pub(crate) struct Words {
    texts: [String; 2],
    given: [Given; 2],
}

/// Numbers by name, and what to say about them.
pub(crate) struct Inputs {
    pub(crate) values: [BTreeMap<String, Rational>; 2],
    pub(crate) notes: Vec<String>,
}

/// What an input gives values to: arguments, and queries instead of data.
fn binders(declaration: &Declaration) -> Vec<&Binder> {
    let arguments = declaration.arguments.iter().filter(|binder| binder.ty.scalar != Scalar::Data);
    arguments.chain(declaration.queries()).collect()
}

impl Words {
    pub(crate) fn of(texts: &[String], declaration: &Declaration) -> Result<Words, Error> {
        let [first, second] = texts else {
            return Err(Error::usage("an audit compares two inputs", "give --inputs F F'"));
        };
        let binders = binders(declaration);
        let read = |text: &String| read(text, &binders);
        Ok(Words { texts: [first.clone(), second.clone()], given: [read(first)?, read(second)?] })
    }

    pub(crate) fn text(&self, i: usize) -> &str {
        &self.texts[i]
    }

    pub(crate) fn json(&self) -> Value {
        json!(self.texts)
    }

    /// For programs over floats. Decimals are rounded to the nearest float.
    pub(crate) fn numbers(&self, declaration: &Declaration) -> Result<Inputs, Error> {
        let mut notes = Vec::new();
        let mut values = [BTreeMap::new(), BTreeMap::new()];
        for (given, values) in self.given.iter().zip(&mut values) {
            for binder in binders(declaration) {
                let name = &binder.name.text;
                let words = given.get(name).map(Vec::as_slice).unwrap_or_default();
                for (i, word) in words.iter().enumerate() {
                    let name = match binder.ty.shape {
                        Shape::One => name.clone(),
                        _ => format!("{name}[{i}]"),
                    };
                    let exact = match word.as_str() {
                        "true" => Rational::ONE,
                        "false" => Rational::ZERO,
                        word => parse(&name, word)?,
                    };
                    let (value, note) = rounded(Some(binder.ty.scalar), &name, &exact);
                    notes.extend(note.filter(|note| !notes.contains(note)));
                    values.insert(name, value);
                }
            }
        }
        Ok(Inputs { values, notes })
    }

    /// For discrete programs.
    pub(crate) fn arguments(
        &self,
        declaration: &Declaration,
    ) -> Result<[BTreeMap<String, Argument>; 2], Error> {
        let of = |given: &Given| {
            let mut arguments = BTreeMap::new();
            for binder in binders(declaration) {
                let name = &binder.name.text;
                if let Some(words) = given.get(name) {
                    arguments.insert(name.clone(), argument(binder, words)?);
                }
            }
            Ok::<_, Error>(arguments)
        };
        Ok([of(&self.given[0])?, of(&self.given[1])?])
    }
}

fn read(text: &str, binders: &[&Binder]) -> Result<Given, Error> {
    let list = |values: &str| values.split(',').map(|value| value.trim().to_owned()).collect::<Vec<_>>();
    if !text.contains('=') {
        let [only] = binders else {
            let names: Vec<&str> = binders.iter().map(|binder| binder.name.text.as_str()).collect();
            return Err(Error::usage(
                format!("the input {} does not say which argument it is", quoted(text.as_bytes())),
                format!("write NAME=VALUE;NAME=VALUE, with the names {}", names.join(", ")),
            ));
        };
        return Ok([(only.name.text.clone(), list(text))].into());
    }
    let mut given = Given::new();
    for part in text.split(';') {
        let (name, values) = part.split_once('=').unwrap_or((part, ""));
        let name = name.trim();
        if !binders.iter().any(|binder| binder.name.text == name) {
            let names: Vec<&str> = binders.iter().map(|binder| binder.name.text.as_str()).collect();
            return Err(Error::usage(
                format!("there is no argument {}", quoted(name.as_bytes())),
                format!("there are {}", names.join(", ")),
            ));
        }
        if given.insert(name.to_owned(), list(values)).is_some() {
            return Err(Error::usage(format!("the input gives {name} twice"), "give it once"));
        }
    }
    Ok(given)
}

fn parse(name: &str, word: &str) -> Result<Rational, Error> {
    number(word).map_err(|error| {
        Error::usage(
            format!("{name} = {}: {error}", quoted(word.as_bytes())),
            "numbers are written like 1, 0.1, 1/10 or 0x1p-3; conditions are true and false",
        )
    })
}

fn truth(name: &str, word: &str) -> Result<bool, Error> {
    match word {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        other => Err(Error::usage(
            format!("{name} = {} is neither true nor false", quoted(other.as_bytes())),
            "write true or false",
        )),
    }
}

fn argument(binder: &Binder, words: &[String]) -> Result<Argument, Error> {
    let name = binder.name.text.as_str();
    let is_bool = binder.ty.scalar == Scalar::Bool;
    match (binder.ty.shape, words) {
        (Shape::One, [word]) if is_bool => truth(name, word).map(Argument::Bool),
        (Shape::One, [word]) => parse(name, word).map(Argument::Number),
        (Shape::One, several) => Err(Error::usage(
            format!("{name} is one value, and {} are given", several.len()),
            "write NAME=VALUE;NAME=VALUE for several arguments",
        )),
        (_, words) if is_bool => {
            words.iter().map(|word| truth(name, word)).collect::<Result<_, _>>().map(Argument::Bools)
        }
        (_, words) => {
            words.iter().map(|word| parse(name, word)).collect::<Result<_, _>>().map(Argument::Numbers)
        }
    }
}
