//! Programs run on symbols: every way through a mechanism, as polynomial conditions on its inputs and samples.
//!
//! [`paths`] unrolls loops, takes every branch both ways, and gives for each way through the program the [`Constraint`]s under
//! which it is taken, what must hold for it to be defined, and what it returns. Samples with finitely many values are ways, too; the
//! others are variables. Numbers are [`Polynomial`]s; `exp`, `ln`, `round` and what else is none is a variable named by its
//! canonical text, so that equal arguments give equal values.
//!
//! ```
//! use lastbit_lang::parse;
//! use lastbit_lang::symbolic::{Fresh, Program, paths};
//!
//! let (file, _) = parse("
//!     mechanism above(x: real) -> bool
//!       param eps: real > 0
//!     { z <$ lap(1 / eps);  if x + z >= 1 { return true; }  return false }");
//! let program = Program::new(&file, &file.declarations[0], &Default::default())?;
//! let paths = paths(&program, lastbit_lang::ast::Side::One, &Fresh)?;
//! assert_eq!(paths.len(), 2);
//! assert_eq!(paths[0].guards[0].to_string(), "x<1> + z >= 1");
//! # Ok::<(), lastbit_lang::Diagnostic>(())
//! ```

mod constraint;
mod evaluate;
mod execute;
mod polynomial;
mod program;
mod trace;
mod value;

pub use constraint::{Constraint, Relation};
pub use evaluate::{Scope, condition, number, value};
pub use execute::{Choice, FiniteLaw, Fresh, Law, Path, Sample, Samples, paths};
pub use polynomial::{Monomial, Polynomial, Symbol};
pub use program::{Alternative, Program};
pub use trace::{Application, Obligation, Trace, applied, explore};
pub use value::Value;
