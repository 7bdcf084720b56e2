//! The snapping mechanism in floating point, as an object of study.

use lastbit_real::{Float, Rational, Rounding, ln_f64};

use crate::bits::{BitSource, Word};
use crate::claim::{Preparation, exact_text};
use crate::error::{out_of_range, positive};
use crate::sampler::batch::{Chunked, Cursor, Overflow, Scratch, Words};
use crate::sampler::tier2::Prefix;
use crate::snapping::{FORMULA, check_bound, clamp, grid_exponent};
use crate::theorem_a::{MOST_M, TheoremA};
use crate::{Contract, Error, HalfWidth, Neighbours, ValueType, accuracy, validate};

/// The papers' `Snap_F`: every operation of the snapping mechanism in binary64, the logarithm correctly rounded, `u` any double
/// of (0, 1) with probability proportional to its ulp.
///
/// Use [`Snapping`](crate::Snapping), which has no excess loss; this form is here because others ship it.
///
/// # Loss
///
/// Theorem A (see `docs/errata.md`): with `η = 2⁻⁵³`, `M = ε(2B + Λ/2) <= 700` and `Λ' = Λ - 2⁻⁵²(B + Λ)`, at L1 distance `d_in` in
/// at most `c` coordinates, the loss is at most `ε·d_in + c·coth(Λ'·ε/2)·(4M + 4)·η·(1 + 2⁻⁹)`. Beyond `M = 700` pure
/// differential privacy is about to fail altogether (no `u` is below 2⁻¹⁰⁷⁴), and the constructor refuses.
///
/// ```
/// use lastbit::{Contract, FloatSnapping, Neighbours, Rational};
/// let snapping = FloatSnapping::new(1.0, 100.0)?;
/// let excess = snapping.loss(&Neighbours::at(Rational::ONE).differing_in(1)?)? - Rational::ONE;
/// assert!(excess.is_positive() && excess < Rational::pow2(-42));
/// assert!(FloatSnapping::new(1.0, 372.0).is_err());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatSnapping {
    params: SnapParams,
}

/// Parameters of [`snap_f`], unchecked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnapParams {
    /// `ε`.
    pub epsilon: f64,
    /// `B`.
    pub bound: f64,
    /// `Λ`, a power of two.
    pub grid: f64,
}

/// The deterministic core of `Snap_F`: the output for the value `f`, a uniform `u` and a sign `s = ±1`.
///
/// `clamp_B(⌊clamp_B(f) ⊕ s ⊗ (LN(u) ⊘ ε)⌉_Λ)`, ties of the last rounding toward +∞. Any parameters will do; only
/// [`FloatSnapping`] knows which are private. The output is never `-0`.
pub fn snap_f(params: &SnapParams, f: f64, u: f64, s: f64) -> f64 {
    let y = ln_f64(u) / params.epsilon;
    let w = clamp(f, params.bound) + s * y;
    // Adding +0 keeps -0 out of the outputs: it would tell on which side of 0 `w` was. The rounding has none, but -B is one if B is 0.
    clamp(round_to_multiple(w, params.grid), params.bound) + 0.0
}

/// The multiple of `grid` nearest to `w`, exactly, ties toward +∞.
fn round_to_multiple(w: f64, grid: f64) -> f64 {
    let cells = w / grid; // exact, but for an underflow, which is far from a tie
    if cells.abs() >= (1u64 << 52) as f64 {
        return w; // a multiple already, or an infinity; or the quotient overflows and it is one
    }
    let below = cells.floor();
    // Adding +0 turns -0 into +0.
    (below + if cells - below >= 0.5 { 1.0 } else { 0.0 }) * grid + 0.0
}

impl FloatSnapping {
    /// The mechanism of these parameters; `Λ` is the smallest power of two that is at least `1/ε`.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] if a parameter is not finite, if `M = ε(2B + Λ/2) > 700`, if `B >= 2⁵²·Λ`,
    /// or unless `2⁻⁵⁰⁰ <= ε <= 2⁵⁰⁰`.
    pub fn new(epsilon: f64, bound: f64) -> Result<FloatSnapping, Error> {
        let exact = |name, x: f64| {
            let reason = "it must be a finite number".into();
            Rational::try_from(x).map_err(|_| Error::OutOfRange { name, value: x.to_string(), reason })
        };
        let (exact_epsilon, exact_bound) = (exact("epsilon", epsilon)?, exact("bound", bound)?);
        let grid = grid_exponent(&exact_epsilon)?;
        let (least, most) = (Rational::pow2(-500), Rational::pow2(500));
        if exact_epsilon < least || exact_epsilon > most {
            return Err(out_of_range("epsilon", &exact_epsilon, "it must lie between 2^-500 and 2^500"));
        }
        check_bound(&exact_bound, grid)?;
        let snapping =
            FloatSnapping { params: SnapParams { epsilon, bound, grid: f64::from_i128(1, grid as i32) } };
        let [epsilon, bound, grid] = snapping.exact();
        if TheoremA::exponent_range(&epsilon, &bound, &grid) > Rational::from(MOST_M) {
            let reason = "epsilon·(2·bound + Λ/2) must be at most 700 for pure differential privacy: doubles below 2^-1074 \
                          are missing and the loss is infinite from about 744 on. Use the exact form, or claim \
                          (epsilon·d + 8.7·710·2^-53, e^(epsilon·d + 2)·2^-1022)-differential privacy instead";
            return Err(out_of_range("bound", &exact_bound, reason));
        }
        Ok(snapping)
    }

    /// The mechanism with (nearly) the largest `ε` whose loss, excess included, is at most `epsilon` between neighbours.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::UnknownSize`]; [`Error::OutOfRange`] if the excess alone is too much, and those of
    /// [`new`](Self::new).
    pub fn for_epsilon(
        epsilon: &Rational,
        neighbours: &Neighbours,
        bound: f64,
    ) -> Result<FloatSnapping, Error> {
        let sensitivity = neighbours.distance();
        let mut target = positive("epsilon", epsilon)? / positive("sensitivity", sensitivity)?;
        // The excess hardly depends on ε, so that taking off what is too much leads to the answer at once, or nearly.
        for _ in 0..8 {
            let snapping = FloatSnapping::new(target.to_f64(Rounding::Down), bound)?;
            let too_much = snapping.loss(neighbours)? - epsilon;
            if !too_much.is_positive() {
                return Ok(snapping);
            }
            target = target - too_much / sensitivity;
            if !target.is_positive() {
                break;
            }
        }
        Err(out_of_range(
            "epsilon",
            epsilon,
            "the excess loss of floating point alone is as large; use the exact form",
        ))
    }

    /// `ε`, `B` and `Λ`.
    pub fn params(&self) -> &SnapParams {
        &self.params
    }

    /// `ε`, `B` and `Λ`, exactly.
    fn exact(&self) -> [Rational; 3] {
        let SnapParams { epsilon, bound, grid } = self.params;
        [epsilon, bound, grid].map(|x| Rational::try_from(x).expect("checked when built"))
    }

    /// A parameter that must be a double.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub(crate) fn double(value: &Rational) -> Result<f64, Error> {
        let double = value.to_f64(Rounding::Nearest);
        match Rational::try_from(double) {
            Ok(exact) if exact == *value => Ok(double),
            _ => Err(out_of_range(
                "bound",
                value,
                "it must be a double: every operation of this form is in doubles",
            )),
        }
    }
}

impl Contract for FloatSnapping {
    fn name(&self) -> &'static str {
        "snapping"
    }

    fn formula(&self, _: ValueType) -> String {
        format!("{FORMULA}; every operation in doubles")
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let SnapParams { epsilon, bound, grid } = self.params;
        vec![
            ("form", "float".into()),
            ("epsilon", exact_text(epsilon)),
            ("bound", exact_text(bound)),
            ("grid", exact_text(grid)),
        ]
    }

    fn value_types(&self) -> &'static [ValueType] {
        &[ValueType::F64]
    }

    fn preparation(&self) -> Preparation {
        Preparation::Clamped { bound: self.params.bound }
    }

    /// A rational just above the bound of Theorem A.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        let [epsilon, bound, grid] = self.exact();
        let exact = neighbours.checked_distance()? * &epsilon;
        let inputs = neighbours.inputs_or_refuse()?;
        let theorem = TheoremA::new(&epsilon, &bound, &grid, 64).expect("checked when built");
        Ok(exact + Rational::from(inputs.max_changed()) * theorem.excess())
    }

    fn half_width(&self, _: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        accuracy::float_snapping(self, confidence)
    }
}

/// The least positive double is `2^LEAST`.
const LEAST: i64 = -1074;

/// `(u, s)`: the sign, and the double next below a uniform real number of (0, 1), which is every positive double with
/// probability proportional to its ulp. Below the least double it starts over with fresh bits.
fn uniform_and_sign<S: BitSource>(words: &Words<S::Word, 1>, source: &mut S) -> (f64, f64) {
    let width = S::Word::BITS;
    let mut prefix = words.prefix(0);
    let sign = if prefix.negative { -1.0 } else { 1.0 };
    let mut rounds = 0..=u32::MAX;
    loop {
        let significant = 128 - prefix.bits.leading_zeros();
        let len = i64::from(prefix.len);
        if significant >= f64::PRECISION || -len <= LEAST {
            let last = (i64::from(significant) - i64::from(f64::PRECISION) - len).max(LEAST);
            let kept = prefix.bits.checked_shr((last + len).max(0) as u32).unwrap_or(0);
            if kept != 0 {
                return (f64::from_i128(kept as i128, last as i32), sign);
            }
            prefix = Prefix { bits: 0, len: 0, ..prefix };
        }
        let round = rounds.next().expect("2^32 words of zeros: the source is broken");
        let at = words.address(0);
        prefix = prefix.then(source.refinement_word(at.batch, at.index, round).left_aligned(), width);
    }
}

impl Chunked<f64> for FloatSnapping {
    fn validate(&self, values: &[f64]) -> Result<Overflow, Error> {
        validate::finite_and_below(values, 1023)?;
        Ok(Overflow::Impossible)
    }

    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        _: &mut Scratch<S::Word, N>,
        values: &mut [f64; N],
    ) -> Result<(), usize> {
        for x in values {
            let mut words = Words::<S::Word, 1>::undrawn();
            words.draw(source, cursor);
            let (u, s) = uniform_and_sign(&words, source);
            *x = snap_f(&self.params, *x, u, s);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReplaySource;

    fn one_apart(max_changed: u64) -> Neighbours {
        Neighbours::at(Rational::ONE).differing_in(max_changed).unwrap()
    }

    /// The least double `u` of (0, 1) for which `w(u)` is at least `threshold`, by bisection. Together, the doubles below `u` have
    /// weight `u·2^1074 - 1`, in units of 2^-1074.
    fn least_u(threshold: f64, w: impl Fn(f64) -> f64) -> Option<f64> {
        let (mut below, mut at) = (0u64, 1f64.to_bits());
        while at - below > 1 {
            let middle = below + (at - below) / 2;
            if w(f64::from_bits(middle)) >= threshold { at = middle } else { below = middle }
        }
        let u = f64::from_bits(at);
        (u < 1.0).then_some(u)
    }

    /// Exactly the range of which it is proved that nothing overflows.
    #[test]
    fn the_range_of_epsilon() {
        let [least, most] = [f64::from_i128(1, -500), f64::from_i128(1, 500)];
        for (epsilon, is_allowed) in [
            (least.next_down(), false),
            (least, true),
            (most, true),
            (most.next_up(), false),
            (1.5 * most, false),
        ] {
            let made = FloatSnapping::new(epsilon, 32.0 / epsilon);
            assert_eq!(made.is_ok(), is_allowed, "{epsilon:e}: {made:?}");
        }
    }

    #[test]
    fn the_clamp_comes_first() {
        let params = SnapParams { epsilon: 1.0, bound: 1.0, grid: 1.0 };
        let unclamped = |f: f64, u: f64| clamp(round_to_multiple(f + ln_f64(u), params.grid), params.bound);
        let least = f64::from_bits(1);
        // Without it, 743 reaches 0 and below with the least u, and 744 does not.
        assert!(unclamped(743.0, least) < 0.0);
        assert!(unclamped(744.0, least) >= 0.0);
        // With it both are 1, and have the same outputs.
        for u in [least, 1e-300, 0.1, 0.9] {
            assert_eq!(snap_f(&params, 743.0, u, 1.0), snap_f(&params, 744.0, u, 1.0));
        }
    }

    #[test]
    fn the_least_double_is_missed() {
        let params = SnapParams { epsilon: 1.0, bound: 372.00000000000017, grid: 1.0 };
        let f = f64::parse_hex("0x1.73f0a88dae385p+8").unwrap();
        let least = f64::from_bits(1);
        // -B comes from the least double alone under f, and never under the next double.
        assert_eq!(snap_f(&params, f, least, 1.0), -params.bound);
        assert_ne!(snap_f(&params, f, f64::from_bits(2), 1.0), -params.bound);
        assert_ne!(snap_f(&params, f.next_up(), least, 1.0), -params.bound);
        assert!(FloatSnapping::new(params.epsilon, params.bound).is_err());
    }

    /// The exact loss at one output lies between the ideal, but for a little, and Theorem A.
    #[test]
    fn theorem_a_bounds_an_exact_loss() {
        let snapping = FloatSnapping::new(1.0, 300.0).unwrap();
        let params = *snapping.params();
        let weight_of_minus_bound = |f: f64| {
            // s = +1: outputs increase with u; -B is what lies below the first u that gives more.
            let u = least_u(-params.bound + params.grid, |u| snap_f(&params, f, u, 1.0)).unwrap();
            Rational::try_from(u).unwrap() * Rational::pow2(1074) - Rational::ONE
        };
        let ratio = weight_of_minus_bound(0.0) / weight_of_minus_bound(1.0);
        let loss = snapping.loss(&one_apart(1)).unwrap();
        let [ideal, most] = [Rational::ONE, loss].map(|x| lastbit_real::exp_rational(&x, 100).unwrap());
        assert!(ratio < Rational::from(most.lo()));
        assert!(ratio > Rational::from(ideal.hi()) * (Rational::ONE - Rational::pow2(-40)));
    }

    #[test]
    fn calibration_counts_the_excess() {
        for (epsilon, sensitivity, changed) in [("1", "1", 1), ("1/10", "3", 5), ("2", "1/7", 1000)] {
            let (epsilon, sensitivity): (Rational, Rational) =
                (epsilon.parse().unwrap(), sensitivity.parse().unwrap());
            let neighbours = Neighbours::at(sensitivity.clone()).differing_in(changed).unwrap();
            let found = FloatSnapping::for_epsilon(&epsilon, &neighbours, 16.0).unwrap();
            let loss = found.loss(&neighbours).unwrap();
            assert!(loss <= epsilon);
            assert!(
                loss > &epsilon * (Rational::ONE - Rational::pow2(-40)),
                "{epsilon} {sensitivity} {changed}"
            );
        }
        assert!(FloatSnapping::for_epsilon(&Rational::ONE, &one_apart(u64::MAX), 16.0).is_err());
    }

    #[test]
    fn rounding_to_multiples() {
        for (w, grid, expected) in [
            (0.5, 1.0, 1.0),
            (-0.5, 1.0, 0.0),
            (0.49999999999999994, 1.0, 0.0),
            (-0.5000000000000001, 1.0, -1.0),
            (3.0, 2.0, 4.0),
            (-3.0, 2.0, -2.0),
            (1e300, 1.0, 1e300),
            (5e-324, 1e300f64.log2().exp2(), 0.0),
            (9007199254740993.0, 0.5, 9007199254740993.0),
        ] {
            let rounded = round_to_multiple(w, grid);
            assert_eq!(rounded.to_bits(), f64::to_bits(expected), "{w} to {grid}: {rounded}");
        }
    }

    /// `u` and `s` from words of 8 bits: the double next below the real number that the bits spell.
    #[test]
    fn uniform_double_of_some_bits() {
        let draw = |script: &[u8]| {
            let mut source = ReplaySource::new(script);
            let mut cursor = Cursor::open(&mut source).unwrap();
            let mut words = Words::<u8, 1>::undrawn();
            words.draw(&mut source, &mut cursor);
            let drawn = uniform_and_sign(&words, &mut source);
            assert!(!source.ran_out());
            (drawn, source.words_asked())
        };
        // A one at once: 53 bits in 7 words (7 + 6·8 = 55).
        assert_eq!(draw(&[0x40, 0, 0, 0, 0, 0, 0]), ((0.5, 1.0), 7));
        assert_eq!(draw(&[0xc0, 0, 0, 0, 0, 0, 0]), ((0.5, -1.0), 7));
        let all_ones = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(draw(&[0x7f, 255, 255, 255, 255, 255, 255]), ((all_ones, 1.0), 7));
        // Zeros down to the last bit of the least double, 2^-1074: bit 1074 is bit 3 of word 134 (7 + 133·8 = 1071).
        let mut script = [0u8; 135];
        script[134] = 1 << 5;
        assert_eq!(draw(&script), ((f64::from_bits(1), 1.0), 135));
        script[133] = 1;
        assert_eq!(draw(&script).0.0, f64::from_bits(0b1001));
        // Below it, the draw starts over.
        let mut script = [0u8; 142];
        script[134] = 1;
        script[135] = 0x80;
        assert_eq!(draw(&script), ((0.5, 1.0), 142));
    }
}
