//! The standard programs of the field, with known answers: what a prover must prove, and what it must refute.
//!
//! The texts are in `mechanisms/standard`; none of them has a proof. [`variants`] writes each of them anew, so that an answer cannot
//! come from recognising a text.
//!
//! ```
//! use lastbit_papers::standard::{Expected, Standard};
//!
//! let smart_sum = Standard::named("smart_sum").unwrap();
//! assert_eq!(smart_sum.expected, Expected::Proved);
//! assert_eq!(smart_sum.cost, "2 * eps");
//! assert!(smart_sum.text()?.contains("claim pure 2 * eps"));
//! # Ok::<(), lastbit_papers::standard::VariantError>(())
//! ```

mod halve;
mod list;
mod rename;
mod reorder;
#[cfg(test)]
mod tests;
pub mod variants;
mod walk;

pub use list::ALL;
pub use variants::VariantError;

/// The right answer to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The claim is true.
    Proved,
    /// The claim is false.
    Refuted,
}

/// A program with its known answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standard {
    /// The name of the mechanism.
    pub name: &'static str,
    /// The text of the file that holds it.
    pub file: &'static str,
    /// Whether its claim is true.
    pub expected: Expected,
    /// Its known privacy loss, in the language of claims, or `infinite`.
    pub cost: &'static str,
    /// The paper or book that it is from.
    pub source: &'static str,
    /// Whether its proof is written by hand; otherwise it has to be found.
    pub by_hand: bool,
}

impl Standard {
    /// The program of this name.
    pub fn named(name: &str) -> Option<&'static Standard> {
        ALL.iter().find(|standard| standard.name == name)
    }

    /// The mechanism alone, without comments.
    pub fn text(&self) -> Result<String, VariantError> {
        variants::alone(self.file, self.name)
    }
}
