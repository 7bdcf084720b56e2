//! Certificates as Coq files, on top of the library in `coq/`.
//!
//! A certificate is translated as it stands, without being checked: Coq is the judge. It accepts and rejects what
//! [`crate::check`] accepts and rejects, by functions of its own that are proved sound once and for all.
//!
//! ```
//! use lastbit_lang::fpcore;
//! use lastbit_prove::search::{Effort, analyse};
//! use lastbit_prove::{certificate, coq};
//!
//! let program = fpcore::read("(FPCore (x) :name \"square\" :pre (<= 0 x 3) (* x x))").remove(0)?;
//! let analysis = analyse(&program, Effort::FAST, |_| {})?;
//! let certificate = certificate::to_json(&program, &analysis).to_string();
//!
//! let file = coq::error_bound(&certificate)?;
//! assert!(file.contains("Theorem square (lib : libm 53 1024) : meets lib CorrectlyRounded CorrectlyRounded ->"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod loss;
mod readable;
mod text;

pub use error::error_bound;
pub use loss::{Unsupported, loss_bound};
