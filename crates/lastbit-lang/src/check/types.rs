//! Types as the checker sees them.

use crate::Format;
use crate::ast::Scalar;

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number without variables: it is whatever the other side is.
    Literal,
    Int,
    Sign,
    /// `countable`: of a countable set, as `grid` asks.
    Real {
        countable: bool,
    },
    Float(Format),
    Bool,
    Data,
    /// There was an error, which has been reported.
    Unknown,
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ty {
    pub(super) kind: Kind,
    pub(super) shape: Length,
    /// Of a whole number: between which numbers it lies, if that is known.
    pub(super) range: Option<(i64, i64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    One,
    Array(usize),
    /// An array whose length is a parameter without a value.
    Some,
}

impl Ty {
    pub(super) const UNKNOWN: Ty = Ty::one(Kind::Unknown);
    pub(super) const BOOL: Ty = Ty::one(Kind::Bool);

    pub(super) const fn one(kind: Kind) -> Ty {
        Ty { kind, shape: Length::One, range: None }
    }

    pub(super) fn whole(lo: i64, hi: i64) -> Ty {
        Ty { range: Some((lo, hi)), ..Ty::one(Kind::Int) }
    }

    /// The type of one element.
    pub(super) fn element(self) -> Ty {
        Ty::one(self.kind)
    }

    pub(super) fn describe(self) -> String {
        let kind = match self.kind {
            Kind::Literal => "number",
            Kind::Int => "int",
            Kind::Sign => "sign",
            Kind::Real { countable: false } => "real",
            Kind::Real { countable: true } => "grid",
            Kind::Float(Format::Binary64) => "f64",
            Kind::Float(Format::Binary32) => "f32",
            Kind::Bool => "bool",
            Kind::Data => "data",
            Kind::Unknown => "unknown",
        };
        match self.shape {
            Length::One => kind.to_owned(),
            Length::Array(length) => format!("{kind}[{length}]"),
            Length::Some => format!("{kind}[…]"),
        }
    }
}

impl Kind {
    pub(super) fn of(scalar: Scalar) -> Kind {
        match scalar {
            Scalar::Real => Kind::Real { countable: false },
            Scalar::Grid => Kind::Real { countable: true },
            Scalar::F64 => Kind::Float(Format::Binary64),
            Scalar::F32 => Kind::Float(Format::Binary32),
            Scalar::Sign => Kind::Sign,
            Scalar::Bool => Kind::Bool,
            Scalar::Int => Kind::Int,
            Scalar::Data => Kind::Data,
        }
    }

    pub(super) fn is_number(self) -> bool {
        !matches!(self, Kind::Bool | Kind::Data)
    }

    /// The kind of `a + b` for two numbers; `None` if they do not mix. Where the text speaks about real numbers (`ideal`), a
    /// float is the real number it stands for.
    pub(super) fn join(self, other: Kind, ideal: bool) -> Option<Kind> {
        use Kind::{Float, Int, Literal, Real, Sign, Unknown};
        Some(match (self, other) {
            (Unknown, _) | (_, Unknown) => Unknown,
            (Real { countable: a }, Real { countable: b }) => Real { countable: a && b },
            (Float(a), Float(b)) if a == b => self,
            (Real { .. } | Float(_), Real { .. } | Float(_)) => {
                return ideal.then_some(Real { countable: false });
            }
            (Real { .. } | Float(_), Literal | Int | Sign) => self,
            (Literal | Int | Sign, Real { .. } | Float(_)) => other,
            (Literal, Literal) => Literal,
            (Literal | Int | Sign, Literal | Int | Sign) => Int,
            _ => return None,
        })
    }

    /// Whether a value of this kind can stand where the type `wanted` is declared.
    pub(super) fn fits(self, wanted: Scalar) -> bool {
        match (Kind::of(wanted), self) {
            (_, Kind::Unknown) => true,
            (Kind::Real { countable: false }, Kind::Real { .. }) => true,
            // Floats are countable.
            (Kind::Real { countable: true }, Kind::Float(_)) => true,
            (Kind::Real { .. } | Kind::Float(_) | Kind::Int, Kind::Literal | Kind::Int | Kind::Sign) => true,
            (Kind::Sign, Kind::Literal) => true,
            (wanted, kind) => wanted == kind,
        }
    }
}
