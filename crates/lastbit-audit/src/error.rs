//! What cannot be audited, and why.

/// A parameter out of its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value}: {reason}")]
pub struct OutOfRange {
    /// The parameter.
    pub name: &'static str,
    /// The value.
    pub value: String,
    /// The range that it should lie in, in words.
    pub reason: &'static str,
}
