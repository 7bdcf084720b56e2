//! Privacy certificates: those that are written are accepted, those in which anything is changed or forged are refused.

mod forged;
