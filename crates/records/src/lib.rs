//! Checkpoints, effects, snapshots and bindings of agents, as documents of any backend of sessile.
//!
//! A [`Checkpoint`] is a state that one run moves on, number by number: whoever moves it says which
//! number it has, and of any number who do so at once one succeeds. An *effect* is something that a
//! tool does outside of the store: [`Effects`] notes that it is about to begin before it begins,
//! and how it ended after that, so that a crash in between is known as such and nothing is done
//! twice unawares.
//!
//! A *snapshot* is the one value from which exactly one run continues, in an envelope that other
//! programs read: [`Snapshots`]. A *binding* says which session goes on with a conversation:
//! [`Bindings`]. With the feature `fs` both are also kept as plain files where the caller wants
//! them.
//!
//! All keep documents under compare-and-swap and need nothing else of a backend: no journal, no
//! lock, no clock that is right. What a program of a later version added to a document stays in it.
//!
//! The modules stand bottom-up; each uses only those above it.

mod kind;
mod limit;
mod members;
mod patience;
mod shelf;
mod checkpoint;
mod checkpoint_document;
mod basis;
mod checkpoints;
mod state;
mod effect;
mod effect_document;
mod owner;
mod ledger;
mod attempt;
mod effects;
mod envelope;
mod acceptance;
mod snapshots;
#[cfg(feature = "fs")]
mod blocking;
#[cfg(feature = "fs")]
mod snapshot_file;
mod remembered;
mod kept;
mod bindings;
mod best_effort;

/// The collections that records lie in, but for those with a namespace or a record's name behind
/// theirs; for whoever erases a whole space.
pub const COLLECTIONS: [&str; 5] =
    ["checkpoints", "snapshots", "effects", "effect-owners", "bindings"];

pub use acceptance::Acceptance;
pub use attempt::{Attempt, Ended, Executed, HandlerError, Reconciler, Reconciliation, Retry};
pub use best_effort::BestEffort;
pub use bindings::{Bindings, Forgotten};
pub use checkpoint::Checkpoint;
pub use checkpoints::{Checkpoints, Listed, Listing, Summary};
pub use effect::{Class, EffectRecord, Request};
pub use effects::{EffectListing, EffectSummary, Effects, ListedEffect};
pub use envelope::Envelope;
pub use kind::Kind;
#[cfg(feature = "fs")]
pub use snapshot_file::SnapshotFile;
pub use snapshots::{KeptSnapshot, SnapshotListing, SnapshotRow, Snapshots};
pub use state::{Kept, Phase, State};
