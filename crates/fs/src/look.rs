//! Looking at a journal without its lock.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::{ChangeToken, Head, SetAside};
use sessile_core::commit::Tip;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::id::SessionKey;

use crate::door::Folder;
use crate::failure;
use crate::header::{self as header_line, HeaderLine};
use crate::lock;
use crate::root::{self, Root};
use crate::tail::{self, End};

/// How often a reader without the lock looks again at what seems torn.
const LOOKS_COMPARED: usize = 100;

/// A journal as a reader found it.
#[derive(Debug)]
pub(crate) struct Look {
    /// Its file.
    pub(crate) file: Arc<File>,
    /// Its header.
    pub(crate) header: HeaderLine,
    /// Its end.
    pub(crate) end: End,
}

/// Looks at a journal.
///
/// Bytes that a writer is just putting down look torn. So whoever sees a torn tail or damage
/// looks again while nobody writes, before it is told.
///
/// # Errors
/// *missing*, *corrupt* where the header is, *unknown version*, *permission*, *unavailable*.
pub(crate) fn look(root: &Root, key: &SessionKey, deadline: Duration) -> Result<Look, Error> {
    look_within(&root.sessions(key)?, key, deadline)
}

/// Looks at a journal in the folder of its space's sessions.
pub(crate) fn look_within(
    folder: &Folder,
    key: &SessionKey,
    deadline: Duration,
) -> Result<Look, Error> {
    let seen = look_once(folder, key)?;
    if seen.is_sound() {
        return Ok(seen);
    }
    let no_writer = lock::wait_for_writers(folder, &root::lock_name(key), deadline)?;
    let mut seen = look_once(folder, key)?;
    if no_writer.is_some() {
        return Ok(seen);
    }
    // Without the lock: what two looks agree upon is not just being written.
    for _ in 0..LOOKS_COMPARED {
        let again = look_once(folder, key)?;
        if again.end == seen.end {
            return Ok(again);
        }
        seen = again;
    }
    Err(Error::new(ErrorKind::Unavailable, "the journal changes with every look at it").retryable())
}

fn look_once(folder: &Folder, key: &SessionKey) -> Result<Look, Error> {
    let file = folder.file_to_read(&root::journal_name(key)).map_err(|error| {
        if failure::is_missing(&error) {
            return root::missing(key);
        }
        failure::unavailable("the journal can't be opened", error)
    })?;
    let header = header_line::read(&file, key)?;
    let end = tail::find(&file, header.salt)
        .map_err(|error| failure::unavailable("the journal can't be read", error))?;
    if end.extent.tip == Tip::ABSENT {
        return Err(header::corrupt("its first commit is not whole"));
    }
    Ok(Look { file: Arc::new(file), header, end })
}

impl Look {
    /// Whether nothing is wrong with its end, as far as that was read.
    pub(crate) const fn is_sound(&self) -> bool {
        self.end.extent.tail.is_none() && self.end.extent.damage.is_empty()
    }

    /// What is told of the journal without its transcript.
    pub(crate) fn into_head(self) -> Head {
        let End { extent, content_offset, last_word, .. } = self.end;
        let tail = extent.tail.map(|failure| SetAside {
            offset: extent.end,
            bytes: content_offset.saturating_sub(extent.end),
            reason: failure.reason.to_string(),
            kept_at: None,
        });
        let token = extent.tip.token.map(|token| token.to_string()).unwrap_or_default();
        Head {
            tip: extent.tip,
            header: self.header.entry,
            change: ChangeToken(format!("{}-{token}-{content_offset}", self.header.file)),
            bytes: extent.end,
            updated_at: last_word.updated_at,
            deleted: last_word.deleted,
            tail,
        }
    }
}
