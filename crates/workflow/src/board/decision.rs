//! What is decided about a board: what is to be appended, and what is answered.

use serde::Serialize;
use sessile_core::entry::shape::Body;
use sessile_core::{EntryType, Payload, SessionKey, Text};

use super::bounds::Bounds;
use super::id::{Draws, MessageId};
use super::message::Message;
use super::refused::Refused;
use super::state::Board;

/// What a command is decided under.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    /// The session.
    pub(crate) session: &'a SessionKey,
    /// Whether it takes changes of its board.
    pub(crate) is_active: bool,
    /// The limits.
    pub(crate) bounds: &'a Bounds,
    /// The ids that a message may get.
    pub(crate) draws: Draws,
}

/// An entry that is to be appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) entry_type: EntryType,
    pub(crate) data: Payload,
}

/// What a command comes to: entries of one commit, or none, and what its caller is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision<A> {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) answer: A,
}

/// Something to be done with a board.
pub(crate) trait Command {
    /// What its caller is told.
    type Answer;

    /// Whether its caller is told only what is durable, also where the store writes behind.
    fn is_barrier(&self) -> bool {
        true
    }

    /// Decides on the board as it is. It may be decided again on a later one, and then comes to
    /// the same message id unless that was taken.
    ///
    /// # Errors
    /// Why it can't be done; nothing is to be appended then.
    fn decide(
        &self,
        board: &Board,
        setting: &Setting<'_>,
    ) -> Result<Decision<Self::Answer>, Refused>;
}

/// Decides a command, in the order in which its checks are promised: first whether the session
/// takes changes of its board at all.
pub(crate) fn decide<C: Command>(
    board: &Board,
    setting: &Setting<'_>,
    command: &C,
) -> Result<Decision<C::Answer>, Refused> {
    if !setting.is_active {
        return Err(Refused::SessionClosed);
    }
    command.decide(board, setting)
}

impl<A> Decision<A> {
    /// Nothing is to be appended.
    pub(crate) const fn nothing(answer: A) -> Self {
        Self { drafts: Vec::new(), answer }
    }
}

impl Draft {
    /// An entry of a shape.
    pub(crate) fn of<T: Serialize>(entry_type: EntryType, shape: &T) -> Result<Self, Refused> {
        let data =
            Payload::of(shape).map_err(|_| Refused::InvalidInput("the entry has no JSON form"))?;
        Ok(Self { entry_type, data })
    }
}

impl Setting<'_> {
    /// The id of a message that is to be posted.
    pub(crate) fn draw(&self, board: &Board) -> Result<MessageId, Refused> {
        let is_taken = |id: &MessageId| board.message(id).is_some();
        self.draws.first_free(is_taken).ok_or(Refused::IdsExhausted)
    }
}

/// A message on the board.
pub(crate) fn found<'a>(board: &'a Board, id: &MessageId) -> Result<&'a Message, Refused> {
    board.message(id).ok_or_else(|| Refused::UnknownMessage(id.clone()))
}

/// The number of the change that is the given one of a command.
pub(crate) fn revision(board: &Board, change: u64) -> Result<u64, Refused> {
    board.revision().checked_add(change).ok_or(Refused::InvalidObservationState)
}

/// Words as an entry holds them.
pub(crate) fn body(text: &str, tags: &[&str]) -> Body {
    let tags = tags.iter().copied().map(Text::from).collect();
    Body { text: text.into(), tags }
}

/// The messages that leave the board for one that comes: the oldest that are not spared.
pub(crate) fn make_room(
    board: &Board,
    bounds: &Bounds,
    is_spared: impl Fn(&Message) -> bool,
) -> Result<Vec<String>, Refused> {
    let Some(most) = bounds.messages else { return Ok(Vec::new()) };
    let surplus = (board.len() + 1).saturating_sub(most.max(1));
    let may_go = board.messages().filter(|message| !is_spared(message));
    let gone: Vec<String> = may_go.take(surplus).map(|it| it.id.to_string()).collect();
    if gone.len() < surplus { Err(Refused::BoardFull) } else { Ok(gone) }
}
