//! All integration tests, as one program: linking one is much faster than linking many.

mod bit_tree;
mod black_box;
mod conformance;
mod discrete;
mod float_programs;
mod shipped;
mod worst;
