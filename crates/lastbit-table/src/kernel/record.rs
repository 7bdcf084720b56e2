//! Rows as bytes: as few as their integers need, since there may be many.

use crate::code::Code;
use crate::plan::Plan;

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

    pub(super) fn write(&self, bytes: &mut Vec<u8>, code: Code, unit: &[u8], group: u32, slots: &[u64]) {
        bytes.extend_from_slice(&code.0.to_le_bytes());
        if code.is_long() {
            bytes.extend_from_slice(&(unit.len() as u32).to_le_bytes());
            bytes.extend_from_slice(unit);
        }
        put(bytes, u64::from(group), self.group);
        slots.iter().zip(&self.slots).for_each(|(value, width)| put(bytes, *value, *width));
    }

    /// Takes the next record: its code, the text of a long unit, and its group. `slots` is filled. `None` at the end.
    pub(super) fn read<'a>(&self, bytes: &mut &'a [u8], slots: &mut [u64]) -> Option<(Code, &'a [u8], u32)> {
        let code = Code(take(bytes, 8)?);
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

    proptest! {
        #[test]
        fn records_come_back(
            records in proptest::collection::vec(("[0-9a-c]{1,20}", 0u32..70_000, 0u64..100_000, any::<u64>()), 0..20)
        ) {
            let layout = Layout { group: 4, slots: vec![4, 0, 8] };
            let mut bytes = Vec::new();
            for (unit, group, a, b) in &records {
                layout.write(&mut bytes, Code::of(unit.as_bytes()), unit.as_bytes(), *group, &[*a, 0, *b]);
            }
            let (mut rest, mut slots) = (bytes.as_slice(), [7; 3]);
            for (unit, group, a, b) in &records {
                let (code, text, place) = layout.read(&mut rest, &mut slots).unwrap();
                prop_assert_eq!(code, Code::of(unit.as_bytes()));
                prop_assert!(!code.is_long() || text == unit.as_bytes());
                prop_assert_eq!((place, slots), (*group, [*a, 0, *b]));
            }
            prop_assert!(layout.read(&mut rest, &mut slots).is_none());
        }
    }
}
