//! Which part of a sampler decided, told from outside.

use std::collections::BTreeMap;
use std::fmt;

/// The tier that decided an output.
///
/// # Why the refinement words tell
///
/// A value's first word, or the first one and half of another, come from the main stream, and tier 1 sees nothing else. What it leaves goes to
/// the other tiers, which always ask for a refinement word before they try: tier 2 as long as it has not seen the 127 bits that it reads, then
/// tier 3. With `w - 1` bits of `U` from the first word of `w` bits, perhaps `w/2` from the second, and `w` from each refinement, that is after
/// `128/w - 1` of them.
///
/// Values of several words (the discrete Gaussian's) count by their most refined one.
///
/// Pairs (the Gaussian's) show less: there all tiers try what the first words say, before more are asked for, and with 64-bit words tier 2 never sees more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The first words of a pair decided, by whatever tier.
    FirstWords,
    /// Float arithmetic on the first words.
    One,
    /// Fixed point on up to 127 bits.
    Two,
    /// Arbitrary precision.
    Three,
}

impl Tier {
    /// The tier that decided after so many refinement words of this width.
    pub(super) fn after(refinements: u32, width: u32) -> Tier {
        match (refinements, 128 / width - 1) {
            (0, _) => Tier::One,
            (asked, most) if asked <= most => Tier::Two,
            _ => Tier::Three,
        }
    }

    /// The tier that decided a pair after so many rounds of refinement: tier 2 reads 127 bits of `U`, of which the first words have one and a half times
    /// their width, but for the sign.
    pub(super) fn of_pair(rounds: u32, width: u32) -> Tier {
        match (rounds, (128 - 3 * width / 2) / width) {
            (0, _) => Tier::FirstWords,
            (asked, most) if asked <= most => Tier::Two,
            _ => Tier::Three,
        }
    }

    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Tier::FirstWords => "the first words",
            Tier::One => "tier 1",
            Tier::Two => "tier 2",
            Tier::Three => "tier 3",
        }
    }
}

/// The number of leaves that each tier decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tiers(BTreeMap<Tier, u64>);

impl Tiers {
    pub(super) fn count(&mut self, tier: Tier) {
        *self.0.entry(tier).or_default() += 1;
    }

    /// The number of leaves that this tier decided.
    pub fn of(&self, tier: Tier) -> u64 {
        self.0.get(&tier).copied().unwrap_or(0)
    }

    /// The tiers that decided any, with how many.
    pub fn iter(&self) -> impl Iterator<Item = (Tier, u64)> + '_ {
        self.0.iter().map(|(tier, count)| (*tier, *count))
    }
}

impl fmt::Display for Tiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (tier, count)) in self.iter().enumerate() {
            write!(f, "{}{} decided {count}", if i == 0 { "" } else { ", " }, tier.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refinements_of_each_width() {
        let tiers = |width, refinements: &[u32]| {
            refinements.iter().map(|r| Tier::after(*r, width)).collect::<Vec<_>>()
        };
        use Tier::{One, Three, Two};
        assert_eq!(tiers(64, &[0, 1, 2]), [One, Two, Three]);
        assert_eq!(tiers(8, &[0, 1, 14, 15, 16]), [One, Two, Two, Two, Three]);
        assert_eq!(tiers(2, &[0, 62, 63, 64]), [One, Two, Two, Three]);
    }

    #[test]
    fn refinements_of_pairs() {
        let tiers =
            |width, rounds: &[u32]| rounds.iter().map(|r| Tier::of_pair(*r, width)).collect::<Vec<_>>();
        use Tier::{FirstWords, Three, Two};
        // 95 bits and 64 more are beyond 127; 2 bits and 62 times 2 are not.
        assert_eq!(tiers(64, &[0, 1]), [FirstWords, Three]);
        assert_eq!(tiers(8, &[0, 1, 14, 15]), [FirstWords, Two, Two, Three]);
        assert_eq!(tiers(2, &[0, 62, 63]), [FirstWords, Two, Three]);
    }
}
