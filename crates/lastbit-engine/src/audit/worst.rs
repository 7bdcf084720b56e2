//! The two inputs of snapping that lose most, and a bound on what any two lose.

use std::time::Duration;

use lastbit_audit::snapping::{Budget, Case, Formula, Search as Hunt, Variant, Worst, WorstPair};
use lastbit_audit::{Comparison, ExactLoss as FoundLoss};
use lastbit_lang::{Accuracy, lower};
use lastbit_prove::endpoint::{EndpointError, NoiseError, Total, certify, noise_error, recognise};
use lastbit_real::{Float, Rational, Rounding};
use serde::Serialize;

use super::judge::judge;
use super::papers::{DIGITS, PaperVerdict, in_eta, scope};
use super::snapping::{eta, in_doubles};
use crate::{Judgement, Number, Refusal, Watcher};

/// Bits of losses: differences of a few `η` are what counts.
const BITS: u32 = 160;
/// Digits of an excess in a message.
const FEW_DIGITS: usize = 6;

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct Search {
    /// The largest distance between the two inputs.
    pub sensitivity: Rational,
    /// The time to spend.
    pub time: Duration,
}

impl Default for Search {
    fn default() -> Search {
        Search { sensitivity: Rational::ONE, time: Duration::from_secs(60) }
    }
}

/// Details that a search for the worst inputs adds to the audit of the two that it found.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct WorstInputs {
    /// The largest distance between the two inputs.
    pub sensitivity: Number,
    /// A bound on the loss of all inputs so far apart.
    pub certified: Certified,
    /// The certified bound less the loss that was found, in units of `η`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_eta: Option<Number>,
    /// The number of pairs of inputs that were tried.
    pub pairs: u64,
    /// The number of outputs that were weighed.
    pub outputs_weighed: u64,
    /// Whether the search was stopped before its time was over.
    pub interrupted: bool,
    /// The worst output of each case.
    pub cases: Vec<WorstCase>,
}

/// A bound on the loss of all inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Certified {
    /// Pure differential privacy.
    Pure {
        /// The largest loss.
        loss: Number,
    },
    /// `(ε, δ)`, where there is no pure one.
    Approximate {
        /// `ε`
        loss: Number,
        /// `δ`
        delta: Number,
    },
    /// None.
    None {
        /// The reason why there is none.
        reason: String,
    },
}

/// The worst output of a case.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct WorstCase {
    /// The position of the output relative to the inputs.
    pub case: String,
    /// The output, in hexadecimal.
    pub output: String,
    /// The inputs, in hexadecimal.
    pub inputs: [String; 2],
    /// The excess over `ε·Δ`, in `η`, or `inf`.
    pub excess_eta: String,
    /// The same in `B·ε·η`, the unit of the papers' constants.
    pub excess_in_b_epsilon_eta: String,
    #[serde(skip)]
    pub(super) name: String,
}

/// What a search found, and what is certified.
pub(super) struct Found {
    pub(super) inputs: [f64; 2],
    pub(super) sensitivity: Rational,
    worst: Worst,
    certified: Certified,
    rate: Rational,
    bound: Rational,
}

impl Search {
    /// Searches until the time is over, or the watcher stops it: what was found by then counts.
    pub(super) fn run(&self, variant: &Variant, watcher: &Watcher<'_>) -> Result<Found, Refusal> {
        let search = Hunt {
            sensitivity: self.sensitivity.clone(),
            budget: Budget::Time(self.time),
            ..Hunt::default()
        };
        let rate = variant.mechanism.rate().clone();
        let allowed = &rate * &self.sensitivity;
        let worst = search.run(variant, watcher.cancel, |progress| {
            let best = progress.worst.witness().map(|witness| excess_text(witness, &allowed, FEW_DIGITS));
            let message = match best.as_deref() {
                None => "nothing yet".to_owned(),
                Some("inf") => "infinite loss".to_owned(),
                Some(excess) => format!("excess {excess} η"),
            };
            watcher.tell("searching the worst inputs", progress.share, &message);
        });
        let worst = worst.map_err(|error| Refusal::out_of_range(&error))?;
        let Some(witness) = worst.witness() else {
            return Err(Refusal::usage(
                "no two inputs were tried",
                "give it more time (budget), or a larger sensitivity",
            ));
        };
        Ok(Found {
            inputs: witness.inputs,
            sensitivity: self.sensitivity.clone(),
            certified: certified(variant, &self.sensitivity),
            rate,
            bound: variant.mechanism.exact_bound().clone(),
            worst,
        })
    }
}

/// From the error of the noise, which is read off the mechanism's text.
fn certified(variant: &Variant, sensitivity: &Rational) -> Certified {
    if !variant.clamp_input {
        return Certified::None { reason: "nothing is certified about inputs that are not clamped".into() };
    }
    let total = error_of_noise(variant).and_then(|error| {
        let certified = certify(&variant.mechanism, &error, sensitivity);
        certified.map(|certified| certified.total).map_err(|error: EndpointError| error.to_string())
    });
    let number = |value: &Rational| Number::at_most(value, 30);
    match total {
        Ok(Total::Pure { loss }) => Certified::Pure { loss: number(&loss) },
        Ok(Total::Approximate { loss, delta }) => {
            Certified::Approximate { loss: number(&loss), delta: number(&delta) }
        }
        Err(reason) => Certified::None { reason },
    }
}

fn error_of_noise(variant: &Variant) -> Result<NoiseError, String> {
    let (file, mut bindings) = variant.program();
    let most = Rational::pow2(1000);
    bindings.ranges.insert("x".into(), (-&most, most));
    let first = |messages: Vec<lastbit_lang::Diagnostic>| {
        messages.first().map_or_else(String::new, |message| message.message.clone())
    };
    let mut program = lower(&file, None, &bindings, None).map_err(first)?.program;
    if variant.ln_shift != 0 {
        // Half an ulp of rounding, and so many more.
        let ulps = Rational::from(variant.ln_shift.unsigned_abs()) + Rational::pow2(-1);
        program.libm.ln = Accuracy::Ulps(ulps);
    }
    let shape = recognise(&program).map_err(|error| error.to_string())?;
    noise_error(&program, &shape).map_err(|error| error.to_string())
}

/// The excess of a witness over what is allowed, in `η`.
fn excess_text(witness: &WorstPair, allowed: &Rational, digits: usize) -> String {
    match witness.excess(allowed, BITS) {
        None => "inf".into(),
        Some(excess) => Rational::from(eta(&excess).lo()).to_decimal(digits, Rounding::Nearest),
    }
}

impl Found {
    fn allowed(&self) -> Rational {
        &self.rate * &self.sensitivity
    }

    /// Whether any two inputs so far apart lose at most this: the two that were found refute it, the certified bound proves it.
    pub(super) fn judge(&self, comparison: &Comparison<i64>, epsilon: &Rational) -> Judgement {
        let certified = match &self.certified {
            Certified::Pure { loss } => loss.value().is_some_and(|loss| loss <= epsilon),
            _ => false,
        };
        match judge(comparison, epsilon, true) {
            Judgement::Violated => Judgement::Violated,
            _ if certified => Judgement::Holds,
            _ => Judgement::Undecided,
        }
    }

    /// The best of each case.
    fn cases(&self) -> impl Iterator<Item = (Case, &WorstPair)> {
        Case::ALL.into_iter().filter_map(|case| Some((case, self.worst.of_case(case)?)))
    }

    /// `excess/(B·ε·η)`: the papers' constants are in these units.
    fn in_papers_units(&self, witness: &WorstPair) -> Option<String> {
        let excess = Rational::from(eta(&witness.excess(&self.allowed(), BITS)?).lo());
        Some((excess / (&self.bound * &self.rate)).to_decimal(4, Rounding::Down))
    }

    /// The description of the search.
    pub(super) fn told(self, variant: &Variant, comparison: &Comparison<i64>) -> WorstInputs {
        let is_finite = comparison.loss(64) != FoundLoss::Infinite;
        let gap = match &self.certified {
            Certified::Pure { loss } if is_finite => {
                let found = Rational::from(comparison.finite_loss(BITS).lo());
                loss.value().map(|bound| (bound - found) * Rational::pow2(53))
            }
            _ => None,
        };
        let case = |(case, witness): (Case, &WorstPair)| WorstCase {
            case: case.to_string(),
            output: variant.mechanism.output(witness.outcome.output).to_hex(),
            inputs: witness.inputs.map(|f| f.to_hex()),
            excess_eta: excess_text(witness, &self.allowed(), DIGITS),
            excess_in_b_epsilon_eta: self.in_papers_units(witness).unwrap_or_else(|| "inf".into()),
            name: in_doubles(variant, &witness.outcome),
        };
        WorstInputs {
            sensitivity: Number::exact(&self.sensitivity, DIGITS),
            gap_eta: gap.map(|gap| Number::at_most(&gap, FEW_DIGITS)),
            pairs: self.worst.pairs,
            outputs_weighed: self.worst.outputs,
            interrupted: self.worst.interrupted,
            cases: self.cases().map(case).collect(),
            certified: self.certified,
        }
    }

    /// A witness that violates a paper's claim, which is about inputs at most 1 apart.
    fn violation(&self, variant: &Variant, formula: &Formula) -> Option<&WorstPair> {
        let violates = |witness: &&WorstPair| {
            let claimed = formula.value_at(&variant.mechanism, witness.outcome.output, witness.case);
            claimed.is_some_and(|claimed| {
                let excess = witness.excess(&self.rate, BITS);
                excess.is_none_or(|excess| excess.lo().cmp_rational(&claimed).is_gt())
            })
        };
        self.worst.witnesses().find(violates)
    }

    /// The verdicts on the papers' claims.
    pub(super) fn papers(&self, variant: &Variant) -> Vec<PaperVerdict> {
        if self.sensitivity > Rational::ONE {
            return Vec::new();
        }
        let verdict = |formula: &'static Formula| {
            let violation = self.violation(variant, formula);
            let mechanism = &variant.mechanism;
            let there = violation.and_then(|w| formula.value_at(mechanism, w.outcome.output, w.case));
            PaperVerdict {
                source: formula.source,
                scope: scope(formula),
                formula: formula.text,
                claimed_eta: in_eta(&there.unwrap_or_else(|| formula.value(mechanism))),
                verdict: if violation.is_some() { "violated" } else { "no violation found" },
                excess_eta: violation.map(|witness| excess_text(witness, &self.rate, DIGITS)),
                output: violation.map(|w| mechanism.output(w.outcome.output).to_hex()),
                inputs: violation.map(|witness| witness.inputs.map(|f| f.to_hex())),
            }
        };
        Formula::about(variant).iter().map(verdict).collect()
    }
}
