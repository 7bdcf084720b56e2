//! The snapping mechanism, ideal form.

use lastbit_real::{Float, IBig, Rational, Rounding, default_grid};

use crate::bits::BitSource;
use crate::claim::{Preparation, exact_text};
use crate::error::{out_of_range, positive};
use crate::sampler::arith::{Arith, Path, Portable};
use crate::sampler::batch::{Chunked, ChunkedReals, Cursor, Overflow, Scratch, for_each_undecided};
use crate::sampler::law::{FloorLaw, Offset};
use crate::sampler::scale::Scale;
use crate::sampler::tier1::plain::Floor;
use crate::sampler::tier1::round::Split;
use crate::sampler::tier1::whole::unless_tiny;
use crate::{Contract, Error, HalfWidth, Neighbours, Real, ValueType, accuracy, validate};

/// `clamp_B(⌊clamp_B(x) + L/ε⌉_Λ)`: Mironov's snapping mechanism over the real numbers, sampled exactly.
///
/// The value is clamped to `[-B, B]`, real Laplace noise of scale `1/ε` is added, the sum is rounded to the
/// nearest multiple of `Λ` (ties toward +∞) and clamped again. `Λ` is the smallest power of two that is at least `1/ε`. This is
/// `Snap_R` of the papers; [`FloatSnapping`](crate::FloatSnapping) is their `Snap_F`.
///
/// # Loss
///
/// `ε·d_in` at L1 distance `d_in`, for every `Λ` and `B`: clamping first can only bring inputs together, and the rest is
/// post-processing of the real Laplace mechanism.
///
/// ```
/// use lastbit::{Mechanism, Rational, SecureSource, Snapping};
/// let snapping = Snapping::new("1/2".parse()?, "100".parse()?)?;
/// assert_eq!(snapping.grid(), 2.0);
/// let noisy = snapping.release(&mut SecureSource::new()?, 41.7)?;
/// assert!(noisy.abs() <= 100.0 && noisy % 2.0 == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapping {
    epsilon: Rational,
    bound: f64,
    /// `Λ = 2^grid`.
    grid: i32,
    /// `1/(ε·Λ)`, in (½, 1]: the scale of the noise in units of `Λ`.
    s: Scale,
    clamp_infinite: bool,
}

/// `log2 Λ`, for the default `Λ` of a mechanism of this `ε`.
pub(crate) fn grid_exponent(epsilon: &Rational) -> Result<i64, Error> {
    let scale = positive("epsilon", epsilon)?.recip().expect("positive");
    Ok(default_grid(&scale).and_then(|grid| grid.floor_log2()).expect("positive"))
}

/// Refuses a bound that is not a positive double with `B < 2⁵²·Λ`, and a `Λ` near the ends of the range.
pub(crate) fn check_bound(bound: &Rational, grid: i64) -> Result<f64, Error> {
    positive("bound", bound)?;
    let double = bound.to_f64(Rounding::Nearest);
    if Rational::try_from(double).ok().as_ref() != Some(bound) {
        let nearest =
            if double.is_finite() { format!("; the nearest is {}", double.to_hex()) } else { String::new() };
        return Err(out_of_range(
            "bound",
            bound,
            format!("it must be a double, since it is an output{nearest}"),
        ));
    }
    if *bound >= Rational::pow2(grid + 52) {
        let reason = format!("with Λ = 2^{grid} it must be below 2^{}, or Λ is lost in rounding", grid + 52);
        return Err(out_of_range("bound", bound, reason));
    }
    Ok(double)
}

impl Snapping {
    /// The mechanism of these parameters.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] if `B` is not a double or not below `2⁵²·Λ`, or unless
    /// `2⁻¹⁰⁰⁰ <= ε <= 2¹⁰⁰⁰`.
    pub fn new(epsilon: Rational, bound: Rational) -> Result<Snapping, Error> {
        let grid = grid_exponent(&epsilon)?;
        if !(-1000..=1000).contains(&grid) {
            return Err(out_of_range(
                "epsilon",
                &epsilon,
                "Λ, about 1/epsilon, must lie between 2^-1000 and 2^1000",
            ));
        }
        let bound = check_bound(&bound, grid)?;
        let s = (&epsilon * Rational::pow2(grid)).recip().expect("positive");
        Ok(Snapping { epsilon, bound, grid: grid as i32, s: Scale::new(s), clamp_infinite: false })
    }

    /// The mechanism with the least noise whose loss is `epsilon` at L1 distance `sensitivity`.
    ///
    /// # Errors
    /// [`Error::NotPositive`] and those of [`new`](Self::new).
    pub fn for_epsilon(
        epsilon: &Rational,
        sensitivity: &Rational,
        bound: Rational,
    ) -> Result<Snapping, Error> {
        Snapping::new(positive("epsilon", epsilon)? / positive("sensitivity", sensitivity)?, bound)
    }

    /// Takes infinite values as the ends `±B`, where they are clamped to; without this they are refused.
    #[must_use]
    pub fn clamp_infinite(mut self) -> Snapping {
        self.clamp_infinite = true;
        self
    }

    /// `ε`, the loss per unit of distance.
    pub fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    /// `B`.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// `Λ`.
    pub fn grid(&self) -> f64 {
        f64::from_i128(1, self.grid)
    }
}

/// The formula of both forms.
pub(crate) const FORMULA: &str = "x -> clamp(⌊clamp(x) + L/epsilon⌉), where clamp is to [-bound, bound], L has density exp(-|l|)/2 and \
                                  ⌊·⌉ is the nearest multiple of grid";

impl Contract for Snapping {
    fn name(&self) -> &'static str {
        "snapping"
    }

    fn formula(&self, _: ValueType) -> String {
        format!("{FORMULA}; over the real numbers")
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("form", "exact".into()),
            ("epsilon", self.epsilon.to_short()),
            ("bound", exact_text(self.bound)),
            ("grid", exact_text(self.grid())),
        ]
    }

    fn value_types(&self) -> &'static [ValueType] {
        &[ValueType::F64, ValueType::Real]
    }

    fn preparation(&self) -> Preparation {
        Preparation::Clamped { bound: self.bound }
    }

    /// `ε·d_in`.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error> {
        Ok(neighbours.checked_distance()? * &self.epsilon)
    }

    fn half_width(&self, _: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
        accuracy::snapping(self, confidence)
    }
}

/// `x` in `[-bound, bound]`; NaN stays NaN.
#[inline(always)]
pub(crate) fn clamp(x: f64, bound: f64) -> f64 {
    let x = if x < -bound { -bound } else { x };
    if x > bound { bound } else { x }
}

/// `x/Λ + ½` without the integer part of `hi/Λ`, for `|x| < 2⁵²·Λ`.
///
/// Ensures: in [¼, 1¾], up to an error of `3η`, with `η = 2⁻⁵³`. `|lo|/Λ <= ¼`. The first sum rounds only where `hi/Λ` is in (-1, 0), by `η/2`, and
/// then `|lo|/Λ <= η/2`, the second is at most 1 and rounds by `η/2`; elsewhere the second rounds by `η`. The third rounds by `η`. What
/// `hi` and `lo` leave is `2η` of `lo/Λ`, `η/2` at most. An underflow is far below all that.
#[inline(always)]
pub(crate) fn offset_in_cells(x: Split, per_grid: f64) -> f64 {
    let v = x.hi * per_grid;
    ((v - Portable::floor(v)) + x.lo * per_grid) + 0.5
}

impl Chunked<f64> for Snapping {
    fn validate(&self, values: &[f64]) -> Result<Overflow, Error> {
        if self.clamp_infinite {
            validate::no_nan(values)?;
        } else {
            validate::finite_and_below(values, 1023)?;
        }
        Ok(Overflow::Impossible)
    }

    #[inline]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [f64; N],
    ) -> Result<(), usize> {
        let words = &mut scratch.words;
        words.draw(source, cursor);
        let (grid, per_grid) = (self.grid(), f64::from_i128(1, -self.grid));
        let (bound, least) = (self.bound, self.least());
        let exact = *values;
        let mut x = exact;
        x.iter_mut().for_each(|x| *x = unless_tiny(clamp(*x, bound), least));
        // The fraction of x/Λ goes through the kernel, its integer part around it. Exact up to one rounding, or an underflow
        // far below that.
        // By value, or the compiler would fear that writing a result changes them, and not vectorise.
        let x = &x;
        let cells_of = move |i: usize| x[i] * per_grid;
        let undecided = Path::detect().run(Floor {
            s: self.s.hi(),
            words: words.words(),
            n: N,
            out: values,
            offset: move |i, _| {
                let v = cells_of(i);
                (v - Portable::floor(v)) + 0.5
            },
            finish: move |i, cells: f64| clamp((Portable::floor(cells_of(i)) + cells) * grid, bound),
        });
        if undecided {
            for_each_undecided(values, |i, y| {
                let offset = Offset::Cells { x: clamp(exact[i], bound), grid: self.grid };
                *y = self.output(words.resolve(i, &FloorLaw { s: &self.s, offset }, source));
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl Snapping {
    /// What comes out for a multiple of `Λ`.
    fn output(&self, cells: IBig) -> f64 {
        clamp(f64::from_rational(&Rational::from(cells), Rounding::Nearest) * self.grid(), self.bound)
    }

    /// Tier 1 takes smaller values for 0, so that none is subnormal: a difference of `2⁻¹⁰⁰` cells is far below its radius. With scales below `2⁻⁹⁰⁰`, nothing is
    /// that small.
    fn least(&self) -> f64 {
        if self.grid < -900 { 0.0 } else { f64::from_i128(1, self.grid - 100) }
    }

    /// The doubles of a real number, after clamping.
    #[inline]
    fn clamped(&self, x: Split) -> Split {
        // `hi` is rounded to nearest, which keeps the order: only if it is at the bound, `lo` can lead beyond.
        let hi = clamp(x.hi, self.bound);
        let is_inside = x.hi == hi && !(hi.abs() == self.bound && x.lo * hi > 0.0);
        let least = self.least();
        Split { hi: unless_tiny(hi, least), lo: if is_inside { unless_tiny(x.lo, least) } else { 0.0 } }
    }
}

/// Real numbers, of any magnitude: they are clamped.
impl ChunkedReals<f64> for Snapping {
    fn validate_reals(&self, _: &[Real]) -> Result<Overflow, Error> {
        Ok(Overflow::Impossible)
    }

    #[inline]
    fn chunk_of_reals<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &[Real; N],
        out: &mut [f64; N],
    ) -> Result<(), usize> {
        let words = &mut scratch.words;
        words.draw(source, cursor);
        let (grid, per_grid, bound) = (self.grid(), f64::from_i128(1, -self.grid), self.bound);
        let x = values.each_ref().map(|x| self.clamped(x.split()));
        let x = &x;
        let undecided = Path::detect().run(Floor {
            s: self.s.hi(),
            words: words.words(),
            n: N,
            out,
            offset: move |i: usize, _| offset_in_cells(x[i], per_grid),
            finish: move |i: usize, cells: f64| {
                clamp((Portable::floor(x[i].hi * per_grid) + cells) * grid, bound)
            },
        });
        if undecided {
            for_each_undecided(out, |i, y| {
                let exact = values[i].to_rational();
                let bound = Rational::try_from(bound).expect("a double");
                let exact = if exact.abs() <= bound {
                    exact
                } else if exact.is_negative() {
                    -bound
                } else {
                    bound
                };
                let offset = Offset::RealCells { x: &exact, grid: self.grid };
                *y = self.output(words.resolve(i, &FloorLaw { s: &self.s, offset }, source));
                Ok(())
            })?;
        }
        Ok(())
    }
}
