//! Checks of whole slices, before anything is drawn.

use lastbit_real::Float;

use crate::sampler::arith::{Arith, Kernel, run_loop};
use crate::{Error, Real};

/// Refuses NaN and infinities, with the index of the first; tells whether all values are below `2^exponent` in magnitude.
#[inline]
pub(crate) fn finite_and_below<T: Float>(values: &[T], exponent: i64) -> Result<bool, Error> {
    debug_assert!((-1022..=1023).contains(&exponent));
    let limit = f64::from_bits(((exponent + 1023) as u64) << 52);
    if run_loop(values.len(), AllBelow { values, limit }) {
        return Ok(true);
    }
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(Error::NotFinite { index }),
        None => Ok(false),
    }
}

/// Refuses numbers beyond the largest float of a type, with the index of the first; tells whether all values are below `2^exponent` in
/// magnitude.
pub(crate) fn within_and_below<T: Float>(values: &[Real], exponent: i64) -> Result<bool, Error> {
    debug_assert!((-1022..=1023).contains(&exponent));
    let limit = f64::from_bits(((exponent + 1023) as u64) << 52);
    if values.iter().all(|x| x.split().hi.abs() < limit) {
        return Ok(true);
    }
    match values.iter().position(Real::exceeds::<T>) {
        Some(index) => Err(Error::BeyondRange { index, type_name: T::NAME }),
        None => Ok(false),
    }
}

/// Refuses NaN, with the index of the first.
pub(crate) fn no_nan(values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|x| x.is_nan()) {
        Some(index) => Err(Error::NotFinite { index }),
        None => Ok(()),
    }
}

struct AllBelow<'a, T> {
    values: &'a [T],
    limit: f64,
}

impl<T: Float> Kernel for AllBelow<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        // Without an early exit, so that the loop is vectorised; a NaN is not below anything.
        let outside = |x: &T| if x.to_f64().abs() < self.limit { 0 } else { 1 };
        self.values.iter().fold(0u64, |any, x| any | outside(x)) == 0
    }
}
