//! All integration tests, as one program: linking one is much faster than linking many.

mod prove;
mod statements;
