//! Appending to a journal: what is known of its end, and the one write and one flush.

use std::fs::File;
use std::io;
use std::sync::Arc;

use sessile_core::backend::{Appended, Expected};
use sessile_core::commit::{Commit, Tip};
use sessile_core::digest::{Salt, Token};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::SessionKey;
use sessile_core::line;
use sessile_core::time::UnixMillis;

use crate::blocks;
use crate::door::{Folder, WriteFile};
use crate::failure;
use crate::header;
use crate::identity::Identity;
use crate::known::{Known, Mark, Torn};
use crate::note::Note;
use crate::padding;
use crate::replay;
use crate::rewriting::Replaced;
use crate::root::{self, Root};
use crate::set_aside;
use sessile_core::journal::LastWord;

/// A journal that is open for appending; every call needs its lock to be held.
#[derive(Debug)]
pub(crate) struct Writer {
    folder: Folder,
    name: String,
    file: WriteFile,
    reading: Arc<File>,
    identity: Identity,
    salt: Salt,
    /// None before the end was looked for, and after a failure that leaves it uncertain.
    known: Option<Known>,
    /// Whether this handle made the file's name durable, or knows that it is.
    folder_synced: bool,
    /// Whether another file was put in its place since it was opened.
    replaced: bool,
    /// Whether this handle has appended to the file before: it stays, and pads from then on
    /// (docs/adr/0002-journal-file-layout.md, 3).
    stays: bool,
}

impl Writer {
    /// Opens a journal.
    ///
    /// # Errors
    /// *missing*, *corrupt* where its header is, *unknown version*, *permission*, *unavailable*.
    pub(crate) fn open(root: &Root, key: &SessionKey) -> Result<Self, Error> {
        let folder = root.sessions(key)?;
        let name = root::journal_name(key);
        let (file, reading, identity) = open_file(&folder, &name, key)?;
        let salt = header::read(&reading, key)?.salt;
        Ok(Self {
            folder,
            name,
            file,
            reading,
            identity,
            salt,
            known: None,
            folder_synced: false,
            replaced: false,
            stays: false,
        })
    }

    /// Appends commits where the journal is expected to end.
    pub(crate) fn append(
        &mut self,
        root: &Root,
        key: &SessionKey,
        expected: Expected,
        commits: &[Commit],
    ) -> Result<Vec<Appended>, Error> {
        let (known, torn) = self.look(key)?;
        let Some(first) = commits.first() else {
            return Ok(Vec::new());
        };
        let lost = match expected {
            Expected::At(tip) if tip == known.tip => None,
            Expected::At(tip) => self.applied(&known, tip, commits)?,
            Expected::End => replay::find_lately(&self.reading, self.salt, known.end, commits)
                .map_err(|error| failure::unavailable("the journal can't be read", error))?,
        };
        let callers = |e: &&NewEntry| e.entry_type != EntryType::State;
        let undeletes = first
            .entries()
            .iter()
            .find(callers)
            .is_some_and(|e| e.entry_type == EntryType::Undelete);
        if lost.is_none() && known.last_word.deleted && (known.last_word.purged || !undeletes) {
            return Err(Error::new(ErrorKind::Deleted, "it was deleted"));
        }
        if let Expected::At(tip) = expected
            && tip != known.tip
            && lost.is_none()
        {
            return Err(Error::conflict(tip.position, known.tip.position));
        }
        let Some(torn) = torn else {
            return match lost {
                // What is told again must be durable, which its writer may not have lived to see.
                Some(appended) if known.durable_offset < known.end => {
                    self.write(&known, &[]).map(|_| appended)
                }
                Some(appended) => Ok(appended),
                None => {
                    let known = self.settled(known)?;
                    self.write(&known, commits)
                }
            };
        };
        let at = first.entries().first().map_or_else(UnixMillis::default, |entry| entry.at);
        // Asked before the tail is cut off, and only where the answer matters.
        let is_begun = matches!((expected, &lost), (Expected::At(_), None)) && {
            let tail = (known.end, torn.content_offset);
            replay::is_begun(&self.reading, self.salt, tail, commits)
                .map_err(|error| failure::unavailable("the torn tail can't be read", error))?
        };
        let repair = self.cut(root, key, &known, &torn, (first.token(), at))?;
        match (expected, lost) {
            (_, Some(appended)) => self.write(&known, &[repair]).map(|_| appended),
            // A note would take the number of what follows. What is kept is told without one.
            (Expected::At(_), None) if is_begun => self.write(&known, commits),
            // The journal ends elsewhere now, which whoever named its end must see.
            (Expected::At(tip), None) => {
                let repaired = self.write(&known, &[repair])?;
                let actual = repaired.last().map_or(known.tip.position, |a| a.tip.position);
                Err(Error::conflict(tip.position, actual))
            }
            (Expected::End, None) => {
                let mut all = vec![repair];
                all.extend_from_slice(commits);
                Ok(self.write(&known, &all)?.split_off(1))
            }
        }
    }

    /// Makes durable what was there when this handle came, if nothing says that it is.
    ///
    /// What others add while it stays is written again in the write of its own next commit, which
    /// names what was durable before. If a handle that only comes for one commit did so too, no
    /// commit would ever say that the one before it is durable, and all would be written again and
    /// again.
    fn settled(&mut self, known: Known) -> Result<Known, Error> {
        if self.stays || known.durable_offset == known.end {
            return Ok(known);
        }
        self.write(&known, &[])?;
        Ok(self.known.unwrap_or(known))
    }

    /// What an append did whose answer was lost, if its commits stand right after its tip.
    fn applied(
        &self,
        known: &Known,
        tip: Tip,
        commits: &[Commit],
    ) -> Result<Option<Vec<Appended>>, Error> {
        if tip.position >= known.tip.position {
            return Ok(None);
        }
        replay::find(&self.reading, self.salt, known.end, tip, commits)
            .map_err(|error| failure::unavailable("the journal can't be read", error))
    }

    /// Looks at the journal anew: whether the name still leads to the file, what others added.
    pub(crate) fn look(&mut self, key: &SessionKey) -> Result<(Known, Option<Torn>), Error> {
        let seen = self.folder.look(&self.name);
        let seen = seen.map_err(|error| not_opened(key, error))?;
        if seen.is_same_file(&self.identity) {
            self.identity = seen;
        } else {
            let (file, reading, identity) = open_file(&self.folder, &self.name, key)?;
            self.salt = header::read(&reading, key)?.salt;
            (self.file, self.reading, self.identity) = (file, reading, identity);
            (self.known, self.folder_synced, self.stays) = (None, false, false);
            self.replaced = true;
        }
        let failed = |error| failure::unavailable("the journal's end can't be read", error);
        let caught_up = match self.known.take() {
            Some(known) => {
                let size = self.identity.size;
                known.catch_up(&self.reading, self.salt, size).map_err(failed)?
            }
            None => None,
        };
        let (known, torn) = match caught_up {
            Some(caught_up) => caught_up,
            None => Known::find(&self.reading, self.salt).map_err(failed)?,
        };
        if known.tip == Tip::ABSENT {
            return Err(sessile_core::header::corrupt("its first commit is not whole"));
        }
        self.known = torn.is_none().then_some(known);
        Ok((known, torn))
    }

    /// Keeps a torn tail aside, durably, and cuts it off; answers the commit that records it.
    pub(crate) fn cut(
        &mut self,
        root: &Root,
        key: &SessionKey,
        known: &Known,
        torn: &Torn,
        (seed, at): (Token, UnixMillis),
    ) -> Result<Commit, Error> {
        self.known = None;
        let kept = set_aside::keep(root, key, &self.reading, known.end, torn.content_offset)?;
        self.file
            .truncate(known.end)
            .map_err(|error| failure::unavailable("the torn tail can't be cut off", error))?;
        self.identity.size = known.end;
        // Above every number that the fragment has, so that no number ever means two entries.
        let seq = torn.highest.and_then(|highest| highest.after().seq());
        let seq = seq.filter(|seq| seq.number() > known.tip.position.number());
        set_aside::record(kept, torn.failure.reason, seq, seed, at)
    }

    /// Writes what others left unsynced, the commits and padding in one go, and syncs.
    pub(crate) fn write(
        &mut self,
        known: &Known,
        commits: &[Commit],
    ) -> Result<Vec<Appended>, Error> {
        let mut bytes = blocks::read(&self.reading, known.durable_offset, known.end)
            .map_err(|error| failure::unavailable("the journal's end can't be read", error))?
            .to_vec();
        if !known.terminated {
            bytes.push(b'\n');
        }
        let mut tip = known.tip;
        let mut last_word = None;
        let mut appended = Vec::with_capacity(commits.len());
        for commit in commits {
            let stored = commit.stored_at(tip, known.durable)?;
            last_word = LastWord::of(&stored).or(last_word);
            line::encode_commit(&mut bytes, &stored, self.salt);
            tip = stored.tip();
            appended.push(Appended { first: stored.first_seq(), tip, replayed: false });
        }
        let content = bytes.len();
        let end = known.durable_offset + u64::try_from(content).unwrap_or(0);
        if self.stays || self.identity.size > known.end {
            padding::pad(&mut bytes, known.durable_offset, self.identity.size);
        }
        self.stays |= !commits.is_empty();
        // From here on the end is uncertain until the sync says otherwise.
        self.known = None;
        self.write_bytes(known, &bytes, content)?;
        self.sync()?;
        let written = known.durable_offset + u64::try_from(bytes.len()).unwrap_or(0);
        self.identity.size = self.identity.size.max(written);
        let last_word = last_word.unwrap_or(known.last_word);
        self.known = Some(Known {
            tip,
            end,
            terminated: true,
            durable: tip.position,
            durable_offset: end,
            last_word,
            mark: Mark::of(bytes.get(..content).unwrap_or_default()),
        });
        Ok(appended)
    }

    /// Writes bytes of which the first so many matter; padding that does not fit is left out.
    fn write_bytes(&self, known: &Known, bytes: &[u8], content: usize) -> Result<(), Error> {
        let (mut written, mut stopped) = self.file.write_at(bytes, known.durable_offset);
        if written < content && stopped.as_ref().is_some_and(failure::is_full) {
            let rest = bytes.get(written..content).unwrap_or_default();
            let offset = known.durable_offset + u64::try_from(written).unwrap_or(0);
            let (more, still) = self.file.write_at(rest, offset);
            (written, stopped) = (written + more, still);
        }
        match stopped {
            Some(error) if written < content => {
                let failed = failure::unavailable("the append can't be written", error);
                // What is half there must be gone for good before the caller may believe so.
                let back = self.file.truncate(known.end).and_then(|()| self.file.sync());
                Err(if back.is_ok() { failed } else { failed.outcome_unknown() })
            }
            _ => Ok(()),
        }
    }

    /// Makes what was written durable, and with it the file's name.
    fn sync(&mut self) -> Result<(), Error> {
        let failed = |error| {
            failure::unavailable("the append is written but can't be synced", error)
                .outcome_unknown()
                .with_hint("send it again: it is recognised if it is there")
        };
        self.file.sync().map_err(failed)?;
        if !self.folder_synced {
            self.folder.sync().map_err(failed)?;
            self.folder_synced = true;
        }
        Ok(())
    }

    /// The file, to be replaced by another; what is known of its end goes with it.
    pub(crate) fn replaced(&mut self, known: &Known) -> Replaced<'_> {
        self.known = None;
        Replaced {
            folder: &self.folder,
            name: &self.name,
            file: &self.reading,
            salt: self.salt,
            end: known.end,
            tip: known.tip,
        }
    }

    /// Gives the padding back, if the end is what this writer thinks; answers what is to be
    /// noted of the journal then.
    pub(crate) fn trim(&mut self, key: &SessionKey) -> Result<Option<Note>, Error> {
        let (known, None) = self.look(key)? else {
            return Ok(None);
        };
        if known.terminated && known.end < self.identity.size {
            self.file
                .truncate(known.end)
                .map_err(|error| failure::unavailable("the padding can't be cut", error))?;
            self.identity.size = known.end;
        }
        let file = (&*self.reading, &self.identity);
        Ok(Note::of(file, (known.tip, known.end), known.last_word.updated_at).ok())
    }

    /// Whether another file was put in the place of the one that was opened.
    pub(crate) const fn was_replaced(&self) -> bool {
        self.replaced
    }

    /// Takes the file for its own that it has put in place of the former one.
    pub(crate) fn settle_in(&mut self, key: &SessionKey) {
        // One that can't be opened is looked for again by whoever comes next.
        self.replaced = self.look(key).is_err();
    }
}

fn open_file(
    folder: &Folder,
    name: &str,
    key: &SessionKey,
) -> Result<(WriteFile, Arc<File>, Identity), Error> {
    let open = || {
        let file = folder.file_to_write(name)?;
        let reading = Arc::new(file.handle().try_clone()?);
        Ok((file, reading, folder.look(name)?))
    };
    open().map_err(|error| not_opened(key, error))
}

fn not_opened(key: &SessionKey, error: io::Error) -> Error {
    if failure::is_missing(&error) {
        return root::missing(key);
    }
    failure::unavailable("the journal can't be opened", error)
}
