//! Losses and limits, and when the one fits into the other.

use lastbit_account::largest_rho;
use lastbit_real::Rational;
use serde::Serialize;

use crate::Error;
use crate::number::{checked_digits, down, up};

/// The measure of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Pure differential privacy: ε.
    Pure,
    /// Zero-concentrated differential privacy: ρ.
    ZeroConcentrated,
}

impl Measure {
    /// The name of the amount: `epsilon` or `rho`.
    pub fn quantity(self) -> &'static str {
        match self {
            Measure::Pure => "epsilon",
            Measure::ZeroConcentrated => "rho",
        }
    }

    pub(crate) fn from_quantity(text: &str) -> Option<Measure> {
        [Measure::Pure, Measure::ZeroConcentrated].into_iter().find(|measure| measure.quantity() == text)
    }
}

/// What a release costs: an exact ε or ρ, and the δ with which that may fail.
///
/// ```
/// use lastbit_ledger::Charge;
/// let charge = Charge::pure("1/10".parse()?)?;
/// assert!(Charge::pure("0".parse()?).is_err());
/// assert!(Charge::pure("1".parse()?)?.with_delta("1".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Charge {
    measure: Measure,
    #[serde(serialize_with = "up")]
    amount: Rational,
    #[serde(serialize_with = "up")]
    delta: Rational,
}

impl Charge {
    /// A pure loss `epsilon`.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::TooLong`].
    pub fn pure(epsilon: Rational) -> Result<Charge, Error> {
        Charge::new(Measure::Pure, epsilon)
    }

    /// A zero-concentrated loss `rho`.
    ///
    /// # Errors
    /// As [`pure`](Self::pure).
    pub fn zero_concentrated(rho: Rational) -> Result<Charge, Error> {
        Charge::new(Measure::ZeroConcentrated, rho)
    }

    fn new(measure: Measure, amount: Rational) -> Result<Charge, Error> {
        checked_digits(measure.quantity(), &amount)?;
        match amount.is_positive() {
            true => Ok(Charge { measure, amount, delta: Rational::ZERO }),
            false => Err(Error::NotPositive { what: measure.quantity(), value: amount }),
        }
    }

    /// The same loss, but for a probability of `delta`.
    ///
    /// # Errors
    /// [`Error::NotProbability`] unless `0 <= delta < 1`; [`Error::TooLong`].
    pub fn with_delta(self, delta: Rational) -> Result<Charge, Error> {
        Ok(Charge { delta: checked_delta(delta)?, ..self })
    }

    /// The measure of the amount.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The ε or ρ.
    pub fn amount(&self) -> &Rational {
        &self.amount
    }

    /// The probability with which the loss may be larger.
    pub fn delta(&self) -> &Rational {
        &self.delta
    }

    /// The loss in another measure: a pure `ε` is a zero-concentrated `min(ε, ε²/2)` (Bun and Steinke 2016, Proposition 1.4), and no pure
    /// loss follows from a zero-concentrated one.
    pub fn amount_in(&self, measure: Measure) -> Option<Rational> {
        match (self.measure, measure) {
            (Measure::Pure, Measure::ZeroConcentrated) => {
                Some(self.amount.clone().min(self.amount.pow(2) / Rational::from(2)))
            }
            (Measure::ZeroConcentrated, Measure::Pure) => None,
            _ => Some(self.amount.clone()),
        }
    }
}

/// The most that all releases together may cost: a sum of ε or ρ, and a sum of δ.
///
/// Each limit is a *filter*: releases may be chosen after the results of earlier ones were seen, because the sums are checked before each
/// release and the limit is fixed. `docs/ledger.md` says why that is enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    measure: Measure,
    #[serde(serialize_with = "down")]
    amount: Rational,
    #[serde(serialize_with = "down")]
    delta: Rational,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
}

/// The (ε, δ) that a limit in ρ guarantees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Target {
    /// The ε.
    #[serde(serialize_with = "down")]
    pub epsilon: Rational,
    /// The δ.
    #[serde(serialize_with = "down")]
    pub delta: Rational,
}

impl Limit {
    /// Pure losses of `epsilon` together.
    ///
    /// # Errors
    /// [`Error::Negative`], [`Error::TooLong`]. A limit of 0 admits nothing, which closes a dataset.
    pub fn pure(epsilon: Rational) -> Result<Limit, Error> {
        Limit::new(Measure::Pure, epsilon, Rational::ZERO, None)
    }

    /// Zero-concentrated losses of `rho` together; pure ones are converted.
    ///
    /// # Errors
    /// As [`pure`](Self::pure).
    pub fn zero_concentrated(rho: Rational) -> Result<Limit, Error> {
        Limit::new(Measure::ZeroConcentrated, rho, Rational::ZERO, None)
    }

    /// (`epsilon`, `delta`) together, by sums: pure losses with a δ of their own add to at most `epsilon`, and their δs to at most `delta`.
    ///
    /// # Errors
    /// As [`pure`](Self::pure); [`Error::NotProbability`] unless `0 < delta < 1`.
    pub fn by_sums(epsilon: Rational, delta: Rational) -> Result<Limit, Error> {
        Limit::new(Measure::Pure, epsilon, some_delta(delta)?, None)
    }

    /// (`epsilon`, `delta`) together, by zero-concentrated losses: they, and converted pure ones, add to at most the largest `ρ` from which
    /// (`epsilon`, `delta`) follows ([`largest_rho`]). This admits far more releases than [`by_sums`](Self::by_sums) if they are many and
    /// small, and refuses those that have a δ of their own.
    ///
    /// ```
    /// use lastbit_ledger::Limit;
    /// use lastbit_real::Rounding;
    /// let limit = Limit::by_filter("1".parse()?, "1e-6".parse()?)?;
    /// assert_eq!(limit.amount().to_decimal(4, Rounding::Down), "0.02435");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`by_sums`](Self::by_sums).
    pub fn by_filter(epsilon: Rational, delta: Rational) -> Result<Limit, Error> {
        let target = Target { epsilon: checked_limit("epsilon", epsilon)?, delta: some_delta(delta)? };
        let rho = match largest_rho(&target.epsilon, &target.delta) {
            Ok(rho) => rho,
            // It refuses what was refused above.
            Err(_) => return Err(Error::Negative { what: "epsilon", value: target.epsilon }),
        };
        Limit::new(Measure::ZeroConcentrated, rho, Rational::ZERO, Some(target))
    }

    pub(crate) fn new(
        measure: Measure,
        amount: Rational,
        delta: Rational,
        target: Option<Target>,
    ) -> Result<Limit, Error> {
        let amount = checked_limit(measure.quantity(), amount)?;
        Ok(Limit { measure, amount, delta: checked_delta(delta)?, target })
    }

    /// The measure that losses are converted to.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The largest sum of ε or ρ.
    pub fn amount(&self) -> &Rational {
        &self.amount
    }

    /// The largest sum of δ.
    pub fn delta(&self) -> &Rational {
        &self.delta
    }

    /// The (ε, δ) of a limit made [by a filter](Self::by_filter).
    pub fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// Refuses a charge that does not fit beside those that were made.
    pub(crate) fn admit(
        &self,
        charge: &Charge,
        made: &Totals,
        scope: impl Fn() -> String,
    ) -> Result<(), Error> {
        let no_pure_loss = || Error::NoPureLoss { scope: scope() };
        let asked = charge.amount_in(self.measure).ok_or_else(no_pure_loss)?;
        let spent = made.in_measure(self.measure).ok_or_else(no_pure_loss)?;
        let sums = [
            (self.measure.quantity(), asked, spent, &self.amount),
            ("delta", charge.delta.clone(), &made.delta, &self.delta),
        ];
        for (quantity, asked, spent, most) in sums {
            if &asked + spent > *most {
                let (asked, left) = (Box::new(asked), Box::new((most - spent).max(Rational::ZERO)));
                return Err(Error::Exceeded { scope: scope(), quantity, asked, left });
            }
        }
        Ok(())
    }
}

/// The sums of charges, in every measure in which they have one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Totals {
    /// `None` once there was a charge without a pure loss.
    epsilon: Option<Rational>,
    rho: Rational,
    pub(crate) delta: Rational,
    pub(crate) charges: u64,
}

impl Totals {
    pub(crate) const NONE: Totals =
        Totals { epsilon: Some(Rational::ZERO), rho: Rational::ZERO, delta: Rational::ZERO, charges: 0 };

    /// So many charges of this kind are made.
    pub(crate) fn add(&mut self, charge: &Charge, times: u64) {
        let many = Rational::from(times);
        let total = |amount: Rational| amount * many.clone();
        self.epsilon = match (self.epsilon.take(), charge.amount_in(Measure::Pure)) {
            (Some(sum), Some(amount)) => Some(sum + total(amount)),
            _ => None,
        };
        let rho =
            charge.amount_in(Measure::ZeroConcentrated).expect("every loss has a zero-concentrated one");
        self.rho = &self.rho + total(rho);
        self.delta = &self.delta + total(charge.delta.clone());
        self.charges += times;
    }

    pub(crate) fn in_measure(&self, measure: Measure) -> Option<&Rational> {
        match measure {
            Measure::Pure => self.epsilon.as_ref(),
            Measure::ZeroConcentrated => Some(&self.rho),
        }
    }
}

fn checked_limit(what: &'static str, amount: Rational) -> Result<Rational, Error> {
    checked_digits(what, &amount)?;
    if amount.is_negative() { Err(Error::Negative { what, value: amount }) } else { Ok(amount) }
}

fn checked_delta(delta: Rational) -> Result<Rational, Error> {
    checked_digits("delta", &delta)?;
    if delta.is_negative() || delta >= Rational::ONE {
        return Err(Error::NotProbability { needed: "at least 0 and below 1", value: delta });
    }
    Ok(delta)
}

fn some_delta(delta: Rational) -> Result<Rational, Error> {
    let delta = checked_delta(delta)?;
    match delta.is_zero() {
        true => Err(Error::NotProbability { needed: "above 0 and below 1", value: delta }),
        false => Ok(delta),
    }
}
