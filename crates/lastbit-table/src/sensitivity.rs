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
}

impl Sensitivity {
    /// That of a unit which counts in at most `groups` groups, and whose integers in each of them have absolute values of at most `magnitude` together.
    pub(crate) fn of_groups(groups: u64, magnitude: &Rational) -> Sensitivity {
        let groups = Rational::from(groups);
        Sensitivity { l1: &groups * magnitude, l2_squared: groups * magnitude * magnitude }
    }
}
