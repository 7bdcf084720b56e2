//! Ranges of inputs, and the points of a range where an analysis is most likely to be wrong.

use lastbit_lang::{Format, Input, InputKind, Role};
use lastbit_real::{Float, Rational, Rounding};

use super::xorshift::Xorshift;

/// The floats of a format in order, as integers: neighbours are one apart, both zeros are 0.
pub(crate) trait Ordered: Float {
    fn index(self) -> i64;
    fn at(index: i64) -> Self;
}

impl Ordered for f64 {
    fn index(self) -> i64 {
        let magnitude = self.abs().to_bits() as i64;
        if self < 0.0 { -magnitude } else { magnitude }
    }
    fn at(index: i64) -> f64 {
        let magnitude = f64::from_bits(index.unsigned_abs());
        if index < 0 { -magnitude } else { magnitude }
    }
}

impl Ordered for f32 {
    fn index(self) -> i64 {
        let magnitude = i64::from(self.abs().to_bits());
        if self < 0.0 { -magnitude } else { magnitude }
    }
    fn at(index: i64) -> f32 {
        let magnitude = f32::from_bits(index.unsigned_abs() as u32);
        if index < 0 { -magnitude } else { magnitude }
    }
}

pub(super) fn exact<F: Float>(value: F) -> Rational {
    Rational::from(value.to_dyadic().expect("the floats here are finite"))
}

/// A finite float, any bits.
fn any_float<F: Ordered>(rng: &mut Xorshift) -> F {
    let max = F::MAX.index();
    F::at(rng.between(-max, max))
}

/// A float of magnitude `2^lo` to `2^(hi + 1)`, either sign, often a power of two.
fn of_magnitude<F: Ordered>(rng: &mut Xorshift, lo: i64, hi: i64) -> F {
    let exponent = rng.between(lo, hi);
    let power = F::from_rational(&Rational::pow2(exponent), Rounding::Nearest);
    let next = F::from_rational(&Rational::pow2(exponent + 1), Rounding::Down);
    let index = if rng.once_in(3) {
        power.index()
    } else {
        rng.between(power.index(), next.index().max(power.index()))
    };
    F::at(if rng.once_in(2) { -index } else { index })
}

/// An input of a kind, with a range of one of the shapes that matter.
pub(crate) fn random_input(rng: &mut Xorshift, name: String, format: Format) -> Input {
    match format {
        Format::Binary64 => input_of::<f64>(rng, name),
        Format::Binary32 => input_of::<f32>(rng, name),
    }
}

fn input_of<F: Ordered>(rng: &mut Xorshift, name: String) -> Input {
    let kind = match rng.below(12) {
        0 => InputKind::Sign,
        1 => InputKind::Integer,
        2 | 3 => InputKind::Real,
        _ => InputKind::Float,
    };
    let (lo, hi) = match kind {
        InputKind::Sign => (Rational::from(-1), Rational::ONE),
        InputKind::Integer => {
            let a = rng.between(-1000, 1000);
            let width = 1 << rng.below(20);
            (Rational::from(a), Rational::from(a + rng.between(0, width)))
        }
        InputKind::Float | InputKind::Real => float_range::<F>(rng),
    };
    Input { name, role: Role::Argument, kind, lo, hi }
}

fn float_range<F: Ordered>(rng: &mut Xorshift) -> (Rational, Rational) {
    let (min, max) = (i64::from(F::MIN_EXPONENT), i64::from(F::MAX_EXPONENT));
    let (a, b): (F, F) = match rng.below(12) {
        // One number.
        0 => {
            let a = of_magnitude::<F>(rng, -10, 10);
            (a, a)
        }
        // A few neighbours.
        1 => {
            let a = of_magnitude::<F>(rng, -10, 10);
            (a, F::at(a.index() + rng.between(1, 40)))
        }
        // Around a power of two.
        2 => {
            let power = F::from_rational(&Rational::pow2(rng.between(-20, 20)), Rounding::Nearest).index();
            (F::at(power - rng.between(0, 1 << 20)), F::at(power + rng.between(0, 1 << 20)))
        }
        // Subnormal numbers, and zero among them.
        3 => (of_magnitude::<F>(rng, min, min + 20), of_magnitude::<F>(rng, min, min + 20)),
        // Up to the largest ones.
        4 => (of_magnitude::<F>(rng, max - 40, max - 1), of_magnitude::<F>(rng, max - 40, max - 1)),
        5 => (any_float::<F>(rng), any_float::<F>(rng)),
        // The unit interval without zero: what uniform samplers give.
        6 => (F::from_rational(&Rational::pow2(-rng.between(1, 60)), Rounding::Nearest), F::from_i128(1, 0)),
        // Positive, within a few binades.
        7 | 8 => {
            let a = of_magnitude::<F>(rng, -6, 6).index().abs();
            let b = of_magnitude::<F>(rng, -6, 6).index().abs();
            (F::at(a), F::at(b))
        }
        _ => (of_magnitude::<F>(rng, -8, 8), of_magnitude::<F>(rng, -8, 8)),
    };
    let (lo, hi) = if a.index() <= b.index() { (a, b) } else { (b, a) };
    (exact(lo), exact(hi))
}

/// A value of the input: an end, a power of two, uniform in the bits, or next to one of those.
pub(crate) fn random_value(rng: &mut Xorshift, input: &Input, format: Format) -> Rational {
    match (input.kind, format) {
        (InputKind::Sign, _) => rng.pick(&[Rational::from(-1), Rational::ONE]),
        (InputKind::Integer, _) => random_integer(rng, input),
        (_, Format::Binary64) => value_of::<f64>(rng, input),
        (_, Format::Binary32) => value_of::<f32>(rng, input),
    }
}

fn random_integer(rng: &mut Xorshift, input: &Input) -> Rational {
    let [lo, hi] = [&input.lo, &input.hi].map(|end| i64::try_from(end.floor()).expect("ranges are small"));
    let power = 1i64 << rng.below(12);
    let candidates = [lo, hi, 0, power, -power, rng.between(lo, hi)];
    Rational::from(rng.pick(&candidates).clamp(lo, hi))
}

fn value_of<F: Ordered>(rng: &mut Xorshift, input: &Input) -> Rational {
    let lo = F::from_rational(&input.lo, Rounding::Up).index();
    let hi = F::from_rational(&input.hi, Rounding::Down).index();
    let uniform = rng.between(lo, hi);
    let index = match rng.below(8) {
        0 => lo,
        1 => hi,
        // The power of two below a number of the range, zero, or the number itself.
        2 | 3 => {
            let log2 = exact(F::at(uniform)).floor_log2();
            let power = log2.map_or(0, |log2| {
                F::from_rational(&Rational::pow2(log2), Rounding::Nearest).index() * uniform.signum()
            });
            rng.pick(&[power, power, 0])
        }
        // Few significant bits: ties and exact results.
        4 => {
            let bits = rng.below(F::PRECISION as usize - 1);
            uniform >> bits << bits
        }
        _ => uniform,
    };
    let index = (index + rng.pick(&[0, 0, 1, -1])).clamp(lo, hi);
    let value = exact(F::at(index));
    if input.kind == InputKind::Real && index < hi && rng.once_in(2) {
        // Between two floats: often the midpoint, where rounding on entry errs most.
        let fraction = rng.pick(&[(1, 2), (1, 3), (1, 1 << 20), ((1 << 20) - 1, 1 << 20)]);
        let fraction = Rational::new(fraction.0, fraction.1).expect("not 0");
        let next = exact(F::at(index + 1));
        return &value + &((next - &value) * fraction);
    }
    value
}
