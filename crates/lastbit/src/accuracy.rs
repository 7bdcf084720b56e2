//! How far off a noisy value is, and how much noise that allows: both ways.
//!
//! A *half-width at confidence β* is an `h` such that the noise is at most `h` in magnitude with probability `β` or more.
//! All bounds are rigorous: half-widths are rounded up, scales down.

use lastbit_real::{Enclosure, Float, IBig, Rational, Rounding, ln_rational};

use crate::discrete_gaussian::VARIANCE_EXPONENTS;
use crate::error::{non_negative, out_of_range, positive};
use crate::sampler::law::Centre;
use crate::{
    DiscreteGaussian, DiscreteLaplace, Error, FloatSnapping, GridLaplace, HalfWidth, Laplace, SnapParams,
    Snapping, ValueType,
};

/// Significant bits of the numbers here: half-widths end up as doubles.
const BITS: u32 = 80;

/// `ln(1/(1 - β))`: half-widths of the Laplace variable in units of its scale.
fn log_tail(confidence: &Rational) -> Result<Enclosure, Error> {
    Ok(-&ln_rational(&tail(confidence)?, BITS).expect("0 < 1 - β"))
}

/// `1 - β`.
pub(crate) fn tail(confidence: &Rational) -> Result<Rational, Error> {
    if positive("confidence", confidence)? >= &Rational::ONE {
        return Err(out_of_range("confidence", confidence, "it must be below 1"));
    }
    Ok(Rational::ONE - confidence)
}

/// The largest number of `(fails_above - width, fails_above)` that `holds`, to 60 bits, if `holds` is true below some
/// number and false above it. The answer holds.
fn bisect(width: &Rational, fails_above: &Rational, holds: impl Fn(&Rational) -> bool) -> Rational {
    let mut least = fails_above - width;
    let mut step = width.clone();
    for _ in 0..60 {
        step = step / Rational::from(2);
        let middle = &least + &step;
        if holds(&middle) {
            least = middle;
        }
    }
    least
}

/// `b·ln(1/(1-β))`; for integers, what is left of it when the sum is rounded.
pub(crate) fn laplace(noise: &Laplace, values: ValueType, confidence: &Rational) -> Result<HalfWidth, Error> {
    let real = noise.scale() * Rational::from(log_tail(confidence)?.hi());
    Ok(of_rounded_sum(&real, values))
}

/// The half-width of a sum that is rounded to values of this type, from that of the real noise.
pub(crate) fn of_rounded_sum(real: &Rational, values: ValueType) -> HalfWidth {
    match values.is_integer() {
        // The nearest integer to a number of [-h, h] lies within floor(h + 1/2).
        true => HalfWidth::Integer(real.round_half_up()),
        false => HalfWidth::above(real),
    }
}

/// A half-width of real noise, nearly the largest, that is at most `half_width` when the sum is rounded to an integer.
///
/// # Errors
/// [`Error::Negative`].
pub(crate) fn below_next_integer(half_width: &Rational) -> Result<Rational, Error> {
    // Rounded to at most j if below j + 1/2; a little less, so that it is not reached.
    let whole = Rational::from(non_negative("half_width", half_width)?.floor());
    Ok((whole + Rational::pow2(-1)) * (Rational::ONE - Rational::pow2(-60)))
}

impl Laplace {
    /// The mechanism with the largest scale, to 80 bits, whose noise has this half-width.
    ///
    /// ```
    /// use lastbit::{Contract, Laplace, Rational, Rounding, ValueType};
    /// let laplace = Laplace::new(Rational::from(10))?;
    /// let width = laplace.half_width(ValueType::F64, &"0.95".parse()?)?.to_rational().unwrap();
    /// assert_eq!(width.to_decimal(5, Rounding::Up), "29.958");
    /// let back = Laplace::for_half_width(&width, &"0.95".parse()?)?;
    /// assert!((back.scale().to_f64(Rounding::Nearest) - 10.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotPositive`], and unless `0 < confidence < 1`.
    pub fn for_half_width(half_width: &Rational, confidence: &Rational) -> Result<Laplace, Error> {
        Laplace::new(scale_for(half_width, confidence)?)
    }

    /// The same for results that are integers: the largest scale, nearly, whose noise has this half-width after rounding.
    ///
    /// # Errors
    /// [`Error::Negative`], and unless `0 < confidence < 1`.
    pub fn for_integer_half_width(half_width: &Rational, confidence: &Rational) -> Result<Laplace, Error> {
        Laplace::for_half_width(&below_next_integer(half_width)?, confidence)
    }
}

/// `h/ln(1/(1-β))`, rounded down.
fn scale_for(half_width: &Rational, confidence: &Rational) -> Result<Rational, Error> {
    Ok(positive("half_width", half_width)? / Rational::from(log_tail(confidence)?.hi()))
}

/// `c + s·ln(1/(1-β))`: the least number that `|Z| + 1` may be, see [`Centre`]: `P(|Z| >= j) = e^((c-j)/s)`.
fn discrete_reach(s: &Rational, log_tail: &Enclosure) -> Rational {
    let c = Centre::new(s).enclose(BITS);
    Rational::from(c.hi()) + s * Rational::from(log_tail.hi())
}

/// The least integer `j` with `P(|Z| <= j) >= β`.
pub(crate) fn discrete_laplace(noise: &DiscreteLaplace, confidence: &Rational) -> Result<HalfWidth, Error> {
    Ok(HalfWidth::Integer(least_cells(noise.scale(), confidence)?))
}

/// The same for a scale in units of a grid.
fn least_cells(s: &Rational, confidence: &Rational) -> Result<IBig, Error> {
    let reach = discrete_reach(s, &log_tail(confidence)?);
    Ok((reach.ceil() - IBig::ONE).max(IBig::ZERO))
}

impl DiscreteLaplace {
    /// The mechanism with the largest scale, to 60 bits, whose noise has this half-width.
    ///
    /// # Errors
    /// [`Error::Negative`], and unless `0 < confidence < 1`.
    pub fn for_half_width(half_width: &Rational, confidence: &Rational) -> Result<DiscreteLaplace, Error> {
        let whole = Rational::from(non_negative("half_width", half_width)?.floor());
        DiscreteLaplace::new(discrete_scale_for(&whole, confidence)?)
    }
}

/// The largest scale with `c + s·ln(1/(1-β)) <= h + 1`; `0 < c < 1` says where it is.
fn discrete_scale_for(half_width: &Rational, confidence: &Rational) -> Result<Rational, Error> {
    let log_tail = log_tail(confidence)?;
    let most = half_width + Rational::ONE;
    let fails_above = &most / Rational::from(log_tail.lo());
    Ok(bisect(&fails_above, &fails_above, |s| discrete_reach(s, &log_tail) <= most))
}

/// The noise, and half a cell for rounding the value to the grid.
pub(crate) fn grid_laplace<T: Float>(
    noise: &GridLaplace<T>,
    confidence: &Rational,
) -> Result<HalfWidth, Error> {
    let cell = Rational::pow2(i64::from(noise.k()));
    let cells = Rational::from(least_cells(&(noise.scale() / &cell), confidence)?);
    Ok(HalfWidth::above(&((cells + Rational::pow2(-1)) * cell)))
}

impl<T: Float> GridLaplace<T> {
    /// The mechanism with the largest scale, to 60 bits, whose noise has this half-width, on the grid `Z·2^k` or one of about
    /// `2⁻⁴⁰` of the scale.
    ///
    /// # Errors
    /// [`Error::NotPositive`]; [`Error::OutOfRange`] if the half-width is less than half a cell, and unless
    /// `0 < confidence < 1`.
    pub fn for_half_width(
        half_width: &Rational,
        confidence: &Rational,
        k: Option<i32>,
    ) -> Result<GridLaplace<T>, Error> {
        let k = GridLaplace::<T>::new(scale_for(half_width, confidence)?, k)?.k();
        let cell = Rational::pow2(i64::from(k));
        let cells = Rational::from((half_width / &cell - Rational::pow2(-1)).floor());
        if cells.is_negative() {
            return Err(out_of_range(
                "half_width",
                half_width,
                format!("it must be at least half a cell, 2^{}", k - 1),
            ));
        }
        GridLaplace::new(discrete_scale_for(&cells, confidence)? * cell, Some(k))
    }
}

/// A number below `√x`, by less than 2⁻⁴⁰.
fn sqrt_below(x: &Rational) -> Rational {
    let scaled = x * Rational::pow2(80);
    Rational::from(scaled.floor_sqrt().expect("not negative")) * Rational::pow2(-40)
}

/// An upper bound on `ln P(|Z| >= m)`, `m >= 1`, for the discrete Gaussian: the better of two. A logarithm, since the probability of
/// what is millions of `σ` away has millions of digits.
///
/// - `2·e^(-m²/(2σ²))`: the variable is σ²-subgaussian (Canonne, Kamath and Steinke 2020).
/// - `2·Q(t)`, `t = (m-1)/σ`, the tail of the real Gaussian: the sum over `z >= m` is below the integral from `m - 1` on, and
///   the normalising sum is at least `σ·√(2π)` (Poisson summation: all its terms are positive). And
///   `Q(t) <= φ(t)·4/(3t + √(t² + 8))` (Sampford 1953).
fn log_gaussian_tail(m: &IBig, variance: &Rational) -> Rational {
    let log = |x: &Rational| Rational::from(ln_rational(x, BITS).expect("positive").hi());
    let two = Rational::from(2);
    let subgaussian = log(&two) - Rational::from(m.clone()).pow(2) / (variance * &two);
    let t2 = Rational::from(m.clone() - IBig::ONE).pow(2) / variance;
    let t = sqrt_below(&t2);
    let root_two_pi = Rational::new(2_506_628, 1_000_000).expect("not zero"); // from below
    let mills = Rational::from(4) / (t * Rational::from(3) + sqrt_below(&(&t2 + Rational::from(8))));
    let real = log(&(mills * &two / root_two_pi)) - t2 / two;
    subgaussian.min(real)
}

/// The half-width of the discrete Gaussian: an integer `j` with `P(|Z| <= j) >= β`, the least one or, since it comes from bounds on
/// the tail, up to 1 plus 5% more.
pub(crate) fn discrete_gaussian(noise: &DiscreteGaussian, confidence: &Rational) -> Result<HalfWidth, Error> {
    let log_tail = -Rational::from(log_tail(confidence)?.hi());
    let enough = |m: &IBig| log_gaussian_tail(m, noise.variance()) <= log_tail;
    let mut most = IBig::ONE;
    while !enough(&most) {
        most <<= 1;
    }
    let mut least = IBig::ZERO; // not enough, or zero
    while &most - &least > IBig::ONE {
        let middle = (&most + &least) >> 1;
        if enough(&middle) { most = middle } else { least = middle }
    }
    Ok(HalfWidth::Integer(most - IBig::ONE))
}

impl DiscreteGaussian {
    /// The mechanism with the largest variance, to 60 bits, whose [half-width](crate::Contract::half_width) is at most this.
    ///
    /// # Errors
    /// [`Error::Negative`], [`Error::OutOfRange`] if no variance of the mechanism has it, and unless `0 < confidence < 1`.
    pub fn for_half_width(half_width: &Rational, confidence: &Rational) -> Result<DiscreteGaussian, Error> {
        let log_tail = -Rational::from(log_tail(confidence)?.hi());
        let m = non_negative("half_width", half_width)?.floor() + IBig::ONE;
        let holds = |variance: &Rational| log_gaussian_tail(&m, variance) <= log_tail;
        let mut fails_above = Rational::ONE;
        while holds(&fails_above) {
            fails_above = fails_above * Rational::from(2);
            if fails_above > Rational::pow2(VARIANCE_EXPONENTS.1) {
                let reason = "it asks for more noise than the discrete Gaussian has";
                return Err(out_of_range("half_width", half_width, reason));
            }
        }
        DiscreteGaussian::with_variance(bisect(&fails_above, &fails_above, holds))
    }
}

/// `ln(1/(1-β))/ε + Λ/2`, for values within the bound.
fn snapping_width(epsilon: &Rational, grid: f64, confidence: &Rational) -> Result<Rational, Error> {
    let laplace = Rational::from(log_tail(confidence)?.hi()) / epsilon;
    let grid = Rational::try_from(grid).expect("a power of two");
    Ok(laplace + grid / Rational::from(2))
}

/// The half-width of the ideal form, for values within the bound.
pub(crate) fn snapping(noise: &Snapping, confidence: &Rational) -> Result<HalfWidth, Error> {
    Ok(HalfWidth::above(&snapping_width(noise.epsilon(), noise.grid(), confidence)?))
}

/// What floating point adds to a half-width `h`: at most this times `h + B`.
///
/// With `η = 2⁻⁵³`: the double `u` is within a factor `1 - 2η` of a uniform real number, `LN` and `⊘` add `1 + η` each, the sum moves by
/// at most `η(B + |y|)`. In all below `2⁻⁴⁸·h + 2⁻⁴⁸·B`, where `h >= Λ/2 >= 1/(2ε)`.
fn float_slack() -> Rational {
    Rational::pow2(-48)
}

/// The half-width of `Snap_F`, for values within the bound.
pub(crate) fn float_snapping(noise: &FloatSnapping, confidence: &Rational) -> Result<HalfWidth, Error> {
    let SnapParams { epsilon, bound, grid } = *noise.params();
    let [epsilon, bound] = [epsilon, bound].map(|x| Rational::try_from(x).expect("checked when built"));
    let ideal = snapping_width(&epsilon, grid, confidence)?;
    Ok(HalfWidth::above(&(&ideal + (&ideal + bound) * float_slack())))
}

impl FloatSnapping {
    /// The mechanism with (nearly) the least `ε` whose noise has this half-width.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::OutOfRange`] if rounding alone is as much, those of [`new`](Self::new), and unless
    /// `0 < confidence < 1`.
    pub fn for_half_width(
        half_width: &Rational,
        confidence: &Rational,
        bound: f64,
    ) -> Result<FloatSnapping, Error> {
        let finite = Rational::try_from(bound);
        let exact =
            finite.map_err(|_| out_of_range("bound", &Rational::ZERO, "it must be a finite number"))?;
        let ideal =
            (positive("half_width", half_width)? - &exact * float_slack()) / (Rational::ONE + float_slack());
        if !ideal.is_positive() {
            return Err(out_of_range("half_width", half_width, "rounding in doubles alone is as much"));
        }
        // A larger ε makes less noise.
        let epsilon = Snapping::for_half_width(&ideal, confidence, exact)?.epsilon().to_f64(Rounding::Up);
        FloatSnapping::new(epsilon, bound)
    }
}

impl Snapping {
    /// The mechanism with the least `ε`, to 80 bits, whose noise has this half-width.
    ///
    /// # Errors
    /// [`Error::NotPositive`], those of [`new`](Self::new), and unless `0 < confidence < 1`.
    pub fn for_half_width(
        half_width: &Rational,
        confidence: &Rational,
        bound: Rational,
    ) -> Result<Snapping, Error> {
        let log_tail = Rational::from(log_tail(confidence)?.hi());
        let top = positive("half_width", half_width)?.floor_log2().expect("positive");
        // For each Λ = 2^k, the ε that the half-width asks for, if Λ is the one of that ε: 2^-k <= ε < 2^(1-k).
        let candidate = |k: i64| {
            let room = Some(half_width - Rational::pow2(k - 1)).filter(Rational::is_positive)?;
            let epsilon = (&log_tail / room).max(Rational::pow2(-k));
            (epsilon < Rational::pow2(1 - k)).then_some(epsilon)
        };
        // ε·h lies between ln(1/(1-β)) + ½ and ln(1/(1-β)) + 1, so these Λ are all that can be.
        let least = top - (&log_tail + Rational::ONE).ceil_log2().expect("above 1");
        let epsilon = (least..=top + 3).filter_map(candidate).min();
        let reason = "no epsilon gives this half-width at this confidence";
        Snapping::new(epsilon.ok_or_else(|| out_of_range("half_width", half_width, reason))?, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Contract;
    use lastbit_real::{Dyadic, exp_rational};

    /// The half-width as a number.
    fn width(noise: &impl Contract, confidence: &Rational) -> Rational {
        noise.half_width(noise.value_types()[0], confidence).unwrap().to_rational().expect("finite")
    }

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    const CONFIDENCES: [&str; 4] = ["0.5", "0.9", "0.95", "0.999999"];

    /// `P(|Z| > j)` of the discrete Laplace variable: `2·q^(j+1)/(1 + q)`.
    fn discrete_tail(s: &Rational, j: &IBig) -> Enclosure {
        let exp = |x: &Rational| exp_rational(&-(x / s), 100).unwrap();
        let q = &exp(&Rational::ONE) + &Enclosure::exact(Dyadic::ONE);
        exp(&Rational::from(j + IBig::ONE)).shl(1).div(&q, 100).unwrap()
    }

    #[test]
    fn discrete_half_width_is_the_least() {
        for s in ["1/3", "1", "10", "12345/7"] {
            for confidence in CONFIDENCES {
                let (s, confidence) = (rational(s), rational(confidence));
                let tail = Rational::ONE - &confidence;
                let j = width(&DiscreteLaplace::new(s.clone()).unwrap(), &confidence).floor();
                assert!(Rational::from(discrete_tail(&s, &j).hi()) <= tail, "s={s} β={confidence} j={j}");
                if j > IBig::ZERO {
                    let fewer = &j - IBig::ONE;
                    assert!(
                        Rational::from(discrete_tail(&s, &fewer).lo()) > tail,
                        "s={s} β={confidence} j={j}"
                    );
                }
            }
        }
    }

    #[test]
    fn discrete_scale_is_the_largest() {
        for h in [0u64, 1, 2, 30, 100_000] {
            for confidence in CONFIDENCES.map(rational) {
                let h = Rational::from(h);
                let found = DiscreteLaplace::for_half_width(&h, &confidence).unwrap();
                assert!(width(&found, &confidence) <= h);
                let more = found.scale() * (Rational::ONE + Rational::pow2(-40));
                let more = DiscreteLaplace::new(more).unwrap();
                assert!(width(&more, &confidence) > h, "h={h} β={confidence}");
            }
        }
    }

    #[test]
    fn grid_both_ways() {
        for k in [None, Some(-3)] {
            let (h, confidence) = (rational("7.3"), rational("0.95"));
            let found = GridLaplace::<f64>::for_half_width(&h, &confidence, k).unwrap();
            let width = width(&found, &confidence).to_f64(Rounding::Nearest);
            assert!(width <= 7.3 && width > 7.3 - 0.126, "{width}");
        }
        let error = GridLaplace::<f64>::for_half_width(&rational("0.1"), &rational("0.95"), Some(3));
        assert!(matches!(error, Err(Error::OutOfRange { name: "half_width", .. })));
    }

    /// `P(|Z| > j)` of the discrete Gaussian for `j` in `0..terms`, by summing that many terms.
    fn gaussian_tails(variance: &Rational, terms: usize) -> Vec<f64> {
        let term = |z: usize| {
            let x = -(Rational::from(z).pow(2) / (variance * Rational::from(2)));
            exp_rational(&x, 60).unwrap()
        };
        let mut tails = vec![Enclosure::exact(Dyadic::ZERO)];
        for z in (1..terms).rev() {
            tails.push(&tails[tails.len() - 1] + &term(z).shl(1));
        }
        let all = &tails[terms - 1] + &term(0);
        tails.iter().rev().map(|t| f64::from_dyadic(t.div(&all, 60).unwrap().hi(), Rounding::Up)).collect()
    }

    #[test]
    fn gaussian_half_width_holds_and_is_close() {
        for (variance, terms) in [("1/4", 20), ("4", 60), ("10000", 1500)] {
            let noise = DiscreteGaussian::with_variance(rational(variance)).unwrap();
            let tails = gaussian_tails(noise.variance(), terms);
            for confidence in CONFIDENCES {
                let tail = 1.0 - rational(confidence).to_f64(Rounding::Nearest);
                let j = usize::try_from(width(&noise, &rational(confidence)).floor()).unwrap();
                let least = tails.iter().position(|t| *t <= tail * (1.0 + 1e-9)).unwrap();
                assert!(j >= least, "σ²={variance} β={confidence}: {j}, but only {least} is enough");
                assert!(
                    j - least <= 1 + least / 20,
                    "σ²={variance} β={confidence}: {j}, but {least} is enough"
                );
            }
        }
    }

    #[test]
    fn gaussian_variance_for_half_width() {
        let confidence = rational("0.95");
        for h in [1u64, 20, 1000, 1_000_000, u64::MAX] {
            let h = Rational::from(h);
            let found = DiscreteGaussian::for_half_width(&h, &confidence).unwrap();
            assert!(width(&found, &confidence) <= h);
            let more = found.variance() * rational("1.0001");
            let more = DiscreteGaussian::with_variance(more).unwrap();
            assert!(width(&more, &confidence) > h);
        }
    }

    #[test]
    fn snapping_both_ways() {
        for h in ["0.01", "1", "3.7", "1000"] {
            for confidence in CONFIDENCES.map(rational) {
                let h = rational(h);
                let found = Snapping::for_half_width(&h, &confidence, Rational::from(64)).unwrap();
                let reached = width(&found, &confidence);
                assert!(reached <= &h * (Rational::ONE + Rational::pow2(-50)), "{reached} > {h}");
                // A little less ε is too little, or has a Λ that is twice as wide.
                let less = found.epsilon() * rational("0.9999");
                let less = Snapping::new(less, Rational::from(64)).unwrap();
                assert!(width(&less, &confidence) > h);
            }
        }
    }

    #[test]
    fn refusals() {
        let laplace = Laplace::new(Rational::ONE).unwrap();
        for bad in ["0", "1", "-1/2", "3/2"] {
            assert!(laplace.half_width(ValueType::F64, &rational(bad)).is_err(), "{bad}");
        }
        assert!(Laplace::for_half_width(&Rational::ZERO, &rational("0.5")).is_err());
    }

    /// A few bits of memory for every parameter: the tail of a narrow Gaussian has more digits than there is memory for.
    #[test]
    fn gaussians_of_every_width() {
        let confidence = rational("0.95");
        for (exponent, least) in [(-60, "0"), (-40, "0"), (-33, "0"), (-10, "0"), (0, "1")] {
            let noise = DiscreteGaussian::with_variance(Rational::pow2(exponent)).unwrap();
            let j = width(&noise, &confidence);
            assert!(j >= rational(least) && j <= rational(least) + Rational::ONE, "2^{exponent}: {j}");
        }
        // 1.96·σ, and a little.
        let noise = DiscreteGaussian::with_variance(Rational::pow2(1998)).unwrap();
        let in_sigmas = width(&noise, &confidence) / Rational::pow2(999);
        assert!(in_sigmas > rational("1.9599") && in_sigmas < rational("2.02"), "{in_sigmas}");
        let too_wide = Rational::pow2(100_000);
        let refused = DiscreteGaussian::for_half_width(&too_wide, &confidence);
        assert!(matches!(refused, Err(Error::OutOfRange { name: "half_width", .. })));
    }

    #[test]
    fn float_snapping_both_ways() {
        for h in ["1", "3.7", "1000"].map(rational) {
            for confidence in CONFIDENCES.map(rational) {
                let found = FloatSnapping::for_half_width(&h, &confidence, 8.0).unwrap();
                assert!(width(&found, &confidence) <= &h * (Rational::ONE + Rational::pow2(-50)));
                let ideal = Snapping::for_half_width(&h, &confidence, Rational::from(8)).unwrap();
                let more = Rational::try_from(found.params().epsilon).unwrap() / ideal.epsilon();
                assert!(more >= Rational::ONE && more < Rational::ONE + Rational::pow2(-40));
            }
        }
        let confidence = rational("0.95");
        assert!(matches!(
            FloatSnapping::for_half_width(&Rational::pow2(-50), &confidence, 8.0),
            Err(Error::OutOfRange { name: "half_width", .. })
        ));
        assert!(FloatSnapping::for_half_width(&Rational::ONE, &confidence, f64::NAN).is_err());
        assert!(FloatSnapping::for_half_width(&-Rational::ONE, &confidence, 8.0).is_err());
    }

    #[test]
    fn rounding_of_laplace_to_integers() {
        let noise = Laplace::new(Rational::from(10)).unwrap();
        let width = |values| noise.half_width(values, &rational("0.95")).unwrap();
        assert_eq!(width(ValueType::I64), HalfWidth::Integer(IBig::from(30)));
        for (h, expected) in [("0", "0"), ("0.6", "0"), ("1", "1"), ("29.9", "29"), ("1000000", "1000000")] {
            for confidence in CONFIDENCES.map(rational) {
                let found = Laplace::for_integer_half_width(&rational(h), &confidence).unwrap();
                let reached = found.half_width(ValueType::I64, &confidence).unwrap();
                assert_eq!(reached.to_rational(), Some(rational(expected)), "{h} {confidence}");
            }
        }
        assert!(matches!(width(ValueType::F64), HalfWidth::Float(w) if (w - 29.957).abs() < 1e-3));
    }
}
