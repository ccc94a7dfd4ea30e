//! Shapes of the entries of workflow sessions: the board, instructions, context.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::payload::Payload;
use crate::text::Text;

/// What an entry of the board says in words; gone once the entry is redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The text.
    pub text: Text,
    /// What it is filed under, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Text>,
}

/// `post`: a message on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// The message's id.
    pub id: String,
    /// The key under which a repeat is recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Digest>,
    /// What kind of message it is.
    pub kind: String,
    /// How urgent it is; as usual if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Which session posted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Text>,
    /// Whether somebody is to acknowledge it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub requires_ack: bool,
    /// The digest of what its body says.
    pub content: Digest,
    /// The messages that leave the board for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicts: Vec<String>,
    /// What it says; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// `resolve`: a board message is dealt with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolve {
    /// The message's id.
    pub id: String,
    /// The digest of how, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
    /// How, in words; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// `withdraw`: a board message is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdraw {
    /// The message's id.
    pub id: String,
}

/// `replace`: a board message is replaced by another, which takes over all but its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replace {
    /// The message that goes.
    pub id: String,
    /// The message that comes.
    pub by: String,
    /// The digest of what its body says.
    pub content: Digest,
    /// The messages that leave the board for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicts: Vec<String>,
    /// What it says; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// `ack`: a board message was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// The message's id.
    pub id: String,
    /// Who saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
}

/// `complete`: a task that was assigned is done; its answer is a message on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complete {
    /// The task's id.
    pub id: String,
    /// The answer's id.
    pub answer: String,
    /// The key under which a repeat is recognised.
    pub completion: Digest,
    /// The digest of the fence under which it was worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<Digest>,
    /// Which session did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Text>,
    /// How urgent the answer is; as usual if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// The digest of what the answer says.
    pub content: Digest,
    /// The messages that leave the board for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicts: Vec<String>,
    /// What the answer says; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// `instruct`: an instruction to the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruct {
    /// What is asked.
    pub text: Text,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
}

/// `context`: the execution context of the session changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// The new context, whole.
    pub context: Payload,
}
