//! A question about several releases, and what each way to answer it says.

use lastbit_real::Rational;

use crate::composition::Interval;
use crate::tilt::Aim;
use crate::{Composition, Error, check_delta, closed};

/// The largest `ε` that can be asked for.
const MOST_EPSILON: u64 = 1_000_000;

/// What is given, and so what is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The least `δ` at an `ε`.
    Delta {
        /// The `ε`.
        epsilon: Rational,
    },
    /// The least `ε` at a `δ`.
    Epsilon {
        /// The `δ`.
        delta: Rational,
    },
}

/// A way to bound the loss of several releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// The sum of pure losses.
    Pure,
    /// The sum of zero-concentrated losses, converted.
    ZeroConcentrated,
    /// The closed form for Gaussian noise, of which several releases are as one.
    Gaussian,
    /// Distributions of losses.
    Distributions,
}

/// What is known of the number that was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The best that all methods know together.
    pub interval: Interval,
    /// The method that the upper end comes from; `None` if there is no upper end.
    pub used: Option<Method>,
    /// The upper bound by the sum of pure losses; `None` if one is infinite, or if it says nothing below 1 about `δ`.
    pub pure: Option<Rational>,
    /// The upper bound by the sum of zero-concentrated losses; `None` if one is not known.
    pub zero_concentrated: Option<Rational>,
    /// The bounds by distributions of losses, or in closed form if all noise is Gaussian; `None` if they were not needed, or too large to compute.
    pub distributions: Option<Interval>,
}

impl Composition {
    /// The number that is asked for, with all ways to bound it. The width of the interval is at most a share of `1/accuracy` of its upper end, if there
    /// is room; `goes_on` is asked several times a second.
    ///
    /// ```
    /// use lastbit_account::{Composition, Mechanism, Method, Question};
    /// let mut releases = Composition::new();
    /// releases.add(Mechanism::Laplace { epsilon: "1/10".parse()? }, 30)?;
    /// let answer = releases.ask(&Question::Epsilon { delta: "1e-6".parse()? }, 1_000_000, &|| true)?;
    /// assert_eq!((answer.pure, answer.used), (Some("3".parse()?), Some(Method::Distributions)));
    /// let answer = releases.ask(&Question::Delta { epsilon: "3".parse()? }, 1_000_000, &|| true)?;
    /// assert_eq!(answer.used, Some(Method::Pure));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`delta_while`](Self::delta_while) and [`epsilon_while`](Self::epsilon_while).
    pub fn ask(
        &self,
        question: &Question,
        accuracy: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Answer, Error> {
        question.check()?;
        if self.terms().next().is_none() {
            return Err(Error::Empty);
        }
        let (pure, zero_concentrated) = self.sums(question);
        let none_needed = matches!(question, Question::Delta { .. }) && pure.is_some();
        let mut found = Err(Error::TooFine);
        if !none_needed {
            found = match self.gaussian() {
                Some(rho) => Ok(question.of_gaussian(&rho)),
                None => self.refine(&question.aim(), accuracy, goes_on),
            };
        }
        let distributions = match found {
            Ok(found) => Some(found),
            // What is known without a lattice is better than nothing.
            Err(Error::TooFine) if pure.is_some() || zero_concentrated.is_some() => None,
            Err(error) => return Err(error),
        };
        let mut interval = distributions.clone().unwrap_or(Interval { lower: Rational::ZERO, upper: None });
        let by_lattice = if self.gaussian().is_some() { Method::Gaussian } else { Method::Distributions };
        let mut used = interval.upper.is_some().then_some(by_lattice);
        for (bound, method) in [(&pure, Method::Pure), (&zero_concentrated, Method::ZeroConcentrated)] {
            if bound.is_some() && interval.upper.as_ref().is_none_or(|upper| bound.as_ref() < Some(upper)) {
                interval = interval.at_most(bound.clone());
                used = Some(method);
            }
        }
        Ok(Answer { interval, used, pure, zero_concentrated, distributions })
    }

    /// The upper bounds by pure and by zero-concentrated losses.
    fn sums(&self, question: &Question) -> (Option<Rational>, Option<Rational>) {
        match question {
            // Within the sum of pure losses nothing is left; below it nothing is said.
            Question::Delta { epsilon } => {
                let pure = self.pure().filter(|pure| pure <= epsilon).map(|_| Rational::ZERO);
                (pure, self.delta_by_zero_concentrated(epsilon))
            }
            Question::Epsilon { delta } => (self.pure(), self.epsilon_by_zero_concentrated(delta)),
        }
    }
}

impl Question {
    fn check(&self) -> Result<(), Error> {
        match self {
            Question::Delta { epsilon } if epsilon.is_negative() => {
                Err(Error::Negative { value: epsilon.to_short() })
            }
            Question::Delta { epsilon } if *epsilon > Rational::from(MOST_EPSILON) => {
                Err(Error::TooLarge { value: epsilon.to_short(), most: MOST_EPSILON })
            }
            Question::Delta { .. } => Ok(()),
            Question::Epsilon { delta } => check_delta(delta),
        }
    }

    fn aim(&self) -> Aim<'_> {
        match self {
            Question::Delta { epsilon } => Aim::Delta(epsilon),
            Question::Epsilon { delta } => Aim::Epsilon(delta),
        }
    }

    fn of_gaussian(&self, rho: &Rational) -> Interval {
        match self {
            Question::Delta { epsilon } => closed::gaussian_delta(rho, epsilon),
            Question::Epsilon { delta } => closed::gaussian_epsilon(rho, delta),
        }
    }
}
