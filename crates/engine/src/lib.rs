//! Stores and sessions over any backend of sessile.
//!
//! A [`Store`] is a backend opened at a place. A [`Session`] is changed by conditional appends
//! only: what a change takes is decided on the folded state, appended where that state ends, and
//! decided anew when somebody else was faster. An answer that was lost is found out, never
//! guessed.
//!
//! This crate knows no particular backend, has no clock and no randomness but through
//! [`Clock`] and [`Entropy`], and reads without writing anything, anywhere.
//!
//! The modules stand bottom-up; each uses only those above it.

mod clock;
mod entropy;
mod options;
mod deadline;
mod gate;
mod own;
mod errand;
mod opened;
mod lost;
mod receipt;
mod findings;
mod append;
mod decision;
mod addition;
mod queue;
mod ordinals;
mod recents;
mod folded;
mod tail;
mod identity;
mod info;
mod gist;
mod new_session;
mod known;
mod joint;
mod resident;
mod steps;
mod recall;
mod delivery;
mod removal;
mod lagging;
mod masking;
mod purge;
mod creation;
mod mutation;
mod generation;
mod perform;
mod behind;
mod residency;
mod seat;
mod reading;
mod misfits;
mod admission;
mod turn;
mod fork;
mod session;
mod listing;
mod verify;
mod superseded;
mod vacuum;
mod status;
mod census;
mod transfer;
mod retention;
mod store;
mod watch;
mod search;
mod diagnosis;
mod exchange;

pub use admission::{Admit, ContextPolicy, Done};
pub use append::{Append, Committed};
pub use behind::Backlog;
pub use census::Census;
pub use clock::{Clock, SystemClock};
pub use diagnosis::{Ailment, Diagnosis, Remedy};
pub use entropy::{Entropy, SystemEntropy};
pub use generation::Generation;
pub use identity::{Differences, Differing, Expected};
pub use info::Info;
pub use listing::{Cursor, Filter, Listing, Page, Summary};
pub use misfits::{Misfits, Reach};
pub use new_session::NewSession;
pub use options::Options;
pub use perform::{Move, Operation, Performed};
pub use reading::{Entries, From, FromMessage, RawMessage, Transcript, View, Window};
pub use receipt::Receipt;
pub use removal::{Removal, Unfinished};
pub use retention::{Erased, Erasure, Judged, KeptBack, Left, Pruned, Retention, Scope, Verdict};
pub use search::{Hit, HitPlace, Hits, Query};
pub use session::{Admission, Popped, Reconciled, Session};
pub use status::Status;
pub use store::Store;
pub use transfer::{Copied, Export, Imported, LedgerRow, LeftOut, RowDone, Skipped};
pub use turn::{
    Action, Approval, CheckpointToStore, Finish, FreshIntent, Indeterminate, Intent, Passage,
    Progress, StoredCheckpoint, Summarised, Turn, TurnEvent,
};
pub use vacuum::Vacuumed;
pub use verify::{Damage, Verification};
pub use watch::Watch;
