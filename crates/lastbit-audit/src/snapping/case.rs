//! The seven cases of an output.

use std::fmt;

/// The position of an output `x` relative to the inputs `f <= f'`. "The cell of" an input is the one that it rounds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Case {
    /// `x = -B`
    LowerEnd,
    /// Between `-B` and the cell of `f`.
    Below,
    /// The cell of `f`, which may be that of `f'` too.
    AtF,
    /// Between the cells of `f` and `f'`.
    Between,
    /// The cell of `f'`, and not of `f`.
    AtF2,
    /// Between the cell of `f'` and `B`.
    Above,
    /// `x = B`
    UpperEnd,
}

impl Case {
    /// All variants, in order.
    pub const ALL: [Case; 7] =
        [Case::LowerEnd, Case::Below, Case::AtF, Case::Between, Case::AtF2, Case::Above, Case::UpperEnd];

    /// The case of output number `k` for inputs of these numbers, in order.
    pub fn of(k: i64, top: i64, [f, f2]: [i64; 2]) -> Case {
        match k {
            _ if k <= -top => Case::LowerEnd,
            _ if k >= top => Case::UpperEnd,
            _ if k < f => Case::Below,
            _ if k == f => Case::AtF,
            _ if k < f2 => Case::Between,
            _ if k == f2 => Case::AtF2,
            _ => Case::Above,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Case::LowerEnd => "x = -B",
            Case::Below => "below f",
            Case::AtF => "at f",
            Case::Between => "between",
            Case::AtF2 => "at f'",
            Case::Above => "above f'",
            Case::UpperEnd => "x = B",
        })
    }
}
