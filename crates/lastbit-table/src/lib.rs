//! From a table to exact integers whose sensitivity is a theorem.
//!
//! A [`Spec`] says what is asked: which table, whose privacy, which groups, which counts and sums, and how much one unit may change. A [`Plan`] is a
//! spec that has been found sound, before any row is read. [`aggregate`] answers it in exact integers, and each
//! [`Component`] of the plan says how far one unit can move them: that much noise makes them private. The page `docs/release.md` of the repository
//! has the proofs.
//!
//! ```
//! use lastbit_table::{Batch, Column, Options, Spec, aggregate};
//!
//! let spec = Spec::parse(
//!     r#"
//!     [table]
//!     path = "trips.csv"
//!     unit = "rider"
//!     [bounds]
//!     groups = 1
//!     rows = 2
//!     [by]
//!     columns = "city"
//!     keys = ["Bern", "Biel"]
//!     [privacy]
//!     epsilon = 1
//!     [[query]]
//!     name = "trips"
//!     kind = "count"
//!     [[query]]
//!     name = "fares"
//!     kind = "sum"
//!     column = "fare"
//!     bounds = [0, 10]
//!     grid = 0.1
//!     "#,
//!     "release.toml".as_ref(),
//! )?;
//! let plan = spec.plan()?;
//! assert_eq!(plan.columns(), ["rider", "city", "fare"]);
//! assert_eq!(plan.queries()[1].components[0].sensitivity.l1.to_string(), "200"); // 1 group, 2 rows, 100 steps
//!
//! // `lastbit_table::open(&plan)` reads the file; here the rows come from elsewhere.
//! let mut rows = Batch::new(4);
//! rows.push(Column::Integer(vec![Some(7), Some(7), Some(7), None]))?;
//! rows.push_text([Some("Bern".as_bytes()); 4])?;
//! rows.push(Column::Float(vec![Some(2.5), Some(100.0), Some(0.25), Some(9.0)]))?;
//! let outcome = aggregate(&plan, &mut [Ok(rows)].into_iter(), &Options::default())?;
//! let [trips, fares] = plan.queries() else { unreachable!() };
//! assert_eq!(outcome.aggregates.integers(&trips.components[0], 0), [2]); // three rows, of which two count
//! assert_eq!(outcome.aggregates.integers(&fares.components[0], 0), [128]); // 25 + 100 + 3
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `spec` | what people write, and where they wrote it |
//! | `expression` | filters and derived columns: [the language](expression) |
//! | `plan` | what is settled before rows are read: columns, keys, grids, bounds, what each query costs |
//! | `sensitivity` | how far one unit moves an answer |
//! | `batch`, `number`, `date`, `code` | cells, and the exact values in them |
//! | `read` | CSV and Parquet files, compressed files, patterns |
//! | `kernel` | the bounded group-by: threads, partitions, a temporary file |
//! | `write` | Parquet files of results |
//! | `aggregates` | its result and its digest |

#![forbid(unsafe_code)]

mod aggregates;
mod batch;
mod code;
mod date;
mod error;
pub mod expression;
mod hash;
mod kernel;
mod number;
mod plan;
mod read;
mod sensitivity;
pub mod spec;
mod suggest;
mod write;

pub use aggregates::Aggregates;
pub use batch::{Batch, Column, Place, ShapeError};
pub use error::TableError;
pub use kernel::{CuratorNotes, Options, Outcome, Progress, aggregate};
pub use plan::{
    Component, ComponentDescription, Description, HeaderError, Measure, Noise, Plan, PlanError, PlanFault,
    Privacy, Query, QueryDescription, QueryKind, Released, Spread, places,
};
pub use read::{ColumnType, Piece, TableSource, columns_of, delimiter_of, files, open};
pub use sensitivity::Sensitivity;
pub use spec::{Spec, SpecError};
pub use write::{Out, WriteError, parquet_bytes};
