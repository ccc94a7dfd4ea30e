//! Looking at a journal without its lock.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sessile_core::backend::{ChangeToken, Head, SetAside};
use sessile_core::commit::Tip;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::id::SessionKey;
use sessile_core::journal::{self, Found};

use crate::blocks;
use crate::door::Folder;
use crate::failure;
use crate::header::{self as header_line, HeaderLine};
use crate::identity::Identity;
use crate::lock;
use crate::reader::Known;
use crate::root::{self, Root};
use crate::tail::{self, End};

/// How many bytes before its end a journal is known again by, and how many after it show whether
/// something was added: that begins there, but for a line end that was missing.
const MARK_BYTES: u64 = 64;
const PEEK_BYTES: u64 = 64;

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
    /// The commits before its end that were read to find it, and the damage between them.
    pub(crate) last: Vec<Found>,
    /// Which file it was.
    identity: Identity,
    /// What stood right before its end.
    mark: Bytes,
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
    let failed = |error| failure::unavailable("the journal can't be read", error);
    let (end, mut last) = tail::find(&file, header.salt).map_err(failed)?;
    if end.extent.tip == Tip::ABSENT {
        return Err(header::corrupt("its first commit is not whole"));
    }
    // Whoever reads is served no further.
    last.retain(|found| match found {
        Found::Commit(placed) => placed.end <= end.extent.end,
        Found::Failure(failure) => failure.offset < end.extent.end,
    });
    let mark_from = end.extent.end.saturating_sub(MARK_BYTES);
    let mark = blocks::read(&file, mark_from, end.extent.end).map_err(failed)?;
    let identity = Identity::of(&file).map_err(failed)?;
    Ok(Look { file: Arc::new(file), header, end, last, identity, mark })
}

impl Look {
    /// Whether nothing is wrong with its end, as far as that was read.
    pub(crate) const fn is_sound(&self) -> bool {
        self.end.extent.tail.is_none() && self.end.extent.damage.is_empty()
    }

    /// Whether a look now would find the same: a path leads to the same file, and nothing but padding
    /// stands where its commits ended. Commits are only ever added, and whatever else changes a
    /// journal puts another file in its place.
    pub(crate) fn still_holds(&self, path: &Path) -> bool {
        let end = self.end.extent.end;
        match Identity::by(path) {
            Ok(seen) if !seen.is_same_file(&self.identity) || seen.size < end => false,
            Ok(seen) if seen.size == end => true,
            Ok(_) => {
                let from = end.saturating_sub(MARK_BYTES);
                let around = blocks::read(&self.file, from, end.saturating_add(PEEK_BYTES));
                around.is_ok_and(|around| {
                    let after = around.strip_prefix(&*self.mark);
                    after.is_some_and(|after| journal::content_end(after) == 0)
                })
            }
            Err(_) => false,
        }
    }

    /// What a read back begins with.
    pub(crate) fn known(&self) -> Known<'_> {
        let (salt, end) = (self.header.salt, self.end.extent.end);
        Known { file: &self.file, salt, end, last: &self.last }
    }

    /// What is told of the journal without its transcript.
    pub(crate) fn head(&self) -> Head {
        let End { extent, content_offset, last_word, .. } = &self.end;
        let tail = extent.tail.map(|failure| SetAside {
            offset: extent.end,
            bytes: content_offset.saturating_sub(extent.end),
            reason: failure.reason.to_string(),
            kept_at: None,
        });
        let token = extent.tip.token.map(|token| token.to_string()).unwrap_or_default();
        Head {
            tip: extent.tip,
            header: self.header.entry.clone(),
            change: ChangeToken(format!("{}-{token}-{content_offset}", self.header.file)),
            bytes: extent.end,
            updated_at: last_word.updated_at,
            deleted: last_word.deleted,
            tail,
        }
    }
}
