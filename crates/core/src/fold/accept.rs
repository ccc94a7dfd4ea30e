//! What a session takes, by its lifecycle and by what this version understands of it.

use crate::entry::EntryType;
use crate::error::{Error, ErrorKind};

use super::state::{Lifecycle, SessionState};

impl SessionState {
    /// Refuses an entry type that the session does not take now.
    ///
    /// # Errors
    /// [`ErrorKind::Deleted`] after deletion for all but `undelete`; [`ErrorKind::Incomplete`] for
    /// all but `delete` while it is a copy that is not whole; [`ErrorKind::Closed`] for
    /// what changes the conversation of a closed session; [`ErrorKind::Unsupported`] where an
    /// entry stands in the journal that this version must not build upon.
    pub fn accepts(&self, entry_type: &EntryType) -> Result<(), Error> {
        let subject = format_args!("session {}", self.header().id);
        if self.lifecycle() == Lifecycle::Deleted && *entry_type != EntryType::Undelete {
            return Err(Error::new(ErrorKind::Deleted, "it was deleted").about(subject));
        }
        if !matches!(entry_type, EntryType::Delete | EntryType::Undelete) {
            self.refuse_incomplete()?;
        }
        if self.lifecycle() == Lifecycle::Closed && is_refused_when_closed(entry_type) {
            let clause = format!("it is closed and takes no {entry_type} entries");
            return Err(Error::new(ErrorKind::Closed, clause)
                .about(subject)
                .with_hint("fork it to go on, or start another session"));
        }
        if let Some(blocked) = self.blocked() {
            let clause = format!(
                "entry {} of type {} is not understood by this version, which must not build upon it",
                blocked.seq, blocked.entry_type
            );
            return Err(Error::new(ErrorKind::Unsupported, clause)
                .about(subject)
                .with_hint("use a newer version of the program"));
        }
        Ok(())
    }

    /// Refuses a copy that is not whole.
    ///
    /// # Errors
    /// [`ErrorKind::Incomplete`], naming what it is to be a copy of.
    pub fn refuse_incomplete(&self) -> Result<(), Error> {
        let cut = self.header().forked_from.as_ref().filter(|_| self.is_incomplete());
        let Some(cut) = cut else {
            return Ok(());
        };
        let clause = format!(
            "it is a copy of session {} up to entry {} that was cut short",
            cut.session, cut.seq
        );
        Err(Error::new(ErrorKind::Incomplete, clause)
            .about(format_args!("session {}", self.header().id))
            .with_hint("make the same copy under the same id again, or delete it"))
    }
}

/// What changes the conversation, the board or the execution context.
const fn is_refused_when_closed(entry_type: &EntryType) -> bool {
    matches!(
        entry_type,
        EntryType::Message
            | EntryType::Post
            | EntryType::Resolve
            | EntryType::Withdraw
            | EntryType::Replace
            | EntryType::Ack
            | EntryType::Complete
            | EntryType::Context
            | EntryType::Instruct
            | EntryType::Compaction
            | EntryType::Rewind
            | EntryType::Claim
    )
}
