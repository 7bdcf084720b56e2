//! Libraries as bad as they declare to be.

use crate::Accuracy;
use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding, exp, ln};

/// A model of a library: the one it returns of the results that its declared accuracy allows.
///
/// Each choice is a function: equal arguments give equal results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LibmModel {
    /// The float nearest to the true value.
    #[default]
    Nearest,
    /// The greatest one.
    Up,
    /// The least one.
    Down,
    /// Any of them, by a hash of the argument and this seed.
    Seeded(u64),
}

/// A function that a library provides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Ln,
    Exp,
}

/// Exponentials of arguments beyond this in magnitude are infinite or next to nothing in every format.
const EXP_LIMIT: i64 = 1 << 12;

/// Precision at which the search for the outermost float gives up and stays inside.
const MAX_BITS: u32 = 1 << 12;

/// An enclosure of the function at a float of its domain.
///
/// Of what is smaller than the floats of every format nothing but that is said: for the exponential below the limit, the
/// enclosure is that at the limit.
fn enclosure<F: Float>(function: Function, argument: F, bits: u32) -> Option<Enclosure> {
    let argument = argument.to_dyadic().ok()?;
    match function {
        Function::Ln => ln(&argument, bits).ok(),
        Function::Exp => {
            let limit = Dyadic::from(EXP_LIMIT);
            exp(&argument.max(-&limit).min(limit), bits).ok()
        }
    }
}

/// The float nearest to the function's value, an infinity if that overflows; `None` outside of the domain.
pub(super) fn correctly_rounded<F: Float>(function: Function, argument: F) -> Option<F> {
    // ln x is irrational for a rational x other than 1, and e^x for x other than 0 (Lindemann): not the midpoint of two
    // floats, so some precision decides, and at 1 and 0 the enclosure is a point.
    let mut bits = 2 * F::PRECISION;
    loop {
        let value = enclosure(function, argument, bits)?;
        if let Some(float) = F::from_enclosure(&value) {
            return Some(float);
        }
        bits *= 2;
    }
}

/// What a library of the declared accuracy returns, given the correctly rounded value.
pub(super) fn apply<F: Float>(
    function: Function,
    argument: F,
    nearest: F,
    accuracy: &Accuracy,
    model: LibmModel,
) -> F {
    let Accuracy::Ulps(ulps) = accuracy else { return nearest };
    if model == LibmModel::Nearest {
        return nearest;
    }
    let Some(Allowed { lo, hi, centre, reach }) = allowed::<F>(function, argument, ulps) else {
        return nearest;
    };
    // With less than half a unit there may be no such float; the nearest one is the best that a library can do.
    if hi < lo {
        return nearest;
    }
    match model {
        LibmModel::Nearest => nearest,
        LibmModel::Up => hi,
        LibmModel::Down => lo,
        LibmModel::Seeded(seed) => {
            let parts = Rational::pow2(32);
            let hash = hash(seed ^ function as u64, argument.to_f64().to_bits()) >> 32;
            let offset = (Rational::from(2 * hash) - &parts) * reach * Rational::pow2(-32);
            let float = F::from_rational(&(centre + offset), Rounding::Nearest);
            if float < lo {
                lo
            } else if float > hi {
                hi
            } else {
                float
            }
        }
    }
}

/// The floats within `k` units of a true value.
struct Allowed<F> {
    lo: F,
    hi: F,
    /// About the true value.
    centre: Rational,
    /// `k` units.
    reach: Rational,
}

/// `None` where the true value is 0, which has no unit, and where it is not computed.
fn allowed<F: Float>(function: Function, argument: F, ulps: &Rational) -> Option<Allowed<F>> {
    let mut bits = 2 * F::PRECISION;
    loop {
        let value = enclosure(function, argument, bits)?;
        let magnitude = value.abs();
        let log2 = magnitude.lo().floor_log2()?;
        let settled = bits >= MAX_BITS;
        bits *= 2;
        if magnitude.hi().floor_log2() != Some(log2) {
            continue;
        }
        let unit = (log2 + 1 - i64::from(F::PRECISION)).max(i64::from(F::MIN_EXPONENT));
        let reach = ulps * Rational::pow2(unit);
        // At most `reach` from all numbers of the enclosure, and from some.
        let [inner_hi, outer_hi] = [value.lo(), value.hi()]
            .map(|end| F::from_rational(&(Rational::from(end) + &reach), Rounding::Down));
        let [outer_lo, inner_lo] = [value.lo(), value.hi()]
            .map(|end| F::from_rational(&(Rational::from(end) - &reach), Rounding::Up));
        if settled || (inner_hi == outer_hi && inner_lo == outer_lo) {
            let centre = Rational::from(value.lo());
            return Some(Allowed { lo: inner_lo, hi: inner_hi, centre, reach });
        }
    }
}

/// The finaliser of splitmix64 over both.
fn hash(seed: u64, value: u64) -> u64 {
    let mut state =
        value.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}
