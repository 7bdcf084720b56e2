//! Privacy certificates: those that are written are accepted, those in which anything is changed or forged are refused.

mod forged;
mod forged_laws;
mod mutants;
mod proved;
mod reading;
mod round_trip;
