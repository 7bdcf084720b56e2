//! Rows as bytes: as few as their integers need, since there may be many.

use crate::hash::{hash_bytes, mix};
use crate::plan::Plan;

/// A unit in one word.
///
/// Texts of up to 7 bytes and integers of up to 18 digits, as they are usually written, are told apart by their words. Others share a word with
/// few or none; their records have the text as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UnitCode(pub(super) u64);

const SHORTEST_NUMBER: usize = 8;
const LONGEST_NUMBER: usize = 18;
const KIND: u64 = 0xf << 60;
const NUMBER: u64 = 0x8 << 60;
const LONG: u64 = 0xf << 60;

/// What a code stands for.
pub(super) enum Meaning {
    Short([u8; 7], usize),
    Number(u64),
    /// A text elsewhere.
    Long,
}

impl UnitCode {
    #[inline]
    pub(super) fn of(unit: &[u8]) -> UnitCode {
        if unit.len() < SHORTEST_NUMBER {
            let mut word = [0; 8];
            word[..unit.len()].copy_from_slice(unit);
            word[7] = unit.len() as u8;
            return UnitCode(u64::from_le_bytes(word));
        }
        if unit.len() <= LONGEST_NUMBER && unit[0] != b'0' && unit.iter().all(u8::is_ascii_digit) {
            let number = unit.iter().fold(0, |number, &digit| number * 10 + u64::from(digit - b'0'));
            return UnitCode(NUMBER | number);
        }
        UnitCode(LONG | hash_bytes(unit) >> 4)
    }

    /// The code of the `index`-th long text of a partition, once the texts have been numbered.
    pub(super) fn numbered(index: u32) -> UnitCode {
        UnitCode(LONG | u64::from(index))
    }

    pub(super) fn is_long(self) -> bool {
        self.0 & KIND == LONG
    }

    pub(super) fn meaning(self) -> Meaning {
        match self.0 & KIND {
            LONG => Meaning::Long,
            NUMBER => Meaning::Number(self.0 & !KIND),
            _ => {
                let word = self.0.to_le_bytes();
                let mut text = [0; 7];
                text.copy_from_slice(&word[..7]);
                Meaning::Short(text, usize::from(word[7]))
            }
        }
    }

    /// The number below 256 of the partition that the unit belongs to.
    pub(super) fn partition(self) -> usize {
        (mix(self.0) >> 56) as usize
    }
}

/// The width in bytes of each part of a record.
#[derive(Debug)]
pub(super) struct Layout {
    group: usize,
    slots: Vec<usize>,
}

impl Layout {
    pub(super) fn of(plan: &Plan) -> Layout {
        let group = width(plan.keys().len() as u64 - 1);
        // One value more, for null.
        Layout { group, slots: plan.slots.iter().map(|slot| width(slot.largest() + 1)).collect() }
    }

    /// The bytes of the shortest record.
    pub(super) fn shortest(&self) -> usize {
        8 + self.group + self.slots.iter().sum::<usize>()
    }

    pub(super) fn write(&self, bytes: &mut Vec<u8>, code: UnitCode, unit: &[u8], group: u32, slots: &[u64]) {
        bytes.extend_from_slice(&code.0.to_le_bytes());
        if code.is_long() {
            bytes.extend_from_slice(&(unit.len() as u32).to_le_bytes());
            bytes.extend_from_slice(unit);
        }
        put(bytes, u64::from(group), self.group);
        slots.iter().zip(&self.slots).for_each(|(value, width)| put(bytes, *value, *width));
    }

    /// Takes the next record: its code, the text of a long unit, and its group. `slots` is filled. `None` at the end.
    pub(super) fn read<'a>(
        &self,
        bytes: &mut &'a [u8],
        slots: &mut [u64],
    ) -> Option<(UnitCode, &'a [u8], u32)> {
        let code = UnitCode(take(bytes, 8)?);
        let unit = if code.is_long() {
            let length = take(bytes, 4)? as usize;
            bytes.split_off(..length)?
        } else {
            &[]
        };
        let group = take(bytes, self.group)? as u32;
        for (value, width) in slots.iter_mut().zip(&self.slots) {
            *value = take(bytes, *width)?;
        }
        Some((code, unit, group))
    }
}

/// The bytes that integers up to `largest` need: 0, 1, 2, 4 or 8.
fn width(largest: u64) -> usize {
    match largest {
        0 => 0,
        1..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

#[inline]
fn put(bytes: &mut Vec<u8>, value: u64, width: usize) {
    match width {
        0 => {}
        1 => bytes.push(value as u8),
        2 => bytes.extend_from_slice(&(value as u16).to_le_bytes()),
        4 => bytes.extend_from_slice(&(value as u32).to_le_bytes()),
        _ => bytes.extend_from_slice(&value.to_le_bytes()),
    }
}

#[inline]
fn take(bytes: &mut &[u8], width: usize) -> Option<u64> {
    match width {
        0 => Some(0),
        1 => bytes.split_off_first().map(|byte| u64::from(*byte)),
        2 => chunk(bytes).map(|word| u64::from(u16::from_le_bytes(word))),
        4 => chunk(bytes).map(|word| u64::from(u32::from_le_bytes(word))),
        _ => chunk(bytes).map(u64::from_le_bytes),
    }
}

#[inline]
fn chunk<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (chunk, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*chunk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text that a code which is not long stands for.
    fn text(code: UnitCode) -> Option<Vec<u8>> {
        match code.meaning() {
            Meaning::Short(text, length) => Some(text[..length].to_vec()),
            Meaning::Number(number) => Some(number.to_string().into_bytes()),
            Meaning::Long => None,
        }
    }

    proptest! {
        #[test]
        fn codes_stand_for_one_text(unit in "[0-9]{1,20}|[a-z ]{1,9}|0{1,3}[0-9]{1,9}") {
            let code = UnitCode::of(unit.as_bytes());
            prop_assert!(code.is_long() || text(code) == Some(unit.into_bytes()));
        }

        #[test]
        fn records_come_back(
            records in proptest::collection::vec(("[0-9a-c]{1,20}", 0u32..70_000, 0u64..100_000, any::<u64>()), 0..20)
        ) {
            let layout = Layout { group: 4, slots: vec![4, 0, 8] };
            let mut bytes = Vec::new();
            for (unit, group, a, b) in &records {
                layout.write(&mut bytes, UnitCode::of(unit.as_bytes()), unit.as_bytes(), *group, &[*a, 0, *b]);
            }
            let (mut rest, mut slots) = (bytes.as_slice(), [7; 3]);
            for (unit, group, a, b) in &records {
                let (code, text, place) = layout.read(&mut rest, &mut slots).unwrap();
                prop_assert_eq!(code, UnitCode::of(unit.as_bytes()));
                prop_assert!(!code.is_long() || text == unit.as_bytes());
                prop_assert_eq!((place, slots), (*group, [*a, 0, *b]));
            }
            prop_assert!(layout.read(&mut rest, &mut slots).is_none());
        }
    }
}
