//! Adding lines to a catalog, and putting a shorter one in its place.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sessile_core::id::{SessionId, Space};

use super::folding::{self, BEGINNING, PATIENCE, RECENCY};
use super::holder::Holder;
use super::line::Line;
use crate::blocks;
use crate::door::{Folder, WriteFile};
use crate::failure;
use crate::identity::Identity;
use crate::lock;
use crate::note::Noted;
use crate::root::{CATALOG, Root};
use crate::trust;

/// A catalog is folded when its lines have grown by so much, and to the length of its block.
const STEP: u64 = 256 << 10;

/// When a handle is closed a catalog is folded if its lines have grown by so much meanwhile, and by
/// a quarter of its block.
const REST: u64 = 64 << 10;

/// How often the file is opened that was just replaced.
const OPENED_AT_MOST: usize = 16;

/// How a handle adds to the catalog of one space.
#[derive(Debug)]
pub(crate) struct Adding {
    path: PathBuf,
    open: Option<Open>,
    holder: Option<Holder>,
}

/// Where it is told that a journal is open.
#[derive(Clone, Debug)]
pub(crate) struct Marked {
    /// The number of the catalog's file.
    inode: u64,
    /// What it is told by.
    pub(crate) mark: Arc<str>,
}

impl Marked {
    /// Whether the file in which it is told is the catalog of that path still.
    pub(crate) fn is_told_in(&self, path: &Path) -> bool {
        Identity::by(path).is_ok_and(|named| named.inode() == self.inode)
    }
}

#[derive(Debug)]
struct Open {
    folder: Folder,
    file: WriteFile,
    identity: Identity,
    /// Where its block ends, or 0 without one.
    block: u64,
    /// How long its lines were when it was opened.
    tail_before: u64,
}

impl Adding {
    /// Adds nothing yet to the file of a path.
    pub(crate) const fn to(path: PathBuf) -> Self {
        Self { path, open: None, holder: None }
    }

    /// Tells that this handle is going to change a journal.
    ///
    /// A catalog that this can't be told in is none: it goes, so that nobody relies upon it.
    /// Answers where it is told; none where it is not. What was told in a file that was replaced is
    /// told again by the same mark, which may stand in the new one too.
    pub(crate) fn mark(
        &mut self,
        root: &Root,
        space: &Space,
        id: &SessionId,
        told: Option<Marked>,
    ) -> Option<Marked> {
        let marked = self.with(root, space, |adding, open| {
            let mark = match told {
                Some(told) => told.mark,
                None => adding.holder_in(&open.folder)?.mark(),
            };
            let mut line = String::new();
            Line::Open(Arc::clone(&mark), id.clone()).encode(&mut line);
            open.file.append(line.as_bytes())?;
            Ok(Marked { inode: open.identity.inode(), mark })
        });
        if marked.is_err() {
            self.open = None;
            if let Ok(Some(folder)) = root.folder(space, CATALOG)
                && folder.file_to_read(RECENCY).is_ok()
            {
                let _nobody_can = folder.remove(RECENCY);
            }
        }
        marked.ok()
    }

    /// Tells how this handle leaves journals that it marked, whose locks it holds; and how others
    /// were found, if the catalog is still the file of which that was found out.
    pub(crate) fn close(
        &mut self,
        root: &Root,
        space: &Space,
        closed: Vec<(SessionId, Arc<str>, Option<Noted>)>,
        found: (Option<u64>, Vec<(SessionId, Noted)>),
    ) -> io::Result<()> {
        let (of_inode, found) = found;
        let mut tail = 0;
        self.with(root, space, |_, open| {
            let mut lines = String::new();
            for (id, mark, noted) in closed {
                Line::Closed(mark, id, noted).encode(&mut lines);
            }
            // Whoever opened one of them since then has told so in this file.
            if of_inode.is_none_or(|inode| inode == open.identity.inode()) {
                for (id, noted) in found {
                    Line::Found(id, noted).encode(&mut lines);
                }
            }
            open.file.append(lines.as_bytes())?;
            let after = open.tail()?;
            let before = after.saturating_sub(u64::try_from(lines.len()).unwrap_or(0));
            if before / STEP != after / STEP && after >= open.block {
                tail = after;
            }
            Ok(())
        })?;
        if tail > 0 { self.condense(root, space, Some(tail), None) } else { Ok(()) }
    }

    /// Folds the catalog if this handle has made its lines long enough: who comes next and reads
    /// all of it is served by the block.
    pub(crate) fn fold_rest(&mut self, root: &Root, space: &Space) -> io::Result<()> {
        let Some(open) = self.open.as_ref().filter(|open| open.is_named(&self.path)) else {
            return Ok(());
        };
        let (tail, step) = (open.tail()?, REST.max(open.block / 4));
        if open.tail_before / step == tail / step {
            return Ok(());
        }
        self.condense(root, space, Some(tail), None)
    }

    /// Adds lines that tell which journals there are, if the catalog is still a file.
    pub(crate) fn tell(
        &mut self,
        root: &Root,
        space: &Space,
        inode: u64,
        lines: &[Line],
    ) -> io::Result<()> {
        self.with(root, space, |_, open| {
            if open.identity.inode() != inode {
                return Ok(());
            }
            let mut text = String::new();
            for line in lines {
                line.encode(&mut text);
            }
            open.file.append(text.as_bytes())
        })
    }

    /// Takes from the catalog, durably, whatever it tells of a session but where it ends.
    pub(crate) fn scrub(&mut self, root: &Root, space: &Space, id: &SessionId) -> io::Result<()> {
        self.condense(root, space, None, Some(id))
    }

    /// The number of the catalog's file; none for a handle that only reads.
    pub(crate) fn added_to(&self) -> Option<u64> {
        self.holder.as_ref()?;
        Some(Identity::by(&self.path).ok()?.inode())
    }

    fn holder_in(&mut self, folder: &Folder) -> io::Result<&mut Holder> {
        match &mut self.holder {
            Some(holder) => Ok(holder),
            none => Ok(none.insert(Holder::new(folder)?)),
        }
    }

    /// Works with the file that has the name, which nobody replaces meanwhile.
    fn with<T>(
        &mut self,
        root: &Root,
        space: &Space,
        work: impl FnOnce(&mut Self, &Open) -> io::Result<T>,
    ) -> io::Result<T> {
        let open = self.shared(root, space)?;
        let done = work(self, &open);
        open.file.handle().unlock()?;
        if done.is_ok() {
            self.open = Some(open);
        }
        done
    }

    /// The file that has the name, locked against being replaced.
    fn shared(&mut self, root: &Root, space: &Space) -> io::Result<Open> {
        for _ in 0..OPENED_AT_MOST {
            let open = match self.open.take().filter(|open| open.is_named(&self.path)) {
                Some(open) => open,
                None => Self::opened(root, space)?,
            };
            lock::share(open.file.handle(), PATIENCE).map_err(io::Error::other)?;
            if open.is_named(&self.path) {
                return Ok(open);
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Opens the file, and makes it if it is missing or of another boot.
    fn opened(root: &Root, space: &Space) -> io::Result<Open> {
        let folder = root.folder_or_made(space, CATALOG).map_err(io::Error::other)?;
        let boot = trust::boot(&folder);
        for _ in 0..OPENED_AT_MOST {
            match folder.file_to_append(RECENCY) {
                Ok(file) => {
                    let identity = Identity::of(file.handle())?;
                    let beginning = blocks::read(file.handle(), 0, BEGINNING)?;
                    if beginning.is_empty() {
                        let mut line = String::new();
                        Line::Boot(folding::name_of(boot.as_deref()).into()).encode(&mut line);
                        file.append(line.as_bytes())?;
                        continue;
                    }
                    let (of, block) = folding::beginning(&beginning);
                    if of.is_some_and(|of| *of == *folding::name_of(boot.as_deref())) {
                        let mut open = Open { folder, file, identity, block, tail_before: 0 };
                        open.tail_before = open.tail()?;
                        return Ok(open);
                    }
                    folding::fold(&folder, boot.as_deref(), None, None)?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Puts a catalog that is folded in place of one with so many bytes of lines, if that makes
    /// half of them needless, or of one that tells what is to be gone.
    fn condense(
        &mut self,
        root: &Root,
        space: &Space,
        tail: Option<u64>,
        without: Option<&SessionId>,
    ) -> io::Result<()> {
        self.open = None;
        // What lies behind a link, or where this user may not go, is nobody's catalog.
        let Ok(Some(folder)) = root.folder(space, CATALOG) else {
            return Ok(());
        };
        if folder.file_to_read(RECENCY).is_err() {
            return Ok(());
        }
        let boot = trust::boot(&folder);
        match folding::fold(&folder, boot.as_deref(), tail, without) {
            Err(error) if !failure::is_missing(&error) && without.is_some() => {
                // Where it can't be shortened it must not stay either.
                match folder.remove(RECENCY) {
                    Err(error) if !failure::is_missing(&error) => Err(error),
                    _ => folder.sync(),
                }
            }
            Err(error) if !failure::is_missing(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

impl Open {
    fn is_named(&self, path: &Path) -> bool {
        let named = Identity::by(path);
        named.is_ok_and(|named| named.is_same_file(&self.identity))
    }

    /// How many bytes it has after its block.
    fn tail(&self) -> io::Result<u64> {
        Ok(blocks::length(self.file.handle())?.saturating_sub(self.block))
    }
}
