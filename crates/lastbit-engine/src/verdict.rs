//! Verdicts, and the exit code of each.

use std::fmt;

use serde::{Serialize, Serializer};

/// The version of the JSON of all answers: `"schema": 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schema;

impl Schema {
    /// The version.
    const VERSION: u32 = 1;
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(Schema::VERSION)
    }
}

/// The judgement of an answer, whatever was asked: a claim holds, is violated, or neither was shown.
///
/// Commands have their own words for these, such as PROVED, REFUTED and UNDECIDED; the exit codes are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Judgement {
    /// The claim holds: proved, accepted, within its bound.
    Holds,
    /// Neither was shown.
    Undecided,
    /// The claim is false, or a proof or certificate is wrong.
    Violated,
}

impl Judgement {
    /// 0 holds, 1 violated, 3 undecided; 2 is for bad input, of which there is no judgement.
    pub fn exit_code(self) -> u8 {
        match self {
            Judgement::Holds => 0,
            Judgement::Violated => 1,
            Judgement::Undecided => 3,
        }
    }

    /// The name in JSON.
    pub fn text(self) -> &'static str {
        match self {
            Judgement::Holds => "holds",
            Judgement::Violated => "violated",
            Judgement::Undecided => "undecided",
        }
    }
}

/// In capitals, as reports begin with it.
impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text().to_uppercase())
    }
}
