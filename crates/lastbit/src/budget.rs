//! A privacy budget: what may still be lost, and a refusal of more.

use std::fmt;

use lastbit_real::Rational;

use crate::error::non_negative;
use crate::neighbours::checked_unit;
use crate::{About, Claim, Error, Measure};

/// The total loss that is allowed, and the claims that it was spent on.
///
/// Losses add ([sequential composition](Claim::compose)) as exact rationals: ten releases of loss 1/10 fit into a budget
/// of 1, and nothing fits beside them, were it 10⁻³⁰. Claims that lose nothing are refused: their neighbours are equal.
///
/// ```
/// use lastbit::{Budget, Contract, DiscreteLaplace, Error, Mechanism, Neighbours, Rational, SecureSource, ValueType};
///
/// let mut budget = Budget::pure(Rational::ONE)?;
/// let noise = DiscreteLaplace::for_epsilon(&"0.7".parse()?, &Rational::ONE)?;
/// let claim = noise.claim(ValueType::I64, &Neighbours::at(Rational::ONE))?;
/// let mut source = SecureSource::new()?;
///
/// let first: i64 = budget.release(claim.clone(), || noise.release(&mut source, 1_234))?;
/// assert_eq!(budget.remaining(), "0.3".parse()?);
///
/// let second: Result<i64, Error> = budget.release(claim, || noise.release(&mut source, 5_678));
/// assert!(matches!(second, Err(Error::BudgetExceeded { .. })));
/// # let _ = first;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What it promises
///
/// Take two inputs that are neighbours in the sense of the claims of the ledger: all claims are about the same columns, or about the same
/// unit ([`for_unit`](Self::for_unit)), and others are refused. Then all outputs together lose at most [`total`](Self::total). Mechanisms and their losses may be chosen after the outputs of earlier releases are seen, and so
/// may the end, because the total is fixed before: the likelihood of all outputs is the product of the likelihoods of each given those
/// before it, and whatever these were, the losses along the way add up to the total or less. Choices that look at the
/// data themselves are not covered.
///
/// A budget is not `Clone`: a copy could be spent a second time.
#[derive(Debug, PartialEq)]
pub struct Budget {
    measure: Measure,
    /// The unit that the budget was given.
    unit: Option<String>,
    /// The subject of all claims; `None` before the first of a budget without a unit.
    about: Option<About>,
    total: Rational,
    spent: Rational,
    ledger: Vec<Claim>,
}

impl Budget {
    /// A budget of pure differential privacy: all releases together lose at most `epsilon` in max-divergence.
    ///
    /// A budget of 0 admits nothing.
    ///
    /// # Errors
    /// [`Error::Negative`].
    pub fn pure(epsilon: Rational) -> Result<Budget, Error> {
        non_negative("epsilon", &epsilon)?;
        Ok(Budget::unspent(Measure::MaxDivergence, epsilon))
    }

    /// A budget of zero-concentrated differential privacy. Pure claims can be spent on it, too, at the price of
    /// [`Claim::loss_in`].
    ///
    /// # Errors
    /// [`Error::Negative`].
    pub fn zero_concentrated(rho: Rational) -> Result<Budget, Error> {
        non_negative("rho", &rho)?;
        Ok(Budget::unspent(Measure::ZeroConcentratedDivergence, rho))
    }

    fn unspent(measure: Measure, total: Rational) -> Budget {
        Budget { measure, unit: None, about: None, total, spent: Rational::ZERO, ledger: Vec::new() }
    }

    /// The same budget for data that differ in one `unit`, such as a person. Releases of different columns are then paid from it: the
    /// distance of each is how far one such unit can move that column.
    ///
    /// ```
    /// use lastbit::{Budget, Contract, DiscreteLaplace, Laplace, Neighbours, Rational, ValueType};
    /// let mut budget = Budget::pure(Rational::ONE)?.for_unit("person")?;
    /// let income = Laplace::for_epsilon(&"1/2".parse()?, &Rational::from(100_000))?;
    /// let visits = DiscreteLaplace::for_epsilon(&"1/2".parse()?, &Rational::from(3))?;
    /// budget.spend(income.claim(ValueType::F64, &Neighbours::at(Rational::from(100_000)))?)?;
    /// budget.spend(visits.claim(ValueType::I64, &Neighbours::at(Rational::from(3)))?)?;
    /// assert!(budget.remaining().is_zero());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the name is none; [`Error::DifferentNeighbours`] if something was spent already on other terms.
    pub fn for_unit(mut self, unit: &str) -> Result<Budget, Error> {
        let unit = checked_unit(unit)?;
        let stated = About::Unit(unit.clone());
        if let Some(about) = &self.about {
            about.common(&stated)?;
        }
        self.about = Some(stated);
        self.unit = Some(unit);
        Ok(self)
    }

    /// The inputs that all releases are about; `None` before the first release of a budget without a unit.
    pub fn about(&self) -> Option<&About> {
        self.about.as_ref()
    }

    /// The measure of the losses, such as max-divergence.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The total loss that is allowed.
    pub fn total(&self) -> &Rational {
        &self.total
    }

    /// The loss that is spent. Ensures: at most the total.
    pub fn spent(&self) -> &Rational {
        &self.spent
    }

    /// The loss that is left: the total minus what is spent.
    pub fn remaining(&self) -> Rational {
        &self.total - &self.spent
    }

    /// The claims that were charged, in order.
    pub fn ledger(&self) -> &[Claim] {
        &self.ledger
    }

    /// The cost of a claim: its loss in the budget's measure.
    ///
    /// # Errors
    /// As [`Claim::loss_in`].
    pub fn cost(&self, claim: &Claim) -> Result<Rational, Error> {
        claim.loss_in(self.measure)
    }

    /// Pays for a release, before it is made. Spending exactly the rest is allowed.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`]; those of [`Claim::check_charged`] if the claim is about equal inputs, which would make any release free;
    /// [`Error::DifferentNeighbours`] if it is about other inputs than those before it; and those of [`cost`](Self::cost). The
    /// budget is then as it was.
    pub fn spend(&mut self, claim: Claim) -> Result<(), Error> {
        claim.check_charged()?;
        let claim = match &self.unit {
            // Whoever gave the budget a unit has said what distances are about.
            Some(unit) => claim.for_unit(unit)?,
            None => claim,
        };
        let about = match &self.about {
            Some(about) => about.common(claim.about())?,
            None => claim.about().clone(),
        };
        let asked = self.cost(&claim)?;
        let remaining = self.remaining();
        if asked > remaining {
            return Err(Error::BudgetExceeded { asked, remaining });
        }
        self.spent = &self.spent + asked;
        self.about = Some(about);
        self.ledger.push(claim);
        Ok(())
    }

    /// Pays for a release and then makes it: no noise is drawn for a claim that does not fit. That `release` keeps the claim is
    /// the caller's promise.
    ///
    /// If `release` fails, its price stays spent: that it failed may itself tell something about the data.
    ///
    /// # Errors
    /// As [`spend`](Self::spend), with `release` not called and the budget as it was; and those of `release`.
    pub fn release<R, E: From<Error>>(
        &mut self,
        claim: Claim,
        release: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        self.spend(claim)?;
        release()
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.measure {
            Measure::MaxDivergence => "ε",
            Measure::ZeroConcentratedDivergence => "ρ",
        };
        let [total, spent, left] = [&self.total, &self.spent, &self.remaining()].map(Rational::to_short);
        write!(f, "budget of {name} = {total}: {spent} spent, {left} left")?;
        match &self.about {
            Some(about) => write!(f, ", for {about}"),
            None => Ok(()),
        }
    }
}
