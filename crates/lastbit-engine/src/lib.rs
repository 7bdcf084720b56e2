//! Questions and answers as data, shared by the command `lastbit`, the Python package and other front ends.
//!
//! A front end parses what its user wrote into a question, asks, and prints the answer. What to prove or audit, with which values, and
//! what the verdict is, is decided here. Answers are plain structs: they serialize to the JSON of docs/json.md, and the text that people
//! read is made from the same structs.
//!
//! | module | the question it answers |
//! |---|---|
//! | [`noise`] | which noise, how much of it, and what does it promise? |
//! | [`prove`] | does a program keep its error bound, and a mechanism its privacy claim? |
//! | [`check`] | does a certificate prove what it says? |
//! | [`certify`] | the same, by other judges: Coq and Gappa |
//! | [`audit`] | what is the exact loss between two inputs, and does a claim about it hold? |
//! | [`attack`] | does noise leak, as far as its outputs tell? |
//! | [`account`] | what do many releases cost together, and how much noise is enough? |
//! | [`release`] | what does a table say about its groups, with noise? |
//! | [`budget`] | what is left of a budget that outlives the process? |
//! | [`explain`] | what does a word mean: a rule, a verdict, a mechanism, a term of the glossary? |
//!
//! All of them share:
//!
//! | module | what it has |
//! |---|---|
//! | [`number`] | numbers and losses as they are written in answers |
//! | [`verdict`] | verdicts and their exit codes |
//! | [`refusal`] | the reason why there is no answer |
//! | [`ledger`] | how releases are charged once, and stored before they are shown |
//! | [`source`] | the text that a question is about |
//! | [`watcher`] | how a front end follows a long answer, and stops it |

#![forbid(unsafe_code)]

pub mod account;
pub mod attack;
pub mod audit;
pub mod budget;
pub mod certify;
pub mod check;
pub mod explain;
mod html;
pub mod ledger;
pub mod noise;
pub mod number;
pub mod prove;
pub mod refusal;
pub mod release;
pub mod source;
pub mod verdict;
pub mod watcher;

pub use number::{Loss, Number};
pub use refusal::Refusal;
pub use source::Source;
pub use verdict::{Judgement, Schema};
pub use watcher::{Progress, Watcher};
