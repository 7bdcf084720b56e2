//! Privacy certificates: a text, a proof about one of its declarations, and nothing that has to be believed.
//!
//! A certificate is a [`Proof`] as JSON, together with the whole text that it is about. The reader is not trusted: whatever it makes
//! of a file, [`Certificate::check`] hands it to the [`kernel`], and any proof that the kernel accepts is a proof. What the
//! reader owes is that no file makes it panic, and that a message says where in the file something is wrong.
//!
//! ```
//! use lastbit_lang::{parse, symbolic::Program};
//! use lastbit_prove::logic::{certificate, search::search};
//!
//! let text = "
//!     mechanism laplace(x: real) -> real
//!       param eps: real > 0
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure eps
//!     { z <$ lap(1 / eps);  return x + z }";
//! let (file, _) = parse(text);
//! let values = Default::default();
//! let program = Program::new(&file, &file.declarations[0], &values).unwrap();
//! let (proof, _) = search(&program)?.proved.unwrap();
//!
//! let written = certificate::to_json(text, "laplace", &values, &proof).to_string();
//! let theorem = certificate::read(&written)?.check()?;
//! assert_eq!(theorem.cost.to_string(), "eps");
//!
//! // Half of the noise is not enough.
//! let forged = written.replace("lap(1 / eps)", "lap(1 / (2 * eps))");
//! assert!(certificate::read(&forged)?.check().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | field | what it holds |
//! |---|---|
//! | `lastbit`, `version` | `"privacy certificate"`, 1 |
//! | `text`, `declaration`, `values` | the source text, which declaration, and numbers for its parameters |
//! | `cost` | ε, a polynomial: a list of `[coefficient, {variable: power}]` |
//! | `constraints` | a table: `[polynomial, relation]` with `>=`, `>` or `=` (0) |
//! | `lemmas` | sums of products of constraints, by their places in the table |
//! | `leaves` | for every way in which inputs can be neighbours, a rule and what it needs |

mod read;
mod used;
mod write;

use std::collections::BTreeMap;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::watch::{Limits, Watch};
use lastbit_real::Rational;

use super::kernel::{self, Proof, Theorem};
use super::refute::{Neighbours, neighbours};
pub use crate::certificate::CertificateError;
use crate::subject::Subject;

pub(crate) use read::of_json;
pub use read::read;
pub use used::only_used;
pub use write::to_json;

/// What stands in the field `lastbit`.
pub(crate) const KIND: &str = "privacy certificate";

/// A certificate, read and not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The source text.
    pub text: String,
    /// The name of the declaration that the proof is about.
    pub declaration: String,
    /// The values of parameters that are numbers.
    pub values: BTreeMap<String, Rational>,
    /// The proof.
    pub proof: Proof,
}

impl Certificate {
    /// The syntax tree of the text.
    ///
    /// # Errors
    /// If the text is too long, cannot be read, or has names or types that do not fit.
    pub(crate) fn file(&self) -> Result<File, CertificateError> {
        Ok(self.subject().file()?)
    }

    /// The declaration that the proof is about.
    ///
    /// # Errors
    /// If the text has none of that name.
    pub(crate) fn find<'f>(&self, file: &'f File) -> Result<&'f Declaration, CertificateError> {
        Ok(self.subject().find(file)?)
    }

    fn subject(&self) -> Subject {
        let Certificate { text, declaration, values, .. } = self.clone();
        Subject { text, declaration, values }
    }

    /// Checks the proof against the text, within the [usual limits](Limits).
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<Theorem, CertificateError> {
        self.check_within(&Limits::default())
    }

    /// Checks the proof against the text.
    ///
    /// # Errors
    /// The first thing that is wrong, and [`KernelError::Stopped`](super::kernel::KernelError::Stopped) if the limits do not suffice.
    pub fn check_within(&self, limits: &Limits) -> Result<Theorem, CertificateError> {
        let watch = Watch::start(limits);
        let file = self.file()?;
        let declaration = self.find(&file)?;
        Ok(kernel::check_until(&file, declaration, &self.values, &self.proof, &watch)?)
    }

    /// Whether the theorem is about any inputs at all. This is found out from the text, and not from what the proof says.
    ///
    /// # Errors
    /// If the text cannot be read.
    pub fn neighbours(&self) -> Result<Neighbours, CertificateError> {
        let file = self.file()?;
        let declaration = self.find(&file)?;
        Ok(neighbours(&file, declaration, &self.values)?)
    }

    /// Whether the declaration is the one of the same name in a file, but for layout, comments and proofs.
    ///
    /// # Errors
    /// [`SubjectError::Another`](crate::subject::SubjectError::Another) if it is not.
    pub(crate) fn is_about(&self, meant: &File, file_name: &str) -> Result<(), CertificateError> {
        Ok(self.subject().is_about(meant, file_name)?)
    }
}
