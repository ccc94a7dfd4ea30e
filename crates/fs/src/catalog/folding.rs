//! Folding a catalog: putting one in its place that tells of each session once, most of them in a
//! block.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use sessile_core::error::Error;
use sessile_core::id::SessionId;

use super::entry::Entry;
use super::holder::{self, Presence};
use super::index::Index;
use super::line::Line;
use super::packing::Packing;
use crate::blocks;
use crate::door::Folder;
use crate::identity::Identity;
use crate::lock;
use crate::note::Noted;
use crate::whole::{self, WholeFile};

/// The file of a space's notes, in a folder of its own.
pub(crate) const RECENCY: &str = "recency";

/// How long whoever puts another file in place may hold up the others; who stands still longer
/// finds that his file is not used any more.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// How many bytes hold the first two lines of a file.
pub(crate) const BEGINNING: u64 = 256;

/// How a boot is told of in a file.
pub(crate) fn name_of(boot: Option<&str>) -> &str {
    boot.unwrap_or("-")
}

/// What the beginning of a file tells: which boot it is of, and where its block ends, or 0 without
/// one.
pub(crate) fn beginning(bytes: &[u8]) -> (Option<Box<str>>, u64) {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut next = || {
        let line = lines.next()?;
        Some((Line::decode(line.strip_suffix(b"\n")?)?, u64::try_from(line.len()).ok()?))
    };
    let Some((Line::Boot(of), boot)) = next() else { return (None, 0) };
    match next() {
        Some((Line::Block(label), line)) => (Some(of), (boot + line).saturating_add(label.bytes())),
        _ => (Some(of), 0),
    }
}

/// Replaces a catalog by what it comes to; one with so many bytes of lines only if half of them
/// become needless.
pub(crate) fn fold(
    folder: &Folder,
    boot: Option<&str>,
    tail: Option<u64>,
    without: Option<&SessionId>,
) -> io::Result<()> {
    let file = folder.file_to_read(RECENCY)?;
    lock::hold_alone(&file, PATIENCE).map_err(|error: Error| io::Error::other(error))?;
    if !folder.look(RECENCY)?.is_same_file(&Identity::of(&file)?) {
        // Somebody else was faster.
        return if without.is_some() { fold(folder, boot, tail, without) } else { Ok(()) };
    }
    let mut index = Index::default();
    index.take(&blocks::read(&file, 0, blocks::length(&file)?)?, boot);
    let mut presence = Presence::in_folder(folder);
    index.release(&mut |mark| presence.has(mark));
    let (block, lines) = folded(&mut index, without);
    let kept = u64::try_from(lines.len()).unwrap_or(u64::MAX);
    if tail.is_some_and(|tail| kept > tail / 2) && !index.is_broken {
        return Ok(());
    }
    // What dead writers have left may tell what is to be gone.
    whole::sweep(folder)?;
    let mut first = String::new();
    Line::Boot(name_of(boot).into()).encode(&mut first);
    let bytes = [first.as_bytes(), &block, lines.as_bytes()].concat();
    let whole = WholeFile::of(folder, &bytes)?;
    whole.put_in_place(RECENCY).map_err(|stopped| stopped.error)?;
    // Those that stay are tried again.
    let _left_over = holder::sweep(folder);
    Ok(())
}

/// What an index comes to: a block of those that nobody has open, and lines of the others.
///
/// Of a session that a holder had open who died, and of which nothing was noted, there is nothing to
/// tell. It is found by its name, so which names there are is not told then: whoever told it had
/// looked at the session.
pub(super) fn folded(index: &mut Index, without: Option<&SessionId>) -> (Vec<u8>, String) {
    index.unpack_all();
    let (mut packing, mut lines) = (Packing::begin(), String::new());
    for (_, id) in index.order() {
        let Some(entry) = index.get(id) else { continue };
        let Some(noted) = told(entry, without == Some(id)) else { continue };
        if entry.holders.is_empty() && packing.add(id, &noted, entry.is_sure) {
            continue;
        }
        let line = if entry.is_sure && entry.holders.is_empty() {
            Line::Found(id.clone(), noted)
        } else {
            Line::Former(id.clone(), noted)
        };
        line.encode(&mut lines);
    }
    let mut tells_of_all = true;
    for (id, entry) in index.entries() {
        tells_of_all &= entry.noted.is_some() || !entry.holders.is_empty();
        for holder in &entry.holders {
            Line::Open(Arc::clone(holder), id.clone()).encode(&mut lines);
        }
    }
    if let Some(stamp) = index.names.filter(|_| tells_of_all) {
        Line::Names(stamp).encode(&mut lines);
    }
    let mut block = Vec::new();
    packing.encode(&mut block);
    (block, lines)
}

fn told(entry: &Entry, is_scrubbed: bool) -> Option<Noted> {
    let mut noted = entry.noted.clone()?;
    if is_scrubbed {
        noted.gist = None;
    }
    Some(noted)
}
