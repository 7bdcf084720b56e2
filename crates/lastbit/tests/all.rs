//! All integration tests, as one program: linking one is much faster than linking many.

mod budget;
mod choosing;
mod claims;
mod golden_snapping;
mod overflow;
mod reals;
mod refusals;
mod threads;
mod time;
mod zeros;
