//! What every mechanism can do.

use crate::{BitSource, Error, Real, SplitSource, Threads};

/// Adds noise to values of type `T`. All or nothing: on an error, no output is written.
///
/// A slice is one *batch*: its noise is a function of the source's words and of the number of values alone. Noise of different values is
/// independent.
pub trait Mechanism<T: Copy> {
    /// Replaces the values by noisy ones.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::Overflow`], [`Error::FloatEnvironment`], [`Error::NoEntropy`]; the values are then
    /// as they were.
    fn release_in_place<S: BitSource>(&self, source: &mut S, values: &mut [T]) -> Result<(), Error>;

    /// Writes the noisy values to `out`.
    ///
    /// # Errors
    /// As [`release_in_place`](Self::release_in_place), and [`Error::LengthMismatch`]; nothing is then written.
    fn release_to<S: BitSource>(&self, source: &mut S, values: &[T], out: &mut [T]) -> Result<(), Error>;

    /// As [`release_in_place`](Self::release_in_place), on several threads if there are many values.
    ///
    /// From 131072 values on they are cut into blocks, and each of them draws from a [part](crate::Part) of the source, also on one thread. So
    /// results depend on the source and on the number of values, but never on the number of threads.
    ///
    /// ```
    /// use lastbit::{InsecureSeededSource, Laplace, Mechanism, Rational, Threads};
    /// let laplace = Laplace::new(Rational::ONE)?;
    /// let noisy = |threads| {
    ///     let mut values = vec![0.0; 200_000];
    ///     laplace.release_in_place_with(&mut InsecureSeededSource::<u64>::from_seed(1), &mut values, threads)?;
    ///     Ok::<_, lastbit::Error>(values)
    /// };
    /// assert!(noisy(Threads::ALL)? == noisy(Threads::ONE)?);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`release_in_place`](Self::release_in_place), and those of [`SplitSource::split`].
    fn release_in_place_with<S: SplitSource>(
        &self,
        source: &mut S,
        values: &mut [T],
        threads: Threads,
    ) -> Result<(), Error>
    where
        Self: Sync,
        T: Send + Sync;

    /// As [`release_to`](Self::release_to), on several threads as [`release_in_place_with`](Self::release_in_place_with).
    ///
    /// # Errors
    /// As [`release_in_place_with`](Self::release_in_place_with), and [`Error::LengthMismatch`]; nothing is then written.
    fn release_to_with<S: SplitSource>(
        &self,
        source: &mut S,
        values: &[T],
        out: &mut [T],
        threads: Threads,
    ) -> Result<(), Error>
    where
        Self: Sync,
        T: Send + Sync;

    /// The noisy value.
    ///
    /// # Errors
    /// As [`release_in_place`](Self::release_in_place).
    fn release<S: BitSource>(&self, source: &mut S, value: T) -> Result<T, Error>;
}

/// Adds noise to real numbers, with results of type `T`. All or nothing: on an error, no output is written.
///
/// The noise is that of [`Mechanism`]: a float gives the same result from the same words, bit for bit, whether it comes as such or
/// as a [`Real`].
pub trait RealMechanism<T> {
    /// Writes the noisy values to `out`.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::BeyondRange`], [`Error::Overflow`], [`Error::FloatEnvironment`], [`Error::NoEntropy`]; nothing is
    /// then written.
    fn release_reals<S: BitSource>(
        &self,
        source: &mut S,
        values: &[Real],
        out: &mut [T],
    ) -> Result<(), Error>;

    /// As [`release_reals`](Self::release_reals), on several threads as [`Mechanism::release_in_place_with`].
    ///
    /// # Errors
    /// As [`release_reals`](Self::release_reals), and those of [`SplitSource::split`].
    fn release_reals_with<S: SplitSource>(
        &self,
        source: &mut S,
        values: &[Real],
        out: &mut [T],
        threads: Threads,
    ) -> Result<(), Error>
    where
        Self: Sync,
        T: Send + Sync;
}
