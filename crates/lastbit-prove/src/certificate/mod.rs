//! Certificates: what was proved, as data that is gone through again. Of an error, of a loss in floating point, of privacy over the reals.
//!
//! ```
//! use lastbit_lang::fpcore;
//! use lastbit_prove::certificate::{self, Certificate, Statement};
//! use lastbit_prove::analysis::{Effort, analyse};
//!
//! let program = fpcore::read("(FPCore (x) :name \"square\" :pre (<= 0 x 3) (* x x))").remove(0)?;
//! let written = certificate::to_json(&program, &analyse(&program, Effort::FAST, |_| {})?).to_string();
//!
//! let certificate = Certificate::read(&written)?;
//! let Statement::Error(checked) = certificate.check(&Default::default())? else { panic!("it is of an error") };
//! assert_eq!(checked.program.name, "square");
//! assert!(Certificate::read("{}").is_err_and(|error| error.is_not_a_certificate()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod of_error;

use lastbit_lang::ast::File;
use lastbit_lang::watch::{Limits, Reason, Stopped};
use lastbit_lang::{Bindings, StraightLine, lower};

use crate::check::json::{self, Json};
use crate::check::read::{Place, field};
use crate::check::{self, CheckError, Checked};
use crate::coq;
use crate::endpoint::EndpointError;
use crate::endpoint::certificate::{self as loss, LossCertificate};
use crate::gappa::{self, GappaError};
use crate::logic::certificate as privacy;
use crate::logic::kernel::{KernelError, Theorem};
use crate::logic::refute::Neighbours;
use crate::subject::SubjectError;

pub(crate) use of_error::program_to_json;
pub(crate) use of_error::{accuracy, comparison, tie_name};
pub use of_error::{fingerprint, to_json};

/// Deeper than any certificate, and more fields than any object of one has.
const LIMITS: json::Limits = json::Limits { depth: 160, fields: 1024 };

/// A certificate of any kind, read and not yet checked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Certificate {
    /// A bound on the error of a program.
    Error(ErrorCertificate),
    /// The loss of a mechanism in floating point.
    Loss(Box<LossCertificate>),
    /// Privacy over the reals.
    Privacy(privacy::Certificate),
}

/// A certificate of an error, as it stands: [`check`](crate::check::check) reads it by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorCertificate {
    text: String,
}

/// The statement that a certificate proves, if it is accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Statement {
    /// A bound on the error of a program.
    Error(Box<Checked>),
    /// A bound on the privacy loss of a mechanism in floating point; it is in the certificate.
    Loss,
    /// Privacy over the reals.
    Privacy {
        /// The theorem that is proved.
        theorem: Theorem,
        /// Whether it is about any inputs.
        neighbours: Neighbours,
    },
}

/// The subject that a certificate should have.
#[derive(Clone, Copy, Debug)]
pub enum Meant<'a> {
    /// One of these programs, which do not come from declarations.
    Programs(&'a [StraightLine]),
    /// A declaration of this file, of this name.
    File(&'a File, &'a str),
}

/// The reason why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The file is not a certificate, a part of it is malformed, or a number is not the one that the rules give.
    #[error(transparent)]
    Form(#[from] CheckError),
    /// The text in it is wrong, or is not the expected one.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// It is about another program than the expected one.
    #[error("{0}")]
    Program(String),
    /// The proof is wrong.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// There is no bound on the loss.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// Something is not what the text says.
    #[error("{place}: the text says {expected}, the certificate {found}")]
    Stated {
        /// The field.
        place: String,
        /// The value in the text.
        expected: String,
        /// The value in the certificate.
        found: String,
    },
    /// A number is less than what the rules give.
    #[error("{place}: the rules give {expected}, the certificate says {found}")]
    Differs {
        /// The number.
        place: &'static str,
        /// The value that the rules give.
        expected: String,
        /// The value in the certificate.
        found: String,
    },
    /// It holds only with the values that were given beside the text; for the text alone it fails.
    #[error("it holds only with the values given beside the text; for the text alone: {0}")]
    Given(Box<CertificateError>),
}

impl CertificateError {
    /// Whether the file is no certificate at all, or of another version, as opposed to a wrong one.
    pub fn is_not_a_certificate(&self) -> bool {
        match self {
            CertificateError::Form(CheckError::Json { .. }) => true,
            CertificateError::Form(CheckError::Value { place, .. }) => {
                place == "lastbit" || place == "version"
            }
            _ => false,
        }
    }

    /// The limit that stopped the check, if one did.
    pub fn stopped(&self) -> Option<&Stopped> {
        match self {
            CertificateError::Kernel(KernelError::Stopped(stopped)) => Some(stopped),
            _ => None,
        }
    }

    /// Whether somebody asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.stopped().is_some_and(|stopped| stopped.reason == Reason::Interrupted)
    }
}

/// The reason why a certificate cannot be written for another judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The certificate itself is wrong.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The theorem of the library for losses is about something else.
    #[error(transparent)]
    Loss(#[from] coq::Unsupported),
    /// The library has no rule for such a proof.
    #[error(transparent)]
    Privacy(crate::logic::coq::Unsupported),
    /// Gappa has no words for it.
    #[error(transparent)]
    Gappa(GappaError),
    /// Gappa proves error bounds only.
    #[error("it is about privacy, and Gappa only proves error bounds")]
    NotAnError,
}

impl Certificate {
    /// Reads a certificate of any kind. Nothing is checked but its form and, of a loss, that it says what its text says.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(text: &str) -> Result<Certificate, CertificateError> {
        let json = json::parse_within(text, LIMITS)?;
        let kind = field(&json, "lastbit").unwrap_or(&Json::Null);
        match kind {
            Json::Text(kind) if *kind == privacy::KIND => Ok(Certificate::Privacy(privacy::of_json(&json)?)),
            Json::Text(kind) if *kind == loss::KIND => Ok(Certificate::Loss(Box::new(loss::of_json(&json)?))),
            Json::Text(kind) if *kind == check::KIND => {
                Ok(Certificate::Error(ErrorCertificate { text: text.to_owned() }))
            }
            other => {
                let expected = format!("{:?}, {:?} or {:?}", check::KIND, loss::KIND, privacy::KIND);
                Err(Place::Root.field("lastbit").expected(expected, other).into())
            }
        }
    }

    /// Goes through it, and says what it proves.
    ///
    /// # Errors
    /// The first thing that is wrong, or that a limit was reached; that can happen to privacy certificates only.
    pub fn check(&self, limits: &Limits) -> Result<Statement, CertificateError> {
        match self {
            Certificate::Error(certificate) => {
                Ok(Statement::Error(Box::new(check::check(&certificate.text)?)))
            }
            Certificate::Loss(certificate) => certificate.check().map(|_| Statement::Loss),
            Certificate::Privacy(certificate) => {
                let theorem = certificate.check_within(limits)?;
                Ok(Statement::Privacy { theorem, neighbours: certificate.neighbours()? })
            }
        }
    }

    /// Whether it is about what is meant, but for layout, comments and proofs. What the error of declarations with open values is
    /// about cannot be compared.
    ///
    /// # Errors
    /// The first difference, if there is one.
    pub fn is_about(&self, meant: Meant<'_>) -> Result<(), CertificateError> {
        match (self, meant) {
            (Certificate::Error(certificate), Meant::Programs(programs)) => certificate.is_about(programs),
            (Certificate::Error(certificate), Meant::File(file, _)) => certificate.is_about(&lowered(file)),
            (Certificate::Loss(certificate), Meant::File(file, name)) => certificate.is_about(file, name),
            (Certificate::Privacy(certificate), Meant::File(file, name)) => certificate.is_about(file, name),
            (Certificate::Loss(_) | Certificate::Privacy(_), Meant::Programs(_)) => {
                let how = ": it is about a mechanism of the language, and the file is FPCore".to_owned();
                Err(SubjectError::Another(how).into())
            }
        }
    }

    /// The Coq file that states what it says, and proves it by what is in it. It is not checked here: Coq is to judge.
    ///
    /// # Errors
    /// If the library in `coq/` has no theorem for it.
    pub fn to_coq(&self) -> Result<String, ExportError> {
        match self {
            Certificate::Error(certificate) => {
                Ok(coq::error_bound(&certificate.text).map_err(CertificateError::from)?)
            }
            Certificate::Loss(certificate) => Ok(coq::loss_bound(certificate)?),
            Certificate::Privacy(certificate) => {
                crate::logic::coq::privacy_to_coq(certificate).map_err(ExportError::Privacy)
            }
        }
    }

    /// A Gappa script of an error certificate. It is not checked here.
    ///
    /// # Errors
    /// If it is of another kind, or Gappa has no words for it.
    pub fn to_gappa(&self) -> Result<String, ExportError> {
        let Certificate::Error(certificate) = self else { return Err(ExportError::NotAnError) };
        gappa::script(&certificate.text).map_err(|error| match error {
            GappaError::Certificate(error) => CertificateError::from(error).into(),
            other => ExportError::Gappa(other),
        })
    }
}

impl ErrorCertificate {
    fn is_about(&self, programs: &[StraightLine]) -> Result<(), CertificateError> {
        let own = check::unchecked::read(&self.text)?.program;
        check::is_about(&own, programs).map_err(CertificateError::Program)
    }
}

/// The programs of a file, as far as they need no values.
pub fn lowered(file: &File) -> Vec<StraightLine> {
    let names = file.declarations.iter().map(|declaration| declaration.name.text.as_str());
    let lowered = names.filter_map(|name| lower(file, Some(name), &Bindings::default(), None).ok());
    lowered.map(|lowered| lowered.program).collect()
}
