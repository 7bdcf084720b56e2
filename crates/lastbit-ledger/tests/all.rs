//! The tests of this crate, in one program.

mod common;
mod crashes;
mod failures;
mod files;
mod forged;
mod heads;
mod limits;
mod model;
mod releases;
mod worker;
