//! Float programs of the language: their exact distributions, against golden values, other ways to compute them, and themselves.

mod claims;
mod golden;
mod refusals;
mod support;
mod textbook;
mod ways;
mod zeros;
