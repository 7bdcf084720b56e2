//! Texts as words: units and keys are mostly short, and words are compared faster.

use crate::hash::{hash_bytes, mix};

/// A text in one word.
///
/// Texts of up to 7 bytes and integers of up to 18 digits, as they are usually written, are told apart by their words. Others share a word with
/// few or none, and need their text as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Code(pub(crate) u64);

const SHORTEST_NUMBER: usize = 8;
const LONGEST_NUMBER: usize = 18;
const KIND: u64 = 0xf << 60;
const NUMBER: u64 = 0x8 << 60;
const LONG: u64 = 0xf << 60;

/// What a code stands for.
pub(crate) enum Meaning {
    Short([u8; 7], usize),
    Number(u64),
    /// A text elsewhere.
    Long,
}

impl Code {
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Code {
        if text.len() < SHORTEST_NUMBER {
            return Code(short_word(text) | (text.len() as u64) << 56);
        }
        if text.len() <= LONGEST_NUMBER && text[0] != b'0' && text.iter().all(u8::is_ascii_digit) {
            let number = text.iter().fold(0, |number, &digit| number * 10 + u64::from(digit - b'0'));
            return Code(NUMBER | number);
        }
        Code(LONG | hash_bytes(text) >> 4)
    }

    /// The code of the `index`-th long text, where the texts have been numbered.
    pub(crate) fn numbered(index: u32) -> Code {
        Code(LONG | u64::from(index))
    }

    pub(crate) fn is_long(self) -> bool {
        self.0 & KIND == LONG
    }

    pub(crate) fn meaning(self) -> Meaning {
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

    /// A number below 1024, by hash.
    pub(crate) fn partition(self) -> usize {
        (mix(self.0) >> 54) as usize
    }
}

/// Up to 7 bytes as a number, the first byte the lowest. Loads that overlap need no loop and no copy.
#[inline]
fn short_word(text: &[u8]) -> u64 {
    let length = text.len();
    let at = |index: usize| u64::from(text[index]) << (8 * index);
    match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (length - 4))
        }
        _ if length == 0 => 0,
        _ => at(0) | at(length / 2) | at(length - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_stand_for_one_text(text in "[0-9]{1,20}|[a-z ]{0,9}|0{1,3}[0-9]{1,9}") {
            let found = match Code::of(text.as_bytes()).meaning() {
                Meaning::Short(bytes, length) => bytes[..length].to_vec(),
                Meaning::Number(number) => number.to_string().into_bytes(),
                Meaning::Long => return Ok(()),
            };
            prop_assert_eq!(found, text.into_bytes());
        }
    }
}
