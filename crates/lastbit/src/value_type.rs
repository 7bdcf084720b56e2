//! The types of values that claims are about.

use std::fmt;

/// The type of the values of a column. It is part of what a mechanism promises: the law of a result and its type follow from this and
/// never from a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// `f64`.
    F64,
    /// `f32`.
    F32,
    /// `i64`. Narrower and unsigned integers are read as these, without loss.
    I64,
    /// `i32`.
    I32,
    /// Real numbers that are read exactly, such as decimal text.
    Real,
}

impl ValueType {
    /// All types.
    pub const ALL: [ValueType; 5] =
        [ValueType::F64, ValueType::F32, ValueType::I64, ValueType::I32, ValueType::Real];

    /// The name in claims: that of numpy and Arrow where they have one.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::F64 => "float64",
            ValueType::F32 => "float32",
            ValueType::I64 => "int64",
            ValueType::I32 => "int32",
            ValueType::Real => "real",
        }
    }

    /// The type of this name.
    pub fn named(name: &str) -> Option<ValueType> {
        ValueType::ALL.into_iter().find(|values| values.name() == name)
    }

    /// Whether values are whole numbers.
    pub fn is_integer(self) -> bool {
        matches!(self, ValueType::I64 | ValueType::I32)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
