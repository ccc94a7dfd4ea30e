//! Recognising an append that was applied although its answer was lost.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::Arc;

use memchr::memmem;
use sessile_core::backend::Appended;
use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::Salt;
use sessile_core::entry::NewEntry;
use sessile_core::line;
use sessile_core::position::Seq;

use crate::blocks;
use crate::reader::Reader;
use crate::tail;

/// How far back an append at the end is looked for: it is sent again soon, or never.
const LATELY: u64 = 64 << 10;

/// What an append at the end did, if its commits stand among the last ones under its own tokens.
pub(crate) fn find_lately(
    file: &Arc<File>,
    salt: Salt,
    end: u64,
    commits: &[Commit],
) -> io::Result<Option<Vec<Appended>>> {
    let Some(first) = commits.first() else { return Ok(None) };
    let from = end.saturating_sub(LATELY);
    let bytes = blocks::read(file, from, end)?;
    if memmem::find(&bytes, first.token().to_string().as_bytes()).is_none() {
        return Ok(None);
    }
    let (_, found) = tail::scan(file, salt, from, end)?;
    let stored = found.iter().filter_map(tail::commit).map(|placed| &placed.commit);
    let stored: Vec<&StoredCommit> =
        stored.skip_while(|stored| stored.token != first.token()).collect();
    let is_whole = stored.len() >= commits.len()
        && stored.iter().zip(commits).all(|(stored, commit)| stored.token == commit.token());
    let appended = stored.iter().zip(commits).map(|(stored, _)| replayed(stored));
    Ok(is_whole.then(|| appended.collect()))
}

fn replayed(stored: &StoredCommit) -> Appended {
    Appended { first: stored.first_seq(), tip: stored.tip(), replayed: true }
}

/// What an append at a tip did, if its commits stand right after that tip under its own tokens.
pub(crate) fn find(
    file: &Arc<File>,
    salt: Salt,
    end: u64,
    expected: Tip,
    commits: &[Commit],
) -> io::Result<Option<Vec<Appended>>> {
    let from = expected.position.seq().unwrap_or(Seq::FIRST);
    let mut reader = Reader::new(Arc::clone(file), salt, end, from)?;
    let mut appended = Vec::with_capacity(commits.len());
    for commit in commits {
        match reader.next()? {
            Some(Ok(stored)) if stored.token == commit.token() => {
                appended.push(replayed(&stored));
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(appended))
}

/// The longest torn tail of which it is asked whether somebody only has to go on.
const GREATEST_TAIL: u64 = 64 << 20;

/// Whether a torn tail is what an earlier attempt left to append the same, where entries bring their own
/// numbers, as those of copies and forks do: each whole line of it is an entry of these commits.
pub(crate) fn is_begun(
    file: &Arc<File>,
    salt: Salt,
    (from, to): (u64, u64),
    commits: &[Commit],
) -> io::Result<bool> {
    let entries = commits.iter().flat_map(Commit::entries);
    let numbered: Option<BTreeMap<Seq, &NewEntry>> =
        entries.map(|entry| entry.seq.map(|seq| (seq, entry))).collect();
    let Some(numbered) = numbered.filter(|_| to.saturating_sub(from) <= GREATEST_TAIL) else {
        return Ok(false);
    };
    let bytes = blocks::read(file, from, to)?;
    let mut lines = bytes.split(|byte| matches!(byte, b'\n' | b'\0'));
    Ok(lines.all(|text| match line::decode_line(&bytes.slice_ref(text), Some(salt)) {
        Ok(line) => {
            let own = numbered.get(&line.entry.seq).map(|entry| (*entry).clone());
            own.is_some_and(|own| own.numbered(line.entry.seq) == line.entry)
        }
        // It says nothing, whoever wrote it.
        Err(_) => true,
    }))
}
