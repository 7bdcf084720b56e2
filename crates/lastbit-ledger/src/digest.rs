//! Hashes and heads.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash before the first entry.
    pub(crate) const ZERO: Digest = Digest([0; 32]);

    /// The hash of these bytes.
    ///
    /// ```
    /// use lastbit_ledger::Digest;
    /// assert!(Digest::of(b"count rows by city").to_string().starts_with("335cb93d"));
    /// ```
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A text that is not a hash, or not a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}")]
pub struct ParseHeadError {
    expected: &'static str,
}

const DIGEST: ParseHeadError = ParseHeadError { expected: "64 hexadecimal digits in lower case" };
const HEAD: ParseHeadError =
    ParseHeadError { expected: "a number, a colon and 64 hexadecimal digits in lower case" };

impl FromStr for Digest {
    type Err = ParseHeadError;

    fn from_str(text: &str) -> Result<Digest, ParseHeadError> {
        let nibble = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(DIGEST),
        };
        let pairs = text.as_bytes().chunks_exact(2);
        let bytes =
            pairs.map(|pair| Ok(nibble(pair[0])? << 4 | nibble(pair[1])?)).collect::<Result<Vec<u8>, _>>()?;
        match text.len() {
            64 => Ok(Digest(bytes.try_into().map_err(|_| DIGEST)?)),
            _ => Err(DIGEST),
        }
    }
}

/// An entry of a ledger and, through its hash, all entries before it: printed with every claim, so that a ledger that was
/// restored from an older copy is noticed.
///
/// It is written as `17:` and the 64 digits of the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Head {
    /// The number of the entry, from 1.
    pub entry: u64,
    /// Its hash.
    pub hash: Digest,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entry, self.hash)
    }
}

impl FromStr for Head {
    type Err = ParseHeadError;

    fn from_str(text: &str) -> Result<Head, ParseHeadError> {
        let (entry, hash) = text.split_once(':').ok_or(HEAD)?;
        let number: u64 = entry.parse().map_err(|_| HEAD)?;
        match number.to_string() == entry && number > 0 {
            true => Ok(Head { entry: number, hash: hash.parse().map_err(|_| HEAD)? }),
            false => Err(HEAD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back_and_others_are_refused() {
        let head = Head { entry: 17, hash: Digest::of(b"") };
        assert_eq!(head.to_string().parse(), Ok(head));
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(head.hash.to_string(), empty);
        for bad in ["", "17", ":", "17:", "017:", "0:", "+17:", "17:é"] {
            assert!(
                bad.parse::<Head>().is_err() && format!("{bad}{empty}0").parse::<Head>().is_err(),
                "{bad}"
            );
        }
        for bad in ["017:", "0:", "+17:", "17::", ""] {
            assert!(format!("{bad}{empty}").parse::<Head>().is_err(), "{bad}");
        }
        assert!(empty.to_uppercase().parse::<Digest>().is_err());
        assert!(format!("é{}", &empty[2..]).parse::<Digest>().is_err());
    }
}
