//! Shapes of the entries of workflow sessions: the board, instructions, context.

use serde::{Deserialize, Serialize};

use crate::payload::Payload;
use crate::position::Seq;
use crate::text::Text;

/// `post`: a message on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// The message's id.
    pub id: String,
    /// The key under which a repeat is recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Who posted it.
    pub from: Text,
    /// What it says.
    pub body: Payload,
}

/// `resolve`: a board message is dealt with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolve {
    /// The message's id.
    pub id: String,
}

/// `withdraw`: a board message is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdraw {
    /// The message's id.
    pub id: String,
}

/// `replace`: a board message is replaced by another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replace {
    /// The message that goes.
    pub id: String,
    /// The message that comes.
    pub by: String,
}

/// `ack`: a board message was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// The message's id.
    pub id: String,
    /// Who saw it.
    pub by: Text,
}

/// `complete`: a task that was assigned is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complete {
    /// The assignment's id.
    pub id: String,
    /// The fence under which it was worked on.
    pub fence: Seq,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Payload>,
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
