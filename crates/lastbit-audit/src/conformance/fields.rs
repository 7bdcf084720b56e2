//! Fields of a case, read with the place in every message.

use lastbit_real::{Float, Rational};
use serde_json::Value;

/// A field that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}, found {found}")]
#[non_exhaustive]
pub struct FieldError {
    /// The path of the field in the file.
    pub path: String,
    /// The value that is there.
    pub found: String,
    /// A description of what should be there.
    pub reason: String,
}

/// What is there is cut after so many characters.
const MOST_SHOWN: usize = 60;

impl FieldError {
    pub(super) fn new(path: &str, found: &Value, reason: impl Into<String>) -> FieldError {
        let found = if found.is_null() { "nothing".to_owned() } else { found.to_string() };
        let found = match found.char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => format!("{}…", &found[..end]),
            None => found,
        };
        FieldError { path: path.to_owned(), found, reason: reason.into() }
    }

    pub(super) fn within(mut self, outer: &str) -> FieldError {
        self.path = format!("{outer}.{}", self.path);
        self
    }
}

pub(super) fn array<'a>(object: &'a Value, name: &str) -> Result<&'a Vec<Value>, FieldError> {
    let value = &object[name];
    value.as_array().ok_or_else(|| FieldError::new(name, value, "it must be a list"))
}

pub(super) fn text<'a>(object: &'a Value, name: &str) -> Result<&'a str, FieldError> {
    let value = &object[name];
    value.as_str().ok_or_else(|| FieldError::new(name, value, "it must be a string"))
}

/// A finite double in hexadecimal.
pub(super) fn double(object: &Value, name: &str) -> Result<f64, FieldError> {
    let parsed = f64::parse_hex(text(object, name)?).ok().filter(|double| double.is_finite());
    parsed.ok_or_else(|| FieldError::new(name, &object[name], "it must be a finite double in hexadecimal"))
}

pub(super) fn rational(object: &Value, name: &str) -> Result<Rational, FieldError> {
    let parsed = text(object, name)?.parse().ok();
    parsed.ok_or_else(|| FieldError::new(name, &object[name], "it must be a rational number"))
}

pub(super) fn boolean(object: &Value, name: &str) -> Result<bool, FieldError> {
    let value = &object[name];
    value.as_bool().ok_or_else(|| FieldError::new(name, value, "it must be true or false"))
}

/// An integer of a small range.
pub(super) fn small(
    object: &Value,
    name: &str,
    range: std::ops::RangeInclusive<i64>,
) -> Result<i64, FieldError> {
    let value = &object[name];
    let reason = || format!("it must be an integer from {} to {}", range.start(), range.end());
    value.as_i64().filter(|n| range.contains(n)).ok_or_else(|| FieldError::new(name, value, reason()))
}

/// One of a few words.
pub(super) fn word<T: Copy>(object: &Value, name: &str, words: &[(&str, T)]) -> Result<T, FieldError> {
    let found = text(object, name)?;
    let known = words.iter().find(|(word, _)| *word == found).map(|(_, value)| *value);
    let all = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    known.ok_or_else(|| FieldError::new(name, &object[name], format!("it must be one of {}", all())))
}
