//! What every mechanism says about itself.

use lastbit_real::{IBig, Rational, Rounding};

use crate::claim::{About, Claim, Measure, Preparation};
use crate::{Error, Metric, Neighbours, ValueType};

/// A mechanism's name, parameters, loss and accuracy, as exact data. [`claim`](Self::claim) follows from these.
///
/// ```
/// use lastbit::{Contract, Laplace, Neighbours, Rational, ValueType};
/// let laplace = Laplace::new(Rational::from(10))?;
/// let claim = laplace.claim(ValueType::F64, &Neighbours::at(Rational::ONE))?;
/// assert_eq!(
///     claim.to_string(),
///     "laplace scale=10: ε = 0.1 (pure), max-divergence, for columns of float64 at L1 distance <= 1; values are read exactly"
/// );
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait Contract {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it does to values, as a formula whose letters are its parameters.
    fn formula(&self, values: ValueType) -> String;

    /// Its parameters: texts that read back as the same exact numbers.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// The types of values that it takes.
    fn value_types(&self) -> &'static [ValueType];

    /// How the distance of neighbours is measured.
    fn metric(&self) -> Metric {
        Metric::L1
    }

    /// The measure of its loss, such as max-divergence.
    fn measure(&self) -> Measure {
        Measure::MaxDivergence
    }

    /// What it does to a value before noise is added.
    fn preparation(&self) -> Preparation {
        Preparation::Exact
    }

    /// The loss between neighbours: exact, or just above where a transcendental number is part of it.
    ///
    /// # Errors
    /// [`Error::Negative`] if the distance is; [`Error::UnknownSize`] if the loss depends on how many values differ, and that is
    /// not known.
    fn loss(&self, neighbours: &Neighbours) -> Result<Rational, Error>;

    /// A half-width of the noise at a confidence β: how far off a result is at most, with probability β or more. The rounding of
    /// a sum to its type of float comes on top.
    ///
    /// # Errors
    /// Unless `0 < confidence < 1`.
    fn half_width(&self, values: ValueType, confidence: &Rational) -> Result<HalfWidth, Error>;

    /// What a release of values of this type promises.
    ///
    /// # Errors
    /// [`Error::UnsupportedType`], and those of [`loss`](Self::loss).
    fn claim(&self, values: ValueType, neighbours: &Neighbours) -> Result<Claim, Error> {
        self.check_type(values)?;
        let about = About::Columns { values, metric: self.metric(), neighbours: neighbours.clone() };
        let loss = self.loss(neighbours)?;
        Ok(Claim::of_mechanism(
            self.name(),
            self.parameters(),
            self.preparation(),
            about,
            self.measure(),
            loss,
        ))
    }

    /// Refuses a type of values that it does not take.
    ///
    /// # Errors
    /// [`Error::UnsupportedType`].
    fn check_type(&self, values: ValueType) -> Result<(), Error> {
        if self.value_types().contains(&values) {
            return Ok(());
        }
        Err(Error::UnsupportedType { mechanism: self.name(), values, taken: self.value_types() })
    }
}

/// Half of a confidence interval.
#[derive(Clone, Debug, PartialEq)]
pub enum HalfWidth {
    /// The half-width for floats, rounded up; infinite beyond the largest double.
    Float(f64),
    /// The half-width for integers.
    Integer(IBig),
}

impl HalfWidth {
    /// A half-width of floats.
    pub(crate) fn above(x: &Rational) -> HalfWidth {
        HalfWidth::Float(x.to_f64(Rounding::Up))
    }

    /// The number; `None` if it is infinite.
    pub fn to_rational(&self) -> Option<Rational> {
        match self {
            HalfWidth::Float(width) => Rational::try_from(*width).ok(),
            HalfWidth::Integer(width) => Some(Rational::from(width.clone())),
        }
    }
}
