//! The floating-point error semantics `r ⇓ f : [lo, hi] ± d`.

#![forbid(unsafe_code)]
