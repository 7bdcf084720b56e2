//! Witnesses against false claims, each checked in other ways.

mod simulate;
// Not all of it is used here.
#[allow(dead_code)]
#[path = "../../src/soundness/xorshift.rs"]
mod xorshift;

use std::collections::BTreeMap;

use lastbit_audit::LnRatio;
use lastbit_audit::discrete::{ClaimVerdict, Options as AuditOptions, audit, unmet};
use lastbit_lang::{File, parse};
use lastbit_prove::logic::refute::{Observation, Options, RefutationOutcome, RefuteError, Witness, refute};
use lastbit_real::Rational;

/// Runs of a simulation.
const RUNS: usize = 20_000;

pub(crate) fn only(text: &str) -> File {
    let (file, messages) = parse(text);
    assert!(messages.is_empty(), "{messages:?} in {text}");
    file
}

pub(crate) fn looked_for(text: &str, evaluations: usize) -> Result<RefutationOutcome, RefuteError> {
    let file = only(text);
    refute(&file, &file.declarations[0], &BTreeMap::new(), &Options { evaluations, worst: false })
}

pub(crate) fn refuted(text: &str) -> Witness {
    match looked_for(text, Options::default().evaluations) {
        Ok(RefutationOutcome::Refuted(witness)) => {
            verify(text, &witness);
            witness
        }
        other => panic!("{other:?} for {text}"),
    }
}

pub(crate) fn not_refuted(text: &str, evaluations: usize) -> Option<Witness> {
    match looked_for(text, evaluations) {
        Ok(RefutationOutcome::NotFound { tried, closest }) => {
            assert!(tried > 0);
            closest.inspect(|closest| assert!(!closest.exceeds_claim()))
        }
        other => panic!("{other:?} for {text}"),
    }
}

/// The clauses hold by another implementation, and the probabilities are those of another implementation.
fn verify(text: &str, witness: &Witness) {
    let file = only(text);
    let declaration = &file.declarations[0];
    assert!(witness.exceeds_claim(), "{witness}");
    let pair = witness.as_adjacent();
    assert_eq!(unmet(&file, declaration, &witness.parameters, pair).unwrap(), [], "{witness}");
    match &witness.observation {
        Observation::Outcome(_) => {
            let options = AuditOptions::default();
            let report = audit(&file, declaration, &witness.parameters, pair, &options).unwrap();
            assert_eq!(report.claim.unwrap().verdict, ClaimVerdict::Violated, "{witness}");
        }
        Observation::Event(event) => {
            for (input, probability) in witness.inputs.iter().zip(&witness.probabilities) {
                let p = probability.approximate();
                let seen = simulate::frequency((&file, declaration), &witness.parameters, input, event, RUNS);
                let deviation = (p * (1.0 - p) / RUNS as f64).sqrt();
                assert!((seen - p).abs() <= 5.0 * deviation, "{seen} is not {p}: {witness}");
            }
        }
    }
    if let LnRatio::Finite(ratio) = &witness.ln_ratio {
        let [p, q] = witness.probabilities.each_ref().map(|probability| probability.approximate());
        let middle = Rational::from(ratio.lo()).to_f64(lastbit_real::Rounding::Nearest);
        assert!((middle - (p / q).ln()).abs() < 1e-9, "{witness}");
    }
}
