//! Correctly rounded logarithm and exponential of doubles.
//!
//! The fast ones are CORE-MATH's, written in C and proved correctly rounded by their authors. They are compiled for any machine of
//! its architecture, so that a binary built on one machine runs on an older one.

use crate::{Dyadic, Float, ln};

#[allow(unsafe_code)]
mod core_math {
    // SAFETY: these are the functions of `core-math/log.c` and `exp.c`, which `build.rs` gives these names. They take and return a
    // double, and are defined for every one of them.
    unsafe extern "C" {
        #[link_name = "lastbit_core_math_log"]
        pub(super) safe fn log(x: f64) -> f64;
        #[link_name = "lastbit_core_math_exp"]
        pub(super) safe fn exp(x: f64) -> f64;
    }
}

/// The double nearest to `ln x`. NaN below 0, -∞ at 0.
///
/// ```
/// use lastbit_real::{Float, ln_f64};
///
/// assert_eq!(ln_f64(0.5).to_hex(), "-0x1.62e42fefa39efp-1");
/// ```
pub fn ln_f64(x: f64) -> f64 {
    core_math::log(x)
}

/// The double nearest to `e^x`.
pub fn exp_f64(x: f64) -> f64 {
    core_math::exp(x)
}

/// The double nearest to `ln x`, computed with this crate's own enclosures: slower than [`ln_f64`] by
/// three orders of magnitude, and independent of it, which is what it is for.
///
/// ```
/// use lastbit_real::{correctly_rounded_ln, ln_f64};
///
/// assert_eq!(correctly_rounded_ln(0.1), ln_f64(0.1));
/// ```
pub fn correctly_rounded_ln(x: f64) -> f64 {
    let Ok(dyadic) = Dyadic::try_from(x) else {
        return if x == f64::INFINITY { x } else { f64::NAN };
    };
    if dyadic.is_zero() {
        return f64::NEG_INFINITY;
    }
    // The logarithm of a rational other than 1 is irrational (Lindemann), so it is neither a double
    // nor the midpoint of two, and some precision separates it from them: the loop ends.
    let mut bits = 64;
    loop {
        match ln(&dyadic, bits) {
            Err(_) => return f64::NAN,
            Ok(enclosure) => {
                if let Some(rounded) = f64::from_enclosure(&enclosure) {
                    return rounded;
                }
            }
        }
        bits *= 2;
    }
}
