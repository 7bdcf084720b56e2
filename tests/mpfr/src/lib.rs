//! Bridges from the types of `lastbit-real` to those of GMP and MPFR, and the random arguments of the
//! differential tests.

use gmp_mpfr_sys::mpfr;
use lastbit_real::{Dyadic, IBig, Rational, Rounding};
use rug::float::Round;
use rug::{Float, Integer};

/// The same fraction in GMP.
pub fn gmp_rational(x: &Rational) -> rug::Rational {
    rug::Rational::from((gmp_integer(&x.numerator()), gmp_integer(&IBig::from(x.denominator()))))
}

/// The same integer in GMP.
pub fn gmp_integer(x: &IBig) -> Integer {
    Integer::from_str_radix(&x.to_string(), 10).expect("decimal digits")
}

/// The same number in MPFR, exactly. The exponent must be in MPFR's range.
pub fn mpfr_float(x: &Dyadic) -> Float {
    let mantissa = gmp_integer(x.mantissa());
    let exponent = i32::try_from(x.exponent()).expect("an exponent in MPFR's range");
    Float::with_val(mantissa.significant_bits().max(2), mantissa) << exponent
}

/// The same number as a dyadic, exactly. The float must be finite.
pub fn dyadic(x: &Float) -> Dyadic {
    let (mantissa, exponent) = x.to_integer_exp().expect("finite");
    let mantissa: IBig = mantissa.to_string().parse().expect("decimal digits");
    Dyadic::new(mantissa, i64::from(exponent))
}

/// The same rounding in MPFR.
pub fn mpfr_round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::Nearest => Round::Nearest,
        Rounding::Down => Round::Down,
        Rounding::Up => Round::Up,
    }
}

/// MPFR's own conversion. `rug`'s goes through `f64` and does not round as asked beyond the range of `f32`.
pub fn mpfr_to_f32(x: &Float, rounding: Rounding) -> f32 {
    let round = match rounding {
        Rounding::Nearest => mpfr::rnd_t::RNDN,
        Rounding::Down => mpfr::rnd_t::RNDD,
        Rounding::Up => mpfr::rnd_t::RNDU,
    };
    // SAFETY: the pointer is to an initialised number that lives as long as `x`, and is only read.
    unsafe { mpfr::get_flt(x.as_raw(), round) }
}

/// The roundings that the two libraries share.
pub const ROUNDINGS: [Rounding; 3] = [Rounding::Nearest, Rounding::Down, Rounding::Up];

/// A small generator of reproducible arguments (SplitMix64).
#[derive(Debug)]
pub struct Arguments(u64);

impl Arguments {
    /// A stream of its own for each seed.
    pub fn new(seed: u64) -> Arguments {
        Arguments(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer in `lo..hi`.
    pub fn integer(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.bits() % hi.abs_diff(lo)) as i64
    }

    /// An integer with a random number of bits, up to `64 · words`, and a random sign.
    pub fn big_integer(&mut self, words: usize) -> IBig {
        let length = self.integer(1, 64 * words as i64 + 1) as usize;
        let mut value = IBig::ZERO;
        for _ in 0..words {
            value = (value << 64) + IBig::from(self.bits());
        }
        value >>= 64 * words - length;
        if self.bits() & 1 == 0 { value } else { -value }
    }

    /// A number of magnitude in `[2^log2, 2^(log2 + 1))` for a random `log2` in the range, with a mantissa
    /// of a random length up to 192 bits.
    pub fn dyadic(&mut self, log2: std::ops::Range<i64>) -> Dyadic {
        let log2 = self.integer(log2.start, log2.end);
        loop {
            let x = Dyadic::from(self.big_integer(3));
            if let Some(own) = x.floor_log2() {
                return x.shl(log2 - own);
            }
        }
    }

    /// A fraction of magnitude about `2^log2` for a random `log2` in the range.
    pub fn rational(&mut self, log2: std::ops::Range<i64>) -> Rational {
        let log2 = self.integer(log2.start, log2.end);
        loop {
            if let Some(x) = Rational::new(self.big_integer(3), self.big_integer(3))
                && let Some(own) = x.floor_log2()
            {
                return x * Rational::pow2(log2 - own);
            }
        }
    }

    /// A double with random bits, which may be anything finite.
    pub fn double(&mut self) -> f64 {
        loop {
            let x = f64::from_bits(self.bits());
            if x.is_finite() {
                return x;
            }
        }
    }
}
