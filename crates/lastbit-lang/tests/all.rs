//! All integration tests, as one program: linking one is much faster than linking many.

mod eval;
mod fpcore_read;
mod fpcore_write;
mod lang_files;
mod lang_lower;
mod lang_messages;
mod lang_review;
mod lang_robust;
mod lang_round_trip;
mod lang_sense;
mod symbolic;
mod zeros;
