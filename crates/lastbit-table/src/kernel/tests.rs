//! Tests of the kernel.

/// A kernel that is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutant {
    OneGroupMore,
    NoClip,
    AcrossUnits,
    HashWithoutUnit,
    FirstCome,
}
