//! All integration tests, as one program: linking one is much faster than linking many.

mod attack;
mod audit;
mod certify;
mod check_privacy;
mod common;
mod docs;
mod float_verdicts;
mod fmt;
mod json_docs;
mod noise_ledger;
mod paper_map;
mod prove;
mod prove_input;
mod prove_limits;
mod prove_privacy;
mod release;
mod snapshots;
mod streaming;
mod table_release;
