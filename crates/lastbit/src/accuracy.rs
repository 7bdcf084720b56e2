//! How far off a noisy value is, and how much noise that allows: both ways.
//!
//! A *half-width at confidence β* is an `h` such that the noise is at most `h` in magnitude with probability `β` or more.
//! All bounds are rigorous: half-widths are rounded up, scales down.

use lastbit_real::{Enclosure, Float, IBig, Rational, Rounding, exp_rational, ln_rational};

use crate::error::{out_of_range, positive};
use crate::sampler::law::Centre;
use crate::snapping::ceil_log2;
use crate::{DiscreteGaussian, DiscreteLaplace, Error, GridLaplace, Laplace, Snapping};

/// Significant bits of the numbers here: half-widths end up as doubles.
const BITS: u32 = 80;

/// `ln(1/(1 - β))`: half-widths of the Laplace variable in units of its scale.
fn log_tail(confidence: &Rational) -> Result<Enclosure, Error> {
    Ok(-&ln_rational(&tail(confidence)?, BITS).expect("0 < 1 - β"))
}

/// `1 - β`.
fn tail(confidence: &Rational) -> Result<Rational, Error> {
    if positive("confidence", confidence)? >= &Rational::ONE {
        return Err(out_of_range("confidence", confidence, "it must be below 1"));
    }
    Ok(Rational::ONE - confidence)
}

fn above(x: &Rational) -> f64 {
    x.to_f64(Rounding::Up)
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

impl Laplace {
    /// The half-width of the noise at this confidence: `b·ln(1/(1-β))`, rounded up. The rounding of the result to its type
    /// comes on top.
    ///
    /// ```
    /// use lastbit::{Laplace, Rational};
    /// let laplace = Laplace::new(Rational::from(10))?;
    /// let half_width = laplace.half_width(&"0.95".parse()?)?;
    /// assert!((half_width - 29.957).abs() < 1e-3);
    /// let back = Laplace::for_half_width(&Rational::try_from(half_width)?, &"0.95".parse()?)?;
    /// assert!((back.scale().to_f64(lastbit::Rounding::Nearest) - 10.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    pub fn half_width(&self, confidence: &Rational) -> Result<f64, Error> {
        Ok(above(&(self.scale() * Rational::from(log_tail(confidence)?.hi()))))
    }

    /// The mechanism with the largest scale, to 80 bits, whose noise has this half-width.
    ///
    /// # Errors
    /// [`Error::NotPositive`], and unless `0 < confidence < 1`.
    pub fn for_half_width(half_width: &Rational, confidence: &Rational) -> Result<Laplace, Error> {
        Laplace::new(scale_for(half_width, confidence)?)
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

impl DiscreteLaplace {
    /// The half-width of the noise at this confidence: the least integer `j` with `P(|Z| <= j) >= β`.
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    pub fn half_width(&self, confidence: &Rational) -> Result<IBig, Error> {
        let reach = discrete_reach(self.scale(), &log_tail(confidence)?);
        Ok((reach.ceil() - IBig::ONE).max(IBig::ZERO))
    }

    /// The mechanism with the largest scale, to 60 bits, whose noise has this half-width.
    ///
    /// # Errors
    /// [`Error::Negative`], and unless `0 < confidence < 1`.
    pub fn for_half_width(half_width: u64, confidence: &Rational) -> Result<DiscreteLaplace, Error> {
        DiscreteLaplace::new(discrete_scale_for(&Rational::from(half_width), confidence)?)
    }
}

/// The largest scale with `c + s·ln(1/(1-β)) <= h + 1`; `0 < c < 1` says where it is.
fn discrete_scale_for(half_width: &Rational, confidence: &Rational) -> Result<Rational, Error> {
    let log_tail = log_tail(confidence)?;
    let most = half_width + Rational::ONE;
    let fails_above = &most / Rational::from(log_tail.lo());
    Ok(bisect(&fails_above, &fails_above, |s| discrete_reach(s, &log_tail) <= most))
}

impl<T: Float> GridLaplace<T> {
    /// The half-width of the noise at this confidence, with half a cell for rounding the value to the grid.
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    pub fn half_width(&self, confidence: &Rational) -> Result<f64, Error> {
        let cell = Rational::pow2(i64::from(self.k()));
        let reach = discrete_reach(&(self.scale() / &cell), &log_tail(confidence)?);
        let cells = Rational::from((reach.ceil() - IBig::ONE).max(IBig::ZERO));
        Ok(above(&((cells + Rational::pow2(-1)) * cell)))
    }

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

/// An upper bound on `P(|Z| >= m)`, `m >= 1`, for the discrete Gaussian: the better of two.
///
/// - `2·e^(-m²/(2σ²))`: the variable is σ²-subgaussian (Canonne, Kamath and Steinke 2020).
/// - `2·Q(t)`, `t = (m-1)/σ`, the tail of the real Gaussian: the sum over `z >= m` is below the integral from `m - 1` on, and
///   the normalising sum is at least `σ·√(2π)` (Poisson summation: all its terms are positive). And
///   `Q(t) <= φ(t)·4/(3t + √(t² + 8))` (Sampford 1953).
fn gaussian_tail(m: &IBig, variance: &Rational) -> Rational {
    let exp_above = |x: &Rational| match exp_rational(x, BITS) {
        Ok(e) => Rational::from(e.hi()),
        Err(_) => Rational::pow2(-(1 << 20)), // x < -2^60
    };
    let two = Rational::from(2);
    let subgaussian = exp_above(&-(Rational::from(m.clone()).pow(2) / (variance * &two)));
    let t2 = Rational::from(m.clone() - IBig::ONE).pow(2) / variance;
    let t = sqrt_below(&t2);
    let root_two_pi = Rational::new(2_506_628, 1_000_000).expect("not zero"); // from below
    let mills = Rational::from(4) / (t * Rational::from(3) + sqrt_below(&(&t2 + Rational::from(8))));
    let real = exp_above(&-(t2 / &two)) * mills / root_two_pi;
    subgaussian.min(real) * two
}

impl DiscreteGaussian {
    /// A half-width of the noise at this confidence: an integer `j` with `P(|Z| <= j) >= β`, the least one or, since it
    /// comes from bounds on the tail, up to 1 plus 5% more.
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    pub fn half_width(&self, confidence: &Rational) -> Result<IBig, Error> {
        let tail = tail(confidence)?;
        let enough = |m: &IBig| gaussian_tail(m, self.variance()) <= tail;
        let mut most = IBig::ONE;
        while !enough(&most) {
            most <<= 1;
        }
        let mut least = IBig::ZERO; // not enough, or zero
        while &most - &least > IBig::ONE {
            let middle = (&most + &least) >> 1;
            if enough(&middle) { most = middle } else { least = middle }
        }
        Ok(most - IBig::ONE)
    }

    /// The mechanism with the largest variance, to 60 bits, for which [`half_width`](Self::half_width) is at most this.
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    pub fn for_half_width(half_width: u64, confidence: &Rational) -> Result<DiscreteGaussian, Error> {
        let tail = tail(confidence)?;
        let m = IBig::from(half_width) + IBig::ONE;
        let holds = |variance: &Rational| gaussian_tail(&m, variance) <= tail;
        let mut fails_above = Rational::ONE;
        while holds(&fails_above) {
            fails_above = fails_above * Rational::from(2);
        }
        DiscreteGaussian::with_variance(bisect(&fails_above, &fails_above, holds))
    }
}

impl Snapping {
    /// The half-width of the noise at this confidence, `ln(1/(1-β))/ε + Λ/2`, rounded up, for values within the bound.
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    pub fn half_width(&self, confidence: &Rational) -> Result<f64, Error> {
        let laplace = Rational::from(log_tail(confidence)?.hi()) / self.epsilon();
        let lambda = Rational::try_from(self.lambda()).expect("a power of two");
        Ok(above(&(laplace + lambda / Rational::from(2))))
    }

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
        let least = top - ceil_log2(&(&log_tail + Rational::ONE));
        let epsilon = (least..=top + 3).filter_map(candidate).min();
        let reason = "no epsilon gives this half-width at this confidence";
        Snapping::new(epsilon.ok_or_else(|| out_of_range("half_width", half_width, reason))?, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit_real::Dyadic;

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
                let j = DiscreteLaplace::new(s.clone()).unwrap().half_width(&confidence).unwrap();
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
                let found = DiscreteLaplace::for_half_width(h, &confidence).unwrap();
                assert!(found.half_width(&confidence).unwrap() <= IBig::from(h));
                let more = found.scale() * (Rational::ONE + Rational::pow2(-40));
                let more = DiscreteLaplace::new(more).unwrap();
                assert!(more.half_width(&confidence).unwrap() > IBig::from(h), "h={h} β={confidence}");
            }
        }
    }

    #[test]
    fn grid_both_ways() {
        for k in [None, Some(-3)] {
            let (h, confidence) = (rational("7.3"), rational("0.95"));
            let found = GridLaplace::<f64>::for_half_width(&h, &confidence, k).unwrap();
            let width = found.half_width(&confidence).unwrap();
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
                let j = usize::try_from(noise.half_width(&rational(confidence)).unwrap()).unwrap();
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
        for h in [1u64, 20, 1000] {
            let found = DiscreteGaussian::for_half_width(h, &confidence).unwrap();
            assert!(found.half_width(&confidence).unwrap() <= IBig::from(h));
            let more = found.variance() * rational("1.0001");
            let more = DiscreteGaussian::with_variance(more).unwrap();
            assert!(more.half_width(&confidence).unwrap() > IBig::from(h));
        }
    }

    #[test]
    fn snapping_both_ways() {
        for h in ["0.01", "1", "3.7", "1000"] {
            for confidence in CONFIDENCES.map(rational) {
                let h = rational(h);
                let found = Snapping::for_half_width(&h, &confidence, Rational::from(64)).unwrap();
                let width = Rational::try_from(found.half_width(&confidence).unwrap()).unwrap();
                assert!(width <= &h * (Rational::ONE + Rational::pow2(-50)), "{width} > {h}");
                // A little less ε is too little, or has a Λ that is twice as wide.
                let less = found.epsilon() * rational("0.9999");
                let less = Snapping::new(less, Rational::from(64)).unwrap().half_width(&confidence).unwrap();
                assert!(Rational::try_from(less).unwrap() > h);
            }
        }
    }

    #[test]
    fn refusals() {
        let laplace = Laplace::new(Rational::ONE).unwrap();
        for bad in ["0", "1", "-1/2", "3/2"] {
            assert!(laplace.half_width(&rational(bad)).is_err(), "{bad}");
        }
        assert!(Laplace::for_half_width(&Rational::ZERO, &rational("0.5")).is_err());
    }
}
