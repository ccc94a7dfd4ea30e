//! The numbers of a row in a catalog's block.

use sessile_core::backend::Gist;
use sessile_core::commit::Tip;
use sessile_core::digest::Token;
use sessile_core::fold::Lifecycle;
use sessile_core::position::Position;
use sessile_core::time::UnixMillis;

use super::numbers::{self, Numbers};
use crate::note::Note;

const CLOSED: u8 = 1;
const DELETED: u8 = 2;
const DAMAGED: u8 = 4;
const INCOMPLETE: u8 = 8;
const TITLED: u8 = 16;
const MORE: u8 = 32;
const TOKEN: u8 = 64;
/// It was told within an earlier boot.
const FORMER: u8 = 128;

/// The numbers of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) note: Note,
    pub(crate) created_at: UnixMillis,
    /// As the gist has it.
    pub(crate) updated_at: UnixMillis,
    pub(crate) messages: u64,
    flags: u8,
    /// How many bytes the id has.
    pub(crate) id: usize,
    /// How many the title has, if there is one.
    pub(crate) title: Option<usize>,
    /// Where the rest of what is shown begins, and how long it is.
    pub(crate) more: Option<(usize, usize)>,
}

impl Row {
    /// Reads the numbers of a row that follows one with this time and inode.
    pub(crate) fn read(from: &mut Numbers<'_>, before: (u64, u64)) -> Option<Self> {
        let flags = from.byte()?;
        if flags & (CLOSED | DELETED) == CLOSED | DELETED {
            return None;
        }
        let updated_at = before.0.checked_sub(from.number()?)?;
        let inode = before.1.wrapping_add_signed(from.difference()?);
        let (end, mark) = (from.number()?, u64::from_le_bytes(from.array()?));
        let position = Position::new(from.number()?)?;
        let token = if flags & TOKEN == 0 { None } else { Some(Token::from_random(from.array()?)) };
        let created_at = updated_at.wrapping_add_signed(from.difference()?);
        let gist_updated_at = updated_at.wrapping_add_signed(from.difference()?);
        let (messages, id) = (from.number()?, from.length()?);
        let title = if flags & TITLED == 0 { None } else { Some(from.length()?) };
        let more = if flags & MORE == 0 { None } else { Some((from.length()?, from.length()?)) };
        let tip = Tip { position, token };
        let note = Note { updated_at: UnixMillis(updated_at), tip, end, inode, mark };
        let (created_at, updated_at) = (UnixMillis(created_at), UnixMillis(gist_updated_at));
        Some(Self { note, created_at, updated_at, messages, flags, id, title, more })
    }

    /// The numbers of a session with an id of a length.
    pub(crate) fn of(
        (note, is_sure): (&Note, bool),
        gist: &Gist,
        id: usize,
        more: Option<(usize, usize)>,
    ) -> Self {
        let mut flags = match gist.lifecycle {
            Lifecycle::Active => 0,
            Lifecycle::Closed => CLOSED,
            Lifecycle::Deleted => DELETED,
        };
        for (is_so, flag) in [
            (gist.damaged, DAMAGED),
            (gist.incomplete, INCOMPLETE),
            (gist.title.is_some(), TITLED),
            (more.is_some(), MORE),
            (note.tip.token.is_some(), TOKEN),
            (!is_sure, FORMER),
        ] {
            flags |= if is_so { flag } else { 0 };
        }
        Self {
            note: note.clone(),
            created_at: gist.created_at,
            updated_at: gist.updated_at,
            messages: gist.messages,
            flags,
            id,
            title: gist.title.as_ref().map(|title| title.len()),
            more,
        }
    }

    /// Writes it after one with this time and inode.
    pub(crate) fn write(&self, to: &mut Vec<u8>, before: (u64, u64)) {
        let Note { updated_at, tip, end, inode, mark } = &self.note;
        let updated_at = updated_at.millis();
        to.push(self.flags);
        numbers::put(to, before.0.saturating_sub(updated_at));
        numbers::put_difference(to, *inode, before.1);
        numbers::put(to, *end);
        to.extend(mark.to_le_bytes());
        numbers::put(to, tip.position.number());
        if let Some(token) = tip.token {
            to.extend(token.as_bytes());
        }
        numbers::put_difference(to, self.created_at.millis(), updated_at);
        numbers::put_difference(to, self.updated_at.millis(), updated_at);
        numbers::put(to, self.messages);
        numbers::put_length(to, self.id);
        if let Some(title) = self.title {
            numbers::put_length(to, title);
        }
        if let Some((at, length)) = self.more {
            numbers::put_length(to, at);
            numbers::put_length(to, length);
        }
    }

    /// Where the session was in its life.
    pub(crate) const fn lifecycle(&self) -> Lifecycle {
        match self.flags & (CLOSED | DELETED) {
            0 => Lifecycle::Active,
            CLOSED => Lifecycle::Closed,
            _ => Lifecycle::Deleted,
        }
    }

    /// Whether it was told within an earlier boot.
    pub(crate) const fn is_former(&self) -> bool {
        self.flags & FORMER != 0
    }

    /// Whether some of it could not be read.
    pub(crate) const fn is_damaged(&self) -> bool {
        self.flags & DAMAGED != 0
    }

    /// Whether it is a copy that was cut short.
    pub(crate) const fn is_incomplete(&self) -> bool {
        self.flags & INCOMPLETE != 0
    }
}
