//! Questions as data, answers as data: what the command `lastbit`, the Python package and other front ends share.
//!
//! A front end parses what its user wrote into a question, asks, and prints the answer. Everything between, what is to be proved or
//! audited, with which values, and what the verdict is, is here. Answers are plain structs: they serialize to the JSON of docs/json.md,
//! and the text that people read is made of the same structs.
//!
//! | module | the question it answers |
//! |---|---|
//! | [`attack`] | is anybody's noise private, as far as its outputs tell? |
//! | [`audit`] | the exact loss between two inputs, and whether a claim about it holds |
//! | [`explain`] | what a word means: rules, verdicts, mechanisms, the glossary |
//! | [`noise`] | which noise, how much of it, and what it promises |
//! | [`number`] | how numbers and losses are written in answers |
//! | [`verdict`] | what a verdict is, and the exit code of each |
//! | [`watcher`] | how a front end follows a long answer, and stops it |
//! | [`refusal`] | why there is no answer |
//! | [`source`] | the text that a question is about |
//! | [`prove`] | whether a program keeps its error bound, and a mechanism its privacy claim |
//! | [`check`] | whether a certificate proves what it says |
//! | [`certify`] | certificates for other judges |

#![forbid(unsafe_code)]

pub mod attack;
pub mod audit;
pub mod certify;
pub mod check;
pub mod explain;
pub mod noise;
pub mod number;
pub mod prove;
pub mod refusal;
pub mod source;
pub mod verdict;
pub mod watcher;

pub use number::{Loss, Number};
pub use refusal::Refusal;
pub use source::Source;
pub use verdict::{Judgement, Schema};
pub use watcher::{Progress, Watcher};
