//! The distribution of a sampler as it ships, by enumeration of its random bits.
//!
//! An exact sampler reads bits as it needs them. Replayed on every script of narrow words, it gives exact bounds on the
//! probability of each output ([`Tree`]). They are held against the law that the sampler claims ([`Law`], [`Divergence`]), and the
//! trees of two inputs against the loss that it claims ([`compare`]). The words that ship are wider; they are replayed
//! where the law has thresholds ([`Production`]). [`sampler_audit`] does all of it for a shipped mechanism.

mod audit;
mod discrete_gaussian;
mod divergence;
mod error;
mod events;
mod law;
mod laws;
mod loss;
mod pair_words;
mod point_law;
mod production;
mod report;
mod script;
mod shipped;
mod tiers;
mod tree;
mod word;

pub use audit::{SamplerRequest, sampler_audit};
pub use discrete_gaussian::gaussian_round;
pub use divergence::{Divergence, Refutation};
pub use error::BitTreeError;
pub use events::Events;
pub use law::Law;
pub use loss::{LossAudit, compare};
pub use point_law::PointLaw;
pub use production::{Production, WrongWord};
pub use report::{EventRow, SamplerReport, Side};
pub use script::Script;
pub use shipped::{Enumeration, ShippedSampler};
pub use tiers::{Tier, Tiers};
pub use tree::{Growth, Tree};
pub use word::Bits;
