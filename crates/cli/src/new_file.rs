//! A file that appears under its name when all of it is there.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use sessile::{Error, ErrorKind};
use tempfile::NamedTempFile;

/// A file that is being written under another name; it goes away unless it is finished.
#[derive(Debug)]
pub(crate) struct NewFile<'a> {
    file: BufWriter<NamedTempFile>,
    path: &'a Path,
    /// Whether it may replace what stands there.
    force: bool,
    bytes: u64,
}

impl<'a> NewFile<'a> {
    /// Begins an empty one.
    ///
    /// # Errors
    /// *exists* where something has the name, and nothing may be replaced: told before the work as
    /// well, so that it is not done in vain.
    pub(crate) fn begin(path: &'a Path, force: bool) -> Result<Self, Error> {
        if !force {
            refuse_existing(path)?;
        }
        let file = tempfile::Builder::new().prefix(".sessile-export-").tempfile_in(folder(path));
        let file = file.map_err(|error| unwritable(path, error))?;
        Ok(Self { file: BufWriter::new(file), path, force, bytes: 0 })
    }

    /// Adds bytes at its end.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|error| unwritable(self.path, error))?;
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    /// Gives it its name; answers its size.
    pub(crate) fn finish(self) -> Result<u64, Error> {
        let Self { file, path, force, bytes } = self;
        let failed = |error| unwritable(path, error);
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        let named = if force { file.persist(path) } else { file.persist_noclobber(path) };
        named.map_err(|error| failed(error.error))?;
        Ok(bytes)
    }
}

/// Refuses a name that something has.
pub(crate) fn refuse_existing(path: &Path) -> Result<(), Error> {
    if path.symlink_metadata().is_ok() { Err(there_already(path)) } else { Ok(()) }
}

/// The folder that a file lies in.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn there_already(path: &Path) -> Error {
    Error::new(ErrorKind::Exists, "the file is there already")
        .with_hint("--force replaces it")
        .about(path.display())
}

/// Why a file can't be written.
pub(crate) fn unwritable(path: &Path, error: io::Error) -> Error {
    let told = |kind, clause| {
        Error::new(kind, clause).with_hint("choose another place for it").about(path.display())
    };
    match error.kind() {
        io::ErrorKind::AlreadyExists => there_already(path),
        io::ErrorKind::NotFound => told(ErrorKind::Missing, "the folder of the file is not there"),
        io::ErrorKind::NotADirectory => {
            told(ErrorKind::Refused, "a file stands where its folder should be")
        }
        io::ErrorKind::PermissionDenied => {
            told(ErrorKind::Permission, "the file can't be written").with_source(error)
        }
        _ => told(ErrorKind::Unavailable, "the file can't be written").with_source(error),
    }
}
