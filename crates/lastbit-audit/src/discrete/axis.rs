//! The numbers at one place of the output.
//!
//! A sample that is returned without anybody having looked at it has infinitely many values. Beyond the centres of all such
//! samples, and whatever else can happen at a point, every probability falls by the same factor from one value to the next: the
//! ratio of the two runs does not change any more. So all values from there on are one outcome, and nothing is lost.

use std::collections::BTreeMap;
use std::fmt;

use lastbit_real::{IBig, Rational};

use super::law::{LawId, Laws, Rate};
use super::number::Number;
use super::state::{Sample, SampleId, Value};

/// Most progressions that a tail is made of.
const MAX_PROGRESSIONS: u64 = 1 << 10;

/// Values of one element of the output that need not be told apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cell {
    Bool(bool),
    Point(Rational),
    /// This, and on in steps of this.
    Tail(Rational, Rational),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Bool(value) => write!(f, "{value}"),
            Cell::Point(value) => write!(f, "{value}"),
            Cell::Tail(first, step) => write!(f, "{{{first}, {}, …}}", first + step),
        }
    }
}

/// `offset + step·Z` for a sample `Z` between two numbers; the step is positive.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) offset: Rational,
    pub(super) step: Rational,
    pub(super) law: LawId,
    pub(super) lo: Option<IBig>,
    pub(super) hi: Option<IBig>,
}

impl Line {
    pub(super) fn at(&self, z: &IBig) -> Rational {
        &self.offset + &self.step * Rational::from(z.clone())
    }

    pub(super) fn is_infinite(&self) -> bool {
        self.lo.is_none() || self.hi.is_none()
    }

    /// Where its probabilities do something else than fall by a constant factor.
    fn corners(&self) -> impl Iterator<Item = Rational> {
        let ends = [&self.lo, &self.hi].map(|end| end.as_ref().map(|end| self.at(end)));
        ends.into_iter().flatten().chain([self.offset.clone()])
    }
}

/// An element of an output.
#[derive(Clone)]
pub(super) enum Element {
    Bool(bool),
    Number(Rational),
    Line(Line),
}

impl Element {
    /// A value that has been returned; `None` if it cannot be.
    pub(super) fn of(value: Value, samples: &BTreeMap<SampleId, Sample>) -> Option<Element> {
        match value {
            Value::Bool(value) => Some(Element::Bool(value)),
            Value::Number(Number::Exact(value)) => Some(Element::Number(value)),
            Value::Number(Number::Noisy(noisy)) => {
                let sample = samples.get(&noisy.sample)?.clone();
                // The law is symmetric.
                let (lo, hi) = match noisy.slope.is_negative() {
                    true => (sample.hi.map(|hi| -hi), sample.lo.map(|lo| -lo)),
                    false => (sample.lo, sample.hi),
                };
                let line = Line { offset: noisy.offset, step: noisy.slope.abs(), law: sample.law, lo, hi };
                Some(Element::Line(line))
            }
            _ => None,
        }
    }
}

/// What goes on beyond all corners.
pub(super) struct Beyond {
    /// The rate at which probabilities fall.
    pub(super) rate: Rate,
    /// The least step, and a common multiple of all.
    pub(super) least: Rational,
    pub(super) multiple: Rational,
}

/// The numbers at one place of the output.
#[derive(Default)]
pub(super) struct Axis {
    /// The least and the greatest corner.
    pub(super) ends: Option<[Rational; 2]>,
    pub(super) beyond: Option<Beyond>,
    /// Probabilities fall at different rates, or at one that is not known exactly: ratios go on changing.
    pub(super) is_mixed: bool,
}

impl Axis {
    pub(super) fn include(&mut self, element: &Element, laws: &Laws) {
        let corners: Vec<Rational> = match element {
            Element::Bool(_) => Vec::new(),
            Element::Number(value) => vec![value.clone()],
            Element::Line(line) => line.corners().collect(),
        };
        for corner in corners {
            self.ends = Some(match self.ends.take() {
                None => [corner.clone(), corner],
                Some([lo, hi]) => [lo.min(corner.clone()), hi.max(corner)],
            });
        }
        if let Element::Line(line) = element
            && line.is_infinite()
        {
            self.go_on(&line.step, laws.rate(line.law));
        }
    }

    /// Numbers go on beyond the corners with this step, and this rate for a step.
    fn go_on(&mut self, step: &Rational, rate: &Rate) {
        let rate = rate.times(&(Rational::ONE / step));
        let beyond = self.beyond.get_or_insert_with(|| Beyond {
            rate: rate.clone(),
            least: step.clone(),
            multiple: step.clone(),
        });
        // a/b = p/q in lowest terms: a·q = b·p is the least common multiple.
        let quotient = &beyond.multiple / step;
        beyond.multiple = &beyond.multiple * Rational::from(quotient.denominator());
        beyond.least = (&beyond.least).min(step).clone();
        let progressions = &beyond.multiple / &beyond.least;
        let is_one_rate = rate.is_known() && rate == beyond.rate;
        self.is_mixed |= !is_one_rate || progressions > Rational::from(MAX_PROGRESSIONS);
    }
}
