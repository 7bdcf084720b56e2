//! Finite distributions with exact masses.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Debug;

use lastbit_real::Rational;

/// Finitely many values with masses of at most 1 together. What is missing to 1 is the probability that there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubDistribution<T: Ord>(BTreeMap<T, Rational>);

/// Masses that are no sub-distribution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MassError<T: Debug> {
    /// A mass is below 0.
    #[error("the mass of {value:?} is {mass}, which is negative")]
    Negative {
        /// The value with the negative mass.
        value: T,
        /// The negative mass.
        mass: Rational,
    },
    /// A value occurs twice.
    #[error("{value:?} has two masses")]
    Repeated {
        /// The value that occurs twice.
        value: T,
    },
    /// The masses add up to more than 1.
    #[error("the masses add up to {total}, which is more than 1")]
    TooMuch {
        /// Their sum.
        total: Rational,
    },
}

impl<T: Ord + Clone> SubDistribution<T> {
    /// The sub-distribution of these masses. A value of mass 0 may be given; it is not in the support.
    ///
    /// # Errors
    /// [`MassError`]
    pub fn new(masses: impl IntoIterator<Item = (T, Rational)>) -> Result<Self, MassError<T>>
    where
        T: Debug,
    {
        let mut known = BTreeMap::new();
        for (value, mass) in masses {
            if mass.is_negative() {
                return Err(MassError::Negative { value, mass });
            }
            match known.entry(value) {
                Entry::Occupied(entry) => return Err(MassError::Repeated { value: entry.key().clone() }),
                Entry::Vacant(entry) => entry.insert(mass),
            };
        }
        known.retain(|_, mass| !mass.is_zero());
        let total: Rational = known.values().sum();
        if total > Rational::ONE { Err(MassError::TooMuch { total }) } else { Ok(SubDistribution(known)) }
    }

    /// All of the mass at one value.
    pub fn point(value: T) -> Self {
        SubDistribution([(value, Rational::ONE)].into())
    }

    /// The mass of a value.
    pub fn mass(&self, value: &T) -> Rational {
        self.0.get(value).cloned().unwrap_or_default()
    }

    /// The values of positive mass with their masses, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&T, &Rational)> {
        self.0.iter()
    }

    /// The values of positive mass, in order.
    pub fn support(&self) -> impl Iterator<Item = &T> {
        self.0.keys()
    }

    /// The mass of all values.
    pub fn total(&self) -> Rational {
        self.0.values().sum()
    }

    /// The mass of the values in an event.
    pub fn mass_of(&self, event: impl Fn(&T) -> bool) -> Rational {
        self.iter().filter(|(value, _)| event(value)).map(|(_, mass)| mass).sum()
    }

    /// The distribution of `f(x)`.
    pub fn map<U: Ord + Clone>(&self, f: impl Fn(&T) -> U) -> SubDistribution<U> {
        let mut image = BTreeMap::new();
        for (value, mass) in &self.0 {
            let known: &mut Rational = image.entry(f(value)).or_default();
            *known = &*known + mass;
        }
        SubDistribution(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masses(values: &[(i32, &str)]) -> Result<SubDistribution<i32>, MassError<i32>> {
        SubDistribution::new(values.iter().map(|(value, mass)| (*value, mass.parse().unwrap())))
    }

    #[test]
    fn masses_are_checked() {
        let negative = MassError::Negative { value: 1, mass: "-1/2".parse().unwrap() };
        assert_eq!(masses(&[(0, "1"), (1, "-1/2")]), Err(negative));
        assert_eq!(masses(&[(0, "0"), (0, "1/2")]), Err(MassError::Repeated { value: 0 }));
        let total = "10/9".parse().unwrap();
        assert_eq!(masses(&[(0, "1/9"), (1, "1")]), Err(MassError::TooMuch { total }));
        assert!(masses(&[]).unwrap().total().is_zero());
    }

    #[test]
    fn images_add_up() {
        let third = masses(&[(-1, "1/3"), (0, "0"), (1, "1/3"), (2, "1/4")]).unwrap();
        assert_eq!(third.support().count(), 3);
        assert_eq!(third.map(|x| x.abs()), masses(&[(1, "2/3"), (2, "1/4")]).unwrap());
        assert_eq!(third.mass_of(|x| *x > 0), "7/12".parse().unwrap());
        assert_eq!(third.total(), "11/12".parse().unwrap());
    }
}
