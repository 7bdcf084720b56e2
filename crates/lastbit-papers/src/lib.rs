//! The papers, reproduced: their rules as printed, their definitions, their cases. No claim and no proof rests on this crate.
//!
//! `docs/paper-map.md` says where each item of the papers is, and whether it holds.
//!
//! | module | what it has |
//! |---|---|
//! | [`rules`] | the rules of the error semantics as the papers print them, and where they fail |
//! | [`lifting`] | divergences, liftings and dilations on finite distributions |
//! | [`cases`] | the ideal snapping mechanism case by case |
//! | [`standard`] | the standard programs of the field with known answers, and variants of them |

#![forbid(unsafe_code)]

pub mod cases;
pub mod lifting;
pub mod rules;
pub mod standard;
