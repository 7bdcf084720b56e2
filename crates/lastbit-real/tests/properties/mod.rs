//! Properties of the number types, checked against simpler arithmetic, the standard library and each
//! other. The comparison with MPFR is in `tests/mpfr` of the workspace.

mod circular;
mod dyadic;
mod elementary;
mod enclosure;
mod error_function;
mod float;
mod libm;
mod oracle;
mod parse;
mod rational;
mod strategies;
