//! Which groups a unit keeps: those with the least SHA-256 of the salt, the unit and the group.

use sha2::{Digest, Sha256};

use super::record::{Meaning, UnitCode};
use crate::plan::Plan;

const BLOCK: usize = 64;

/// The order of the groups of each unit.
///
/// The salt is no secret: privacy holds for each of them, because for each the groups that a unit keeps depend on that unit's rows only.
/// With the unit in the hash, no group is kept less often than another.
pub(super) struct Order<'a> {
    plan: &'a Plan,
    /// After the first block, which is the hash of the salt: so a usual unit and group take one block more.
    start: Sha256,
}

impl<'a> Order<'a> {
    pub(super) fn of(plan: &'a Plan) -> Order<'a> {
        let mut block = [0; BLOCK];
        block[..32].copy_from_slice(&Sha256::digest(&plan.salt));
        Order { plan, start: Sha256::new_with_prefix(block) }
    }

    /// The hash of a unit's group.
    pub(super) fn group(&self, code: UnitCode, long: &[u8], group: u32) -> [u8; 32] {
        self.message(code, long, group).finalize().into()
    }

    /// The hash of a bin in a unit's group.
    pub(super) fn bin(&self, code: UnitCode, long: &[u8], group: u32, slot: u32, bin: u32) -> [u8; 32] {
        let mut message = self.message(code, long, group);
        message.update(slot.to_le_bytes());
        message.update(bin.to_le_bytes());
        message.finalize().into()
    }

    /// The length and text of the unit, the lengths and texts of the group's parts.
    fn message(&self, code: UnitCode, long: &[u8], group: u32) -> Sha256 {
        let mut message = self.start.clone();
        let mut put = |text: &[u8]| {
            message.update((text.len() as u32).to_le_bytes());
            message.update(text);
        };
        match code.meaning() {
            Meaning::Short(text, length) => put(&text[..length]),
            Meaning::Number(number) => put(decimal(number, &mut [0; 20])),
            Meaning::Long => put(long),
        }
        self.plan.keys()[group as usize].iter().for_each(|part| put(part.as_bytes()));
        message
    }
}

/// The digits of a number, without a detour over the heap.
fn decimal(mut number: u64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &buffer[at..];
        }
    }
}
