//! Events: what somebody who sees an output may look for in it.

use std::fmt;

use lastbit_real::Float;

use super::value::{Ending, Value};

/// How many values of a set are shown.
const SHOWN: usize = 4;

/// An event of one output `y`.
///
/// ```
/// use lastbit_audit::black_box::Event;
///
/// let fine = Event::Not(Box::new(Event::Multiple { exponent: -53 }));
/// assert_eq!(fine.to_string(), "y is not a multiple of 2^-53");
/// assert!(fine.holds(0.1) && !fine.holds(0.75));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// `y` is this value, bit by bit.
    Value(Value),
    /// `y <= t`.
    AtMost(f64),
    /// `y >= t`.
    AtLeast(f64),
    /// `y` is a multiple of `2^exponent`.
    Multiple {
        /// The exponent.
        exponent: i32,
    },
    /// The last bits of the significand of `y` are zero: all of them, for the number 0.
    TrailingZeros {
        /// At least so many.
        least: u32,
    },
    /// `y` is `x` plus some double: `x ⊕ (y ⊖ x) = y`.
    Reachable {
        /// The input `x`.
        from: f64,
    },
    /// `y` is one of these values, which are sorted.
    OneOf(Vec<Value>),
    /// The event does not happen.
    Not(Box<Event>),
}

impl Event {
    /// Whether the event happens when `y` comes out.
    pub fn holds(&self, y: f64) -> bool {
        match self {
            Event::Value(value) => Value::from(y) == *value,
            Event::AtMost(t) => y <= *t,
            Event::AtLeast(t) => y >= *t,
            Event::Multiple { exponent } => Ending::of(y).is_some_and(|ending| ending.is_multiple(*exponent)),
            Event::TrailingZeros { least } => Ending::of(y).is_some_and(|ending| ending.has_zeros(*least)),
            Event::Reachable { from } => from + (y - from) == y,
            Event::OneOf(values) => values.binary_search(&Value::from(y)).is_ok(),
            Event::Not(event) => !event.holds(y),
        }
    }

    /// The event that happens when this one does not.
    pub(crate) fn complement(self) -> Event {
        match self {
            Event::Not(event) => *event,
            event => Event::Not(Box::new(event)),
        }
    }

    /// Writes the event, or its complement.
    fn write(&self, f: &mut fmt::Formatter<'_>, holds: bool) -> fmt::Result {
        let (is, equals) = if holds { ("is", "=") } else { ("is not", "!=") };
        match self {
            Event::Value(value) if f64::from(*value).is_nan() => write!(f, "y {is} NaN"),
            Event::Value(value) => write!(f, "y {equals} {value}"),
            Event::AtMost(t) => write!(f, "{}y <= {}", if holds { "" } else { "not " }, t.to_short()),
            Event::AtLeast(t) => write!(f, "{}y >= {}", if holds { "" } else { "not " }, t.to_short()),
            Event::Multiple { exponent } => write!(f, "y {is} a multiple of 2^{exponent}"),
            Event::TrailingZeros { least } => {
                let how_many = if holds { "at least" } else { "fewer than" };
                write!(f, "the significand of y ends in {how_many} {least} zeros")
            }
            Event::Reachable { from } => {
                let x = from.to_short();
                write!(f, "y {equals} {x} + (y - {x}) in doubles")
            }
            Event::OneOf(values) => {
                let is = if holds { "one" } else { "none" };
                write!(f, "y is {is} of {} values: ", values.len())?;
                let shown: Vec<String> = values.iter().take(SHOWN).map(Value::to_string).collect();
                write!(f, "{}{}", shown.join(", "), if values.len() > SHOWN { ", …" } else { "" })
            }
            Event::Not(event) => event.write(f, !holds),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Event> {
        vec![
            Event::Value(Value::from(f64::NAN)),
            Event::Value(Value::from(-0.0)),
            Event::AtMost(0.5),
            Event::AtLeast(0.5),
            Event::Multiple { exponent: -3 },
            Event::TrailingZeros { least: 50 },
            Event::Reachable { from: 1.0 },
            Event::OneOf([-1.0, 0.0, 0.125, 2.0, 1e300].map(Value::from).to_vec()),
        ]
    }

    #[test]
    fn in_words() {
        let words: Vec<String> =
            all().into_iter().flat_map(|event| [event.to_string(), event.complement().to_string()]).collect();
        let expected = [
            "y is NaN",
            "y is not NaN",
            "y = -0",
            "y != -0",
            "y <= 0.5",
            "not y <= 0.5",
            "y >= 0.5",
            "not y >= 0.5",
            "y is a multiple of 2^-3",
            "y is not a multiple of 2^-3",
            "the significand of y ends in at least 50 zeros",
            "the significand of y ends in fewer than 50 zeros",
            "y = 1 + (y - 1) in doubles",
            "y != 1 + (y - 1) in doubles",
            "y is one of 5 values: -1, 0, 0.125, 2, …",
            "y is none of 5 values: -1, 0, 0.125, 2, …",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn on_all_kinds_of_doubles() {
        let outputs = [f64::NAN, f64::INFINITY, -0.0, 0.0, 0.125, 0.1, 1e300];
        let expected = [
            [true, false, false, false, false, false, false],
            [false, false, true, false, false, false, false],
            [false, false, true, true, true, true, false],
            [false, true, false, false, false, false, true],
            [false, false, true, true, true, false, true],
            [false, false, true, true, true, false, false],
            [false, true, true, true, true, false, true],
            [false, false, false, true, true, false, true],
        ];
        for (event, expected) in all().into_iter().zip(expected) {
            assert_eq!(outputs.map(|y| event.holds(y)), expected, "{event}");
            let complement = event.clone().complement();
            assert_eq!(outputs.map(|y| !complement.holds(y)), expected, "{complement}");
            assert_eq!(complement.complement(), event);
        }
    }
}
