//! What repairs cut off journals, kept beside them byte for byte.

use std::fs::File;

use sessile_core::backend::SetAside;
use sessile_core::commit::Commit;
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::shape::Repaired;
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::Error;
use sessile_core::id::SessionKey;
use sessile_core::journal::Reason;
use sessile_core::limits::Limits;
use sessile_core::payload::Payload;
use sessile_core::position::Seq;
use sessile_core::spelling;
use sessile_core::time::UnixMillis;

use crate::blocks::{self, BLOCK};
use crate::failure;
use crate::root::{Root, SET_ASIDE};

/// Where a fragment is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Its path below the root.
    pub(crate) path: String,
    /// Where in the journal it began.
    pub(crate) offset: u64,
    /// How many bytes it has.
    pub(crate) bytes: u64,
}

/// Copies a stretch of a journal into a file of its own, durably.
pub(crate) fn keep(
    root: &Root,
    key: &SessionKey,
    file: &File,
    from: u64,
    to: u64,
) -> Result<Kept, Error> {
    let failed = |error| failure::unavailable("the torn tail can't be kept aside", error);
    let session = spelling::of_session(&key.id);
    let above = root.durable_folder(&key.space, SET_ASIDE)?;
    let folder = above.folder_or_made(&session).map_err(failed)?;
    above.sync().map_err(failed)?;
    let mut number = 0;
    let (file_name, kept) = loop {
        let file_name = format!("{from}-{number}");
        match folder.new_file(&file_name) {
            Ok(kept) => break (file_name, kept),
            Err(error) if failure::exists(&error) => number += 1,
            Err(error) => return Err(failed(error)),
        }
    };
    let mut copied = 0;
    while from + copied < to {
        let block =
            blocks::read(file, from + copied, to.min(from + copied + BLOCK)).map_err(failed)?;
        if block.is_empty() {
            break;
        }
        if let (_, Some(error)) = kept.write_at(&block, copied) {
            return Err(failed(error));
        }
        copied += u64::try_from(block.len()).unwrap_or(0);
    }
    kept.sync().and_then(|()| folder.sync()).map_err(failed)?;
    let space = spelling::of_space(&key.space);
    let kept_at = format!("spaces/{space}/{SET_ASIDE}/{session}/{file_name}");
    Ok(Kept { path: kept_at, offset: from, bytes: copied })
}

/// The commit that records a repair, at a time; its token is as unique as the one it is made from,
/// without a source of chance.
pub(crate) fn record(
    kept: Kept,
    reason: Reason,
    seq: Option<Seq>,
    seed: Token,
    at: UnixMillis,
) -> Result<Commit, Error> {
    let Kept { path: kept_at, offset, bytes } = kept;
    let repaired = Repaired { bytes, offset, reason: reason.to_string(), kept_at };
    let parts = [seed.to_string(), "repaired".to_owned()];
    let token = Token::from_digest(Digest::of_parts(parts.iter().map(String::as_bytes)));
    let mut entry = NewEntry::new(at, EntryType::Repaired, Payload::of(&repaired)?);
    entry.seq = seq;
    Commit::new(format!("repaired-{token}").parse()?, token, vec![entry], &Limits::default())
}

/// Removes what is kept of a session, durably: it may hold what is to be gone.
pub(crate) fn remove(root: &Root, key: &SessionKey) -> Result<(), Error> {
    let failed = |error| failure::unavailable("what was set aside can't be removed", error);
    let Some(above) = root.folder_to_write(&key.space, SET_ASIDE)? else { return Ok(()) };
    let session = spelling::of_session(&key.id);
    let folder = match above.folder_to_write(&session) {
        Ok(folder) => folder,
        // Whoever removed it may have died before that was durable.
        Err(error) if failure::is_missing(&error) => return above.sync().map_err(failed),
        Err(error) => return Err(failed(error)),
    };
    for file_name in folder.names().map_err(failed)? {
        folder.remove(&file_name).map_err(failed)?;
    }
    // Before the folder goes: whoever finds it gone syncs its files no more.
    folder.sync().map_err(failed)?;
    above.remove_folder(&session).and_then(|()| above.sync()).map_err(failed)
}

/// Lists what is kept of a session, oldest first.
pub(crate) fn list(root: &Root, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
    let failed = |error| failure::unavailable("what was set aside can't be listed", error);
    let session = spelling::of_session(&key.id);
    let space = spelling::of_space(&key.space);
    let Some(folder) = root.folder(&key.space, SET_ASIDE)? else {
        return Ok(Vec::new());
    };
    let folder = match folder.folder(&session) {
        Ok(folder) => folder,
        Err(error) if failure::is_missing(&error) => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut kept = Vec::new();
    for file_name in folder.names().map_err(failed)? {
        let numbers = file_name.split_once('-').map(|(o, n)| (o.parse::<u64>(), n.parse::<u64>()));
        let Some((Ok(offset), Ok(number))) = numbers else {
            continue;
        };
        let bytes = folder.look(&file_name).map_err(failed)?.size;
        let kept_at = format!("spaces/{space}/{SET_ASIDE}/{session}/{file_name}");
        let reason = "cut off by a repair".to_owned();
        kept.push((offset, number, SetAside { offset, bytes, reason, kept_at: Some(kept_at) }));
    }
    kept.sort_by_key(|(offset, number, _)| (*offset, *number));
    Ok(kept.into_iter().map(|(_, _, set_aside)| set_aside).collect())
}
