//! A privacy budget: what may still be lost, and a refusal of more.

use std::fmt;

use lastbit_real::Rational;

use crate::error::non_negative;
use crate::{Claim, Error, Measure};

/// The total loss that is allowed, and the claims that it was spent on.
///
/// Losses add ([sequential composition](Claim::compose)) as exact rationals: ten releases of loss 1/10 fit into a budget
/// of 1, and nothing fits beside them, were it 10⁻³⁰. Releases that lose nothing are free.
///
/// ```
/// use lastbit::{Budget, DiscreteLaplace, Error, Mechanism, Rational, SecureSource};
///
/// let mut budget = Budget::pure(Rational::ONE)?;
/// let noise = DiscreteLaplace::for_epsilon(&"0.7".parse()?, &Rational::ONE)?;
/// let claim = noise.claim(&Rational::ONE)?;
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
/// Take two inputs that are neighbours in the sense of every claim of the ledger. Then all outputs together lose at most
/// [`total`](Self::total). Mechanisms and their losses may be chosen after the outputs of earlier releases are seen, and so
/// may the end, because the total is fixed before: the likelihood of all outputs is the product of the likelihoods of each given those
/// before it, and whatever these were, the losses along the way add up to the total or less. Choices that look at the
/// data themselves are not covered.
///
/// A budget is not `Clone`: a copy could be spent a second time.
#[derive(Debug, PartialEq, Eq)]
pub struct Budget {
    measure: Measure,
    total: Rational,
    spent: Rational,
    ledger: Vec<Claim>,
}

impl Budget {
    /// A budget of pure differential privacy: all releases together lose at most `epsilon` in max-divergence.
    ///
    /// A budget of 0 is one that admits only releases that lose nothing.
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
        Budget { measure, total, spent: Rational::ZERO, ledger: Vec::new() }
    }

    /// What the losses measure.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// What may be lost in all.
    pub fn total(&self) -> &Rational {
        &self.total
    }

    /// What is spent. Ensures: at most the total.
    pub fn spent(&self) -> &Rational {
        &self.spent
    }

    /// What is left: the total without what is spent.
    pub fn remaining(&self) -> Rational {
        &self.total - &self.spent
    }

    /// What it was spent on, in order; free releases, too.
    pub fn ledger(&self) -> &[Claim] {
        &self.ledger
    }

    /// What a claim would cost: its loss in the budget's measure.
    ///
    /// # Errors
    /// As [`Claim::loss_in`].
    pub fn cost(&self, claim: &Claim) -> Result<Rational, Error> {
        claim.loss_in(self.measure)
    }

    /// Pays for a release, before it is made. Spending exactly the rest is allowed.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] and those of [`cost`](Self::cost); the budget is then as it was.
    pub fn spend(&mut self, claim: Claim) -> Result<(), Error> {
        let asked = self.cost(&claim)?;
        let remaining = self.remaining();
        if asked > remaining {
            return Err(Error::BudgetExceeded { asked, remaining });
        }
        self.spent = &self.spent + asked;
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
        let Budget { measure, total, spent, .. } = self;
        write!(f, "{measure} budget of {total}: {spent} spent, {} left", self.remaining())
    }
}
