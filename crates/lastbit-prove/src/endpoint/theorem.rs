//! Theorem A in closed form, for comparison, and what is left beyond its reach.

pub use lastbit::MOST_M;
use lastbit::TheoremA;
use lastbit_real::{Dyadic, Enclosure, Rational, exp_rational};

use super::kappa::{BITS, Ingredients, KEPT_BITS};
use super::{EndpointError, FloatSnap, NoiseError, OutOfRange, Sampler};

/// Beyond [`MOST_M`], outputs with a threshold farther than `MOST_EXPONENT·c` from an input count as failures.
/// `708.4 > 1022·ln 2`: their probability is below `2⁻¹⁰²²`, up to factors that depend on `Δ` and `Λ`.
fn most_exponent() -> Rational {
    Rational::new(7084, 10).expect("10 is not 0")
}

/// Theorem A in words, for what stands for its `ε`, `B`, `Λ` and the input.
pub(super) fn theorem_a_in_words(epsilon: &str, bound: &str, grid: &str, input: &str) -> String {
    format!(
        "\
for all doubles {input}, {input}' with |{input} - {input}'| <= Δ, clamped to [-{bound}, {bound}]:
  loss <= {epsilon}·Δ + coth(w·{epsilon}/2)·(4M + 4)·η·(1 + 2^-9)
where η = 2^-53, M = {epsilon}·(2·{bound} + {grid}/2) and w = {grid} - 2^-52·({bound} + {grid}), provided that
  M <= 700, w > 0, 2^-500 <= {epsilon} <= 2^500, {grid} = 2^k with -1000 <= k <= 900, 0 < {bound} < 2^52·{grid},
  coth(w·{epsilon}/2)·(2M + 2)·η <= 1/64, or else cells may be empty
and, if {grid}·{epsilon} >= 1, loss <= {epsilon}·Δ + 8.7·(M + 1)·η"
    )
}

/// The bound of Theorem A, rounded up.
///
/// # Errors
/// [`EndpointError::NoPureClaim`] if `M > 700`, [`EndpointError::OutOfRange`] if `Λ' <= 0`, or the sampler is another,
/// [`EndpointError::Diverges`] if the errors of probabilities are not small.
pub fn theorem_a(mechanism: &FloatSnap, sensitivity: &Rational) -> Result<Rational, EndpointError> {
    let m = mechanism.exponent_range();
    if m > Rational::from(MOST_M) {
        return Err(EndpointError::NoPureClaim { m: Box::new(m) });
    }
    let theorem = TheoremA::new(mechanism.rate(), mechanism.exact_bound(), &mechanism.grid(), BITS);
    let Some(theorem) = theorem.filter(|_| mechanism.sampler() == Sampler::Ulp) else {
        let reason = "Theorem A needs Λ' > 0 and the sampler of all doubles";
        return Err(OutOfRange { name: "bound", value: mechanism.bound().to_string(), reason }.into());
    };
    // Without a bound on it a cell may be empty, and the loss infinite.
    if *theorem.error() > Rational::pow2(-5) {
        return Err(EndpointError::Diverges);
    }
    let excess = Enclosure::of_rational(&theorem.excess(), KEPT_BITS);
    Ok(sensitivity * mechanism.rate() + Rational::from(excess.hi()))
}

/// Theorem A' in closed form, for `1 <= Λε < 2`: `(ε·Δ + 8.7·710·η, e^(ε·Δ + 2)·2⁻¹⁰²²)`, rounded up.
pub fn theorem_a_prime(
    mechanism: &FloatSnap,
    sensitivity: &Rational,
) -> Result<Option<(Rational, Rational)>, EndpointError> {
    let cell = mechanism.grid() * mechanism.rate();
    if cell < Rational::ONE || cell >= Rational::from(2) || mechanism.sampler() != Sampler::Ulp {
        return Ok(None);
    }
    let ideal = sensitivity * mechanism.rate();
    let excess = Rational::new(87 * 71, 1).expect("1 is not 0") * Rational::pow2(-53);
    let delta = exp_rational(&(&ideal + Rational::from(2)), KEPT_BITS)?.shl(-1022);
    Ok(Some((ideal + excess, Rational::from(delta.hi()))))
}

/// The farthest that thresholds of outputs that do not count as failures are from an input, and the probability of the others.
///
/// An output counts as a failure if a threshold `g` of it is farther than `D = 708.4·c` from `f` or `f'`. Then, seen from
/// either input, its whole cell is beyond `D - Δ - Λ''`, `Λ''` the width of the widest cell; such outputs lie below one threshold
/// and above another, so that their probability is at most `2·½·e^(-(D - Δ - Λ'')/c)(1 + κ)`.
pub(super) fn failures(
    ingredients: &Ingredients,
    sensitivity: &Rational,
) -> Result<(Rational, Rational), EndpointError> {
    let farthest = most_exponent() / &ingredients.rate;
    let margin = sensitivity + &ingredients.widest;
    if margin >= farthest {
        let reason = "Δ + Λ must be less than 708·c";
        return Err(OutOfRange { name: "sensitivity", value: sensitivity.to_string(), reason }.into());
    }
    let kappa = ingredients.kappa(&farthest)?.plus;
    let most = exp_rational(&((margin - &farthest) * &ingredients.rate), BITS)?;
    let delta = (most.hi() * (Dyadic::ONE + kappa)).round_up(KEPT_BITS);
    Ok((farthest, Rational::from(delta)))
}

/// A comparison of Theorem A with the numeric bound.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GridPoint {
    /// The mechanism.
    pub mechanism: FloatSnap,
    /// The numeric bound.
    pub certified: Rational,
    /// Theorem A.
    pub closed_form: Rational,
}

impl GridPoint {
    /// Whether the closed form is at least the numeric bound, as it must.
    pub fn agrees(&self) -> bool {
        self.certified <= self.closed_form
    }
}

/// Both bounds for each of the mechanisms.
///
/// # Errors
/// Those of either bound.
pub fn compare_with_theorem_a(
    mechanisms: impl IntoIterator<Item = FloatSnap>,
    error: &NoiseError,
    sensitivity: &Rational,
) -> Result<Vec<GridPoint>, EndpointError> {
    let compare = |mechanism: FloatSnap| {
        let closed_form = theorem_a(&mechanism, sensitivity)?;
        let certified = super::certify(&mechanism, error, sensitivity)?.loss().clone();
        Ok(GridPoint { mechanism, certified, closed_form })
    };
    mechanisms.into_iter().map(compare).collect()
}
