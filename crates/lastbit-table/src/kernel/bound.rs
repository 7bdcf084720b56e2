//! Bounds: each unit keeps a few groups, and counts and sums of its rows in each of them are clipped.

use std::ops::Range;

use super::Totals;
use super::collect::{Pairs, Values};
use super::order::{Message, Order};
use super::record::Layout;
use super::store::Store;
use crate::code::Code;
use crate::error::TableError;
use crate::plan::{Component, Plan, Reading, Tally};

/// The bounds of a plan, and how they are applied.
pub(super) struct Bounding<'a> {
    plan: &'a Plan,
    order: Order,
    /// All components of all queries: the places of their integers in a group, and what they are.
    tallies: Vec<(Range<usize>, Tally)>,
    #[cfg(test)]
    pub(super) mutant: Option<super::tests::Mutant>,
}

/// The hash of a pair, its group and its place; the tuple is compared without calls, which arrays are not.
type Ranked = (u128, u128, u32, u32);

/// What a unit has in one group, before it is clipped.
struct Contribution<'a> {
    rows: u64,
    values: &'a [Values],
    /// Slots, bins and their rows.
    bins: &'a [(u32, u32, u64)],
}

impl<'a> Bounding<'a> {
    pub(super) fn of(plan: &'a Plan) -> Bounding<'a> {
        let components = plan.queries.iter().flat_map(|query| &query.components);
        let place = |component: &Component| component.tallied.clone();
        Bounding {
            plan,
            order: Order::of(plan),
            tallies: components.map(|component| (place(component), component.tally.clone())).collect(),
            #[cfg(test)]
            mutant: None,
        }
    }

    #[cfg(test)]
    fn is(&self, mutant: super::tests::Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// Adds what the units of a partition contribute.
    pub(super) fn partition(
        &self,
        layout: &Layout,
        store: &Store,
        partition: usize,
        totals: &mut Totals,
    ) -> Result<(), TableError> {
        let pairs = Pairs::collect(self.plan, layout, store, partition)?;
        let bins = pairs.sorted_bins();
        let (mut hashed, mut own_bins, mut message) = (Vec::new(), Vec::new(), self.order.message());
        let by_unit = pairs.by_unit();
        for unit in by_unit.chunk_by(|one, next| self.same_unit(one.0, next.0)) {
            let code = unit[0].0;
            for pair in self.kept(&pairs, unit, &mut message, &mut hashed, totals) {
                let start = bins.partition_point(|bin| bin.0.0 < pair);
                own_bins.clear();
                let of_pair = bins[start..].iter().take_while(|bin| bin.0.0 == pair);
                own_bins.extend(of_pair.map(|&((_, slot, bin), rows)| (slot, bin, rows)));
                let first = pair as usize * pairs.slots;
                let found = &pairs.pairs[pair as usize];
                let values = &pairs.values[first..first + pairs.slots];
                let contribution = Contribution { rows: found.rows, values, bins: &own_bins };
                totals.pairs_clipped += u64::from(found.rows > self.plan.rows);
                self.add(code, pairs.long_text(code), found.group, &contribution, totals);
            }
        }
        Ok(())
    }

    fn same_unit(&self, one: Code, next: Code) -> bool {
        #[cfg(test)]
        if self.is(super::tests::Mutant::AcrossUnits) {
            return true;
        }
        one == next
    }

    /// The pairs of a unit that count: all, or as many as may with the least hashes, ties by group.
    fn kept<'b>(
        &self,
        pairs: &Pairs,
        unit: &'b [(Code, u32)],
        message: &mut Message<'_>,
        hashed: &'b mut Vec<Ranked>,
        totals: &mut Totals,
    ) -> impl Iterator<Item = u32> + use<'b> {
        let most = usize::try_from(self.plan.groups).unwrap_or(usize::MAX);
        #[cfg(test)]
        let most = most + usize::from(self.is(super::tests::Mutant::OneGroupMore));
        hashed.clear();
        let cut = unit.len() > most;
        if cut {
            totals.units_cut += 1;
            let code = unit[0].0;
            message.begin(code, pairs.long_text(code));
            let hash = |&(_, pair): &(Code, u32)| {
                let group = pairs.pairs[pair as usize].group;
                let hash = message.group(group);
                #[cfg(test)]
                let hash = self.mutated(hash, group, pair);
                (hash[0], hash[1], group, pair)
            };
            hashed.extend(unit.iter().map(hash));
            hashed.select_nth_unstable(most - 1);
            hashed.truncate(most);
        }
        let whole = if cut { &[] } else { unit };
        hashed.iter().map(|&(.., pair)| pair).chain(whole.iter().map(|&(_, pair)| pair))
    }

    /// Adds what one unit contributes to one group.
    fn add(&self, code: Code, long: &[u8], group: u32, found: &Contribution<'_>, totals: &mut Totals) {
        let most = self.plan.rows;
        #[cfg(test)]
        let most = if self.is(super::tests::Mutant::NoClip) { u64::MAX } else { most };
        let first = group as usize * self.plan.tallied;
        let integers = &mut totals.integers[first..first + self.plan.tallied];
        for (place, tally) in &self.tallies {
            let integers = &mut integers[place.clone()];
            match tally {
                Tally::Units => integers[0] += 1,
                Tally::Rows => integers[0] += i128::from(found.rows.min(most)),
                Tally::Present { slot } => integers[0] += i128::from(found.values[*slot].count.min(most)),
                Tally::Sum { slot, low, high } => {
                    let sum = self.sum(*slot, &found.values[*slot], 0);
                    #[cfg(test)]
                    let (low, high) = if self.is(super::tests::Mutant::NoClip) {
                        (&i128::MIN, &i128::MAX)
                    } else {
                        (low, high)
                    };
                    integers[0] += sum.clamp(*low, *high);
                }
                Tally::Centred { slot, centre } => {
                    let values = &found.values[*slot];
                    integers[0] += scaled(self.sum(*slot, values, *centre), values.count, most);
                }
                Tally::Bins { slot } | Tally::Ranks { slot, .. } => {
                    self.add_bins(code, long, group, *slot as u32, found.bins, integers)
                }
                Tally::Values { slot } => {
                    self.add_values(code, long, group, *slot as u32, found.bins, integers)
                }
            }
        }
    }

    /// The sum of a slot's steps, each less `centre`.
    fn sum(&self, slot: usize, values: &Values, centre: i64) -> i128 {
        #[cfg(test)]
        let centre = if self.is(super::tests::Mutant::NotCentred) { 0 } else { centre };
        // Fewer than 2^63 rows, of fewer than 2^63 steps each.
        let (low, _) = self.plan.slots[slot].reading.range().unwrap_or_default();
        values.sum + i128::from(values.count) * i128::from(low - centre)
    }

    /// Adds the rows of a unit to the bins; if it has too many, its bins are filled in the order of their hashes until as many have counted as may.
    fn add_bins(
        &self,
        code: Code,
        long: &[u8],
        group: u32,
        slot: u32,
        bins: &[(u32, u32, u64)],
        integers: &mut [i128],
    ) {
        let most = self.plan.rows;
        #[cfg(test)]
        let most = if self.is(super::tests::Mutant::NoClip) { u64::MAX } else { most };
        let own = bins.iter().filter(|bin| bin.0 == slot);
        let rows: u128 = own.clone().map(|bin| u128::from(bin.2)).sum();
        if rows <= u128::from(most) {
            own.for_each(|&(_, bin, rows)| integers[bin as usize] += i128::from(rows));
            return;
        }
        let mut left = most;
        for (bin, rows) in self.ordered(code, long, group, slot, own) {
            let counted = rows.min(left);
            integers[bin as usize] += i128::from(counted);
            left -= counted;
        }
    }

    /// Adds 1 to each value that a unit has; if it has too many, to as many as may with the least hashes.
    fn add_values(
        &self,
        code: Code,
        long: &[u8],
        group: u32,
        slot: u32,
        bins: &[(u32, u32, u64)],
        integers: &mut [i128],
    ) {
        let most = usize::try_from(self.plan.rows).unwrap_or(usize::MAX);
        #[cfg(test)]
        let most = if self.is(super::tests::Mutant::NoClip) { usize::MAX } else { most };
        let own = bins.iter().filter(|bin| bin.0 == slot);
        if own.clone().count() <= most {
            own.for_each(|&(_, value, _)| integers[value as usize] += 1);
            return;
        }
        let kept = self.ordered(code, long, group, slot, own).into_iter().take(most);
        kept.for_each(|(value, _)| integers[value as usize] += 1);
    }

    /// The bins of a unit and their rows, in the order of their hashes.
    fn ordered<'b>(
        &self,
        code: Code,
        long: &[u8],
        group: u32,
        slot: u32,
        bins: impl Iterator<Item = &'b (u32, u32, u64)>,
    ) -> Vec<(u32, u64)> {
        let mut message = self.order.message();
        message.begin(code, long);
        let mut ordered = Vec::new();
        ordered.extend(bins.map(|&(_, bin, rows)| (message.bin(group, slot, bin), bin, rows)));
        ordered.sort_unstable();
        ordered.into_iter().map(|(_, bin, rows)| (bin, rows)).collect()
    }

    /// Buffers for rows that are units of their own.
    pub(super) fn row_alone(&self) -> RowAlone<'_, 'a> {
        RowAlone { bounding: self, values: vec![Values::default(); self.plan.slots.len()], bins: Vec::new() }
    }

    /// The hash by which a mutant orders groups.
    #[cfg(test)]
    fn mutated(&self, hash: super::order::Hash, group: u32, pair: u32) -> super::order::Hash {
        use super::tests::Mutant;
        match self.mutant {
            Some(Mutant::HashWithoutUnit) => self.order.message().group(group),
            Some(Mutant::FirstCome) => [u128::from(pair); 2],
            _ => hash,
        }
    }
}

/// A sum of `count` values scaled down to `most` values if there are more, halves up.
///
/// Ensures: at most `most · d` away from 0 if every value is at most `d` away from 0.
fn scaled(sum: i128, count: u64, most: u64) -> i128 {
    if count <= most {
        return sum;
    }
    // |sum| <= count · d and most · d < 2^64, so the product is below 2^127.
    let (product, count) = (sum * i128::from(most), i128::from(count));
    product.div_euclid(count) + i128::from(2 * product.rem_euclid(count) >= count)
}

/// Adds rows, each of which is a unit.
pub(super) struct RowAlone<'a, 'b> {
    bounding: &'a Bounding<'b>,
    values: Vec<Values>,
    bins: Vec<(u32, u32, u64)>,
}

impl RowAlone<'_, '_> {
    #[inline]
    pub(super) fn add(&mut self, group: u32, slots: &[u64], totals: &mut Totals) {
        self.bins.clear();
        for (index, (&value, slot)) in slots.iter().zip(&self.bounding.plan.slots).enumerate() {
            self.values[index] = Values::default();
            match slot.reading {
                _ if value == 0 => {}
                Reading::Steps(_) | Reading::Square(_) => {
                    self.values[index] = Values { count: 1, sum: i128::from(value - 1) }
                }
                Reading::Bin(_) | Reading::Rank(_) | Reading::Value(_) => {
                    self.bins.push((index as u32, (value - 1) as u32, 1))
                }
            }
        }
        let row = Contribution { rows: 1, values: &self.values, bins: &self.bins };
        self.bounding.add(Code::of(&[]), &[], group, &row, totals);
    }
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn scaled_sums_are_rounded_half_up_and_bounded() {
        assert_eq!(scaled(7, 3, 3), 7);
        assert_eq!(scaled(7, 4, 2), 4);
        assert_eq!(scaled(-7, 4, 2), -3);
        assert_eq!(scaled(-9, 4, 2), -4);
        // The largest plan that is allowed, and more rows than any table has.
        let (rows, distance) = ((1u64 << 32) - 1, (1i128 << 32) + 1);
        let count = i64::MAX as u64;
        assert_eq!(scaled(distance * i128::from(count), count, rows), distance * i128::from(rows));
        assert_eq!(scaled(-distance * i128::from(count), count, rows), -distance * i128::from(rows));
    }
}
