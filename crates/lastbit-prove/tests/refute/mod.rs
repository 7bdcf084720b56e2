//! False claims are refuted and true ones are not.

mod edges;
mod laws;
