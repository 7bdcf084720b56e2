//! Why a tree was not grown.

use crate::OutOfRange;

/// The reason why there is no audit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BitTreeError {
    /// The tree is larger than the limit allows.
    #[error(
        "{replays} replays have decided only part of the bits ({done}): raise the limit, or lower the depth"
    )]
    TooManyReplays {
        /// The limit.
        replays: u64,
        /// The share of all scripts that was reached.
        done: String,
    },
    /// The sampler refused.
    #[error(transparent)]
    Sampler(#[from] lastbit::Error),
    /// A depth, a width, an input or a parameter that cannot be audited.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

impl BitTreeError {
    /// A value that cannot be audited.
    pub(super) fn out_of_range(
        name: &'static str,
        value: impl ToString,
        reason: &'static str,
    ) -> BitTreeError {
        OutOfRange { name, value: value.to_string(), reason }.into()
    }
}
