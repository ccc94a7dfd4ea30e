//! Shape of the entry that holds what was folded so far.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::payload::Payload;
use crate::position::Position;

/// `state`: what everything before its commit folds to, payloads left out; derived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Where the journal ended before its commit.
    pub position: Position,
    /// What each fold had made of it, by the fold's name.
    pub folds: BTreeMap<String, FoldState>,
}

/// What one fold had made of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldState {
    /// The version of the fold.
    pub v: u32,
    /// The types of the entries that it folds, in order of name.
    pub types: Vec<String>,
    /// The state, in the fold's own form.
    pub state: Payload,
}
