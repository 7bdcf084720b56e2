//! Witnesses that refute a claim.

use std::cmp::Ordering;
use std::fmt;

use lastbit_audit::ExponentialSum;
use lastbit_audit::LnRatio;
use lastbit_audit::discrete::{Inputs, Parameters};
use lastbit_real::{Dyadic, Enclosure, Rational, Rounding, exp_rational};

use super::event::Event;
use super::quotient::Quotient;
use crate::logic::kernel::Direction;

/// A probability.
#[derive(Clone, Debug)]
pub enum Probability {
    /// Exactly.
    Exact(Quotient),
    /// Between two numbers.
    Enclosed(Enclosure),
}

impl Probability {
    /// An enclosure of it.
    pub fn enclose(&self, bits: u32) -> Enclosure {
        match self {
            Probability::Exact(quotient) => quotient.enclose_to(bits),
            Probability::Enclosed(enclosure) => enclosure.clone(),
        }
    }

    /// A double next to it, for display: no claim rests on it.
    pub fn approximate(&self) -> f64 {
        match self {
            Probability::Exact(quotient) => quotient.approximate(),
            Probability::Enclosed(enclosure) => Rational::from(enclosure.lo()).to_f64(Rounding::Nearest),
        }
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Probability::Exact(quotient) => quotient.fmt(f),
            Probability::Enclosed(_) => write!(f, "{:.6e}", self.approximate()),
        }
    }
}

/// An observation of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// An event of a program with real-valued or finite noise.
    Event(Event),
    /// An outcome of a program with discrete noise, as an audit writes it.
    Outcome(String),
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Observation::Event(event) => event.fmt(f),
            Observation::Outcome(outcome) => write!(f, "r = {outcome}"),
        }
    }
}

/// Two neighbouring inputs and an event that is likelier with the first one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Witness {
    /// The parameters.
    pub parameters: Parameters,
    /// The inputs.
    pub inputs: [Inputs; 2],
    /// Whether `adjacent` speaks of the first of them as `<1>`, or of the second.
    pub direction: Direction,
    /// The observation.
    pub observation: Observation,
    /// The probabilities of the event under the first and the second input.
    pub probabilities: [Probability; 2],
    /// `ln(P/P')`
    pub ln_ratio: LnRatio,
    /// The claimed ε, at the parameters.
    pub epsilon: Rational,
    /// The claimed δ, at the parameters: 0 for pure privacy.
    pub delta: Rational,
}

/// Bits of enclosures in a comparison.
const BITS: u32 = 128;

impl Witness {
    /// Whether `P - e^ε·P' > δ`. Decided exactly for exact probabilities; for enclosed ones `true` is certain.
    pub fn exceeds_claim(&self) -> bool {
        match &self.probabilities {
            [Probability::Exact(p), Probability::Exact(q)] => {
                let factor = ExponentialSum::term(Rational::ONE, self.epsilon.clone());
                let excess = p.minus(&q.times(&factor.into())).minus(&self.delta.clone().into());
                excess.sign() == Ordering::Greater
            }
            probabilities => {
                let Ok(factor) = exp_rational(&self.epsilon, BITS) else { return false };
                let [p, q] = probabilities.each_ref().map(|probability| probability.enclose(BITS));
                let bound = &(&factor * &q) + &Enclosure::of_rational(&self.delta, BITS);
                p.lo() > bound.hi()
            }
        }
    }

    /// The largest loss that is certain; `None` if it is infinite.
    pub fn loss(&self) -> Option<Dyadic> {
        match &self.ln_ratio {
            LnRatio::Finite(ratio) => Some(ratio.lo().clone()),
            LnRatio::OnlyFirst => None,
            LnRatio::OnlySecond | LnRatio::Unknown => Some(Dyadic::ZERO),
        }
    }

    /// The inputs in the order in which `adjacent` speaks of them.
    pub fn as_adjacent(&self) -> [&Inputs; 2] {
        let [first, second] = &self.inputs;
        match self.direction {
            Direction::Forward => [first, second],
            Direction::Backward => [second, first],
        }
    }
}

fn assignments(inputs: &Inputs) -> String {
    let each: Vec<String> = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    each.join(", ")
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let loss = match self.loss() {
            None => "infinite".to_owned(),
            Some(loss) => format!("{:.6}", Rational::from(&loss).to_f64(Rounding::Down)),
        };
        writeln!(f, "parameters    {}", parameters.join(", "))?;
        writeln!(f, "first input   {}", assignments(&self.inputs[0]))?;
        writeln!(f, "second input  {}", assignments(&self.inputs[1]))?;
        writeln!(f, "event         {}", self.observation)?;
        for (name, probability) in ["P(first)      ", "P(second)     "].iter().zip(&self.probabilities) {
            writeln!(f, "{name}{:.6e}", probability.approximate())?;
        }
        write!(f, "loss          {loss}, claimed {}", self.epsilon)
    }
}
