//! The shape of each entry type's data, as format 1 reserves it.
//!
//! `message` and `event` hold the caller's JSON and have no shape of ours. Members that a shape
//! does not know stand in the payload, which is carried whole.

mod session;
mod turn;
mod board;
mod state;

pub use board::{Ack, Complete, Context, Instruct, Post, Replace, Resolve, Withdraw};
pub use session::{
    Barrier, Close, Compaction, Delete, Dialect, Forgotten, Forked, ForkedFrom, Header, Import,
    Kept, Lost, Redacted, Repaired, Rewind, Undelete,
};
pub use state::{FoldState, State};
pub use turn::{
    Approval, Checkpoint, Claim, Completion, Contract, Decision, Intent, Lease, Outcome,
    OutcomeStatus,
};

#[cfg(test)]
mod tests;
