//! The floating-point error semantics `r ⇓ f : [lo, hi] ± d`.

#![forbid(unsafe_code)]

pub mod boxes;
pub mod certificate;
pub mod check;
pub mod derivation;
pub mod endpoint;
pub mod eval;
pub mod linear;
mod mutation;
pub mod paper;
mod refusal;
pub mod rounding;
pub mod rules;
pub mod search;
#[cfg(test)]
mod soundness;

pub use refusal::{Reason, Refusal};
