//! Where bindings are kept beyond the process.

#[cfg(feature = "fs")]
use std::path::PathBuf;

use bytes::Bytes;
use sessile_core::backend::Precondition;
use sessile_core::{Error, ErrorKind, Name, Revision};
#[cfg(feature = "fs")]
use sessile_fs::PrivateFile;
#[cfg(feature = "fs")]
use sessile_interchange::binding::path;

#[cfg(feature = "fs")]
use crate::blocking;
use crate::shelf::{Shelf, Value};

/// Where they are kept.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// Nowhere.
    Nowhere,
    /// As documents.
    Documents(Shelf),
    /// As files in another program's layout.
    #[cfg(feature = "fs")]
    Folder {
        /// The folder of all conversations.
        root: PathBuf,
        /// The folder of these, below it.
        record: String,
        /// The most bytes of a file.
        most: u64,
    },
}

/// What is stored of a context.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) bytes: Option<Bytes>,
    /// What the next change goes on from, where there are revisions.
    revision: Option<Revision>,
}

/// Where the binding of one context is stored.
#[derive(Clone, Debug)]
pub(crate) enum Spot {
    Document(Shelf, Name),
    #[cfg(feature = "fs")]
    File(PrivateFile, u64),
}

impl Kept {
    /// Where a context's binding is stored; none where nothing is. Nothing is looked at.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`] for a context that has no place here: it is remembered in memory
    /// only.
    pub(crate) fn spot(&self, context: &str) -> Result<Option<Spot>, Error> {
        match self {
            Self::Nowhere => Ok(None),
            Self::Documents(documents) => {
                let name = context.parse().map_err(|_| homeless())?;
                Ok(Some(Spot::Document(documents.clone(), name)))
            }
            #[cfg(feature = "fs")]
            Self::Folder { root, record, most } => {
                let names = path(record, context).ok_or_else(homeless)?;
                let file = PrivateFile::below(root, &names)?;
                Ok(Some(Spot::File(file, *most)))
            }
        }
    }
}

fn homeless() -> Error {
    Error::new(ErrorKind::InvalidId, "the context has no place of its own")
        .with_hint("its binding is remembered in this process only")
}

impl Spot {
    /// How it is told in errors.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Document(_, name) => format!("binding {name}"),
            #[cfg(feature = "fs")]
            Self::File(file, _) => file.path().display().to_string(),
        }
    }

    /// Reads what is stored.
    pub(crate) async fn read(&self) -> Result<Stored, Error> {
        match self {
            Self::Document(documents, name) => {
                let held = documents.find(name, &documents.patience()).await?;
                Ok(held.map_or_else(Stored::default, |held| Stored {
                    bytes: Some(held.bytes),
                    revision: Some(held.revision),
                }))
            }
            #[cfg(feature = "fs")]
            Self::File(file, most) => {
                let (file, most) = (file.clone(), *most);
                let bytes = blocking::run(move || file.read(most)).await?;
                Ok(Stored { bytes, revision: None })
            }
        }
    }

    /// Puts bytes in place of what was read.
    ///
    /// # Errors
    /// *conflict* where a document is another by then.
    pub(crate) async fn write(&self, bytes: String, over: &Stored) -> Result<(), Error> {
        match self {
            Self::Document(documents, name) => {
                let precondition =
                    over.revision.map_or(Precondition::Absent, Precondition::Revision);
                let value = Value { bytes: bytes.into_bytes(), session: None };
                documents.swap(name, value, precondition, &mut documents.patience()).await.map(drop)
            }
            #[cfg(feature = "fs")]
            Self::File(file, _) => {
                let file = file.clone();
                blocking::run(move || file.replace(bytes.as_bytes())).await
            }
        }
    }

    /// Removes what was read, if there was anything.
    ///
    /// # Errors
    /// *conflict* where a document is another by then.
    pub(crate) async fn remove(&self, over: &Stored) -> Result<(), Error> {
        match self {
            Self::Document(documents, name) => {
                let Some(revision) = over.revision else { return Ok(()) };
                match documents.remove(name, revision, &mut documents.patience()).await {
                    Err(error) if error.kind() == ErrorKind::Missing => Ok(()),
                    removed => removed,
                }
            }
            #[cfg(feature = "fs")]
            Self::File(file, _) => {
                let file = file.clone();
                blocking::run(move || file.remove()).await.map(drop)
            }
        }
    }

    /// The error about a value that is no binding, with the revision that a document has.
    pub(crate) fn about(&self, error: Error, stored: &Stored) -> Error {
        let error = match (error.kind(), stored.revision) {
            (ErrorKind::Corrupt, Some(revision)) => Error::corrupt_value(error.clause(), revision),
            _ => error,
        };
        error.about(self.told())
    }
}
