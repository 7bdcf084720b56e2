//! A mechanism as a measurement: domain, metric, measure, function and privacy map in one value.
//!
//! This is the form in which OpenDP states and proves its mechanisms, and [`make_vector_float_laplace_cks20`] is the
//! constructor of its proof document, branch by branch.

use std::fmt;
use std::marker::PhantomData;

use lastbit_real::{Float, Rational, Rounding};

use crate::bits::BitSource;
use crate::error::non_negative;
use crate::grid::check_k;
use crate::{Error, GridLaplace, Measure, Mechanism, validate};

/// Vectors of finite numbers of type `T`, of a known size or of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorDomain<T> {
    size: Option<usize>,
    atom: PhantomData<T>,
}

impl<T> VectorDomain<T> {
    /// Vectors of any size.
    pub fn new() -> Self {
        VectorDomain { size: None, atom: PhantomData }
    }

    /// Vectors of this size.
    #[must_use]
    pub fn with_size(self, size: usize) -> Self {
        VectorDomain { size: Some(size), ..self }
    }

    /// The size, if it is known.
    pub fn size(&self) -> Option<usize> {
        self.size
    }
}

impl<T> Default for VectorDomain<T> {
    fn default() -> Self {
        VectorDomain::new()
    }
}

/// `Σ |x_i - x'_i|`, between vectors of the same length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L1Distance;

/// A loss that may be infinite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// A finite loss.
    Finite(Rational),
    /// Some output tells the inputs apart with certainty.
    Infinite,
}

impl Loss {
    /// The bound as a double, rounded up.
    pub fn to_f64(&self) -> f64 {
        match self {
            Loss::Finite(loss) => loss.to_f64(Rounding::Up),
            Loss::Infinite => f64::INFINITY,
        }
    }
}

/// Losses add, and one that is infinite makes the sum infinite.
impl std::iter::Sum for Loss {
    fn sum<I: Iterator<Item = Loss>>(losses: I) -> Loss {
        losses.fold(Loss::Finite(Rational::ZERO), |sum, loss| match (sum, loss) {
            (Loss::Finite(sum), Loss::Finite(loss)) => Loss::Finite(sum + loss),
            _ => Loss::Infinite,
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Finite(loss) => loss.fmt(f),
            Loss::Infinite => f.write_str("inf"),
        }
    }
}

/// A randomized function with its promise: whenever two elements of the input domain are `d_in`-close in the input
/// metric, their outputs are [`map`](Self::map)`(d_in)`-close in the output measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement<T> {
    input_domain: VectorDomain<T>,
    input_metric: L1Distance,
    scale: Rational,
    /// `None` if the scale is 0.
    function: Option<GridLaplace<T>>,
    /// The distance that rounding adds to that of two inputs.
    relaxation: Rational,
}

impl<T: Float> Measurement<T> {
    /// The domain of inputs.
    pub fn input_domain(&self) -> &VectorDomain<T> {
        &self.input_domain
    }

    /// The metric by which inputs are compared.
    pub fn input_metric(&self) -> L1Distance {
        self.input_metric
    }

    /// The measure by which outputs are compared.
    pub fn output_measure(&self) -> Measure {
        Measure::MaxDivergence
    }

    /// The privacy map: `(d_in + relaxation)/scale`, exact.
    ///
    /// # Errors
    /// [`Error::Negative`] if `d_in < 0`.
    pub fn map(&self, d_in: &Rational) -> Result<Loss, Error> {
        non_negative("d_in", d_in)?;
        if d_in.is_zero() {
            // Equal inputs have equal outputs, and rounding is a function.
            return Ok(Loss::Finite(Rational::ZERO));
        }
        Ok(match (d_in + &self.relaxation).checked_div(&self.scale) {
            Some(loss) => Loss::Finite(loss),
            None => Loss::Infinite,
        })
    }
}

impl<T: Float> Measurement<T> {
    /// The function: a noisy copy of `x`.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] and [`Error::NotFinite`] if `x` is not in the domain; those of [`Mechanism`].
    pub fn invoke<S: BitSource>(&self, source: &mut S, x: &[T]) -> Result<Vec<T>, Error>
    where
        GridLaplace<T>: Mechanism<T>,
    {
        if let Some(size) = self.input_domain.size.filter(|&size| size != x.len()) {
            return Err(Error::LengthMismatch { values: x.len(), out: size });
        }
        validate::finite_and_below(x, 0)?;
        let mut out = x.to_vec();
        match &self.function {
            Some(grid) => grid.release_in_place(source, &mut out)?,
            // -0 and 0 are the same number, and outputs must not tell them apart.
            None => out.iter_mut().filter(|x| x.to_f64() == 0.0).for_each(|x| *x = T::from_i128(0, 0)),
        }
        Ok(out)
    }
}

/// `k` or the least exponent of the type, and `2^k - 2^k_min`, what rounding to `Z·2^k` adds at most to the distance
/// of two numbers; as a value of the type, rounded up.
fn get_discretization_consts<T: Float>(k: Option<i32>) -> Result<(i32, T), Error> {
    let k = check_k::<T>(k.unwrap_or(T::MIN_EXPONENT))?;
    let relaxation = Rational::pow2(i64::from(k)) - Rational::pow2(i64::from(T::MIN_EXPONENT));
    Ok((k, T::from_rational(&relaxation, Rounding::Up)))
}

/// The vector Laplace mechanism on the grid `Z·2^k`, as OpenDP's proof document of that name has it; without `k`, on the finest
/// grid there is, where rounding changes nothing.
///
/// The map adds a *relaxation* of `2^k - 2^k_min` for each value of the vector, so the size must be known unless `k` is
/// least. [`GridLaplace`] is the same mechanism with the tight map. A scale of 0 adds no noise and no rounding: the identity, with an
/// infinite loss.
///
/// ```
/// use lastbit::{L1Distance, Loss, Rational, SecureSource, VectorDomain, make_vector_float_laplace_cks20};
/// let domain = VectorDomain::<f64>::new().with_size(3);
/// let m = make_vector_float_laplace_cks20(domain, L1Distance, Rational::from(2), Some(-20))?;
/// assert!(m.map(&Rational::ONE)? > Loss::Finite("1/2".parse()?));
/// let noisy = m.invoke(&mut SecureSource::new()?, &[1.0, 2.0, 3.0])?;
/// assert_eq!(noisy.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Negative`] if the scale is; [`Error::OutOfRange`] if `k` is not an exponent of the type, above all if it is below the
/// least; [`Error::UnknownSize`] if the discretization is not exact and the domain has no size;
/// [`Error::OutOfRange`] if size times relaxation overflows.
pub fn make_vector_float_laplace_cks20<T: Float>(
    input_domain: VectorDomain<T>,
    input_metric: L1Distance,
    scale: Rational,
    k: Option<i32>,
) -> Result<Measurement<T>, Error> {
    non_negative("scale", &scale)?;
    let (k, relaxation) = get_discretization_consts::<T>(k)?;
    let mut total = exact(relaxation)?;
    if !total.is_zero() {
        let size = input_domain.size.ok_or(Error::UnknownSize(
            "the domain's size must be known if the discretization is not exact",
        ))?;
        // Both the size and the product are rounded up to the type, as the paper's `inf_cast` and `inf_mul` do.
        let size = exact(T::from_rational(&Rational::from(size), Rounding::Up))?;
        total = exact(T::from_rational(&(total * size), Rounding::Up))?;
    }
    let function = if scale.is_zero() { None } else { Some(GridLaplace::new(scale.clone(), Some(k))?) };
    Ok(Measurement { input_domain, input_metric, scale, function, relaxation: total })
}

fn exact<T: Float>(x: T) -> Result<Rational, Error> {
    let dyadic = x.to_dyadic().map_err(|_| Error::OutOfRange {
        name: "size",
        value: "size·relaxation".into(),
        reason: format!("it overflows {}; use a finer grid", T::NAME),
    })?;
    Ok(Rational::from(&dyadic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InsecureSeededSource;
    use crate::grid::{Inputs, grid_distance};
    use proptest::prelude::*;

    fn make(size: Option<usize>, scale: &str, k: Option<i32>) -> Result<Measurement<f64>, Error> {
        let domain = VectorDomain { size, atom: PhantomData };
        make_vector_float_laplace_cks20(domain, L1Distance, scale.parse().unwrap(), k)
    }

    #[test]
    fn negative_scale() {
        assert!(matches!(make(Some(1), "-1", None), Err(Error::Negative { name: "scale", .. })));
    }

    #[test]
    fn k_below_the_least_is_an_error() {
        assert!(matches!(make(Some(1), "1", Some(-1075)), Err(Error::OutOfRange { name: "k", .. })));
        assert!(make(Some(1), "1", Some(-1074)).is_ok());
        assert!(make(Some(1), "1", Some(1024)).is_err());
        let f32_domain = VectorDomain::<f32>::new().with_size(1);
        assert!(make_vector_float_laplace_cks20(f32_domain, L1Distance, Rational::ONE, Some(-150)).is_err());
    }

    #[test]
    fn unknown_size_is_an_error_only_if_values_are_rounded() {
        assert!(matches!(make(None, "1", Some(-10)), Err(Error::UnknownSize(_))));
        let exact = make(None, "1", None).unwrap();
        assert_eq!(exact.map(&Rational::ONE).unwrap(), Loss::Finite(Rational::ONE));
        assert_eq!(exact, make(None, "1", Some(-1074)).unwrap());
    }

    #[test]
    fn scale_zero_is_the_identity() {
        let m = make(Some(3), "0", Some(-2)).unwrap();
        let x = [0.1, -7.0, 1e300];
        assert_eq!(m.invoke(&mut InsecureSeededSource::<u64>::from_seed(1), &x).unwrap(), x);
        assert_eq!(m.map(&Rational::ONE).unwrap(), Loss::Infinite);
        assert_eq!(m.map(&Rational::ZERO).unwrap(), Loss::Finite(Rational::ZERO));
        assert_eq!(m.map(&Rational::ONE).unwrap().to_f64(), f64::INFINITY);
    }

    /// At distance 0, where the loss is 0, are `-0` and `0`: the identity must not tell them apart.
    #[test]
    fn the_identity_has_no_minus_zero() {
        let m = make(Some(2), "0", None).unwrap();
        let noisy = m.invoke(&mut InsecureSeededSource::<u64>::from_seed(1), &[-0.0, 0.0]).unwrap();
        assert_eq!(noisy.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0, 0]);
        let domain = VectorDomain::<f32>::new();
        let m = make_vector_float_laplace_cks20(domain, L1Distance, Rational::ZERO, None).unwrap();
        let noisy = m.invoke(&mut InsecureSeededSource::<u64>::from_seed(1), &[-0.0]).unwrap();
        assert_eq!(noisy[0].to_bits(), 0);
    }

    #[test]
    fn size_times_relaxation_is_rounded_up() {
        // 2^0 - 2^-149 is not a float: it becomes 1, and 2^24 + 1 values become 2^24 + 2.
        let domain = VectorDomain::<f32>::new().with_size((1 << 24) + 1);
        let m = make_vector_float_laplace_cks20(domain, L1Distance, Rational::ONE, Some(0)).unwrap();
        let expected = Rational::from((1 << 24) + 2 + 1);
        assert_eq!(m.map(&Rational::ONE).unwrap(), Loss::Finite(expected));
    }

    #[test]
    fn overflowing_relaxation() {
        assert!(matches!(make(Some(1 << 20), "1", Some(1023)), Err(Error::OutOfRange { name: "size", .. })));
    }

    #[test]
    fn domain_is_checked() {
        let m = make(Some(2), "1", None).unwrap();
        let mut source = InsecureSeededSource::<u64>::from_seed(1);
        assert!(matches!(m.invoke(&mut source, &[1.0]), Err(Error::LengthMismatch { .. })));
        assert_eq!(m.invoke(&mut source, &[1.0, f64::NAN]), Err(Error::NotFinite { index: 1 }));
        assert!(m.map(&Rational::from(-1)).is_err());
    }

    /// The witness against ties away from zero: `k = -1073`, `scale = 2^-1073`, `x = ∓2^-1074`.
    #[test]
    fn the_claim_that_half_up_keeps() {
        let m = make_vector_float_laplace_cks20(
            VectorDomain::<f64>::new().with_size(1),
            L1Distance,
            Rational::pow2(-1073),
            Some(-1073),
        );
        let claimed = m.unwrap().map(&Rational::pow2(-1073)).unwrap();
        assert_eq!(claimed.to_string(), "3/2");
        let cells = |round: fn(f64) -> f64| {
            let x = [-f64::from_bits(1), f64::from_bits(1)]; // ∓2^-1074, half a cell
            (round(x[1] * 2f64.powi(1000) * 2f64.powi(73)) - round(x[0] * 2f64.powi(1000) * 2f64.powi(73)))
                .abs()
        };
        // The loss is the distance in cells over the scale in cells, 1.
        assert_eq!(cells(f64::round), 2.0, "away from zero: above the claim");
        assert_eq!(cells(|v| (v + 0.5).floor()), 1.0, "half up: below it");
    }

    proptest! {
        /// The postcondition: for neighbours, the true loss, the distance of the rounded vectors over the scale, is at most the
        /// map. And the tight map lies between them.
        #[test]
        fn privacy_guarantee(
            pairs in prop::collection::vec((-40i64..40, -40i64..40), 1..6),
            k in -6i32..3,
            unit in -6i32..0,
            scale in 1u32..50,
        ) {
            let x = |i: i64| i as f64 * 2f64.powi(unit);
            let scale = Rational::from(scale) / Rational::from(7);
            let domain = VectorDomain::<f64>::new().with_size(pairs.len());
            let m = make_vector_float_laplace_cks20(domain, L1Distance, scale.clone(), Some(k)).unwrap();
            let exact = |x: f64| Rational::try_from(x).unwrap();
            let d_in: Rational = pairs.iter().map(|&(a, b)| (exact(x(a)) - exact(x(b))).abs()).sum();
            let cell = Rational::pow2(i64::from(k));
            let round = |x: f64| Rational::from((exact(x) / &cell).round_half_up());
            let distance: Rational = pairs.iter().map(|&(a, b)| (round(x(a)) - round(x(b))).abs()).sum();
            let true_loss = Loss::Finite(distance * &cell / &scale);
            let inputs = Inputs::differing_in(pairs.len() as u64).unwrap();
            let tight = Rational::from(grid_distance::<f64>(&d_in, k, inputs).unwrap()) * cell / scale;
            prop_assert!(true_loss <= Loss::Finite(tight.clone()));
            prop_assert!(Loss::Finite(tight) <= m.map(&d_in).unwrap());
        }
    }
}
