//! Recognising an append that was applied although its answer was lost.

use std::fs::File;
use std::io;
use std::sync::Arc;

use sessile_core::backend::Appended;
use sessile_core::commit::{Commit, Tip};
use sessile_core::digest::Salt;
use sessile_core::position::Seq;

use crate::reader::Reader;

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
            Some(Ok(stored)) if stored.token == commit.token() => appended.push(Appended {
                first: stored.first_seq(),
                tip: stored.tip(),
                replayed: true,
            }),
            _ => return Ok(None),
        }
    }
    Ok(Some(appended))
}
