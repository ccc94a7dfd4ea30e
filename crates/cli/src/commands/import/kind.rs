//! What a file may be.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, fs};

use sessile::interchange::session_files::Folder;
use sessile::interchange::snapshot::{OwnSnapshot, Snapshot};
use sessile::interchange::{self, Format, binding, ledger};
use sessile::{Error, ErrorKind};

use crate::messages;

/// What is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file with the messages of sessions.
    Transcript(Format),
    /// A file from which one run continues.
    Snapshot,
    /// A folder of conversations with the sessions that they are bound to.
    Bindings,
    /// A folder of transcripts, as programs keep them.
    Folder,
}

impl Kind {
    pub(super) fn all() -> Vec<Self> {
        let transcripts = Format::ALL.iter().copied().map(Self::Transcript);
        transcripts.chain([Self::Snapshot, Self::Bindings]).collect()
    }

    /// Finds out what a file or folder is, by its name where that tells, else by its bytes.
    ///
    /// # Errors
    /// *refused*, with what there is; those of reading it.
    pub(super) fn of_path(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return Ok(Self::of_folder(path));
        }
        Self::of(&fs::read(path).map_err(|error| messages::unreadable(path, error))?)
    }

    fn of_folder(path: &Path) -> Self {
        let folders = [Folder::Sessions, Folder::Messages].map(|it| path.join(it.name()));
        let stands_there = |folder: &PathBuf| folder.symlink_metadata().is_ok();
        if folders.iter().any(stands_there) && folders.iter().all(|it| may_be_legacy(it)) {
            return Self::Transcript(Format::Legacy);
        }
        if has_binding(path) { Self::Bindings } else { Self::Folder }
    }

    fn of(bytes: &[u8]) -> Result<Self, Error> {
        if let Some(format) = interchange::detect(bytes) {
            return Ok(Self::Transcript(format));
        }
        if Snapshot::decode(bytes).is_ok() || OwnSnapshot::decode(bytes).is_ok() {
            return Ok(Self::Snapshot);
        }
        if ledger::decode(&bytes.to_vec().into()).is_ok() {
            return Ok(Self::Transcript(Format::Ledger));
        }
        let names: Vec<String> = Self::all().iter().map(ToString::to_string).collect();
        let hint = format!("name it with --from, one of: {}", names.join(", "));
        Err(Error::new(ErrorKind::Refused, "its format is none that is known").with_hint(hint))
    }
}

/// Whether a folder of that name holds session files, as far as its first file tells: others keep
/// folders within it, or transcripts of another format.
fn may_be_legacy(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    let mut files = BTreeSet::new();
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path.is_dir() {
            return false;
        }
        files.insert(path);
    }
    let of_another = |path: &PathBuf| {
        let format = fs::read(path).ok().and_then(|bytes| interchange::detect(&bytes));
        // An older log of messages alone is like plain JSON Lines.
        format.is_some_and(|format| format != Format::Jsonl)
    };
    !files.first().is_some_and(of_another)
}

fn has_binding(root: &Path) -> bool {
    let folders = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    folders(root).any(|record| {
        folders(&record.path()).any(|context| context.path().join(binding::FILE_NAME).is_file())
    })
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "snapshot" => Ok(Self::Snapshot),
            "bindings" => Ok(Self::Bindings),
            name => name.parse().map(Self::Transcript),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transcript(format) => format.fmt(f),
            Self::Snapshot => f.write_str("snapshot"),
            Self::Bindings => f.write_str("bindings"),
            Self::Folder => f.write_str("folder"),
        }
    }
}
