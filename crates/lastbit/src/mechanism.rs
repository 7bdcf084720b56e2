//! What every mechanism can do.

use crate::{BitSource, Error, Real};

/// Adds noise to values of type `T`. All or nothing: on an error, no output is written.
///
/// A slice is one *batch*: its noise is a function of the source's words alone, whatever the lengths of the chunks it is
/// worked on in. Noise of different values is independent.
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
}
