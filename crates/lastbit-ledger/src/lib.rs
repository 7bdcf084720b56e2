//! A ledger of privacy losses in one SQLite file that never forgets.
//!
//! The owner of a dataset declares how much all releases from it may lose. Each release is charged before it is computed, exactly once, and its
//! result is stored before it is shown: whatever crashes in between, nothing is shown without its charge, and nothing is charged twice.
//!
//! ```
//! use lastbit_ledger::{Charge, Digest, Error, Ledger, Limit, Options, Request, Reservation};
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("trips.db");
//!
//! let mut ledger = Ledger::create(&path, &Options::default())?;
//! ledger.declare("trips-2026", "one rider added or removed", &Limit::pure("1".parse()?)?)?;
//!
//! let request = Request {
//!     id: "count-by-city".to_owned(),
//!     spec: Digest::of(b"count rows by city"),
//!     dataset: "trips-2026".to_owned(),
//!     analyst: None,
//!     neighbours: "one rider added or removed".to_owned(),
//!     charge: Charge::pure("7/10".parse()?)?,
//!     claim: r#"{"mechanism": "discrete laplace", "loss": "7/10"}"#.to_owned(),
//!     fingerprint: None,
//! };
//! assert_eq!(ledger.reserve(&request)?.reservation, Reservation::New); // The charge is on the disk.
//! let stored = ledger.finish("count-by-city", b"Zurich 1041")?; // The result is, too: show it, with the claim and the head.
//! println!("{}\nledger {}", stored.claim, stored.head);
//!
//! // Asked again, it is free, and the same.
//! let again = ledger.release(&request, || unreachable!())?;
//! assert_eq!((again.bytes, again.head), (stored.bytes, stored.head));
//!
//! let refused = ledger.reserve(&Request { id: "again".to_owned(), ..request });
//! assert!(matches!(refused, Err(Error::Exceeded { left, .. }) if *left == "0.3".parse()?));
//! ledger.verify()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The page `docs/ledger.md` of the repository says what is promised, against what, and how to read the file with any SQLite.
//!
//! | module | what it knows |
//! |---|---|
//! | `charge` | losses, limits, sums, and when a loss fits |
//! | `request` | what is asked for, and which names are taken |
//! | `ledger` | reserve, compute, finish, show: each release exactly once |
//! | `queries` | what the table says about a dataset or a release |
//! | `budgets`, `history` | what is shown of the ledger |
//! | `verify` | hashes, sums and rules once more |
//! | `entry`, `digest`, `number` | an entry as columns, its hash, exact numbers as texts |
//! | `store`, `place`, `results` | the SQLite file and its settings, file systems, files with large results |

#![forbid(unsafe_code)]

mod budgets;
mod charge;
mod digest;
mod entry;
mod error;
mod history;
mod ledger;
mod number;
mod place;
mod queries;
mod request;
mod results;
mod store;
mod verify;

pub use budgets::Budget;
pub use charge::{Charge, Limit, Measure, Target};
pub use digest::{Digest, Head, ParseHeadError};
pub use entry::{Ending, Entry, Event, Outcome};
pub use error::{Difference, Error};
pub use history::Export;
pub use lastbit_real::Rational;
pub use ledger::{Ledger, Reservation, Reserved, Standing, Stored, Warning};
pub use number::Number;
pub use request::Request;
pub use store::Options;
pub use verify::{Fault, Verified};
