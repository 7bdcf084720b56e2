//! Loss certificates: a snapping program with all its parameters, and the privacy loss that is certified of it.
//!
//! ```
//! use lastbit_lang::{Bindings, lower, parse};
//! use lastbit_prove::endpoint::certificate::{LossCertificate, read};
//! use lastbit_prove::endpoint::Sampler;
//! use lastbit_real::Rational;
//!
//! let text = "
//!     mechanism snap(x: f64 in [-100, 100]) -> grid
//!       sampler unif = ulp(0,1)
//!     { u <$ unif(0,1);  s <$ sign;  c := clamp(x, 100);  y := ln(u) / 1;  w := c + s * y;
//!       return clamp(round(w, 1, up), 100) }";
//! let program = lower(&parse(text).0, Some("snap"), &Bindings::default(), None).unwrap().program;
//! let certificate = LossCertificate::of(&program, Sampler::Ulp, Rational::ONE)?;
//! let text = certificate.to_json().to_string();
//! assert_eq!(read(&text)?.check()?, certificate.certified);
//!
//! let forged = text.replace(&certificate.total().0.to_string(), "1");
//! assert!(read(&forged)?.check().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use lastbit_lang::StraightLine;
use lastbit_real::Rational;
use serde_json::{Value, json};

use super::{
    Certified, EndpointError, FloatSnap, NoiseError, Sampler, Total, certify, noise_error, recognise,
};
use crate::certificate::{fingerprint, program_to_json};
use crate::check::json::{Json, parse};
use crate::check::read::{Place, field, object, rational, text};
use crate::check::{CheckError, program_of};

/// What stands in the field `lastbit`.
const KIND: &str = "loss certificate";

/// A snapping program, and what is certified of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LossCertificate {
    /// The program, without open values.
    pub program: StraightLine,
    /// How `u` is drawn.
    pub sampler: Sampler,
    /// `Δ`.
    pub sensitivity: Rational,
    /// The bounds; reasons are not kept.
    pub certified: Certified,
}

/// Why a loss certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LossError {
    /// The program is no snapping mechanism.
    #[error("node {node} of the program: {reason}")]
    Shape {
        /// The node.
        node: usize,
        /// What it should be.
        reason: String,
    },
    /// There is no bound.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// A number is not the one that the rules give.
    #[error("{place}: the rules give {expected}, the certificate says {found}")]
    Differs {
        /// Which number.
        place: &'static str,
        /// What the rules give.
        expected: String,
        /// What the certificate says.
        found: String,
    },
}

impl LossCertificate {
    /// What is certified of a program.
    ///
    /// # Errors
    /// If it is no snapping mechanism, or there is no bound.
    pub fn of(
        program: &StraightLine,
        sampler: Sampler,
        sensitivity: Rational,
    ) -> Result<LossCertificate, LossError> {
        let (mechanism, error) = mechanism(program, sampler)?;
        let certified = certify(&mechanism, &error, &sensitivity)?;
        Ok(LossCertificate { program: program.clone(), sampler, sensitivity, certified })
    }

    /// The mechanism.
    ///
    /// # Errors
    /// If the program is no snapping mechanism.
    pub fn mechanism(&self) -> Result<FloatSnap, LossError> {
        mechanism(&self.program, self.sampler).map(|(mechanism, _)| mechanism)
    }

    /// Computes everything again, and compares: the claim is at least what the rules give.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<Certified, LossError> {
        let own = LossCertificate::of(&self.program, self.sampler, self.sensitivity.clone())?;
        let differs = |place, expected: Option<&Rational>, found: Option<&Rational>| {
            let [expected, found] =
                [expected, found].map(|number| number.map_or_else(|| "null".to_owned(), ToString::to_string));
            Err(LossError::Differs { place, expected, found })
        };
        let ((loss, delta), (claimed, claimed_delta)) = (own.total(), self.total());
        if loss > claimed {
            return differs("claim.loss", Some(loss), Some(claimed));
        }
        // No failures are less than any.
        if delta > claimed_delta {
            return differs("claim.delta", delta, claimed_delta);
        }
        Ok(own.certified)
    }

    /// The loss, and the probability of failures if it is not 0.
    pub fn total(&self) -> (&Rational, Option<&Rational>) {
        match &self.certified.total {
            Total::Pure { loss } => (loss, None),
            Total::Approximate { loss, delta } => (loss, Some(delta)),
        }
    }

    /// The certificate as JSON.
    pub fn to_json(&self) -> Value {
        let (loss, delta) = self.total();
        json!({
            "lastbit": KIND,
            "version": 1,
            "program": program_to_json(&self.program),
            "sampler": self.sampler.name(),
            "sensitivity": self.sensitivity.to_string(),
            "claim": {
                "program": fingerprint(&self.program),
                "loss": loss.to_string(),
                "delta": delta.map(ToString::to_string),
            },
        })
    }
}

fn mechanism(program: &StraightLine, sampler: Sampler) -> Result<(FloatSnap, NoiseError), LossError> {
    let shape = recognise(program)
        .map_err(|error| LossError::Shape { node: error.node, reason: error.reason.to_string() })?;
    Ok((shape.mechanism(sampler)?, noise_error(program, &shape)?))
}

/// Reads a certificate. It is not checked.
///
/// # Errors
/// If it is no loss certificate, or a part is not what its place asks for.
pub fn read(text_of_file: &str) -> Result<LossCertificate, CheckError> {
    let certificate = parse(text_of_file)?;
    let root = Place::Root;
    let kind = field(&certificate, "lastbit").unwrap_or(&Json::Null);
    if !matches!(kind, Json::Text(kind) if kind == KIND) {
        return Err(root.field("lastbit").expected(format!("{KIND:?}"), kind));
    }
    let names = ["lastbit", "version", "program", "sampler", "sensitivity", "claim"];
    let [_, version, program, sampler, sensitivity, claim] = object(&certificate, &root, names)?;
    if !matches!(version, Json::Integer(1)) {
        return Err(root.field("version").expected("1", version));
    }
    let program = program_of(program, &root.field("program"))?;
    let sampler_place = root.field("sampler");
    let name = text(sampler, &sampler_place)?;
    let known = [Sampler::Ulp, Sampler::Grid53];
    let sampler = known
        .into_iter()
        .find(|sampler| sampler.name() == name)
        .ok_or_else(|| sampler_place.expected("a sampler of doubles", sampler))?;
    let place = root.field("claim");
    let [fingerprint_of, loss, delta] = object(claim, &place, ["program", "loss", "delta"])?;
    let (own, found) = (fingerprint(&program), text(fingerprint_of, &place.field("program"))?);
    if own != found {
        return Err(place.field("program").expected(own, found));
    }
    let loss = rational(loss, &place.field("loss"))?;
    let total = match delta {
        Json::Null => Total::Pure { loss },
        delta => Total::Approximate { loss, delta: rational(delta, &place.field("delta"))? },
    };
    Ok(LossCertificate {
        program,
        sampler,
        sensitivity: rational(sensitivity, &root.field("sensitivity"))?,
        certified: Certified { cases: Vec::new(), total },
    })
}
