//! Two inputs and an event that show a float claim to be false, by exact weights.

use lastbit_audit::ExactLoss;
use lastbit_audit::program::{self, Limits, Options, ProgramReport};
use lastbit_lang::Bindings;
use lastbit_lang::values::Claimed;
use lastbit_real::{Dyadic, IBig, Rational, exp_rational};

use super::broken::{self, Tie};
use super::kappa::BITS;
use super::neighbours::Point;
use super::{Snapping, Statement, WorstPair};

/// Two neighbours by everything that the text says, and an event for which they differ by more than the claim allows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refutation {
    /// The arguments of both runs, as `adjacent` has them. The first run gives the event more often, unless they are neighbours in one order only.
    pub inputs: [Point; 2],
    /// The event that is observed.
    pub event: Event,
    /// The probability in both runs, exactly.
    pub probabilities: [Rational; 2],
    /// `|ln(Pr1/Pr2)|`.
    pub loss: ExactLoss,
}

impl Refutation {
    /// Whether the probabilities of the other event have the larger ratio.
    pub(super) fn loses_less_than(&self, other: &Refutation) -> bool {
        let ordered =
            |[p, q]: &[Rational; 2]| if p < q { (q.clone(), p.clone()) } else { (p.clone(), q.clone()) };
        let ((p, q), (p2, q2)) = (ordered(&self.probabilities), ordered(&other.probabilities));
        p * q2 < p2 * q
    }
}

/// An observable event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// This output.
    Output(f64),
    /// One of the outputs that one input gives more than `e^ε` times as often as the other.
    Favoured {
        /// `ε`, as it is claimed.
        epsilon: Rational,
        /// The first of them.
        example: f64,
    },
}

/// Pairs that are audited.
const MOST_AUDITS: usize = 24;
/// Outputs of an audit that are looked at one by one.
const LISTED: usize = 4096;
/// Two inputs of many are no reason to go through millions of outputs.
const LIMITS: Limits = Limits { outputs: 1 << 14, samples: 1 << 20, band: 1 << 20 };

/// Whether `p <= e^ε·q + δ` is certainly false. A claim to be inferred is of some finite loss.
fn exceeds(claim: &Claimed, [p, q]: [&Rational; 2]) -> bool {
    let delta = if broken::is_cut(Tie::DeltaOfTheClaim) { Rational::ZERO } else { claim.delta.clone() };
    let rest = p - delta;
    if !rest.is_positive() {
        return false;
    }
    match &claim.epsilon {
        None => q.is_zero(),
        Some(_) if q.is_zero() => true,
        Some(epsilon) => {
            // The ratio, compared with the upper end of an enclosure.
            let ratio = rest.checked_div(q).unwrap_or_default();
            exp_rational(epsilon, BITS).is_ok_and(|exp| exp.hi().cmp_rational(&ratio).is_lt())
        }
    }
}

impl Statement<'_> {
    /// An output as a refutation, if it is one, whichever run gives it more often.
    fn refutation(
        &self,
        inputs: [Point; 2],
        event: Event,
        probabilities: [Rational; 2],
        loss: ExactLoss,
    ) -> Option<Refutation> {
        let [p, q] = &probabilities;
        let (more, less) = if p < q { (q, p) } else { (p, q) };
        if !exceeds(&self.claim, [more, less]) {
            return None;
        }
        // The claim is about both directions; where adjacency has one, the inputs stay as they are.
        let [a, b] = &inputs;
        let is_turned = p < q && self.admits([b, a]);
        let ([a, b], [p, q]) = (inputs, probabilities);
        let (inputs, probabilities) = if is_turned { ([b, a], [q, p]) } else { ([a, b], [p, q]) };
        Some(Refutation { inputs, event, probabilities, loss })
    }

    /// A weighed output of the snapping mechanism as a refutation, if it is one.
    pub(super) fn refuted_by(&self, snapping: &Snapping, witness: &WorstPair) -> Option<Refutation> {
        let mechanism = &snapping.mechanism;
        let total = Rational::from(mechanism.sampler().total()) * Rational::from(2);
        let probabilities = witness.weights().map(|weight| Rational::from(weight) / &total);
        let values = witness.inputs.map(|f| Rational::try_from(f).unwrap_or_default());
        let event = Event::Output(mechanism.output(witness.outcome.output));
        let inputs = self.completed(&snapping.argument, values)?;
        self.refutation(inputs, event, probabilities, witness.loss(BITS))
    }

    /// An exact audit of pairs of neighbours, until one refutes the claim or enough have been looked at.
    pub(super) fn refuted_by_audit(&self, first: &[[Rational; 2]]) -> Audited {
        let mut audited = Audited::default();
        for pair in self.pairs(first, MOST_AUDITS) {
            match self.audited(&pair) {
                Ok(report) => {
                    audited.pairs += 1;
                    if let Some(refutation) = self.of_report(&pair, &report) {
                        audited.refutation = Some(refutation);
                        return audited;
                    }
                }
                Err(error) => audited.reason = Some(error.to_string()),
            }
        }
        audited
    }

    /// The exact distributions of the program on two inputs.
    pub(super) fn audited(&self, pair: &[Point; 2]) -> Result<ProgramReport, program::ProgramError> {
        // A correctly rounded library is among those that a declared accuracy allows.
        let library = Some(program::Library::Nearest);
        let epsilon = self.claim.epsilon.clone();
        let options = Options { epsilon, listed: LISTED, library, limits: LIMITS, ..Options::default() };
        // Ranges are for proofs; here are numbers.
        let bindings = Bindings { ranges: Default::default(), ..self.bindings.clone() };
        let [a, b] = pair;
        program::audit(self.file, Some(&self.declaration.name.text), &bindings, [a, b], &options)
    }

    fn of_report(&self, pair: &[Point; 2], report: &ProgramReport) -> Option<Refutation> {
        let total = Rational::from(report.comparison.total().clone());
        // The simplest output that one input alone can give, or else the worst of all.
        let alone = report.one_sided(&self.claim.delta).map(|found| {
            let mut probabilities = [Rational::ZERO, Rational::ZERO];
            probabilities[found.input] = found.probability;
            (found.output, probabilities)
        });
        let worst = || {
            let outcome = report.comparison.witness()?;
            // The weights of programs are integers: both ends of their enclosures.
            Some((outcome.output, outcome.weights.each_ref().map(|w| Rational::from(w.lo()) / &total)))
        };
        let found = alone.or_else(worst).and_then(|(output, probabilities)| {
            let loss = if probabilities.iter().any(Rational::is_zero) {
                ExactLoss::Infinite
            } else {
                report.loss(BITS)
            };
            self.refutation(pair.clone(), Event::Output(output), probabilities, loss)
        });
        found.or_else(|| self.of_many_outputs(pair, report))
    }

    /// All outputs that one input favours, together, against a claim with a delta.
    fn of_many_outputs(&self, pair: &[Point; 2], report: &ProgramReport) -> Option<Refutation> {
        let epsilon = self.claim.epsilon.as_ref().filter(|_| !self.claim.delta.is_zero())?;
        let total = Rational::from(report.comparison.total().clone());
        let [forward, backward] = report.comparison.hockey_stick();
        let first = if forward.lo() >= backward.lo() { 0 } else { 1 };
        let exp = exp_rational(epsilon, BITS).ok()?;
        let favoured = |weights: &[IBig; 2]| {
            let [p, q] = [&weights[first], &weights[1 - first]].map(|weight| Dyadic::from(weight.clone()));
            p > &q * exp.hi()
        };
        let listed: Vec<_> = report.outcomes.iter().filter(|outcome| favoured(&outcome.weights)).collect();
        let sum = |side: usize| {
            let weights = listed.iter().map(|outcome| Rational::from(outcome.weights[side].clone()));
            weights.fold(Rational::ZERO, |a, b| a + b) / &total
        };
        let event = Event::Favoured { epsilon: epsilon.clone(), example: listed.first()?.output };
        self.refutation(pair.clone(), event, [sum(0), sum(1)], report.loss(BITS))
    }
}

/// What came of audits of pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Audited {
    pub(super) refutation: Option<Refutation>,
    /// How many pairs were audited.
    pub(super) pairs: usize,
    /// The reason why some pairs were not audited.
    pub(super) reason: Option<String>,
}
