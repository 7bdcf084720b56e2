//! All of it together, for people.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;

use lastbit_audit::ExactLoss;
use lastbit_lang::values::Claimed;
use lastbit_real::{Float, Rational, Rounding};

use super::claims::judge;
use super::kappa::BITS;
use super::{
    Case, Certified, ClaimedBound, EndpointError, FloatSnap, Noise, NoiseError, PairOutput, PaperVerdict,
    Search, Total, UThreshold, Variant, WorstPair, certify, outputs_of_interest, pair_outputs, theorem_a,
    theorem_a_prime,
};
use crate::certificate::tie_name;

/// The mechanism to analyse, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The mechanism.
    pub mechanism: FloatSnap,
    /// The error of its noise.
    pub error: NoiseError,
    /// The search for witnesses, with `Δ`.
    pub search: Search,
    /// The pair for which endpoints are printed; without one, `B - Δ` and `B`.
    pub example: Option<[f64; 2]>,
}

/// The bounds, and what they are compared with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndpointReport {
    /// The mechanism.
    pub mechanism: FloatSnap,
    /// The error of its noise.
    pub error: NoiseError,
    /// `Δ`.
    pub sensitivity: Rational,
    /// The bounds over all inputs.
    pub certified: Certified,
    /// Theorem A, if its conditions hold.
    pub theorem_a: Option<Rational>,
    /// Theorem A', if there is no pure bound, its condition holds, and the numeric bound confirms it.
    pub theorem_a_prime: Option<(Rational, Rational)>,
    /// Two inputs that show that pure differential privacy is false, if they were found.
    pub infinite_loss: Option<WorstPair>,
    /// The inputs of an example, whose worst output in each case is shown.
    pub example: [f64; 2],
    /// The endpoints of these outputs.
    pub endpoints: Vec<PairOutput>,
    /// The worst outputs found, case by case, exactly, with correctly rounded logarithms.
    pub witnesses: Vec<WorstPair>,
    /// The papers' constants; empty unless `Δ = 1`.
    pub verdicts: Vec<ClaimedBound>,
}

impl EndpointReport {
    /// Whether what is certified is within a claim. To `infer` is to claim that some pure loss is enough.
    pub(crate) fn is_within(&self, claimed: &Claimed) -> bool {
        let (loss, delta) = match &self.certified.total {
            Total::Pure { loss } => (loss, &Rational::ZERO),
            Total::Approximate { loss, delta } => (loss, delta),
        };
        claimed.epsilon.as_ref().is_none_or(|epsilon| loss <= epsilon) && *delta <= claimed.delta
    }
}

/// Bounds the loss and compares.
///
/// # Errors
/// [`EndpointError`], if a condition of the theory fails.
pub fn analyse(request: &Request) -> Result<EndpointReport, EndpointError> {
    analyse_watched(request, &AtomicBool::new(false), &mut |_| {})
}

/// As [`analyse`], until `cancel` becomes true; `progress` hears which share of the search for witnesses is done.
pub(super) fn analyse_watched(
    request: &Request,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<EndpointReport, EndpointError> {
    let Request { mechanism, error, search, .. } = request;
    let sensitivity = &search.sensitivity;
    let certified = certify(mechanism, error, sensitivity)?;
    let variant = Variant::of(mechanism.clone());
    let worst = search.run(&variant, cancel, |found| progress(found.share))?;
    let verdicts =
        if *sensitivity == Rational::ONE { judge(mechanism, error, &certified, &worst)? } else { Vec::new() };
    let bound = mechanism.bound();
    let below_bound = (mechanism.exact_bound() - sensitivity).to_f64(Rounding::Up);
    let example = request.example.unwrap_or([below_bound.max(-bound), bound]);
    let example = if example[0] <= example[1] { example } else { [example[1], example[0]] };
    let theorem_a_prime = match &certified.total {
        Total::Pure { .. } => None,
        Total::Approximate { loss, delta } => theorem_a_prime(mechanism, sensitivity)?
            .filter(|(closed_loss, closed_delta)| loss <= closed_loss && delta <= closed_delta),
    };
    Ok(EndpointReport {
        endpoints: worst_endpoints(&variant, error, example)?,
        theorem_a: theorem_a(mechanism, sensitivity).ok().filter(|_| error.is_within_theorem_a()),
        infinite_loss: worst.witness().filter(|witness| witness.is_infinite()).cloned(),
        witnesses: Case::ALL.into_iter().filter_map(|case| worst.of_case(case)).cloned().collect(),
        mechanism: mechanism.clone(),
        error: error.clone(),
        sensitivity: sensitivity.clone(),
        theorem_a_prime,
        certified,
        example,
        verdicts,
    })
}

/// All outputs of the example are looked at up to this many.
const ALL_OUTPUTS: i64 = 2048;

/// The worst output of each case.
fn worst_endpoints(
    variant: &Variant,
    error: &NoiseError,
    inputs: [f64; 2],
) -> Result<Vec<PairOutput>, EndpointError> {
    let outputs = outputs_of_interest(variant, inputs, ALL_OUTPUTS);
    let mut worst: BTreeMap<Case, PairOutput> = BTreeMap::new();
    for output in pair_outputs(&variant.mechanism, error, inputs, outputs)? {
        match worst.get_mut(&output.case) {
            Some(known) if known.loses_less_than(&output) => *known = output,
            Some(_) => {}
            None => drop(worst.insert(output.case, output)),
        }
    }
    Ok(worst.into_values().collect())
}

impl EndpointReport {
    /// Whether an exact loss is at most the certified one of its case. Nothing is certified about failures.
    pub fn audit(&self, witness: &WorstPair) -> bool {
        let bound = self.certified.cases.iter().find(|bound| bound.case == witness.case);
        let Some(bound) = bound else { return false };
        match witness.loss(BITS) {
            ExactLoss::Finite(loss) => loss.hi().cmp_rational(&bound.loss()).is_le(),
            ExactLoss::Infinite | ExactLoss::AtLeast(_) => false,
        }
    }

    /// Whether every exact loss that was found is at most the certified one, as it must be if the total is pure.
    pub fn audit_holds(&self) -> bool {
        self.witnesses.iter().all(|witness| self.audit(witness))
    }

    /// What an exact loss exceeds `Δ/c` by.
    fn excess_of(&self, witness: &WorstPair) -> Option<Rational> {
        let excess = witness.excess(&self.ideal(), BITS)?;
        Some(Rational::from(excess.hi()))
    }
}

/// A number in units of η.
pub(super) fn in_eta(number: &Rational, rounding: Rounding) -> String {
    (number * Rational::pow2(53)).to_decimal(5, rounding)
}

impl fmt::Display for EndpointReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_header(f)?;
        self.write_cases(f)?;
        self.write_total(f)?;
        self.write_verdicts(f)?;
        self.write_endpoints(f)
    }
}

impl EndpointReport {
    fn write_header(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let m = &self.mechanism;
        let (noise, value) = match m.noise() {
            Noise::Divided { epsilon } => ("y = LN(u) ⊘ ε, ε", epsilon),
            Noise::Multiplied { scale } => ("y = λ ⊗ LN(u), λ", scale),
        };
        // Doubles in the shortest form that stands for them.
        let decimal = |x: &Rational| match x.to_f64(Rounding::Nearest) {
            double if Rational::try_from(double).as_ref() == Ok(x) => format!("{double}"),
            _ => x.to_string(),
        };
        writeln!(f, "snapping in binary64: {noise} = {}, u: {}", decimal(value), m.sampler().describe())?;
        let (bound, grid) = (decimal(m.exact_bound()), decimal(&m.grid()));
        writeln!(
            f,
            "B = {bound}, Λ = {grid}, ties {}, Δ = {}",
            tie_name(m.tie()),
            decimal(&self.sensitivity)
        )?;
        let range = m.exponent_range().to_decimal(6, Rounding::Up);
        let error = in_eta(&self.error.relative, Rounding::Up);
        writeln!(f, "ρ = {error} η, M = ε(2B + Λ/2) = {range}, η = 2^-53")
    }

    fn write_cases(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pure = matches!(self.certified.total, Total::Pure { .. });
        writeln!(f, "\n{:10} {:>24} {:>12} {:>12}", "case", "loss <=", "excess/η <=", "exact/η")?;
        for bound in &self.certified.cases {
            let loss = bound.loss().to_decimal(20, Rounding::Up);
            let witness = self.witnesses.iter().find(|witness| witness.case == bound.case);
            let exact = match witness.map(|witness| self.excess_of(witness)) {
                None => "-".to_owned(),
                Some(None) => "inf".to_owned(),
                Some(Some(excess)) => match excess + self.ideal() - &bound.ideal {
                    below if below.is_negative() => "< 0".to_owned(),
                    excess => in_eta(&excess, Rounding::Up),
                },
            };
            let note = if witness.is_none_or(|witness| self.audit(witness)) || !pure {
                bound.reason
            } else {
                "THE EXACT LOSS IS MORE: the error of y is larger than claimed"
            };
            let excess = in_eta(&bound.excess, Rounding::Up);
            writeln!(f, "{:10} {loss:>24} {excess:>12} {exact:>12}  {note}", bound.case)?;
        }
        Ok(())
    }

    fn ideal(&self) -> Rational {
        &self.sensitivity * self.mechanism.rate()
    }

    fn write_total(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let up = |x: &Rational| x.to_decimal(20, Rounding::Up);
        match &self.certified.total {
            Total::Pure { loss } => writeln!(f, "\ncertified: loss <= {}", up(loss))?,
            Total::Approximate { loss, delta } => {
                writeln!(
                    f,
                    "\ncertified: ({}, {})-differential privacy",
                    up(loss),
                    delta.to_decimal(4, Rounding::Up)
                )?;
                writeln!(
                    f,
                    "pure differential privacy: {}",
                    match &self.infinite_loss {
                        None => "no claim".to_owned(),
                        Some(found) => {
                            let [f, f2] = found.inputs.map(Float::to_hex);
                            let [weight, weight2] = found.weights();
                            let x = self.mechanism.output(found.outcome.output);
                            format!(
                                "false: output {x} has weight {weight} of 2·(2^1074 - 1) under f = {f}, and {weight2} under f' = {f2}"
                            )
                        }
                    }
                )?;
            }
        }
        if let Some(closed) = &self.theorem_a {
            let excess = in_eta(&(closed - self.ideal()), Rounding::Up);
            writeln!(f, "Theorem A: loss <= {} (excess {excess} η)", up(closed))?;
        } else {
            let why = if self.error.is_within_theorem_a() { "M > 700" } else { "ρ > 2η" };
            writeln!(f, "Theorem A does not apply: {why}")?;
        }
        if let Some((loss, delta)) = &self.theorem_a_prime {
            writeln!(f, "Theorem A': ({}, {})", up(loss), delta.to_decimal(4, Rounding::Up))?;
        }
        Ok(())
    }

    fn write_verdicts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.verdicts.is_empty() {
            return writeln!(
                f,
                "\nthe papers' constants are about Δ = 1, every double u by its ulp, and the smallest power of two Λ >= 1/ε"
            );
        }
        let [scope, verdict] = ["claimed of", "verdict"];
        writeln!(
            f,
            "\n{scope:15} {:22} {:>10} {:>12}  {verdict:12} by",
            "formula", "value/η", "certified/η"
        )?;
        for claim in &self.verdicts {
            let value = in_eta(&claim.claimed, Rounding::Down);
            let certified = claim.certified.as_ref().map_or("-".to_owned(), |x| in_eta(x, Rounding::Up));
            write!(f, "{:15} {:22} {value:>10} {certified:>12}", claim.scope, claim.formula)?;
            writeln!(f, "  {:12} {}", claim.verdict, claim.source)?;
            if let PaperVerdict::Violated(witness) = &claim.verdict {
                let [a, b] = witness.inputs.map(Float::to_hex);
                let x = self.mechanism.output(witness.outcome.output);
                let excess = self.excess_of(witness).map_or("inf".to_owned(), |x| in_eta(&x, Rounding::Down));
                writeln!(f, "{:15} f = {a}, f' = {b}, x = {x}: {excess} η, exactly", "")?;
            }
        }
        Ok(())
    }

    fn write_endpoints(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.example.map(Float::to_hex);
        writeln!(f, "\nendpoints for f = {a}, f' = {b}: x is given for L <= u < R")?;
        let show = |[l, r]: [UThreshold; 2]| {
            let [l, r] = [l, r].map(|u| format!("[{}, {}]", u.lo.to_hex(), u.hi.to_hex()));
            format!("L in {l}, R in {r}")
        };
        let given = |[l, r]: [UThreshold; 2]| l.lo < r.hi;
        for output in &self.endpoints {
            let loss = output.loss().map(|loss| Rational::from(loss.hi()).to_decimal(20, Rounding::Up));
            let x = self.mechanism.output(output.output);
            writeln!(f, "{:10} x = {x}: loss <= {}", output.case, loss.unwrap_or("inf".to_owned()))?;
            for (name, endpoints) in ["f ", "f'"].iter().zip(output.endpoints) {
                for (sign, ends) in [("+1", endpoints.plus), ("-1", endpoints.minus)] {
                    if given(ends) {
                        writeln!(f, "  {name} s = {sign}: {}", show(ends))?;
                    }
                }
            }
        }
        Ok(())
    }
}
