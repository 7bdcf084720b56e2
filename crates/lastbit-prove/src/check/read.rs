//! From JSON to numbers and fields, with the place of what is wrong.

use std::fmt;

use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

use super::CheckError;
use super::json::Json;

/// Larger exponents, and integers of more digits, are refused before any arithmetic.
pub(super) const MAX_EXPONENT: i64 = 1 << 20;
const MAX_DIGITS: usize = 1300;

/// Where a value stands in the file; written like `tree[3].leaf.judgements[7].d`.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Root,
    Field(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(crate) fn field(&'a self, name: &'a str) -> Place<'a> {
        Place::Field(self, name)
    }

    pub(crate) fn index(&'a self, i: usize) -> Place<'a> {
        Place::Index(self, i)
    }

    /// The error that something else stands here.
    pub(crate) fn expected(&self, expected: impl fmt::Display, found: impl fmt::Display) -> CheckError {
        CheckError::Value {
            place: self.to_string(),
            expected: expected.to_string(),
            found: shorten(found.to_string()),
        }
    }

    /// The error that the number which belongs here is not the one that stands here.
    pub(super) fn differs(&self, expected: impl fmt::Display, found: impl fmt::Display) -> CheckError {
        CheckError::Differs {
            place: self.to_string(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Root => f.write_str("the certificate"),
            Place::Field(Place::Root, name) => f.write_str(name),
            Place::Field(parent, name) => write!(f, "{parent}.{name}"),
            Place::Index(parent, i) => write!(f, "{parent}[{i}]"),
        }
    }
}

fn shorten(text: String) -> String {
    const LENGTH: usize = 60;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A value in an error message.
impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Integer(value) => write!(f, "{value}"),
            Json::Text(text) => write!(f, "{text:?}"),
            Json::Array(items) => write!(f, "an array of {}", items.len()),
            Json::Object(fields) => write!(f, "an object of {} fields", fields.len()),
        }
    }
}

/// The values of an object that has these fields and no other, in whatever order.
pub(crate) fn object<'v, 'a, const N: usize>(
    value: &'v Json<'a>,
    place: &Place<'_>,
    names: [&str; N],
) -> Result<[&'v Json<'a>; N], CheckError> {
    let Json::Object(fields) = value else { return Err(place.expected("an object", value)) };
    if let Some((unknown, _)) = fields.iter().find(|(name, _)| !names.contains(&name.as_ref())) {
        return Err(place.expected(format!("no fields but {}", names.join(", ")), format!("{unknown:?}")));
    }
    // Where nothing is missing every place is filled.
    let mut values = [value; N];
    for (slot, name) in values.iter_mut().zip(names) {
        *slot = field(value, name).ok_or_else(|| place.field(name).expected("a value", "none"))?;
    }
    Ok(values)
}

/// A field of an object, if the value is an object and has it.
pub(crate) fn field<'v, 'a>(value: &'v Json<'a>, name: &str) -> Option<&'v Json<'a>> {
    let Json::Object(fields) = value else { return None };
    fields.iter().find(|(other, _)| other == name).map(|(_, value)| value)
}

pub(crate) fn array<'v, 'a>(value: &'v Json<'a>, place: &Place<'_>) -> Result<&'v [Json<'a>], CheckError> {
    match value {
        Json::Array(items) => Ok(items),
        _ => Err(place.expected("an array", value)),
    }
}

/// The items of an array that has to have so many.
pub(super) fn array_of<'v, 'a>(
    value: &'v Json<'a>,
    length: usize,
    place: &Place<'_>,
) -> Result<&'v [Json<'a>], CheckError> {
    let items = array(value, place)?;
    if items.len() == length {
        Ok(items)
    } else {
        Err(place.expected(format!("an array of {length}"), value))
    }
}

pub(crate) fn text<'v>(value: &'v Json<'_>, place: &Place<'_>) -> Result<&'v str, CheckError> {
    match value {
        Json::Text(text) => Ok(text),
        _ => Err(place.expected("a string", value)),
    }
}

/// An integer that is at least `from` and less than `end`.
pub(crate) fn place_between(
    value: &Json<'_>,
    from: usize,
    end: usize,
    place: &Place<'_>,
) -> Result<usize, CheckError> {
    match value {
        Json::Integer(i) => usize::try_from(*i).ok().filter(|i| (from..end).contains(i)),
        _ => None,
    }
    .ok_or_else(|| place.expected(format!("an integer of {from}..{end}"), value))
}

/// Whether this is how an integer is written: `-17`, without zeros in front, and not `-0`.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain && (text == "0" || !digits.starts_with('0'))
}

fn integer(text: &str) -> Option<IBig> {
    (text.len() <= MAX_DIGITS && is_integer(text)).then(|| text.parse().ok())?
}

/// `"17p-43"` with an odd integer, or `"0"`.
pub(super) fn dyadic(value: &Json<'_>, place: &Place<'_>) -> Result<Dyadic, CheckError> {
    let read = |text: &str| {
        if text == "0" {
            return Some(Dyadic::ZERO);
        }
        let (mantissa, exponent) = text.split_once('p')?;
        let exponent: i64 = exponent.parse().ok().filter(|_| is_integer(exponent))?;
        let number = Dyadic::new(integer(mantissa)?, exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT));
        // An even mantissa would have changed the exponent.
        (number.exponent() == exponent && !number.is_zero()).then_some(number)
    };
    read(text(value, place)?)
        .ok_or_else(|| place.expected("MpE with an odd integer M and |E| <= 2^20, or 0", value))
}

/// `[lo, hi]`, in order.
pub(super) fn interval(value: &Json<'_>, place: &Place<'_>) -> Result<Enclosure, CheckError> {
    let ends = array_of(value, 2, place)?;
    let (lo, hi) = (dyadic(&ends[0], &place.index(0))?, dyadic(&ends[1], &place.index(1))?);
    Enclosure::new(lo, hi).ok_or_else(|| place.expected("ends in order", "a lower end above the upper one"))
}

/// `n/d` in lowest terms, or an integer.
pub(crate) fn fraction(text: &str) -> Option<Rational> {
    let Some((numerator, denominator)) = text.split_once('/') else {
        return integer(text).map(Rational::from);
    };
    let (numerator, denominator) = (integer(numerator)?, integer(denominator)?);
    let value = Rational::new(numerator.clone(), denominator.clone())?;
    // What `Rational` keeps is in lowest terms, and its denominator is positive.
    let lowest = value.numerator() == numerator && IBig::from(value.denominator()) == denominator;
    (lowest && !value.is_integer()).then_some(value)
}

/// [`fraction`] of a value.
pub(crate) fn rational(value: &Json<'_>, place: &Place<'_>) -> Result<Rational, CheckError> {
    fraction(text(value, place)?)
        .ok_or_else(|| place.expected("a fraction in lowest terms, or an integer", value))
}
