//! Sources that can be cut into independent ones, for releases on several threads.

use super::BitSource;
use crate::Error;

/// A source that gives independent parts of itself, which can go to other threads: see
/// [`release_in_place_with`](crate::Mechanism::release_in_place_with).
///
/// ```
/// use lastbit::{BitSource, InsecureSeededSource, Part, SplitSource};
/// // The words of a block depend on the seed, on the splits before and on the number of the block, and on no number of parts.
/// let words = |parts: usize| {
///     let mut parts = InsecureSeededSource::<u64>::from_seed(7).split(parts)?;
///     let last = parts.last_mut().unwrap();
///     last.open_block(3);
///     Ok::<u64, lastbit::Error>(last.next_word())
/// };
/// assert_eq!(words(1)?, words(5)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait SplitSource: BitSource {
    /// What a thread draws from.
    type Part: Part<Word = Self::Word>;

    /// So many parts of a batch. All that can fail fails here, before anything is drawn: a part that exists can give words.
    ///
    /// # Errors
    /// Those of [`open_batch`](BitSource::open_batch), and of whatever a part needs.
    fn split(&mut self, parts: usize) -> Result<Vec<Self::Part>, Error>;
}

/// A part of a [`SplitSource`]. It serves one block of values after another; each block is served by one part of all.
///
/// Words of different blocks are independent, whether they come from one part or from two.
pub trait Part: BitSource + Send {
    /// Goes on to a block, which is a batch of its own; returns its number. What was drawn for the block before is gone.
    fn open_block(&mut self, block: u64) -> u64;
}
