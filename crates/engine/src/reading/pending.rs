//! The messages of the turn that is under way.

use sessile_core::backend::Span;
use sessile_core::{EntryType, Error};

use super::message::RawMessage;
use crate::resident::Resident;

/// The messages that the active request has written and that no outcome has adopted yet, of the
/// journal as it was when it was last read.
///
/// # Errors
/// *corrupt* where damage lies among them; those of reading.
pub(crate) async fn pending(resident: &Resident) -> Result<Vec<RawMessage>, Error> {
    let hidden = resident.folded().state().sight().hidden().clone();
    let Some((first, last)) = hidden.pending() else {
        return Ok(Vec::new());
    };
    let mut messages = Vec::new();
    let mut commits = resident.read(Span::From(first)).await?;
    while let Some(commit) = resident.opened().next(&mut commits).await {
        let commit = commit.map_err(|error| error.about(resident.key()))?;
        let is_behind = commit.first_seq() > last;
        for entry in commit.entries {
            if entry.entry_type == EntryType::Message && hidden.is_pending(entry.seq) {
                let (seq, at, data) = (entry.seq, entry.at, entry.data);
                messages.push(RawMessage { seq, at, ordinal: None, data });
            }
        }
        if is_behind {
            break;
        }
    }
    Ok(messages)
}
