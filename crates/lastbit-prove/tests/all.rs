//! All integration tests, as one program: linking one is much faster than linking many.

mod certificates;
mod common;
mod coq_errors;
mod coq_losses;
mod endpoint_golden;
mod endpoint_papers;
mod endpoint_text;
mod gappa;
mod kernels;
mod logic_certificates;
mod logic_coq;
mod logic_limits;
mod refute;
mod tightness;
mod witnesses;
