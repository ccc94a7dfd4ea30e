//! What a session takes, by its lifecycle and by what this version understands of it.

use crate::entry::EntryType;
use crate::error::{Error, ErrorKind};
use crate::position::Seq;

use super::lifecycle::Lifecycle;
use super::state::SessionState;

impl SessionState {
    /// Refuses an entry type that the session does not take now from somebody without a claim.
    ///
    /// # Errors
    /// Those of [`takes`](Self::takes).
    pub fn accepts(&self, entry_type: &EntryType) -> Result<(), Error> {
        self.takes(std::slice::from_ref(entry_type), None)
    }

    /// Refuses a commit of entries of some types, written under a claim or without one, that the
    /// session does not take now.
    ///
    /// # Errors
    /// [`ErrorKind::Deleted`] after deletion for all but `undelete`; [`ErrorKind::Incomplete`] for
    /// all but `delete` while it is a copy that is not whole; [`ErrorKind::Closed`] for
    /// what changes the conversation of a closed session; [`ErrorKind::Unsupported`] where an
    /// entry stands in the journal that this version must not build upon; [`ErrorKind::Fenced`]
    /// under a claim that does not stand; [`ErrorKind::Busy`] without a claim for what only the
    /// holder writes while a request is active, and for closing without ending it;
    /// [`ErrorKind::InvalidAdmission`] for what only a holder writes where there is none.
    pub fn takes(&self, types: &[EntryType], claim: Option<Seq>) -> Result<(), Error> {
        let about = |error: Error| error.about(format_args!("session {}", self.header().id));
        for entry_type in types {
            self.takes_ever(entry_type)?;
        }
        match claim {
            Some(claim) => self.check_claim(claim, types).map_err(about),
            None => types.iter().try_for_each(|it| self.check_free(it)).map_err(about),
        }
    }

    /// Refuses an entry type that the session takes from nobody now.
    fn takes_ever(&self, entry_type: &EntryType) -> Result<(), Error> {
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

    /// Refuses entries of a turn whose claim does not stand, and to close the session under it.
    fn check_claim(&self, claim: Seq, types: &[EntryType]) -> Result<(), Error> {
        let active = self.admission().active().filter(|it| it.claim == claim && !it.released);
        let Some(active) = active else {
            return Err(Error::fenced(claim));
        };
        if types.contains(&EntryType::Close) && !types.contains(&EntryType::Outcome) {
            return Err(Error::busy(active.occupant())
                .with_hint("close it together with the end of the request"));
        }
        Ok(())
    }

    /// Refuses an entry that only the holder of a claim writes.
    fn check_free(&self, entry_type: &EntryType) -> Result<(), Error> {
        let admission = self.admission();
        if !is_refused_when_held(entry_type) {
            return Ok(());
        }
        if let Some(active) = admission.active() {
            return Err(Error::busy(active.occupant()));
        }
        if let Some(claim) = admission.claim() {
            let clause = format!("claim {claim} holds the session, and can't be read");
            return Err(Error::new(ErrorKind::InvalidAdmission, clause));
        }
        if is_turns_own(entry_type) {
            let clause = format!("a {entry_type} belongs to a request, and none is active");
            return Err(Error::new(ErrorKind::InvalidAdmission, clause));
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

/// What only the holder writes while a request is active.
const fn is_refused_when_held(entry_type: &EntryType) -> bool {
    matches!(
        entry_type,
        EntryType::Message | EntryType::Compaction | EntryType::Rewind | EntryType::Close
    ) || is_turns_own(entry_type)
}

/// What only a holder writes.
const fn is_turns_own(entry_type: &EntryType) -> bool {
    matches!(
        entry_type,
        EntryType::Checkpoint
            | EntryType::Intent
            | EntryType::Completion
            | EntryType::Approval
            | EntryType::Outcome
    )
}
