//! A board that is decided on and folded, without a store.

use sessile_core::{Entry, NewEntry, Seq, SessionKey, UnixMillis};

use crate::board::assignment::Assignment;
use crate::board::bounds::Bounds;
use crate::board::complete;
use crate::board::decision::{self, Command, Setting};
use crate::board::id::{Draws, MessageId};
use crate::board::kind::Kind;
use crate::board::list::{self, Changes};
use crate::board::message::Message;
use crate::board::post::Post;
use crate::board::refused::Refused;
use crate::board::state::Board;

/// The fingerprint of a sender, or the key of a completion.
pub(super) fn fingerprint(of: u8) -> String {
    format!("{of:02x}").repeat(32)
}

pub(super) struct Desk {
    pub(super) board: Board,
    pub(super) entries: Vec<Entry>,
    pub(super) bounds: Bounds,
    pub(super) is_active: bool,
    pub(super) key: SessionKey,
    draws: u128,
}

impl Desk {
    pub(super) fn new() -> Self {
        Self {
            board: Board::default(),
            entries: Vec::new(),
            bounds: Bounds::default(),
            is_active: true,
            key: SessionKey { space: "default".parse().unwrap(), id: "s1".parse().unwrap() },
            draws: 0,
        }
    }

    /// A desk whose board keeps so many messages.
    pub(super) fn keeping(messages: usize) -> Self {
        let mut desk = Self::new();
        desk.bounds.messages = Some(messages);
        desk
    }

    pub(super) fn send<C: Command>(&mut self, command: &C) -> Result<C::Answer, Refused> {
        self.draws += 1;
        let setting = Setting {
            session: &self.key,
            is_active: self.is_active,
            bounds: &self.bounds,
            draws: Draws::of(self.draws.to_be_bytes()),
        };
        let decision = decision::decide(&self.board, &setting, command)?;
        for draft in decision.drafts {
            let number = u64::try_from(self.entries.len()).unwrap() + 1;
            let at = UnixMillis(1_000 + number);
            let entry = NewEntry::new(at, draft.entry_type, draft.data);
            let entry = entry.numbered(Seq::new(number).unwrap());
            self.board.apply(&entry);
            self.entries.push(entry);
        }
        Ok(decision.answer)
    }

    pub(super) fn post(&mut self, kind: Kind, text: &str) -> MessageId {
        self.send(&Post::new(kind, text)).unwrap().id
    }

    pub(super) fn reply(&mut self, to: &MessageId, text: &str) -> MessageId {
        self.send(&Post::reply(to, Kind::Note, text)).unwrap().id
    }

    pub(super) fn message(&self, id: &MessageId) -> &Message {
        self.board.message(id).unwrap()
    }

    pub(super) fn assigned(&self, task: &MessageId) -> Result<Assignment, Refused> {
        complete::assigned(&self.board, &self.key, &self.bounds, self.message(task))
    }

    pub(super) fn fence(&self, task: &MessageId) -> String {
        self.assigned(task).unwrap().fence.as_str().to_owned()
    }

    pub(super) fn since(&self, token: Option<&str>) -> Result<Changes, Refused> {
        list::changes(&self.board, &self.key, &self.bounds, token, None)
    }

    pub(super) fn ids(&self) -> Vec<MessageId> {
        self.board.messages().map(|message| message.id.clone()).collect()
    }
}
