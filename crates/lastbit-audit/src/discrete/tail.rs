//! Numbers that come of the tail of a sample: all that is known is between which numbers they lie.

use std::cmp::Ordering;

use lastbit_real::Rational;

/// A number between two others. `None` is infinite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tail {
    pub(super) lo: Option<Rational>,
    pub(super) hi: Option<Rational>,
}

impl Tail {
    /// Any number.
    const LINE: Tail = Tail { lo: None, hi: None };

    pub(super) fn point(value: &Rational) -> Tail {
        Tail { lo: Some(value.clone()), hi: Some(value.clone()) }
    }

    /// The number, if there is only one.
    pub(super) fn only(&self) -> Option<&Rational> {
        self.lo.as_ref().filter(|_| self.lo == self.hi)
    }

    pub(super) fn neg(&self) -> Tail {
        let neg = |end: &Option<Rational>| end.as_ref().map(|end| -end);
        Tail { lo: neg(&self.hi), hi: neg(&self.lo) }
    }

    pub(super) fn add(&self, other: &Tail) -> Tail {
        let add = |a: &Option<Rational>, b: &Option<Rational>| Some(a.as_ref()? + b.as_ref()?);
        Tail { lo: add(&self.lo, &other.lo), hi: add(&self.hi, &other.hi) }
    }

    pub(super) fn mul(&self, other: &Tail) -> Tail {
        let (Some(factor), tail) = (match other.only() {
            Some(factor) => (Some(factor), self),
            None => (self.only(), other),
        }) else {
            return Tail::LINE;
        };
        if factor.is_zero() {
            return Tail::point(factor);
        }
        let tail = if factor.is_negative() { &tail.neg() } else { tail };
        tail.map(|end| end * factor.abs())
    }

    pub(super) fn lesser(&self, other: &Tail) -> Tail {
        let lo = match (&self.lo, &other.lo) {
            (Some(a), Some(b)) => Some(a.min(b).clone()),
            _ => None,
        };
        // An infinite upper end is no bound.
        let hi = match (&self.hi, &other.hi) {
            (Some(a), Some(b)) => Some(a.min(b).clone()),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Tail { lo, hi }
    }

    /// The image under a function that grows.
    pub(super) fn map(&self, grow: impl Fn(&Rational) -> Rational) -> Tail {
        Tail { lo: self.lo.as_ref().map(&grow), hi: self.hi.as_ref().map(&grow) }
    }

    /// How every number of this one compares with every number of the other, if all do alike.
    pub(super) fn compare(&self, other: &Tail) -> Option<Ordering> {
        if let (Some(a), Some(b)) = (self.only(), other.only()) {
            return Some(a.cmp(b));
        }
        let below = |a: &Tail, b: &Tail| matches!((&a.hi, &b.lo), (Some(hi), Some(lo)) if hi < lo);
        match (below(self, other), below(other, self)) {
            (true, _) => Some(Ordering::Less),
            (_, true) => Some(Ordering::Greater),
            _ => None,
        }
    }
}
