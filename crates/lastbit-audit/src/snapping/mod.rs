//! The snapping mechanism in floating point.

mod case;
mod cells;
mod ideal;
mod invert;
mod mechanism;
mod papers;
mod program;
mod search;
mod shipped;
mod weights;

pub use case::Case;
pub use cells::{Cell, Interval, PairCell, Variant};
pub use ideal::{IdealOutcome, IdealSnap};
pub use invert::{FloatNoise, Scaling};
pub use mechanism::{FloatSnap, Noise};
pub use papers::{Formula, Scope};
pub use search::{Budget, Progress, Search, Worst, WorstPair, outputs_of_interest};
pub use shipped::{Disagreement, SnappingReplay};
