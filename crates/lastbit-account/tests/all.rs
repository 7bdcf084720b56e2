//! The tests of this crate, in one program.

mod answers;
mod brute;
mod extremes;
mod golden;
mod laws;
mod truth;
