//! A turn: the work of one admitted request, from its claim to its outcome.

mod progress;
mod holding;
mod action;
mod handle;
mod writing;
mod checkpoint;
mod tools;
mod summary;
mod ending;

pub use action::{Action, Approval, FreshIntent, Indeterminate, Intent};
pub use checkpoint::{CheckpointToStore, StoredCheckpoint};
pub use ending::Finish;
pub use handle::Turn;
pub use progress::{Progress, TurnEvent};
pub use summary::{Passage, Summarised};
