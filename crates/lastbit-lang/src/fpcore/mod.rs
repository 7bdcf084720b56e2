//! FPCore 2.0, the exchange format of the tools for floating-point accuracy: in and out.
//!
//! What is read is the straight-line subset: numbers, arithmetic, `sqrt log exp fabs fma fmin fmax`, `let`, `let*` and `if`,
//! in binary64 or binary32. Everything else is refused with its name and its place. The ranges of the arguments come from
//! `:pre`, whose constants are exact numbers.
//!
//! ```
//! use lastbit_lang::fpcore;
//!
//! let programs = fpcore::read("(FPCore (x) :name \"sigmoid\" :pre (<= -8 x 8) (/ 1 (+ 1 (exp (- x)))))");
//! let sigmoid = programs[0].as_ref().expect("it is in the subset");
//! assert_eq!(sigmoid.nodes.len(), 7);
//!
//! let refused = fpcore::read("(FPCore (x) :pre (<= 0 x 1) (tan x))");
//! let error = refused[0].as_ref().expect_err("it is not");
//! assert_eq!(error.to_string(), "program 1: `tan` is not supported");
//! ```

mod choice;
mod expression;
mod number;
mod operators;
mod precondition;
mod program;
mod prune;
mod sexp;
mod write;

use std::fmt;

use crate::{Diagnostic, StraightLine};

pub use write::{WriteError, write};

/// The reason why a program, or the text as a whole, was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FpcoreError {
    /// The program: its `:name`, its identifier, or `program N`; `None` if the text is not a list of programs.
    pub program: Option<String>,
    /// The problems; not empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for FpcoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(program) = &self.program {
            write!(f, "{program}: ")?;
        }
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{}", diagnostic.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for FpcoreError {}

/// Reads every `(FPCore …)` of a text, each by itself.
///
/// Ensures: one entry a program, in order; if the text is malformed, the entry of the place where that shows is the last
/// one. Never empty.
pub fn read(source: &str) -> Vec<Result<StraightLine, FpcoreError>> {
    let (tree, malformed) = sexp::parse(source);
    let mut programs: Vec<_> =
        tree.roots().enumerate().map(|(i, form)| program::read(&tree, form, i + 1)).collect();
    if let Some(diagnostic) = malformed {
        programs.push(Err(FpcoreError { program: None, diagnostics: vec![diagnostic] }));
    }
    programs
}
