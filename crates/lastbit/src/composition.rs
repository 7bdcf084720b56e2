//! Several measurements of one input, as one.

use lastbit_real::{Float, Rational};

use crate::bits::BitSource;
use crate::{Error, GridLaplace, L1Distance, Loss, Measure, Measurement, Mechanism, VectorDomain};

/// Several measurements of the same input, made one after the other. Each has its own noise, and their losses add.
///
/// ```
/// use lastbit::{
///     Composition, L1Distance, Loss, Rational, SecureSource, VectorDomain, make_vector_float_laplace_cks20,
/// };
/// let laplace = |scale| make_vector_float_laplace_cks20(VectorDomain::new(), L1Distance, scale, None);
/// let both = Composition::new(vec![laplace(Rational::from(2))?, laplace(Rational::from(3))?])?;
/// assert_eq!(both.map(&Rational::ONE)?, Loss::Finite("5/6".parse()?));
/// let noisy = both.invoke(&mut SecureSource::new()?, &[1.0, 2.0])?;
/// assert_eq!((noisy.len(), noisy[0].len()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Composition<T> {
    input_domain: VectorDomain<T>,
    parts: Vec<Measurement<T>>,
}

impl<T: Float> Composition<T> {
    /// The measurements in this order, all over the same domain.
    ///
    /// # Errors
    /// [`Error::EmptyComposition`], [`Error::DomainMismatch`].
    pub fn new(parts: Vec<Measurement<T>>) -> Result<Composition<T>, Error> {
        let input_domain = *parts.first().ok_or(Error::EmptyComposition)?.input_domain();
        match parts.iter().position(|part| *part.input_domain() != input_domain) {
            Some(part) => Err(Error::DomainMismatch { part }),
            None => Ok(Composition { input_domain, parts }),
        }
    }

    /// The measurements that are composed.
    pub fn parts(&self) -> &[Measurement<T>] {
        &self.parts
    }

    /// The domain of inputs, common to all parts.
    pub fn input_domain(&self) -> &VectorDomain<T> {
        &self.input_domain
    }

    /// The metric by which inputs are compared.
    pub fn input_metric(&self) -> L1Distance {
        L1Distance
    }

    /// The measure by which outputs are compared.
    pub fn output_measure(&self) -> Measure {
        Measure::MaxDivergence
    }

    /// The privacy map: the exact sum of the parts' maps, infinite if one is.
    ///
    /// # Errors
    /// [`Error::Negative`] if `d_in < 0`.
    pub fn map(&self, d_in: &Rational) -> Result<Loss, Error> {
        self.parts.iter().map(|part| part.map(d_in)).sum()
    }

    /// The function: one noisy copy of `x` for each part, or none.
    ///
    /// # Errors
    /// As [`Measurement::invoke`].
    pub fn invoke<S: BitSource>(&self, source: &mut S, x: &[T]) -> Result<Vec<Vec<T>>, Error>
    where
        GridLaplace<T>: Mechanism<T>,
    {
        self.parts.iter().map(|part| part.invoke(source, x)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InsecureSeededSource, make_vector_float_laplace_cks20};
    use proptest::prelude::*;

    fn measurement(size: Option<usize>, scale: &Rational, k: Option<i32>) -> Measurement<f64> {
        let any = VectorDomain::new();
        let domain = size.map_or(any, |size| any.with_size(size));
        make_vector_float_laplace_cks20(domain, L1Distance, scale.clone(), k).unwrap()
    }

    #[test]
    fn measurements_compose() {
        let (one, two, zero) = (Rational::ONE, Rational::from(2), Rational::ZERO);
        assert_eq!(Composition::<f64>::new(vec![]), Err(Error::EmptyComposition));
        let sized = measurement(Some(2), &one, Some(0));
        let unsized_ = measurement(None, &one, None);
        assert_eq!(
            Composition::new(vec![sized.clone(), sized.clone(), unsized_]),
            Err(Error::DomainMismatch { part: 2 })
        );

        let both = Composition::new(vec![sized.clone(), measurement(Some(2), &two, None)]).unwrap();
        let Loss::Finite(first) = sized.map(&one).unwrap() else { panic!("a positive scale") };
        assert_eq!(both.map(&one).unwrap(), Loss::Finite(first + "1/2".parse::<Rational>().unwrap()));
        assert_eq!(both.map(&zero).unwrap(), Loss::Finite(Rational::ZERO));
        assert!(matches!(both.map(&-one.clone()), Err(Error::Negative { name: "d_in", .. })));

        let mut source = InsecureSeededSource::<u64>::from_seed(1);
        assert!(matches!(both.invoke(&mut source, &[1.0]), Err(Error::LengthMismatch { .. })));
        assert_eq!(both.invoke(&mut source, &[1.0, f64::NAN]), Err(Error::NotFinite { index: 1 }));

        let identity = measurement(Some(2), &zero, None);
        let open = Composition::new(vec![sized, identity]).unwrap();
        assert_eq!(open.map(&one).unwrap(), Loss::Infinite);
        assert_eq!(open.map(&zero).unwrap(), Loss::Finite(Rational::ZERO));
        assert_eq!(open.invoke(&mut source, &[1.0, 2.5]).unwrap()[1], [1.0, 2.5]);
    }

    /// A composition draws what its parts draw one after the other, so equal parts differ in their noise.
    #[test]
    fn parts_have_their_own_noise() {
        let part = measurement(None, &Rational::from(1000), None);
        let x = [0.0; 20];
        let both = Composition::new(vec![part.clone(), part.clone()]).unwrap();
        let outputs = both.invoke(&mut InsecureSeededSource::<u64>::from_seed(3), &x).unwrap();
        let mut source = InsecureSeededSource::<u64>::from_seed(3);
        let one_by_one = [part.invoke(&mut source, &x).unwrap(), part.invoke(&mut source, &x).unwrap()];
        assert_eq!(outputs, one_by_one);
        assert!(outputs[0].iter().zip(&outputs[1]).all(|(first, second)| first != second));
    }

    proptest! {
        #[test]
        fn maps_add(scales in prop::collection::vec(1u64..50, 1..6), d_in in 0u64..9) {
            let d_in = Rational::from(d_in) / Rational::from(4);
            let part = |&scale: &u64| measurement(Some(3), &Rational::from(scale), Some(-2));
            let finite = |part: &Measurement<f64>| match part.map(&d_in).unwrap() {
                Loss::Finite(loss) => loss,
                Loss::Infinite => unreachable!("scales are positive"),
            };
            let parts: Vec<_> = scales.iter().map(part).collect();
            let expected: Rational = parts.iter().map(finite).sum();
            let map = Composition::new(parts).unwrap().map(&d_in).unwrap();
            prop_assert_eq!(map, Loss::Finite(expected));
        }
    }
}
