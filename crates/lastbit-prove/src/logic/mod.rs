//! The relational logic: `⊢ c₁ ~[ε,δ] c₂ : Φ ⇒ Ψ`, proofs that a mechanism is private, and what re-checks them.
//!
//! The rules and why they hold are in `docs/logic.md`.

pub mod answer;
pub mod certificate;
pub mod coq;
pub mod kernel;
pub mod oracle;
mod proof;
pub mod prove;
pub mod refute;
pub mod script;
pub mod search;
