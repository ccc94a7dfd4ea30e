//! Shapes of the entries of admission and turns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::payload::Payload;
use crate::position::Seq;
use crate::text::Text;
use crate::time::UnixMillis;

/// The terms of a turn: a digest for each named part, so that a mismatch names the part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contract {
    /// The parts.
    pub parts: BTreeMap<String, Digest>,
}

/// `claim`: a request takes the session; the entry's seq is the fencing token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The request's id.
    pub request: String,
    /// The digest of the exact bytes of its input.
    pub input: Digest,
    /// Its terms.
    pub contract: Contract,
    /// What had been used before it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, u64>,
    /// A label of who holds it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Text>,
    /// The claim that it takes over from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovers: Option<Seq>,
}

/// `checkpoint`: state from which a turn can go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// What kind of state it is, namespaced by its owner.
    pub kind: String,
    /// The version of that kind's schema.
    pub schema: u32,
    /// Its number within the request, from 0.
    pub number: u64,
    /// Whether work that it does not show may be under way.
    #[serde(default)]
    pub in_flight: bool,
    /// What had been used by then.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, u64>,
    /// The state.
    pub state: Payload,
}

/// `intent`: a side effect is about to happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The action's id, unique within its request.
    pub action: String,
    /// What is called.
    pub name: String,
    /// The digest of its arguments' exact bytes.
    pub arguments: Digest,
    /// The approval that it uses up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
}

/// `completion`: a side effect happened, or is known not to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The action's id.
    pub action: String,
    /// The intent that it completes.
    pub intent: Seq,
    /// What came of it; absent if it was not executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Payload>,
    /// Whether somebody else than the holder found out.
    #[serde(default)]
    pub reconciled: bool,
}

/// `approval`: a turn asks for leave to act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The approval's id.
    pub id: String,
    /// The action that it is for.
    pub action: String,
    /// The digest of the exact call.
    pub call: Digest,
}

/// `decision`: leave is given or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The approval's id.
    pub approval: String,
    /// Whether leave is given.
    pub allow: bool,
    /// Who decided, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeStatus {
    /// With a result.
    Completed,
    /// With an error.
    Failed,
    /// By being called off.
    Cancelled,
    /// By being given up, by whoever.
    Abandoned,
}

/// `outcome`: a request ended, and the session is free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The request's id.
    pub request: String,
    /// How it ended.
    pub status: OutcomeStatus,
    /// The first and last entry among which the turn's messages become stable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopts: Option<(Seq, Seq)>,
    /// How many stable messages the turn was built on.
    pub messages: u64,
    /// What a repeat of the request is answered with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Payload>,
    /// Whether a new request may try again.
    #[serde(default)]
    pub may_retry: bool,
    /// Why it was abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
    /// What was used.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, u64>,
}

/// `lease`: reserved; a claim bounded by time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The claim.
    pub claim: Seq,
    /// Until when.
    pub until: UnixMillis,
}
