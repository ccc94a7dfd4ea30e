//! Following a catalog, and the folder of the journals that it is of.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sessile_core::error::Error;
use sessile_core::id::{SessionId, Space};
use sessile_core::spelling;

use super::folding::RECENCY;
use super::holder::Presence;
use super::index::Index;
use super::line::Line;
use crate::blocks;
use crate::door::Folder;
use crate::failure;
use crate::identity::Identity;
use crate::root::{CATALOG, Root, SESSIONS};
use crate::stamp::Stamp;
use crate::trust;

/// No more of a catalog is read than so much: beyond it, it says nothing.
const MOST_READ: u64 = 1 << 30;

/// For how long two changes of a folder may have one time, on systems with the coarsest clocks.
const COARSE: Duration = Duration::from_millis(50);

/// What a handle has read of the catalog of one space.
#[derive(Debug)]
pub(crate) struct Reading {
    sessions: PathBuf,
    catalog: PathBuf,
    pub(crate) index: Index,
    /// The file that was read, and up to where.
    read: Option<(Identity, u64)>,
    /// The stamp of the folder that was seen last, and since when.
    seen: Option<(Stamp, Instant)>,
    /// Whether another file was found in the place of the one that was read.
    pub(crate) was_replaced: bool,
    /// Whether what is noted without being synced can be relied upon.
    is_trusted: bool,
}

impl Reading {
    /// Has read nothing yet of what lies at these paths.
    pub(crate) fn of(sessions: PathBuf, catalog: PathBuf) -> Self {
        let (index, read, seen) = (Index::default(), None, None);
        Self { sessions, catalog, index, read, seen, was_replaced: false, is_trusted: false }
    }

    /// The number of the file that was read.
    pub(crate) fn inode(&self) -> Option<u64> {
        self.read.as_ref().map(|(file, _)| file.inode())
    }

    /// Whether all that there is to know of the order is known: two questions to the system tell.
    pub(crate) fn is_current(&self) -> bool {
        self.is_trusted
            && self.index.is_sure()
            && self.index.names.is_some()
            && Stamp::by(&self.sessions).ok() == self.index.names
            && match (Identity::by(&self.catalog), &self.read) {
                (Ok(seen), Some((file, read))) => seen.is_same_file(file) && seen.size == *read,
                (Err(error), None) => failure::is_missing(&error),
                _ => false,
            }
    }

    /// Reads what was added; answers the folder of the journals, if there is one.
    ///
    /// # Errors
    /// *unavailable*, *permission* where it can't be told which journals there are.
    pub(crate) fn refresh(&mut self, root: &Root, space: &Space) -> Result<Option<Folder>, Error> {
        let Some(folder) = root.folder(space, SESSIONS)? else {
            (self.index, self.read, self.seen) = (Index::default(), None, None);
            return Ok(None);
        };
        let catalog = root.folder(space, CATALOG).ok().flatten();
        let boot = trust::boot(&folder);
        self.is_trusted = boot.is_some();
        if catalog.as_ref().and_then(|it| self.follow(it, boot.as_deref()).ok()).is_none() {
            // A catalog that can't be read says nothing.
            if self.read.take().is_some() || !self.is_trusted {
                self.index = Index::default();
            }
        }
        self.learn_names(&folder)?;
        if let Some(catalog) = &catalog {
            let mut presence = Presence::in_folder(catalog);
            self.index.release(&mut |mark| presence.has(mark));
        }
        if !self.is_trusted {
            self.index.doubt_all();
        }
        Ok(Some(folder))
    }

    /// Reads what was added to the catalog only; answers the folder of the journals.
    pub(crate) fn follow_only(
        &mut self,
        root: &Root,
        space: &Space,
    ) -> Result<Option<Folder>, Error> {
        let Some(folder) = root.folder(space, SESSIONS)? else { return Ok(None) };
        let Some(catalog) = root.folder(space, CATALOG)? else { return Ok(None) };
        let boot = trust::boot(&folder);
        self.is_trusted = boot.is_some();
        Ok(self.follow(&catalog, boot.as_deref()).ok().map(|()| folder))
    }

    /// Reads what was added to the file.
    fn follow(&mut self, catalog: &Folder, boot: Option<&str>) -> io::Result<()> {
        let seen = catalog.look(RECENCY)?;
        if let Some((file, read)) = &self.read
            && seen.is_same_file(file)
            && seen.size == *read
        {
            return Ok(());
        }
        let file = catalog.file_to_read(RECENCY)?;
        let identity = Identity::of(&file)?;
        let length = blocks::length(&file)?;
        if length > MOST_READ {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut from = match &self.read {
            Some((before, read)) if identity.is_same_file(before) && *read <= length => *read,
            _ => 0,
        };
        if from == 0 {
            self.was_replaced = self.read.is_some();
            self.index = Index::default();
            self.seen = None;
        }
        // A line that has no end yet is being written.
        let whole = self.index.take(&blocks::read(&file, from, length)?, boot);
        from += u64::try_from(whole).unwrap_or(0);
        self.read = Some((identity, from));
        Ok(())
    }

    /// Reads which journals there are, unless that is known as of the folder's stamp.
    fn learn_names(&mut self, folder: &Folder) -> Result<(), Error> {
        let failed = |error| failure::unavailable("the sessions can't be listed", error);
        let before = folder.stamp().ok();
        if before.is_some() && before == self.index.names {
            return Ok(());
        }
        let now = Instant::now();
        let entries = folder.entries().map_err(failed)?;
        let named: HashMap<SessionId, u64> = entries
            .into_iter()
            .filter_map(|(name, number)| {
                Some((spelling::to_session(name.strip_suffix(".jsonl")?)?, number))
            })
            .collect();
        self.index.learn_names(named);
        self.index.names = None;
        let after = folder.stamp().ok();
        let Some(stamp) = before.filter(|before| Some(*before) == after) else {
            self.seen = None;
            return Ok(());
        };
        match self.seen {
            // Whatever changes from here on has another time.
            Some((seen, since)) if seen == stamp && now.duration_since(since) > COARSE => {
                self.index.names = Some(stamp);
            }
            Some((seen, _)) if seen == stamp => {}
            _ => self.seen = Some((stamp, now)),
        }
        Ok(())
    }

    /// What to tell others of which journals there are; none where it is told already, or not
    /// known for sure.
    ///
    /// The catalog was written to just now, so its time is that of the system's clock: a folder
    /// that changes from here on gets one that is not before it.
    pub(crate) fn names_to_tell(&mut self, folder: &Folder) -> Option<(u64, Vec<Line>)> {
        let inode = self.inode()?;
        let stamp = folder.stamp().ok()?;
        if self.index.names == Some(stamp) || !self.is_trusted {
            return None;
        }
        let written = Stamp::by(&self.catalog).ok()?;
        if written.inode != inode || written.changed <= stamp.changed {
            return None;
        }
        let entries = folder.entries().ok()?;
        let named: HashMap<SessionId, u64> = entries
            .into_iter()
            .filter_map(|(name, number)| {
                Some((spelling::to_session(name.strip_suffix(".jsonl")?)?, number))
            })
            .collect();
        if folder.stamp().ok() != Some(stamp) {
            return None;
        }
        let is_known = |(id, number): (&SessionId, &u64)| self.index.inode_of(id) == Some(*number);
        if !named.iter().all(is_known) {
            return None;
        }
        let gone = self.index.ids().filter(|id| !named.contains_key(id));
        let mut lines: Vec<Line> = gone.map(Line::Gone).collect();
        lines.push(Line::Names(stamp));
        Some((inode, lines))
    }
}
