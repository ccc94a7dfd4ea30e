//! The shape of each entry type's data, as format 1 reserves it.
//!
//! `message` and `event` hold the caller's JSON and have no shape of ours. Members that a shape
//! does not know stand in the payload, which is carried whole.

mod session;
mod sight;
mod lifecycle;
mod mending;
mod contract;
mod turn;
mod board;
mod state;

pub use board::{Ack, Body, Complete, Context, Instruct, Post, Replace, Resolve, Withdraw};
pub use contract::Contract;
pub use lifecycle::{Close, Delete, Undelete};
pub use mending::{Barrier, Repaired};
pub use session::{AcceptedIdentity, Dialect, Forked, ForkedFrom, Header, Import, Lost};
pub use sight::{Compaction, Forgotten, Kept, Redacted, Rewind};
pub use state::{FoldState, State};
pub use turn::{
    Approval, Checkpoint, Claim, Completion, Decision, Intent, Lease, Outcome, OutcomeStatus, call,
};

#[cfg(test)]
mod tests;
