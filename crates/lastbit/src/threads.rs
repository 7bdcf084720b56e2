//! On how many threads a large release runs.

use std::num::NonZeroUsize;

/// The number of threads that a large release may use. Results do not depend on it.
///
/// ```
/// use lastbit::{Mechanism, Laplace, Rational, SecureSource, Threads};
/// let mut values = vec![0.0; 1 << 18];
/// Laplace::new(Rational::ONE)?.release_in_place_with(&mut SecureSource::new()?, &mut values, Threads::ALL)?;
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads(Option<NonZeroUsize>);

/// More than these are not started, whatever is asked for: each takes memory of its own.
const MOST: usize = 1024;

impl Threads {
    /// One thread for each core that the process may use.
    pub const ALL: Threads = Threads(None);

    /// The calling thread alone.
    pub const ONE: Threads = Threads(NonZeroUsize::new(1));

    /// This many threads, the calling one included.
    pub const fn new(threads: NonZeroUsize) -> Threads {
        Threads(Some(threads))
    }

    /// The number: at least one, and 1024 at most.
    pub fn count(self) -> usize {
        let threads = self.0.or_else(|| std::thread::available_parallelism().ok());
        threads.map_or(1, NonZeroUsize::get).min(MOST)
    }
}

impl From<NonZeroUsize> for Threads {
    fn from(threads: NonZeroUsize) -> Threads {
        Threads::new(threads)
    }
}
