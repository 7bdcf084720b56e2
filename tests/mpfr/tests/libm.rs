//! CORE-MATH's `ln` and `exp` of doubles, as this workspace compiles it, against MPFR.

use lastbit_mpfr_tests::Arguments;
use lastbit_real::{Float as _, correctly_rounded_ln, exp_f64, ln_f64};
use rug::Float;

/// MPFR at so many bits that rounding the result once more is rounding the value, but for one argument in
/// 2^240; `to_f64` rounds to subnormal numbers too.
const PRECISION: u32 = 300;

fn mpfr_ln(x: f64) -> f64 {
    Float::with_val(PRECISION, x).ln().to_f64()
}

fn mpfr_exp(x: f64) -> f64 {
    Float::with_val(PRECISION, x).exp().to_f64()
}

#[track_caller]
fn check_ln(x: f64) {
    assert_eq!(ln_f64(x).to_bits(), mpfr_ln(x).to_bits(), "ln({})", x.to_hex());
}

#[track_caller]
fn check_exp(x: f64) {
    assert_eq!(exp_f64(x).to_bits(), mpfr_exp(x).to_bits(), "exp({})", x.to_hex());
}

#[test]
fn ln_of_a_quarter_of_a_million_doubles() {
    let mut arguments = Arguments::new(21);
    for _ in 0..100_000 {
        check_ln(arguments.double().abs());
        // Uniform in (0, 1), as the samplers use it, and close to 1.
        check_ln(((arguments.bits() >> 11) | 1) as f64 * 2f64.powi(-53));
    }
    for _ in 0..50_000 {
        let offset = (arguments.bits() as i64) >> arguments.integer(12, 63);
        check_ln(f64::from_bits(1f64.to_bits().wrapping_add_signed(offset)));
    }
}

#[test]
fn exp_of_a_quarter_of_a_million_doubles() {
    let mut arguments = Arguments::new(22);
    for _ in 0..100_000 {
        let unit = (arguments.bits() >> 11) as f64 * 2f64.powi(-53);
        check_exp(-750.0 * unit);
        check_exp(710.0 * unit);
    }
    for _ in 0..50_000 {
        // All sizes, and the subnormal results.
        let unit = (arguments.bits() >> 11) as f64 * 2f64.powi(-53);
        check_exp((unit - 0.5) * 2f64.powi(arguments.integer(-70, 10) as i32));
        check_exp(-745.2 + 37.0 * unit);
    }
}

#[test]
fn the_independent_logarithm() {
    let mut arguments = Arguments::new(23);
    for _ in 0..20_000 {
        let x = arguments.double().abs();
        assert_eq!(correctly_rounded_ln(x).to_bits(), mpfr_ln(x).to_bits(), "ln({})", x.to_hex());
    }
}
