//! What only a whole process can show: copies made by `fork`, and memory as another process sees it.
#![allow(unsafe_code)]

mod forks;
mod memory;
