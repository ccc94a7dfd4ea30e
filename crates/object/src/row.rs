//! A row of a listing: as its session was noted, or as a look at it shows.

use std::cmp::Reverse;

use sessile_core::backend::{Recency, Recent, Scope, Seen};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::SessionId;
use sessile_core::time::UnixMillis;

use crate::ending::{self, Ending};
use crate::look::Session;
use crate::notes::Noted;
use crate::piece;

/// A session that is noted.
pub(crate) struct Row {
    pub(crate) recency: Recency,
    /// How many bytes its note has.
    bytes: u64,
}

impl Row {
    /// The row of a session by its greatest note.
    pub(crate) const fn new(id: SessionId, noted: Noted) -> Self {
        let recency = Recency { updated_at: UnixMillis(noted.millis), id };
        Self { recency, bytes: noted.bytes }
    }

    /// Its place in the order: newest first, and those of one time by their ids.
    pub(crate) const fn place(&self) -> (Reverse<UnixMillis>, &SessionId) {
        (Reverse(self.recency.updated_at), &self.recency.id)
    }

    /// What is shown of its session; none where that is not in the scope, or not there.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn of(
        self,
        session: &Session,
        scope: &Scope,
    ) -> Result<Option<Recent>, Error> {
        if let Some(ending) = self.ending(session).await? {
            if !ending.is_in(scope) {
                return Ok(None);
            }
            // The one object that any change of the session would have put there.
            let next = session.keys.log(ending.taken + 1);
            let is_there = session.client().get_start(&next, piece::START_BYTES).await?.is_some();
            if !is_there && let Some(seen) = ending.seen() {
                return Ok(Some(Recent { recency: self.recency, seen: Ok(seen) }));
            }
        }
        let recency = self.recency;
        let known = match session.look_at_existing().await {
            Ok(known) => known,
            // A stub whose session was never created, or is being created just now.
            Err(error) if error.kind() == ErrorKind::Missing => return Ok(None),
            // A place that does not answer, or refuses to, is no damaged session.
            Err(error) if !is_of_the_session(&error) => return Err(error),
            Err(error) => {
                return Ok(scope.is_empty().then_some(Recent { recency, seen: Err(error) }));
            }
        };
        let seen = match session.journal.gist_at(&known) {
            Some(gist) => Seen::Gist(gist),
            None => Seen::from(known.head()),
        };
        let is_in = scope.takes_entry(&known.begun.entry);
        Ok(is_in.then_some(Recent { recency, seen: Ok(seen) }))
    }

    /// What the note of the session says of its end, unless asking the session costs less.
    async fn ending(&self, session: &Session) -> Result<Option<Ending>, Error> {
        let known = session.young().and_then(|known| session.journal.gist_at(&known));
        if known.is_some() || self.bytes == 0 || self.bytes > ending::MOST_BYTES {
            return Ok(None);
        }
        let note = session.place.keys.note(&session.key, self.recency.updated_at.millis());
        let object = session.client().get(&note).await?;
        Ok(object.and_then(|object| Ending::decode(&session.key, &object.bytes)))
    }
}

/// Whether an error says something of a session's bytes, and not of the place.
fn is_of_the_session(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::UnknownVersion)
}
