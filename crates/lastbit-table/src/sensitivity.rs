//! How far one unit can move the integers of an answer. The proofs are in `docs/release.md` of the repository.

use lastbit_real::Rational;

/// How far the integers of a component, over all groups, move when a unit is added to or removed from the table: in grid steps, and reached by some table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sensitivity {
    /// The largest sum of absolute differences.
    pub l1: Rational,
    /// The largest sum of squared differences.
    pub l2_squared: Rational,
    /// The largest difference of one integer.
    pub largest: Rational,
    /// The groups in which there are differences, at most.
    pub groups: u64,
}

impl Sensitivity {
    /// That of a unit which counts in at most `groups` groups, and whose integers in each of them have absolute values of at most `magnitude` together.
    pub(crate) fn of_groups(groups: u64, magnitude: &Rational) -> Sensitivity {
        let count = Rational::from(groups);
        Sensitivity {
            l1: &count * magnitude,
            l2_squared: count * magnitude * magnitude,
            largest: magnitude.clone(),
            groups,
        }
    }

    /// That of scores: a unit moves each of so many in a group by at most `largest`.
    pub(crate) fn of_scores(groups: u64, candidates: u64, largest: &Rational) -> Sensitivity {
        let count = Rational::from(groups) * Rational::from(candidates);
        Sensitivity {
            l1: &count * largest,
            l2_squared: count * largest * largest,
            largest: largest.clone(),
            groups,
        }
    }
}
