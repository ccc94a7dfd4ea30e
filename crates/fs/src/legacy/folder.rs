//! The folder of session files, which is only read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::time::UnixMillis;
use sessile_interchange::session_files::{
    self, Content, Damaged, Listed, Part, SessionFiles, Whole,
};

use super::marker::Sizes;
use crate::blocks;
use crate::counts::Counters;
use crate::door::Folder;
use crate::failure;
use crate::root;

/// A folder of session files.
#[derive(Debug)]
pub(super) struct OldFolder {
    path: PathBuf,
    counters: Arc<Counters>,
}

/// The files of one session, by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OldFiles {
    /// Its id, as the names have it.
    pub(super) id: String,
    parts: BTreeSet<Part>,
}

/// A session that was read.
#[derive(Debug)]
pub(super) struct OldSession {
    pub(super) whole: Whole,
    /// How long its files were by then.
    pub(super) sizes: Sizes,
}

impl OldFolder {
    /// Looks at a folder, which must be there: one that is not may be on a disk that is missing.
    ///
    /// # Errors
    /// *invalid place* where no folder is, and for one within a store, whose journals are no
    /// session files; *permission*, *unavailable*.
    pub(super) fn at(path: &Path) -> Result<Self, Error> {
        let invalid = |clause: String| Error::new(ErrorKind::InvalidPlace, clause);
        let absolute = path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => invalid("there is no folder of session files".to_owned())
                .with_hint("name the folder that has sessions/ in it, or leave it out"),
            _ => failure::unavailable("the folder of session files can't be opened", error),
        });
        let about = |error: Error| error.about(path.display());
        let absolute = absolute.map_err(about)?;
        if let Some(store) = root::store_around(&absolute) {
            let clause = format!("it lies within a store, {}", store.display());
            let hint = "name the folder of the program that wrote the session files";
            return Err(about(invalid(clause).with_hint(hint)));
        }
        let folder = Self { path: absolute, counters: Arc::default() };
        match folder.root() {
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                Err(about(invalid("a file stands where the session files should".to_owned())))
            }
            root => root.map(|_| folder),
        }
    }

    fn root(&self) -> Result<Folder, Error> {
        Folder::open_root(&self.path, Arc::clone(&self.counters)).map_err(|error| {
            let doing = "the folder of session files can't be opened";
            failure::unavailable(doing, error).about(self.path.display())
        })
    }

    /// A folder below it; none where it is not there.
    fn below(&self, of: session_files::Folder) -> Result<Option<Folder>, Error> {
        match self.root()?.folder(of.name()) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if failure::is_missing(&error) => Ok(None),
            Err(error) => {
                let doing = "the session files can't be listed";
                Err(failure::unavailable(doing, error).about(self.path.join(of.name()).display()))
            }
        }
    }

    /// The folder of a part, for a file that was seen in it.
    fn folder_of(&self, part: Part) -> Result<Folder, Error> {
        self.below(part.folder())?.ok_or_else(|| {
            let clause = "the folder of session files is gone";
            let path = self.path.join(part.folder().name());
            Error::new(ErrorKind::Unavailable, clause).about(path.display())
        })
    }

    /// All sessions, by id.
    ///
    /// # Errors
    /// *corrupt* for a file in place of a folder; *permission*, *unavailable*.
    pub(super) fn all(&self) -> Result<BTreeMap<String, OldFiles>, Error> {
        let mut all = BTreeMap::new();
        for of in [session_files::Folder::Sessions, session_files::Folder::Messages] {
            let Some(folder) = self.below(of)? else { continue };
            let names = folder.names().map_err(|error| {
                failure::unavailable("the session files can't be listed", error)
                    .about(self.path.join(of.name()).display())
            })?;
            for (part, id) in names.iter().filter_map(|name| Part::of(of, name)) {
                let files = || OldFiles { id: id.to_owned(), parts: BTreeSet::new() };
                all.entry(id.to_owned()).or_insert_with(files).parts.insert(part);
            }
        }
        Ok(all)
    }

    /// The session of an id; none where no file is its.
    ///
    /// # Errors
    /// Those of [`all`](Self::all).
    pub(super) fn one(&self, id: &str) -> Result<Option<OldFiles>, Error> {
        let mut files = OldFiles { id: id.to_owned(), parts: BTreeSet::new() };
        for part in Part::ALL {
            files.parts.extend(self.size(id, part)?.map(|_| part));
        }
        Ok((!files.parts.is_empty()).then_some(files))
    }

    /// How long the files of a session are.
    ///
    /// # Errors
    /// Those of [`all`](Self::all).
    pub(super) fn sizes(&self, id: &str) -> Result<Sizes, Error> {
        let mut sizes = Sizes::new();
        for part in Part::ALL {
            sizes.extend(self.size(id, part)?.map(|size| (part.path(id), size)));
        }
        Ok(sizes)
    }

    fn size(&self, id: &str, part: Part) -> Result<Option<u64>, Error> {
        let Some(folder) = self.below(part.folder())? else { return Ok(None) };
        match folder.look(file_name(&part.path(id))) {
            Ok(seen) => Ok(Some(seen.size)),
            // No file has a name that no file can have.
            Err(error) if failure::is_missing(&error) || failure::is_no_name(&error) => Ok(None),
            Err(error) => Err(self.unreadable(id, part, error)),
        }
    }

    fn unreadable(&self, id: &str, part: Part, error: io::Error) -> Error {
        let path = self.path.join(part.path(id));
        failure::unavailable("the session file can't be read", error).about(path.display())
    }

    fn open(&self, id: &str, part: Part) -> Result<Option<File>, Error> {
        let open = |folder: &Folder| {
            let file = folder.file_to_read(file_name(&part.path(id)))?;
            Ok(file.metadata()?.is_file().then_some(file))
        };
        open(&self.folder_of(part)?).map_err(|error| self.unreadable(id, part, error))
    }

    /// Reads a session whole.
    ///
    /// # Errors
    /// *corrupt*, about the file, where one can't be understood; *permission*, also for a link;
    /// *unavailable*.
    pub(super) fn read(&self, files: &OldFiles) -> Result<OldSession, Error> {
        let mut found = SessionFiles::new(&*files.id);
        let mut sizes = Sizes::new();
        for part in &files.parts {
            let bytes = self.bytes(&files.id, *part, blocks::length)?;
            if let Some(bytes) = &bytes {
                let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                sizes.insert(part.path(&files.id), size);
            }
            found.add(*part, content(bytes));
        }
        // Messages behind a header that can't be read are whole, and it is damaged all the same.
        updated_at(&found)
            .and_then(|_| found.read())
            .map_err(|error| self.corrupt(&error))
            .map(|whole| OldSession { whole, sizes })
    }

    /// An error about a file below the folder, with the way to it.
    fn corrupt(&self, error: &Error) -> Error {
        let file = error.subject().map(|file| self.path.join(file).display().to_string());
        let corrupt = Error::new(ErrorKind::Corrupt, error.clause().to_owned());
        let hint = "the file is kept as it is; mend it, or move it away";
        file.into_iter().fold(corrupt.with_hint(hint), Error::about)
    }

    fn bytes(
        &self,
        id: &str,
        part: Part,
        length: impl Fn(&File) -> io::Result<u64>,
    ) -> Result<Option<Bytes>, Error> {
        let Some(file) = self.open(id, part)? else { return Ok(None) };
        let read = length(&file).and_then(|length| blocks::read(&file, 0, length));
        read.map(Some).map_err(|error| self.unreadable(id, part, error))
    }

    /// When something was last done with a session, as the beginning of its log or its record has
    /// it; 0 where neither tells.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), as far as the beginning shows them.
    pub(super) fn updated_at(&self, files: &OldFiles) -> Result<UnixMillis, Error> {
        let mut found = SessionFiles::new(&*files.id);
        for part in &files.parts {
            let content = match part {
                Part::Log => content(self.bytes(&files.id, *part, first_lines)?),
                Part::Record => content(self.bytes(&files.id, *part, blocks::length)?),
                Part::Array | Part::Lines => Content::Unread,
            };
            found.add(*part, content);
        }
        updated_at(&found).map_err(|error| self.corrupt(&error))
    }
}

/// When something was last done with a session; 0 where nothing tells.
fn updated_at(files: &SessionFiles) -> Result<UnixMillis, Error> {
    let listing = session_files::list([files]);
    match listing.damaged.into_iter().next() {
        None => Ok(listing.sessions.first().and_then(Listed::updated_at).unwrap_or_default()),
        Some(Damaged { part, reason, .. }) => {
            let clause = format!("the session can't be read: {reason}");
            Err(Error::new(ErrorKind::Corrupt, clause).about(part.path(files.id())))
        }
    }
}

/// How much of a log is read at first for its header.
const HEADER_BYTES: u64 = 4 << 10;

/// The name of a file from its way below the folder.
fn file_name(path: &str) -> &str {
    path.split_once('/').map_or(path, |(_, name)| name)
}

fn content(bytes: Option<Bytes>) -> Content {
    bytes.map_or_else(|| Content::Unreadable("it is no file".to_owned()), Content::of)
}

/// How much of a file is needed for its first line that is not blank.
fn first_lines(file: &File) -> io::Result<u64> {
    let length = blocks::length(file)?;
    let mut wanted = HEADER_BYTES;
    loop {
        let bytes = blocks::read(file, 0, wanted.min(length))?;
        let text = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
        let rest = bytes.get(text.unwrap_or(bytes.len())..).unwrap_or_default();
        if let Some(end) = memchr::memchr(b'\n', rest) {
            let end = text.unwrap_or(0).saturating_add(end).saturating_add(1);
            return Ok(u64::try_from(end).unwrap_or(length));
        }
        if wanted >= length {
            return Ok(length);
        }
        wanted = wanted.saturating_mul(4);
    }
}
