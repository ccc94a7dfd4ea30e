//! What a file may be.

use std::path::Path;
use std::str::FromStr;
use std::{fmt, fs};

use sessile::interchange::session_files::Folder;
use sessile::interchange::snapshot::{OwnSnapshot, Snapshot};
use sessile::interchange::{self, Format, ledger};
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
        let has = |folder: &Folder| path.join(folder.name()).symlink_metadata().is_ok();
        if path.is_dir() {
            let is_legacy = [Folder::Sessions, Folder::Messages].iter().any(has);
            let legacy = Self::Transcript(Format::Legacy);
            return Ok(if is_legacy { legacy } else { Self::Bindings });
        }
        Self::of(&fs::read(path).map_err(|error| messages::unreadable(path, error))?)
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
        }
    }
}
