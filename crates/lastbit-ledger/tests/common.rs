//! Ledgers and requests to test with.

use std::path::{Path, PathBuf};

use lastbit_ledger::{Charge, Digest, Ledger, Limit, Options, Rational, Request};
use tempfile::TempDir;

pub(crate) const NEIGHBOURS: &str = "one rider added or removed";

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// A directory in memory if there is one, for tests that are not about disks.
pub(crate) fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { TempDir::new_in(memory).unwrap() } else { TempDir::new().unwrap() }
}

pub(crate) fn open(path: &Path) -> Ledger {
    Ledger::open(path, &Options::default()).unwrap()
}

/// A ledger with the dataset `trips` and this limit.
pub(crate) fn ledger(limit: Limit) -> (TempDir, PathBuf, Ledger) {
    let directory = directory();
    let path = directory.path().join("l.db");
    let mut ledger = Ledger::create(&path, &Options::default()).unwrap();
    ledger.declare("trips", NEIGHBOURS, &limit).unwrap();
    (directory, path, ledger)
}

pub(crate) fn pure(epsilon: &str) -> Charge {
    Charge::pure(rational(epsilon)).unwrap()
}

pub(crate) fn zcdp(rho: &str) -> Charge {
    Charge::zero_concentrated(rational(rho)).unwrap()
}

/// A release of `trips`.
pub(crate) fn request(id: &str, charge: Charge) -> Request {
    Request {
        id: id.to_owned(),
        spec: Digest::of(id.as_bytes()),
        dataset: "trips".to_owned(),
        analyst: None,
        neighbours: NEIGHBOURS.to_owned(),
        claim: format!("{{\"mechanism\": \"test\", \"loss\": \"{}\"}}", charge.amount()),
        charge,
        fingerprint: None,
    }
}
