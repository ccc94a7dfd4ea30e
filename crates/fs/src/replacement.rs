//! A journal that is to take another's place: filled before the lock is taken, piece by piece, so
//! that neither memory nor the wait of others grows with its length.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use sessile_core::backend::Commits;
use sessile_core::commit::{StoredCommit, Tip};
use sessile_core::digest::{Salt, Token};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::id::SessionKey;
use sessile_core::line;
use sessile_core::position::Position;

use crate::failure;
use crate::look;
use crate::pool::Pool;
use crate::root::Root;
use crate::whole::WholeFile;

/// So many payload bytes are written at once.
const PIECE: usize = 256 << 10;

/// A journal's file under a name of its own; it goes away unless it is put in the journal's place.
#[derive(Debug)]
pub(crate) struct Replacement {
    key: SessionKey,
    whole: WholeFile,
    /// The initial value of its checksums; none before the header.
    salt: Option<Salt>,
    prev: Option<Token>,
    position: Position,
}

fn refused(clause: &'static str) -> Error {
    Error::new(ErrorKind::Refused, clause)
}

fn failed(error: std::io::Error) -> Error {
    failure::unavailable("the journal can't be rewritten", error)
}

impl Replacement {
    /// Begins one that has nothing yet, if the journal seems to end where it is expected to: for
    /// certain that is known under the lock alone.
    ///
    /// # Errors
    /// *deleted*, *conflict*, and those of looking at the journal.
    pub(crate) fn begin(
        root: &Root,
        key: &SessionKey,
        expected: Tip,
        deadline: Duration,
    ) -> Result<Self, Error> {
        let head = look::look(root, key, deadline)?.head();
        if head.deleted {
            return Err(Error::new(ErrorKind::Deleted, "it was deleted").about(key));
        }
        if head.tip != expected {
            return Err(Error::conflict(expected.position, head.tip.position).about(key));
        }
        let whole = WholeFile::begin(&root.sessions(key)?).map_err(failed)?;
        Ok(Self { key: key.clone(), whole, salt: None, prev: None, position: Position::START })
    }

    /// Adds the next commits, which are linked to those before them.
    ///
    /// # Errors
    /// *refused* where the first one has no header of this session, or numbers do not rise.
    fn add(&mut self, commits: Vec<StoredCommit>) -> Result<(), Error> {
        let mut lines = Vec::new();
        for mut commit in commits {
            let salt = match self.salt {
                Some(salt) => salt,
                None => *self.salt.insert(self.salt_of(&commit)?),
            };
            for entry in &commit.entries {
                if entry.seq.number() < self.position.number() {
                    return Err(refused("the numbers of the entries do not rise"));
                }
                self.position = entry.seq.after();
            }
            if commit.entries.is_empty() {
                return Err(refused("a commit has no entries"));
            }
            commit.prev = self.prev.replace(commit.token);
            line::encode_commit(&mut lines, &commit, salt);
        }
        self.whole.add(&lines).map_err(failed)
    }

    fn salt_of(&self, first: &StoredCommit) -> Result<Salt, Error> {
        let clause = "a journal begins with a header";
        let entry = first.entries.first().ok_or_else(|| refused(clause))?;
        let header = header::read(entry).map_err(|error| refused(clause).with_source(error))?;
        if header.id != self.key.id || header.space != self.key.space {
            return Err(refused("the header is of another session"));
        }
        Ok(header.salt)
    }

    /// Makes what it has durable, if it ends as the journal does.
    ///
    /// # Errors
    /// *refused* where it does not.
    fn finish(mut self, expected: Tip) -> Result<WholeFile, Error> {
        if (Tip { position: self.position, token: self.prev }) != expected {
            return Err(refused("the last commit is not the journal's last one"));
        }
        self.whole.sync().map_err(failed)?;
        Ok(self.whole)
    }
}

/// A replacement that is being filled by the threads of a store.
#[derive(Debug)]
pub(crate) struct Filling {
    pool: Pool,
    /// None while a thread has it.
    replacement: Option<Replacement>,
}

impl Filling {
    /// Begins to fill one.
    pub(crate) const fn new(pool: Pool, replacement: Replacement) -> Self {
        Self { pool, replacement: Some(replacement) }
    }

    /// Writes commits as they come; answers the file once all of it is durable.
    ///
    /// # Errors
    /// What the stream gives, and *refused* where it is no journal that ends as expected.
    pub(crate) async fn fill(
        mut self,
        mut commits: Commits,
        expected: Tip,
    ) -> Result<WholeFile, Error> {
        loop {
            let (piece, is_last) = next_piece(&mut commits).await?;
            let Some(mut replacement) = self.replacement.take() else {
                return Err(refused("the replacement is gone"));
            };
            if is_last {
                let finish = move || {
                    replacement.add(piece)?;
                    replacement.finish(expected)
                };
                return self.pool.run(finish).await;
            }
            let add = move || replacement.add(piece).map(|()| replacement);
            self.replacement = Some(self.pool.run(add).await?);
        }
    }
}

impl Drop for Filling {
    /// Where the stream breaks off, or nobody waits any more.
    fn drop(&mut self) {
        if let Some(replacement) = self.replacement.take() {
            self.pool.drop_there(replacement);
        }
    }
}

/// The next commits that make up a piece, and whether they are the last ones.
async fn next_piece(commits: &mut Commits) -> Result<(Vec<StoredCommit>, bool), Error> {
    let (mut piece, mut bytes) = (Vec::new(), 0);
    while let Some(commit) = commits.try_next().await? {
        bytes += commit.entries.iter().map(|entry| entry.data.len()).sum::<usize>();
        piece.push(commit);
        if bytes >= PIECE {
            return Ok((piece, false));
        }
    }
    Ok((piece, true))
}
