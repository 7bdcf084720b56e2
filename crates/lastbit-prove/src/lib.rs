//! Proofs: how far floating point strays from the reals, what that costs in privacy, and privacy claims over the reals.
//!
//! A program is a [`StraightLine`](lastbit_lang::StraightLine) with two readings, over the reals and in a float format. The judgement
//! `r ⇓ f : [lo, hi] ± d` says that the float reading `f` is finite, the real one lies in `[lo, hi]`, and they are at most `d` apart; its
//! rules, and why they hold, are in `docs/semantics.md`.
//!
//! ```
//! use lastbit_lang::fpcore;
//! use lastbit_prove::check::check;
//! use lastbit_prove::analysis::{Effort, analyse};
//! use lastbit_prove::{certificate, derivation};
//!
//! // The core of the snapping mechanism with 1/ε = 10.
//! let text = "(FPCore (x u) :name \"core\" :pre (and (<= -1024 x 1024) (<= 0x1p-1074 u 1)) (+ x (* 10 (log u))))";
//! let program = fpcore::read(text).remove(0)?;
//! let analysis = analyse(&program, Effort::FAST, |_| {})?;
//! assert_eq!(derivation::error(&analysis.error), "1.93268e-12"); // 17·2^-43
//!
//! // Another implementation of the same rules agrees with every number.
//! let certificate = certificate::to_json(&program, &analysis).to_string();
//! assert_eq!(check(&certificate)?.error, analysis.error);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | `rules`, `linear` | the judgement of `docs/semantics.md` on one box; tests compare it with exact values at random points (`soundness`) |
//! | [`analysis`] | the search for a tight bound: it cuts boxes, has a time limit, and is not trusted |
//! | [`certificate`], [`mod@check`] | the result as data, and the checker, which shares no code with `rules` but the numbers, the program's type and its fingerprint |
//! | [`coq`], [`gappa`] | certificates in the languages of other checkers, written without checking them first |
//! | [`derivation`] | derivation trees for people: terminal, LaTeX, JSON |
//! | [`endpoint`] | from the error of the noise to the privacy loss of the snapping mechanism, for all inputs. `endpoint::answer` starts from a text; `docs/endpoint.md` says what ties the text to the theorem, `broken` cuts each tie, and `near_misses` must notice |
//! | [`logic`] | privacy claims over the reals: a search or a script proposes a proof, the small `kernel` checks it without searching; `refute` looks for a witness |
//! | `subject` | the program text inside a privacy certificate; every check parses it again |
//!
//! A change of a rule of the error semantics is a change of `docs/semantics.md`, of `rules`, of `check` and of `coq/`. Every loop that can
//! grow asks [`lastbit_lang::watch`] whether to go on; what is stopped is undecided.
//!
//! Reports and most error enums are `#[non_exhaustive]`; the enums that checkers and answers match on are deliberately exhaustive, so that
//! forgetting a case does not compile.

#![forbid(unsafe_code)]

pub mod analysis;
mod boxes;
pub mod certificate;
pub mod check;
pub mod coq;
pub mod derivation;
pub mod endpoint;
pub mod gappa;
mod linear;
pub mod logic;
mod refusal;
mod rounding;
mod rules;
mod search;
#[cfg(test)]
mod soundness;
mod subject;

pub use boxes::{InputBox, whole_box};
pub use refusal::{Reason, Refusal};
pub use rounding::nearest_float;
pub use subject::SubjectError;
