//! What is added to noise: floats and integers, rounded by MPFR.

use std::fmt::Debug;

use lastbit_mpfr_tests::{Arguments, mpfr_float, mpfr_to_f32};
use lastbit_real::Rounding;
use rug::Float;
use rug::float::Round;

use crate::number;

/// A type of values.
pub(crate) trait Value: Copy + PartialEq + Debug {
    /// The value nearest to `x + noise`.
    fn nearest(x: Self, noise: &Float) -> Self;

    /// The noise at which `near` is left, upward or downward.
    fn end(x: Self, near: Self, upward: bool) -> Option<Float>;

    /// A value that noise of this size is added to.
    fn draw(arguments: &mut Arguments, noise: &Float) -> Self;
}

/// 0; something of the size of the noise; or what the noise brings close to 0, by up to 40 bits.
fn draw_float(arguments: &mut Arguments, noise: f64) -> f64 {
    let share = 2f64.powi(-(arguments.integer(0, 41) as i32));
    match arguments.bits() % 4 {
        0 => 0.0,
        1 => -noise * (1.0 + share),
        2 => noise * arguments.integer(-1000, 1000) as f64,
        _ => noise * share,
    }
}

/// The midpoint above or below a float, minus `x`.
fn to_midpoint<T: lastbit_real::Float>(x: T, near: T, upward: bool) -> Option<Float> {
    let midpoint = if upward { near.midpoint_above() } else { near.midpoint_below() }?;
    let x = x.to_dyadic().expect("finite");
    Some(number(&mpfr_float(&(&midpoint - &x))))
}

impl Value for f64 {
    fn nearest(x: f64, noise: &Float) -> f64 {
        number(noise + x).to_f64_round(Round::Nearest)
    }
    fn end(x: f64, near: f64, upward: bool) -> Option<Float> {
        to_midpoint(x, near, upward)
    }
    fn draw(arguments: &mut Arguments, noise: &Float) -> f64 {
        draw_float(arguments, noise.to_f64())
    }
}

impl Value for f32 {
    fn nearest(x: f32, noise: &Float) -> f32 {
        mpfr_to_f32(&number(noise + x), Rounding::Nearest)
    }
    fn end(x: f32, near: f32, upward: bool) -> Option<Float> {
        to_midpoint(x, near, upward)
    }
    fn draw(arguments: &mut Arguments, noise: &Float) -> f32 {
        draw_float(arguments, noise.to_f64()) as f32
    }
}

impl Value for i64 {
    /// `x + floor(½ + noise)`.
    fn nearest(x: i64, noise: &Float) -> i64 {
        let whole = number(noise + 0.5).floor().to_integer().and_then(|whole| whole.to_i64());
        x + whole.expect("small noise")
    }
    fn end(x: i64, near: i64, upward: bool) -> Option<Float> {
        Some(number(near - x) + if upward { 0.5 } else { -0.5 })
    }
    fn draw(arguments: &mut Arguments, _noise: &Float) -> i64 {
        arguments.integer(-1000, 1000)
    }
}
