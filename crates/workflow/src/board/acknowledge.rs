//! Saying that messages were seen.

use sessile_core::EntryType;
use sessile_core::entry::shape;

use super::decision::{Command, Decision, Draft, Setting};
use super::id::MessageId;
use super::reference;
use super::refused::Refused;
use super::state::Board;

/// To say that messages were seen.
#[derive(Clone, Debug)]
pub struct Acknowledge {
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Ids(Vec<MessageId>),
    Reference(String),
}

/// What became of an acknowledgement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Acknowledged {
    /// The messages that are acknowledged, by this call or before.
    pub accepted: Vec<MessageId>,
    /// Those that are not open, do not ask for it, or are not on the board.
    pub ignored: Vec<MessageId>,
}

impl Acknowledge {
    /// Acknowledges messages, at most 8 different ones.
    pub fn ids<T: Into<MessageId>>(ids: impl IntoIterator<Item = T>) -> Self {
        Self { what: What::Ids(ids.into_iter().map(Into::into).collect()) }
    }

    /// Acknowledges the messages that a reference names; none once other messages ask for it than
    /// when it was made.
    pub fn reference(reference: impl Into<String>) -> Self {
        Self { what: What::Reference(reference.into()) }
    }
}

impl Command for Acknowledge {
    type Answer = Acknowledged;

    fn is_barrier(&self) -> bool {
        false
    }

    fn decide(
        &self,
        board: &Board,
        setting: &Setting<'_>,
    ) -> Result<Decision<Acknowledged>, Refused> {
        let mut distinct: Vec<MessageId> = Vec::new();
        let named = match &self.what {
            What::Ids(ids) => ids.clone(),
            What::Reference(text) => reference::resolve(board, setting.session, text),
        };
        for id in named {
            if !distinct.contains(&id) {
                distinct.push(id);
            }
        }
        if distinct.len() > setting.bounds.acks {
            return Err(Refused::InvalidInput("too many messages are acknowledged at once"));
        }
        let mut drafts = Vec::new();
        let mut answer = Acknowledged::default();
        for id in distinct {
            match board.message(&id).filter(|it| it.is_open() && it.requires_ack) {
                None => answer.ignored.push(id),
                Some(message) => {
                    if message.acknowledged_at.is_none() {
                        let ack = shape::Ack { id: id.to_string(), by: None };
                        drafts.push(Draft::of(EntryType::Ack, &ack)?);
                    }
                    answer.accepted.push(id);
                }
            }
        }
        Ok(Decision { drafts, answer })
    }
}
