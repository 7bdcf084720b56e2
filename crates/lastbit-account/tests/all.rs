//! The tests of this crate, in one program.

mod answers;
mod laws;
mod truth;
