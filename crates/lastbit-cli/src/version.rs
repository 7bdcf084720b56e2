//! The text of `--version`.

/// The version and what it was built from, see `build.rs`.
pub(crate) const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit ",
    env!("LASTBIT_COMMIT"),
    "\nbuilt with ",
    env!("LASTBIT_RUSTC"),
    "\nfor ",
    env!("LASTBIT_TARGET"),
);
