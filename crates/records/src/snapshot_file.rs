//! A snapshot as a plain file.

use std::path::Path;

use sessile_core::{Error, Limits};
use sessile_fs::PrivateFile;

use crate::blocking;
use crate::envelope::Envelope;

/// A snapshot as a file where the caller wants it, byte for byte as other programs read and write
/// it.
///
/// It is replaced whole, 0600, and the folders that are made for it are 0700. There is one writer:
/// nothing is locked, and of two the last one stays; [`Snapshots`](crate::Snapshots) know
/// revisions.
///
/// # Examples
/// ```
/// use sessile_interchange::json::Object;
/// use sessile_interchange::snapshot::OwnSnapshot;
/// use sessile_records::SnapshotFile;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("run.json");
/// let file = SnapshotFile::at(path)?;
/// let terms = Object::default().with("model", "large");
/// assert!(file.resume::<OwnSnapshot>(&terms).await?.is_none());
/// file.save(&OwnSnapshot::of(terms.clone(), 1_u64)?).await?;
/// assert!(file.resume::<OwnSnapshot>(&terms).await?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SnapshotFile {
    file: PrivateFile,
    most: u64,
}

impl SnapshotFile {
    /// The file of a path; nothing is looked at and nothing made.
    ///
    /// # Errors
    /// [`InvalidPlace`](sessile_core::ErrorKind::InvalidPlace) for a path that names no file.
    pub fn at(path: impl AsRef<Path>) -> Result<Self, Error> {
        let most = u64::try_from(Limits::default().document_bytes).unwrap_or(u64::MAX);
        Ok(Self { file: PrivateFile::at(path)?, most })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Reads it; none where there is no such file: a first run.
    ///
    /// # Errors
    /// *corrupt* that names the part that is wrong, *unknown version* with both versions; and what
    /// keeps the file from being read, which is never taken for its absence: *permission* (also
    /// for a link), *corrupt* for a folder, *refused* for a file above the limit of a document,
    /// *unavailable*.
    pub async fn load<S: Envelope>(&self) -> Result<Option<S>, Error> {
        let (file, most) = (self.file.clone(), self.most);
        let bytes = blocking::run(move || file.read(most)).await?;
        let snapshot = bytes.map(|bytes| S::decode(&bytes)).transpose();
        snapshot.map_err(|error| self.about(error))
    }

    /// Reads it for a run of an identity; none where there is no such file.
    ///
    /// # Errors
    /// *mismatch* that names the first place at which the identities differ and both values; those
    /// of [`load`](Self::load).
    pub async fn resume<S: Envelope>(&self, current: &S::Identity) -> Result<Option<S>, Error> {
        let snapshot = self.load::<S>().await?;
        if let Some(snapshot) = &snapshot {
            snapshot.check(current).map_err(|error| self.about(error))?;
        }
        Ok(snapshot)
    }

    /// Lets a run of another identity go on from it: the new identity is put in place of the saved
    /// one. The file has no room for a record of that; the caller has both identities.
    ///
    /// # Errors
    /// *missing*, *refused* for an identity that could not be read back, those of
    /// [`load`](Self::load) and [`save`](Self::save).
    pub async fn accept<S: Envelope>(&self, current: &S::Identity) -> Result<S, Error> {
        let Some(snapshot) = self.load::<S>().await? else {
            let clause = "there is no snapshot to go on from";
            return Err(self.about(Error::new(sessile_core::ErrorKind::Missing, clause)));
        };
        if snapshot.check(current).is_ok() {
            return Ok(snapshot);
        }
        let snapshot = snapshot.under(current).map_err(|error| self.about(error))?;
        self.save(&snapshot).await?;
        Ok(snapshot)
    }

    /// Puts a snapshot in its place, durably. Where that fails the old one is as it was, unless the
    /// outcome is unknown.
    ///
    /// # Errors
    /// *refused* for one above the limit of a document; those of
    /// [`PrivateFile::replace`](sessile_fs::PrivateFile::replace).
    pub async fn save<S: Envelope>(&self, snapshot: &S) -> Result<(), Error> {
        let (file, text) = (self.file.clone(), snapshot.encode());
        let limit = Limits::default().document_bytes;
        Limits::check("document_bytes", limit, text.len()).map_err(|error| self.about(error))?;
        blocking::run(move || file.replace(text.as_bytes())).await
    }

    /// Removes it; answers whether it was there.
    ///
    /// # Errors
    /// Those of [`PrivateFile::remove`](sessile_fs::PrivateFile::remove).
    pub async fn delete(&self) -> Result<bool, Error> {
        let file = self.file.clone();
        blocking::run(move || file.remove()).await
    }

    fn about(&self, error: Error) -> Error {
        error.about(self.path().display())
    }
}
