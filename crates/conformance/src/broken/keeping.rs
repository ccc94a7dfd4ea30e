//! Faults of documents: their names, their values and their revisions.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use sessile_core::backend::{Backend as _, Collection, DocKey, Document, Precondition};
use sessile_core::digest::Digest;
use sessile_core::id::Name;
use sessile_core::{Error, ErrorKind, Revision, Space};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::{Page, Put, moment};

/// How documents are kept under other keys than their own.
pub(super) trait Renaming: fmt::Debug + Default + Send + Sync + 'static {
    fn rename(collection: &Collection, name: &Name) -> Result<DocKey, Error>;
}

/// Keeps documents under other keys than their own.
#[derive(Debug, Default)]
pub(super) struct Renames<R>(PhantomData<R>);

impl<R: Renaming> Renames<R> {
    fn key(key: &DocKey) -> Result<DocKey, Error> {
        R::rename(&key.collection, &key.name)
    }
}

#[async_trait]
impl<R: Renaming> Fault for Renames<R> {
    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        sound.get(&Self::key(key)?).await
    }

    async fn put(&self, it: Put<'_>) -> Result<(), Error> {
        Put { key: &Self::key(it.key)?, ..it }.done().await
    }

    async fn delete(
        &self,
        sound: &MemoryBackend,
        key: &DocKey,
        revision: Revision,
    ) -> Result<(), Error> {
        sound.delete(&Self::key(key)?, revision).await
    }

    async fn documents(&self, it: Page<'_, Collection, Name>) -> Result<Vec<Name>, Error> {
        let DocKey { collection, .. } = R::rename(it.of, &it.of.name)?;
        Page { of: &collection, ..it }.done().await
    }
}

/// The documents of all spaces in one.
#[derive(Debug, Default)]
pub(super) struct OneSpace;

impl Renaming for OneSpace {
    fn rename(collection: &Collection, name: &Name) -> Result<DocKey, Error> {
        let collection = Collection { space: Space::default(), ..collection.clone() };
        Ok(DocKey { collection, name: name.clone() })
    }
}

/// Names in lower case.
#[derive(Debug, Default)]
pub(super) struct LowerCase;

impl Renaming for LowerCase {
    fn rename(collection: &Collection, name: &Name) -> Result<DocKey, Error> {
        let name = name.as_str().to_lowercase().parse()?;
        Ok(DocKey { collection: collection.clone(), name })
    }
}

/// Names with one sign in place of every sign that a file name might not have.
#[derive(Debug, Default)]
pub(super) struct FileNames;

impl Renaming for FileNames {
    fn rename(collection: &Collection, name: &Name) -> Result<DocKey, Error> {
        let is_safe = |sign: char| sign.is_ascii_alphanumeric() || ".-_".contains(sign);
        let safe = |name: &Name| -> Result<Name, Error> {
            let signs = name.as_str().chars();
            signs.map(|sign| if is_safe(sign) { sign } else { '_' }).collect::<String>().parse()
        };
        let collection = Collection { name: safe(&collection.name)?, ..collection.clone() };
        Ok(DocKey { collection, name: safe(name)? })
    }
}

/// Puts over whatever is there.
#[derive(Debug, Default)]
pub(super) struct PutsWithoutLooking;

#[async_trait]
impl Fault for PutsWithoutLooking {
    async fn put(&self, it: Put<'_>) -> Result<(), Error> {
        match it.clone().done().await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let precondition = it.actual().await;
                Put { precondition, ..it }.done().await
            }
            answer => answer,
        }
    }
}

/// Deletes whatever is there by then.
#[derive(Debug, Default)]
pub(super) struct DeletesWithoutLooking;

#[async_trait]
impl Fault for DeletesWithoutLooking {
    async fn delete(
        &self,
        sound: &MemoryBackend,
        key: &DocKey,
        _revision: Revision,
    ) -> Result<(), Error> {
        moment().await;
        let revision = sound.get(key).await?.revision;
        sound.delete(key, revision).await
    }
}

/// Reads the value and its revision one after the other.
#[derive(Debug, Default)]
pub(super) struct ReadsInTwoSteps;

#[async_trait]
impl Fault for ReadsInTwoSteps {
    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        let bytes = sound.get(key).await?.bytes;
        moment().await;
        Ok(Document { bytes, ..sound.get(key).await? })
    }
}

/// Keeps values as text.
#[derive(Debug, Default)]
pub(super) struct KeepsTextOnly;

#[async_trait]
impl Fault for KeepsTextOnly {
    async fn put(&self, mut it: Put<'_>) -> Result<(), Error> {
        let text = String::from_utf8_lossy(&it.document.bytes).into_owned();
        it.document.bytes = text.into();
        it.done().await
    }
}

/// Does not keep with which session a document goes.
#[derive(Debug, Default)]
pub(super) struct ForgetsTheSession;

#[async_trait]
impl Fault for ForgetsTheSession {
    async fn put(&self, mut it: Put<'_>) -> Result<(), Error> {
        it.document.session = None;
        it.done().await
    }
}

/// Keeps the last revision only.
#[derive(Debug, Default)]
pub(super) struct KeepsOneRevision;

#[async_trait]
impl Fault for KeepsOneRevision {
    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        let mut document = sound.get(key).await?;
        document.recent.truncate(1);
        Ok(document)
    }
}

/// Takes the last revisions for those before the current one.
#[derive(Debug, Default)]
pub(super) struct KeepsFormerRevisions;

#[async_trait]
impl Fault for KeepsFormerRevisions {
    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        let mut document = sound.get(key).await?;
        document.recent.remove(0);
        Ok(document)
    }
}

/// Answers a conflict to a put that is sent again.
#[derive(Debug, Default)]
pub(super) struct ForgetsItsOwnPut;

#[async_trait]
impl Fault for ForgetsItsOwnPut {
    async fn put(&self, it: Put<'_>) -> Result<(), Error> {
        if let Ok(held) = it.sound.get(it.key).await
            && held.recent.contains(&it.document.revision)
        {
            return Err(Error::document_conflict(Some(held.revision)));
        }
        it.done().await
    }
}

/// Takes a revision for the current one when its value is.
#[derive(Debug, Default)]
pub(super) struct ComparesValues(Mutex<HashMap<Revision, Digest>>);

#[async_trait]
impl Fault for ComparesValues {
    async fn put(&self, mut it: Put<'_>) -> Result<(), Error> {
        let held = it.sound.get(it.key).await.ok();
        {
            let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            values.insert(it.document.revision, Digest::of(&it.document.bytes));
            if let (Precondition::Revision(old), Some(held)) = (it.precondition, held)
                && values.get(&old) == Some(&Digest::of(&held.bytes))
            {
                it.precondition = Precondition::Revision(held.revision);
            }
        }
        it.done().await
    }
}
