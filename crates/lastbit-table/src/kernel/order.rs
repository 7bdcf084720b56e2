//! Which groups a unit keeps: those with the least SHA-256 of the salt, the unit and the group.

use sha2::block_api::compress256;
use sha2::{Digest, Sha256};

use crate::code::{Code, Meaning};
use crate::plan::Plan;

const BLOCK: usize = 64;
/// FIPS 180-4, 5.3.3.
const INITIAL: State =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// A SHA-256 hash as two numbers, which are ordered as its bytes are, and compared faster.
pub(super) type Hash = [u128; 2];
/// The eight words of a SHA-256 state.
type State = [u32; 8];

/// The order of the groups of each unit.
///
/// The salt is no secret: privacy holds for each of them, because for each the groups that a unit keeps depend on that unit's rows only.
/// With the unit in the hash, no group is kept less often than another.
///
/// A message is a block with the hash of the salt, then the unit and the parts of the group, each with its length before it. The first block is
/// hashed once, so that a usual unit and group take one block more.
pub(super) struct Order {
    after_salt: State,
    /// The messages of all groups, and where each of them ends.
    groups: Vec<u8>,
    ends: Vec<usize>,
}

/// A message about one unit.
pub(super) struct Message<'a> {
    order: &'a Order,
    bytes: Vec<u8>,
    /// The bytes that are the unit's.
    unit: usize,
}

impl Order {
    pub(super) fn of(plan: &Plan) -> Order {
        let mut after_salt = INITIAL;
        compress256(&mut after_salt, &[salt_block(&plan.salt)]);
        let (mut groups, mut ends) = (Vec::new(), Vec::new());
        for key in plan.keys() {
            key.iter().for_each(|part| put(&mut groups, part.as_bytes()));
            ends.push(groups.len());
        }
        Order { after_salt, groups, ends }
    }

    pub(super) fn message(&self) -> Message<'_> {
        Message { order: self, bytes: Vec::new(), unit: 0 }
    }

    fn group(&self, group: u32) -> &[u8] {
        let group = group as usize;
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.groups[start..self.ends[group]]
    }
}

impl Message<'_> {
    /// Begins a message about a unit; `long` is its text if its code does not have it.
    pub(super) fn begin(&mut self, code: Code, long: &[u8]) {
        self.bytes.clear();
        match code.meaning() {
            Meaning::Short(text, length) => put(&mut self.bytes, &text[..length]),
            Meaning::Number(number) => put(&mut self.bytes, decimal(number, &mut [0; 20])),
            Meaning::Long => put(&mut self.bytes, long),
        }
        self.unit = self.bytes.len();
    }

    /// The hash of the unit's group.
    pub(super) fn group(&mut self, group: u32) -> Hash {
        self.hash(group, &[])
    }

    /// The hash of a bin in the unit's group.
    pub(super) fn bin(&mut self, group: u32, slot: u32, bin: u32) -> Hash {
        self.hash(group, &[slot, bin])
    }

    fn hash(&mut self, group: u32, numbers: &[u32]) -> Hash {
        let bytes = &mut self.bytes;
        bytes.truncate(self.unit);
        bytes.extend_from_slice(self.order.group(group));
        numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        let bits = 8 * (BLOCK + bytes.len()) as u64;
        bytes.push(0x80);
        // Zeros up to the length, which ends a block.
        bytes.resize((bytes.len() + 8).next_multiple_of(BLOCK) - 8, 0);
        bytes.extend_from_slice(&bits.to_be_bytes());
        let mut state = self.order.after_salt;
        compress256(&mut state, bytes.as_chunks().0);
        let half = |words: &[u32]| words.iter().fold(0, |half, &word| half << 32 | u128::from(word));
        [half(&state[..4]), half(&state[4..])]
    }
}

fn salt_block(salt: &str) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..32].copy_from_slice(&Sha256::digest(salt));
    block
}

fn put(bytes: &mut Vec<u8>, text: &[u8]) {
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    #[test]
    fn hashes_are_sha256_of_the_message() {
        let long_key = "k".repeat(150);
        let keys = ["", "Genève", "a key of some forty bytes, with the unit's", &long_key];
        let spec = format!(
            "[table]\npath = \"-\"\nunit = \"u\"\n[bounds]\ngroups = 1\nsalt = \"salt\"\n[by]\ncolumns = [\"a\", \"b\"]\n\
             keys = {:?}\n[privacy]\nepsilon = 1\n[[query]]\nname = \"q\"\nkind = \"count-units\"\n",
            keys.iter().skip(1).map(|key| [*key, "x"]).collect::<Vec<_>>()
        );
        let plan = Spec::parse(&spec, "".as_ref()).unwrap().plan().unwrap();
        let order = Order::of(&plan);
        for unit in
            ["7", "1234567", "12345678", "123456789012345678", "01234567", "a name of more than seven bytes"]
        {
            let mut message = order.message();
            message.begin(Code::of(unit.as_bytes()), unit.as_bytes());
            for (place, key) in (0..).zip(plan.keys()) {
                let mut bytes = salt_block("salt").to_vec();
                [unit, &key[0], &key[1]].iter().for_each(|part| put(&mut bytes, part.as_bytes()));
                let expected = |bytes: &[u8]| {
                    let digest: [u8; 32] = Sha256::digest(bytes).into();
                    digest.as_chunks().0.iter().map(|half| u128::from_be_bytes(*half)).collect::<Vec<_>>()
                };
                assert_eq!(message.group(place).to_vec(), expected(&bytes));
                bytes.extend_from_slice(&[3, 0, 0, 0, 0, 1, 0, 0]);
                assert_eq!(message.bin(place, 3, 256).to_vec(), expected(&bytes));
            }
        }
    }
}
