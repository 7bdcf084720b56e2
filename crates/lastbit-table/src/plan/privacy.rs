//! How the budget of a release is divided among its queries.

use lastbit_real::Rational;
use serde::Serialize;

use super::{PlanFault, Query};
use crate::spec::{PrivacySpec, QuerySpec};
use crate::suggest::closest;

/// What a release may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Privacy {
    /// The measure of loss.
    pub measure: Measure,
    /// ε or ρ of all queries together.
    pub loss: Rational,
    /// δ of all queries together.
    pub delta: Option<Rational>,
    /// The noise.
    pub noise: Noise,
}

/// A measure of loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Measure {
    /// ε.
    Pure,
    /// ρ of zero-concentrated privacy.
    Zcdp,
    /// ε and δ.
    Approx,
}

/// A family of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Noise {
    /// Laplace noise on integers.
    Laplace,
    /// Gaussian noise on integers.
    Gaussian,
}

impl Measure {
    /// The word for the measure in specs.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Pure => "pure",
            Measure::Zcdp => "zcdp",
            Measure::Approx => "approx",
        }
    }
}

impl Noise {
    /// The word for the noise in specs.
    pub fn name(self) -> &'static str {
        match self {
            Noise::Laplace => "laplace",
            Noise::Gaussian => "gaussian",
        }
    }
}

type Fault = (String, PlanFault);

/// Settles what each query may cost, and what the release costs.
pub(super) fn divide(
    asked: &PrivacySpec,
    specs: &[QuerySpec],
    queries: &mut [Query],
) -> Result<Privacy, Fault> {
    let fail = |key: &str, fault| Err((format!("privacy.{key}"), fault));
    let uses_rho = asked.rho.is_some() || specs.iter().any(|query| query.rho.is_some());
    let measure = match asked.measure.as_deref() {
        Some("pure") => Measure::Pure,
        Some("zcdp") => Measure::Zcdp,
        Some("approx") => Measure::Approx,
        Some(word) => return fail("measure", unknown(word, &["pure", "zcdp", "approx"])),
        None if uses_rho => Measure::Zcdp,
        None if asked.delta.is_some() => Measure::Approx,
        None => Measure::Pure,
    };
    let noise = match asked.noise.as_deref() {
        Some("laplace") => Noise::Laplace,
        Some("gaussian") if measure == Measure::Pure => {
            let why = "Gaussian noise has no finite ε alone: choose the measure \"zcdp\" or \"approx\", or Laplace noise";
            return fail("noise", PlanFault::Useless { why });
        }
        Some("gaussian") => Noise::Gaussian,
        Some(word) => return fail("noise", unknown(word, &["laplace", "gaussian"])),
        None if measure == Measure::Pure => Noise::Laplace,
        None => Noise::Gaussian,
    };
    let (whole, key) = match measure {
        Measure::Zcdp => (&asked.rho, "rho"),
        _ => (&asked.epsilon, "epsilon"),
    };
    if (measure == Measure::Zcdp && asked.epsilon.is_some()) || (measure != Measure::Zcdp && uses_rho) {
        let why = "the measure \"zcdp\" counts in rho, the others in epsilon";
        return fail(
            if uses_rho && measure != Measure::Zcdp { "rho" } else { "epsilon" },
            PlanFault::Useless { why },
        );
    }
    match (&asked.delta, measure) {
        (None, Measure::Approx) => {
            return fail(
                "delta",
                PlanFault::Missing { why: "the measure \"approx\" has two numbers, epsilon and delta" },
            );
        }
        (Some(_), Measure::Pure | Measure::Zcdp) => {
            return fail("delta", PlanFault::Useless { why: "only the measure \"approx\" has a delta" });
        }
        (Some(delta), _) if !delta.is_positive() || *delta >= Rational::ONE => {
            return fail("delta", PlanFault::Useless { why: "it must lie between 0 and 1" });
        }
        _ => {}
    }
    if whole.as_ref().is_some_and(|whole| !whole.is_positive()) {
        return fail(key, PlanFault::NotPositive);
    }
    let loss = losses(whole.as_ref(), measure, key, specs, queries)?;
    for query in queries.iter_mut() {
        query.delta = asked.delta.as_ref().and_then(|delta| (delta * &query.loss).checked_div(&loss));
    }
    Ok(Privacy { measure, loss, delta: asked.delta.clone(), noise })
}

/// Gives each query its own loss, or its share of what the others leave; the sum of all.
fn losses(
    whole: Option<&Rational>,
    measure: Measure,
    key: &'static str,
    specs: &[QuerySpec],
    queries: &mut [Query],
) -> Result<Rational, Fault> {
    let (mut own_losses, mut shares) = (Rational::ZERO, Rational::ZERO);
    let own =
        |query: &QuerySpec| if measure == Measure::Zcdp { query.rho.clone() } else { query.epsilon.clone() };
    let share = |query: &QuerySpec| query.share.clone().unwrap_or(Rational::ONE);
    for query in specs {
        let fail = |key: &str, fault| Err((format!("query {}, {key}", query.name), fault));
        if query.within.is_some() {
            let why = "a plan knows no noise, so it cannot tell what an accuracy costs: give an epsilon or rho, or ask lastbit_engine::release";
            return fail("within", PlanFault::Useless { why });
        }
        if measure == Measure::Zcdp && query.epsilon.is_some() {
            return fail("epsilon", PlanFault::Useless { why: "this release counts in rho" });
        }
        match own(query) {
            Some(loss) if !loss.is_positive() => return fail(key, PlanFault::NotPositive),
            Some(_) if query.share.is_some() => {
                return fail("share", PlanFault::Useless { why: "the query says itself what it may cost" });
            }
            Some(loss) => own_losses = own_losses + loss,
            None if !share(query).is_positive() => return fail("share", PlanFault::NotPositive),
            None => shares = shares + share(query),
        }
    }
    let rest = match whole {
        Some(whole) => whole - &own_losses,
        None if shares.is_zero() => Rational::ZERO,
        None => {
            let why = "say what the release may cost, or each query for itself";
            return Err((format!("privacy.{key}"), PlanFault::Missing { why }));
        }
    };
    if let Some(whole) = whole
        && (rest.is_negative() || (!shares.is_zero() && !rest.is_positive()))
    {
        return Err((
            format!("privacy.{key}"),
            PlanFault::OverBudget { asked: own_losses.to_short(), whole: whole.to_short() },
        ));
    }
    for (query, spec) in queries.iter_mut().zip(specs) {
        query.loss = match own(spec) {
            Some(loss) => loss,
            None => (&rest * &share(spec)).checked_div(&shares).unwrap_or_default(),
        };
    }
    Ok(queries.iter().map(|query| &query.loss).sum())
}

fn unknown(word: &str, known: &[&'static str]) -> PlanFault {
    let suggestion = closest(word, known.iter().copied()).map(str::to_owned);
    PlanFault::Word { found: word.to_owned(), known: known.join(", "), suggestion }
}
