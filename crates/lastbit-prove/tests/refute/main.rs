//! False claims are refuted and true ones are not.

mod edges;
mod laws;
#[path = "../witnesses/mod.rs"]
mod witnesses;
