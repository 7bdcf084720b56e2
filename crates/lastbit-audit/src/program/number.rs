//! The floats of a format as consecutive integers, and the libraries that compute on them.
//!
//! `-0` and `+0` have numbers of their own: they are two outputs, which `1/x` or the bits tell apart. All orders here are that of
//! the numbers, in which `-0 < +0`; only conditions of programs take them to be equal, as comparisons of floats do.

use lastbit_lang::eval::MachineFloat;

/// A float of one of the two formats.
pub(crate) trait Number: MachineFloat {
    /// The float nearest to a double.
    fn of_f64(value: f64) -> Self;
    /// Its number in the order of the floats: 0 for `+0`, -1 for `-0`, and the next float has the next number.
    fn place(self) -> i64;
    /// The float with this number; beyond the largest one, infinity.
    fn at_place(place: i64) -> Self;
    /// The float so many steps above, or below: the zeros are one step, of which `+0` is taken. Beyond the largest one, infinity.
    fn moved(self, steps: i32) -> Self;
    /// The natural logarithm as this platform computes it.
    fn platform_ln(self) -> Self;
    /// The exponential as this platform computes it.
    fn platform_exp(self) -> Self;
}

macro_rules! impl_number {
    ($($t:ident, $bits:ident;)*) => {$(
        impl Number for $t {
            fn of_f64(value: f64) -> $t {
                value as $t
            }
            fn place(self) -> i64 {
                let magnitude = self.abs().to_bits() as i64;
                if self.is_sign_negative() { -1 - magnitude } else { magnitude }
            }
            fn at_place(place: i64) -> $t {
                let infinity = $t::INFINITY.to_bits() as i64;
                let magnitude = |bits: i64| $t::from_bits(bits.min(infinity) as $bits);
                if place < 0 { -magnitude(-1 - place) } else { magnitude(place) }
            }
            fn moved(self, steps: i32) -> $t {
                let without_minus_zero = |place: i64| place + i64::from(place < 0);
                let moved = without_minus_zero(self.place()) + i64::from(steps);
                $t::at_place(moved - i64::from(moved < 0))
            }
            fn platform_ln(self) -> $t {
                self.ln()
            }
            fn platform_exp(self) -> $t {
                self.exp()
            }
        }
    )*};
}
impl_number! {
    f32, u32;
    f64, u64;
}

/// The `ln` and `exp` that a program is run with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Library {
    /// The correctly rounded ones.
    #[default]
    Nearest,
    /// The correctly rounded results, moved by so many floats toward +∞.
    Shifted(i32),
    /// Those of this platform: `f64::ln`, `f64::exp` and their `f32` counterparts. They are taken to be within
    /// `Library::STD_FLOATS` floats of the correctly rounded ones, unless every sample is evaluated.
    Std,
    /// The correctly rounded results, moved by up to [`Library::STD_FLOATS`] floats, by a hash of the argument.
    #[cfg(test)]
    Wobbly,
}

impl Library {
    /// How far the platform's functions may be off, in floats.
    pub(crate) const STD_FLOATS: i32 = 2;

    pub(crate) fn ln<F: Number>(self, argument: F) -> F {
        match self {
            Library::Nearest => argument.nearest_ln(),
            Library::Shifted(floats) => argument.nearest_ln().moved(floats),
            Library::Std => argument.platform_ln(),
            #[cfg(test)]
            Library::Wobbly => argument.nearest_ln().moved(wobble(argument)),
        }
    }

    pub(crate) fn exp<F: Number>(self, argument: F) -> F {
        match self {
            Library::Nearest => argument.nearest_exp(),
            // No library returns a negative exponential.
            Library::Shifted(floats) => F::at_place(argument.nearest_exp().moved(floats).place().max(0)),
            Library::Std => argument.platform_exp(),
            #[cfg(test)]
            Library::Wobbly => F::at_place(argument.nearest_exp().moved(wobble(argument)).place().max(0)),
        }
    }
}

#[cfg(test)]
fn wobble<F: Number>(argument: F) -> i32 {
    let hash = (argument.place() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (hash % (2 * Library::STD_FLOATS as u64 + 1)) as i32 - Library::STD_FLOATS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_consecutive() {
        // Upward from the least negative float is -0, as IEEE 754 has it, and from there +0.
        for x in [0.0, 5e-324, 1.0, 1.5, f64::MAX, -1.0, -5e-324] {
            assert_eq!(x.next_up().place(), x.place() + 1, "{x:e}");
        }
        for x in [0.0, -0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY, -1.0, -5e-324, -f64::MAX] {
            assert_eq!(f64::at_place(x.place()).to_bits(), x.to_bits());
        }
        for x in [0f32, 1e-45, 1.0, -2.0] {
            assert_eq!(x.next_up().place(), x.place() + 1, "{x:e}");
        }
        for x in [0f32, -0.0, 1e-45, -1e-45, f32::MAX, -2.0] {
            assert_eq!(f32::at_place(x.place()).to_bits(), x.to_bits());
        }
        assert_eq!([-0.0f64, 0.0].map(Number::place), [-1, 0]);
        assert_eq!([-0.0f32, 0.0].map(Number::place), [-1, 0]);
    }

    /// A step passes both zeros at once.
    #[test]
    fn steps_pass_the_zeros() {
        let least = f64::from_bits(1);
        for (x, steps, expected) in
            [(0.0, -1, -least), (-0.0, 1, least), (least, -1, 0.0), (-least, 1, 0.0), (least, -2, -least)]
        {
            assert_eq!(x.moved(steps).to_bits(), f64::to_bits(expected), "{x} by {steps}");
        }
        assert_eq!((-0.0f32).moved(0).to_bits(), 0);
        assert_eq!(f32::MAX.moved(7), f32::INFINITY);
    }

    #[test]
    fn shifts() {
        let ln = Library::Nearest.ln(0.5f64);
        assert_eq!(Library::Shifted(1).ln(0.5f64), ln.next_up());
        assert_eq!(Library::Shifted(-2).ln(0.5f64), ln.next_down().next_down());
        assert_eq!(Library::Shifted(-2).exp(-800f64), 0.0);
        assert_eq!(Library::Shifted(i32::MAX).exp(88f32), f32::INFINITY);
    }
}
