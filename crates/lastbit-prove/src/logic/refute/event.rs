//! Events: sets of outputs, one condition an output.

use std::collections::BTreeSet;
use std::fmt;

use lastbit_audit::continuous::HalfSpace;
use lastbit_real::Rational;

/// A condition on one returned value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// This truth value.
    Is(bool),
    /// This number.
    Equals(Rational),
    /// A number at most this.
    AtMost(Rational),
    /// A number at least this.
    AtLeast(Rational),
    /// A number that is none of these.
    Except(BTreeSet<Rational>),
}

/// A set of outputs: every value that is returned satisfies its part.
///
/// ```
/// use lastbit_prove::logic::refute::{Event, Part};
///
/// let event = Event { parts: vec![Part::Is(false), Part::Is(true)] };
/// assert_eq!(event.to_string(), "r = (false, true)");
/// let event = Event { parts: vec![Part::Equals(0.into()), Part::AtMost((-3).into())] };
/// assert_eq!(event.to_string(), "r[0] = 0 and r[1] <= -3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The parts, one for each returned value.
    pub parts: Vec<Part>,
}

/// A value that a path returns, as a function of its noises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// A truth value.
    Truth(bool),
    /// A number whatever the noises are.
    Number(Rational),
    /// A linear form in the noises that is no number.
    Noisy(HalfSpace),
}

impl Part {
    /// Where the noises must lie for the output to be in this part; `None` if they almost never do.
    fn region(&self, output: &Output) -> Option<Vec<HalfSpace>> {
        let decided = |holds: bool| holds.then(Vec::new);
        match (self, output) {
            (Part::Is(wanted), Output::Truth(value)) => decided(wanted == value),
            (Part::Is(_), _) | (_, Output::Truth(_)) => None,
            (Part::Equals(wanted), Output::Number(value)) => decided(wanted == value),
            (Part::AtMost(most), Output::Number(value)) => decided(value <= most),
            (Part::AtLeast(least), Output::Number(value)) => decided(value >= least),
            (Part::Except(excepted), Output::Number(value)) => decided(!excepted.contains(value)),
            // A continuous value is none of finitely many, almost surely.
            (Part::Equals(_), Output::Noisy(_)) => None,
            (Part::Except(_), Output::Noisy(_)) => Some(Vec::new()),
            (Part::AtLeast(least), Output::Noisy(form)) => {
                Some(vec![HalfSpace::new(form.coefficients.clone(), &form.constant - least)])
            }
            (Part::AtMost(most), Output::Noisy(form)) => {
                Some(vec![HalfSpace::new(form.coefficients.clone(), &form.constant - most).complement()])
            }
        }
    }

    fn condition(&self, name: &str) -> Option<String> {
        match self {
            Part::Is(value) => Some(format!("{name} = {value}")),
            Part::Equals(value) => Some(format!("{name} = {value}")),
            Part::AtMost(most) => Some(format!("{name} <= {most}")),
            Part::AtLeast(least) => Some(format!("{name} >= {least}")),
            Part::Except(excepted) => {
                let each: Vec<String> = excepted.iter().map(|value| format!("{name} != {value}")).collect();
                (!each.is_empty()).then(|| each.join(" and "))
            }
        }
    }

    /// The one value that it allows, as text.
    fn only(&self) -> Option<String> {
        match self {
            Part::Is(value) => Some(value.to_string()),
            Part::Equals(value) => Some(value.to_string()),
            _ => None,
        }
    }
}

impl Event {
    /// Where the noises must lie for the outputs to be in the event; `None` if they almost never do.
    pub(super) fn region(&self, outputs: &[Output]) -> Option<Vec<HalfSpace>> {
        if self.parts.len() != outputs.len() {
            return None;
        }
        let regions = self.parts.iter().zip(outputs).map(|(part, output)| part.region(output));
        Some(regions.collect::<Option<Vec<_>>>()?.concat())
    }
}

/// `r` is what is returned.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.parts.as_slice() {
            return f.write_str(&only.condition("r").unwrap_or_else(|| "any output".to_owned()));
        }
        if let Some(values) = self.parts.iter().map(Part::only).collect::<Option<Vec<_>>>() {
            return write!(f, "r = ({})", values.join(", "));
        }
        let parts = self.parts.iter().enumerate();
        let conditions: Vec<String> =
            parts.filter_map(|(i, part)| part.condition(&format!("r[{i}]"))).collect();
        match conditions.is_empty() {
            true => f.write_str("any output"),
            false => f.write_str(&conditions.join(" and ")),
        }
    }
}
