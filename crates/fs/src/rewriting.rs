//! Physical changes of a journal: masking, vacuum, purge. Each makes a new file and puts it in
//! place of the old one, so that a reader sees the one or the other, whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
use sessile_core::commit::{StoredCommit, Tip};
use sessile_core::digest::{Digest, Salt, Token};
use sessile_core::entry::shape::Header;
use sessile_core::entry::{Entry, EntryType, Member};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::journal::{Found, Placed, Scanner};
use sessile_core::line;
use sessile_core::payload::Payload;
use sessile_core::position::Seq;

use crate::blocks::{self, BLOCK};
use crate::door::Folder;
use crate::failure;
use crate::whole::{Stopped, WholeFile};
use sessile_core::journal::PURGED;

/// How many bytes are read at once.
const READ_AT_ONCE: u64 = 4 * BLOCK;

/// How many bytes of changed commits are written at once at least, where they follow each other.
const AT_ONCE: usize = 256 << 10;

/// The file of a journal that is to be replaced, whose lock is held.
#[derive(Debug)]
pub(crate) struct Replaced<'a> {
    /// The folder that it lies in.
    pub(crate) folder: &'a Folder,
    /// Its name there.
    pub(crate) name: &'a str,
    /// Its bytes.
    pub(crate) file: &'a Arc<std::fs::File>,
    /// The initial value of its checksums.
    pub(crate) salt: Salt,
    /// Where its commits end, in bytes, and what they end with.
    pub(crate) end: u64,
    pub(crate) tip: Tip,
}

fn failed(error: std::io::Error) -> Error {
    failure::unavailable("the journal can't be rewritten", error)
}

fn refused(clause: &'static str) -> Error {
    Error::new(ErrorKind::Refused, clause)
}

impl Replaced<'_> {
    /// Removes the data of entries; everything else, damage included, is copied as it is.
    pub(crate) fn mask(&self, seqs: &[Seq]) -> Result<(), Error> {
        let mut wanted: BTreeSet<Seq> = seqs.iter().copied().collect();
        if wanted.contains(&Seq::FIRST) {
            return Err(refused("the header can't be masked"));
        }
        let mut whole = WholeFile::begin(self.folder).map_err(failed)?;
        let mut copied = 0;
        let mut lines = Vec::new();
        self.each_commit(|placed| {
            let Placed { mut commit, offset, end, .. } = placed;
            let is_first = commit.first_seq() == Seq::FIRST;
            let mut changed = false;
            for entry in &mut commit.entries {
                if wanted.remove(&entry.seq) {
                    entry.redact()?;
                    changed = true;
                }
            }
            if is_first {
                renew_file(&mut commit, self.tip)?;
            } else if !changed {
                return Ok(());
            }
            // What follows what was changed before goes with it.
            if copied < offset || lines.len() > AT_ONCE {
                whole.add(&lines).map_err(failed)?;
                lines.clear();
            }
            whole.add_stretch(self.file, copied, offset).map_err(failed)?;
            line::encode_commit(&mut lines, &commit, self.salt);
            copied = end;
            Ok(())
        })?;
        if !wanted.is_empty() {
            return Err(refused("there is no such entry to mask"));
        }
        whole.add(&lines).map_err(failed)?;
        whole.add_stretch(self.file, copied, self.end).map_err(failed)?;
        self.put(whole)
    }

    /// Leaves the header and the tombstone.
    pub(crate) fn purge(&self) -> Result<(), Error> {
        let mut first = None;
        let mut tombstone = None;
        self.each_commit(|placed| {
            let commit = placed.commit;
            first.get_or_insert_with(|| commit.clone());
            if commit.has(&EntryType::Delete) {
                tombstone = Some(commit);
            }
            Ok(())
        })?;
        let (Some(mut first), Some(mut tombstone)) = (first, tombstone) else {
            return Err(refused("there is no tombstone to leave"));
        };
        first.entries.truncate(1);
        renew_file(&mut first, self.tip)?;
        // What came after the tombstone is bookkeeping; the journal still ends where it did.
        tombstone.entries.retain(|entry| entry.entry_type == EntryType::Delete);
        if let Some(last) = tombstone.entries.last_mut() {
            mark_purged(last)?;
            last.seq =
                self.tip.position.number().checked_sub(1).and_then(Seq::new).unwrap_or(last.seq);
        }
        tombstone.prev = Some(first.token);
        tombstone.token = self.tip.token.unwrap_or(tombstone.token);
        tombstone.state = None;
        let mut lines = Vec::new();
        line::encode_commit(&mut lines, &first, self.salt);
        line::encode_commit(&mut lines, &tombstone, self.salt);
        self.put(WholeFile::of(self.folder, &lines).map_err(failed)?)
    }

    /// Hands every whole commit on, in order, a block at a time.
    fn each_commit(&self, mut take: impl FnMut(Placed) -> Result<(), Error>) -> Result<(), Error> {
        let mut scanner = Scanner::from_start(self.salt);
        let mut found = Vec::new();
        let mut next = 0;
        let mut block = Bytes::new();
        while next < self.end {
            let to = self.end.min(next + READ_AT_ONCE);
            // What was handed on is let go of, and its memory is read into again, unless a commit
            // goes on behind it.
            let memory = block.try_into_mut().unwrap_or_default();
            block = blocks::read_into(memory, self.file, next, to).map_err(failed)?;
            scanner.feed(block.clone(), &mut found);
            next = to;
            if next == self.end {
                scanner.finish(&mut found);
            }
            for found in found.drain(..) {
                if let Found::Commit(placed) = found {
                    take(*placed)?;
                }
            }
        }
        Ok(())
    }

    /// Puts a file in its place.
    pub(crate) fn put(&self, whole: WholeFile) -> Result<(), Error> {
        whole.put_in_place(self.name).map_err(|Stopped { error, named }| {
            if named { failed(error).outcome_unknown() } else { failed(error) }
        })
    }
}

/// Gives the header a file token of its own, so that whoever knew the old file sees another; made
/// without a source of chance, from the token that it had and where the journal ends.
fn renew_file(first: &mut StoredCommit, tip: Tip) -> Result<(), Error> {
    let Some(entry) = first.entries.first_mut() else { return Ok(()) };
    let Header { file, .. } = header::read(entry)?;
    let old = file.to_string();
    let end = format!("{} {:?}", tip.position, tip.token);
    let parts = [old.as_bytes(), end.as_bytes()];
    let new = Token::from_digest(Digest::of_parts(parts)).to_string();
    entry.data = Payload::parse(entry.data.as_str().replace(&old, &new))?;
    Ok(())
}

/// Notes on a tombstone that nothing is left behind it.
fn mark_purged(entry: &mut Entry) -> Result<(), Error> {
    let member = Member { name: ByteString::from_static(PURGED), value: Payload::parse("true")? };
    entry.extra.retain(|other| other.name != member.name);
    entry.extra.push(member);
    Ok(())
}
