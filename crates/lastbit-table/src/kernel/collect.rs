//! The rows of each unit in each group of a partition, together.

use std::collections::HashMap;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::record::Layout;
use super::store::Store;
use crate::code::Code;
use crate::error::TableError;
use crate::hash::{Words, mix};
use crate::plan::{Plan, Reading};

/// Pairs for which room is made at once.
const MOST_EXPECTED: usize = 1 << 17;

/// What a unit has in a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) code: Code,
    pub(super) group: u32,
    pub(super) rows: u64,
}

/// The values of a slot in a pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Values {
    /// Rows with a value.
    pub(super) count: u64,
    /// The sum of their integers, counted from 0.
    pub(super) sum: i128,
}

/// All pairs of a partition.
pub(super) struct Pairs {
    pub(super) pairs: Vec<Pair>,
    /// For each pair the values of each slot. Those of slots with bins are not used.
    pub(super) values: Vec<Values>,
    /// Rows by pair, slot and bin, where rows are told apart by bins or values.
    pub(super) bins: HashMap<(u32, u32, u32), u64, Words>,
    /// Long texts of units, by their numbers.
    pub(super) long: Vec<Box<[u8]>>,
    pub(super) slots: usize,
}

impl Pairs {
    pub(super) fn collect(
        plan: &Plan,
        layout: &Layout,
        store: &Store,
        partition: usize,
    ) -> Result<Pairs, TableError> {
        let slots = plan.slots.len();
        let mut found = Pairs {
            pairs: Vec::new(),
            values: Vec::new(),
            bins: HashMap::default(),
            long: Vec::new(),
            slots,
        };
        let mut numbers: HashMap<Box<[u8]>, u32, Words> = HashMap::default();
        // As many pairs as records at most; many rows in few pairs should not take memory for nothing.
        let expected = (store.size(partition) / layout.shortest()).min(MOST_EXPECTED);
        let mut table = HashTable::with_capacity(expected);
        found.pairs.reserve(expected);
        found.values.reserve(expected * slots);
        let mut row = vec![0; slots];
        store.drain(partition, |mut records| {
            while let Some((mut code, unit, group)) = layout.read(&mut records, &mut row) {
                if code.is_long() {
                    code = Code::numbered(match numbers.get(unit) {
                        Some(number) => *number,
                        None => found.number(&mut numbers, unit),
                    });
                }
                let pair = found.pair(&mut table, code, group)?;
                found.add(plan, pair, &row);
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn number(&mut self, numbers: &mut HashMap<Box<[u8]>, u32, Words>, unit: &[u8]) -> u32 {
        // There are fewer units than pairs, which are limited.
        let number = self.long.len() as u32;
        self.long.push(unit.into());
        numbers.insert(unit.into(), number);
        number
    }

    #[inline]
    fn pair(&mut self, table: &mut HashTable<u32>, code: Code, group: u32) -> Result<u32, TableError> {
        let hash = |pair: &Pair| mix(pair.code.0 ^ u64::from(pair.group).rotate_left(40));
        let pair = Pair { code, group, rows: 0 };
        let same = |index: &u32| {
            let known = &self.pairs[*index as usize];
            known.code == code && known.group == group
        };
        match table.entry(hash(&pair), same, |index| hash(&self.pairs[*index as usize])) {
            Entry::Occupied(entry) => Ok(*entry.get()),
            Entry::Vacant(entry) => {
                let index = u32::try_from(self.pairs.len())
                    .ok()
                    .filter(|&index| index < u32::MAX)
                    .ok_or(TableError::TooManyPairs)?;
                entry.insert(index);
                self.pairs.push(pair);
                self.values.resize(self.values.len() + self.slots, Values::default());
                Ok(index)
            }
        }
    }

    #[inline]
    fn add(&mut self, plan: &Plan, pair: u32, row: &[u64]) {
        self.pairs[pair as usize].rows += 1;
        let first = pair as usize * self.slots;
        for (slot, &value) in row.iter().enumerate().filter(|(_, value)| **value > 0) {
            match plan.slots[slot].reading {
                Reading::Steps(_) | Reading::Square(_) => {
                    let values = &mut self.values[first + slot];
                    values.count += 1;
                    values.sum += i128::from(value - 1);
                }
                Reading::Bin(_) | Reading::Rank(_) | Reading::Value(_) => {
                    *self.bins.entry((pair, slot as u32, (value - 1) as u32)).or_default() += 1
                }
            }
        }
    }

    /// The text of a long unit; empty for others.
    pub(super) fn long_text(&self, code: Code) -> &[u8] {
        match code.is_long() {
            true => &self.long[code.0 as u32 as usize],
            false => &[],
        }
    }

    /// The places of all pairs, those of one unit together.
    pub(super) fn by_unit(&self) -> Vec<(Code, u32)> {
        let mut places: Vec<_> = self.pairs.iter().map(|pair| pair.code).zip(0..).collect();
        places.sort_unstable();
        places
    }

    /// Pairs, slots, bins and their rows, sorted.
    pub(super) fn sorted_bins(&self) -> Vec<((u32, u32, u32), u64)> {
        let mut bins: Vec<_> = self.bins.iter().map(|(place, rows)| (*place, *rows)).collect();
        bins.sort_unstable();
        bins
    }
}
