//! A language for noise mechanisms: one text, read over the reals and over floats.
//!
//! [`parse`] makes a syntax tree ([`ast`]), [`check`] checks names and types, [`format`](format()) prints the tree in its canonical
//! layout, [`render`] shows messages. [`lower`] makes a [`StraightLine`] for the floating-point error semantics: an expression read over
//! the reals and, operation by operation, over floats; [`eval`] computes both readings at a point. [`fpcore`] reads and writes it in
//! the exchange format of numerical analysis tools.
//!
//! ```
//! use lastbit_lang::{Bindings, check, float_reading, lower, parse};
//!
//! let (file, messages) = parse("
//!     mechanism laplace(x: f64 in [-1024, 1024]) -> f64
//!       param eps: f64 > 0
//!       sampler unif = ulp(0,1)
//!     { u <$ unif(0,1);  s <$ sign;  return x + s * (ln(u) / eps) }");
//! assert!(messages.is_empty());
//! assert!(check(&file).is_empty());
//! assert!(float_reading(&file, &file.declarations[0]).contains("x ⊕ (s ⊗ (LN(u) ⊘ eps))"));
//!
//! let bindings = Bindings { values: [("eps".into(), "1/2".parse()?)].into(), ..Bindings::default() };
//! let program = lower(&file, None, &bindings, None).unwrap().program;
//! assert_eq!(program.inputs.len(), 3); // u, s and x
//! # Ok::<(), lastbit_real::ParseNumberError>(())
//! ```
//!
//! | module | what it has |
//! |---|---|
//! | [`ast`] | the syntax tree |
//! | [`eval`] | both readings of a [`StraightLine`], at a point |
//! | [`fpcore`] | the exchange format, read and written |
//! | [`symbolic`] | programs over the reals, run on polynomials |
//! | [`values`] | what a declaration leaves open: values of parameters, ranges, distances, claims |
//! | [`watch`] | limits of time and memory, asked in every loop that can grow |
//!
//! Some errors and reports are `#[non_exhaustive]`; the enums that others match on, above all the syntax tree, are deliberately
//! exhaustive, so that forgetting a case does not compile.

#![forbid(unsafe_code)]

pub mod ast;
mod check;
mod constant;
mod diagnostic;
pub mod eval;
pub mod fpcore;
mod journal;
mod lexer;
mod lower;
mod names;
mod parser;
mod printer;
mod reals;
mod render;
mod straight;
pub mod symbolic;
pub mod values;
pub mod watch;

pub use ast::File;
pub use check::check;
pub use diagnostic::{Diagnostic, Span};
pub use lower::{Bindings, Lowered, lower};
pub use parser::parse;
pub use printer::{Reading, expression_text, float_reading, format};
pub use reals::over_the_reals;
pub use render::render;
pub use straight::{
    Accuracy, Comparison, Format, Input, InputKind, Law, Libm, Node, NodeId, Op, Role, StraightLine, Tie,
};
