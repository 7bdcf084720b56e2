//! Certificates for other judges: as Coq files, as Gappa scripts, and what Coq says of them.

use std::collections::BTreeSet;

use lastbit_prove::certificate::{Certificate, CertificateError, ExportError};
use lastbit_prove::gappa::GappaError;
use lastbit_prove::logic::refute::Neighbours;
use serde::Serialize;

use crate::check::vacuity;
use crate::{Refusal, Schema, Source};

/// A certificate, read, to be written for other judges.
#[derive(Clone, Debug)]
pub struct Export<'a> {
    name: &'a str,
    certificate: Certificate,
}

/// The result of translating a certificate for another judge.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CertifyAnswer {
    /// The version of this JSON.
    pub schema: Schema,
    /// The name of the certificate's file.
    pub file: String,
    /// The Coq file that was written.
    pub coq: Option<String>,
    /// The Gappa script that was written.
    pub gappa: Option<String>,
    /// The statement of the Coq file.
    pub statement: Option<String>,
    /// Whether it is about no inputs at all; `None` if that is not known.
    pub vacuous: Option<bool>,
    /// Whether Coq accepts it; `None` if Coq was not run.
    pub accepted: Option<bool>,
    /// The reason why it is not accepted, or was not checked.
    pub reason: Option<String>,
    /// The assumptions of the theorem.
    pub assumptions: Option<Assumed>,
    /// The library that the verdict stands on.
    pub library: Option<LibraryUsed>,
}

/// The assumptions of a theorem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumed {
    /// The assumptions that are allowed.
    pub allowed: BTreeSet<String>,
    /// The assumptions that are not allowed.
    pub others: BTreeSet<String>,
}

/// A compiled library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LibraryUsed {
    /// The directory.
    pub path: String,
    /// Whether the user named it.
    pub given: bool,
    /// Whether its sources are those of this program.
    pub our_sources: bool,
}

impl CertifyAnswer {
    /// An answer about a certificate, still empty.
    pub fn of(file: &str) -> CertifyAnswer {
        CertifyAnswer {
            schema: Schema,
            file: file.to_owned(),
            coq: None,
            gappa: None,
            statement: None,
            vacuous: Some(false),
            accepted: None,
            reason: None,
            assumptions: None,
            library: None,
        }
    }

    /// A warning if the statement is, or may be, about no inputs at all.
    pub fn vacuity(&self) -> Option<&'static str> {
        vacuity(self.vacuous)
    }
}

impl<'a> Export<'a> {
    /// Reads a certificate. It is not checked.
    ///
    /// # Errors
    /// If it is none.
    pub fn of(source: Source<'a>) -> Result<Export<'a>, Refusal> {
        match Certificate::read(source.text) {
            Ok(certificate) => Ok(Export { name: source.name, certificate }),
            Err(error) => Err(refused(source.name, &error)),
        }
    }

    /// The Coq file.
    ///
    /// # Errors
    /// If the library has no theorem for it.
    pub fn to_coq(&self) -> Result<String, Refusal> {
        let unsupported = |error: &dyn std::fmt::Display, hint: &str| {
            Refusal::usage(format!("{} cannot be written for Coq: {error}", self.name), hint)
        };
        self.certificate.to_coq().map_err(|error| match &error {
            ExportError::Certificate(error) => refused(self.name, error),
            ExportError::Loss(error) => unsupported(error, "lastbit check computes it again"),
            other => unsupported(
                other,
                "mechanisms whose samples have finitely many values can, and the ideal snapping mechanism by events; \
                 lastbit check goes through all certificates",
            ),
        })
    }

    /// The Gappa script.
    ///
    /// # Errors
    /// If it is not of an error, or Gappa has no words for it.
    pub fn to_gappa(&self) -> Result<String, Refusal> {
        self.certificate.to_gappa().map_err(|error| match &error {
            ExportError::Certificate(error) => refused(self.name, error),
            ExportError::Gappa(GappaError::Boxes { .. }) => {
                Refusal::usage(error.to_string(), "lastbit prove --effort 1 writes a certificate of one box")
            }
            ExportError::NotAnError => Refusal::usage(
                format!("{} is not an error certificate: {error}", self.name),
                "lastbit prove FILE --of NAME --certificate PATH writes one",
            ),
            _ => Refusal::usage(error.to_string(), "--coq has all operations"),
        })
    }

    /// The exact statement of the Coq file.
    pub fn statement(&self) -> Option<String> {
        match &self.certificate {
            Certificate::Loss(certificate) => {
                let (loss, _) = certificate.total();
                Some(format!("{}: loss <= {loss}, exactly", certificate.subject.declaration))
            }
            Certificate::Privacy(certificate) => {
                Some(format!("{}: ({})-DP", certificate.declaration, certificate.proof.cost))
            }
            _ => None,
        }
    }

    /// Whether what it is of is about no inputs at all; nothing if that is not known.
    ///
    /// # Errors
    /// If its text cannot be read.
    pub fn vacuous(&self) -> Result<Option<bool>, Refusal> {
        match &self.certificate {
            Certificate::Privacy(certificate) => match certificate.neighbours() {
                Ok(Neighbours::Exist(_)) => Ok(Some(false)),
                Ok(Neighbours::None) => Ok(Some(true)),
                Ok(Neighbours::Unknown) => Ok(None),
                Err(error) => Err(refused(self.name, &error)),
            },
            Certificate::Loss(certificate) => Ok(certificate.has_neighbours.then_some(false)),
            _ => Ok(Some(false)),
        }
    }
}

fn refused(name: &str, error: &CertificateError) -> Refusal {
    Refusal::usage(
        format!("{name} is not a certificate: {error}"),
        "lastbit prove FILE --certificate PATH writes one",
    )
}
