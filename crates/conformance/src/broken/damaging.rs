//! Faults of what is made of documents that somebody else damaged.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use sessile_core::backend::{Backend, DocKey, Document, Precondition};
use sessile_core::{Error, ErrorKind, Revision};
use sessile_memory::MemoryBackend;

use crate::broken::fault::{Fault, Faulty};
use crate::broken::request::Put;
use crate::failed::Failed;
use crate::fixture::{Damage, Fixture, Footprint, Place};

/// What a handle makes of a document that it can't read.
pub(super) trait Handling: std::fmt::Debug + Default + Send + Sync + 'static {
    /// What it tells of it.
    fn told(stored: &[u8]) -> Error {
        Error::corrupt_document("it was damaged", stored)
    }

    /// Whether a change on a revision, or on none, is made all the same.
    fn gives_up(stored: &[u8], expected: Option<Revision>) -> bool {
        expected == Some(Revision::of_damaged(stored))
    }
}

/// Tells it, and keeps it until it is named.
#[derive(Debug, Default)]
pub(super) struct TellsDamage;

impl Handling for TellsDamage {}

/// Takes what it can't read for absent.
#[derive(Debug, Default)]
pub(super) struct TakesDamageForAbsence;

impl Handling for TakesDamageForAbsence {
    fn told(_stored: &[u8]) -> Error {
        Error::new(ErrorKind::Missing, "there is no such document")
    }

    fn gives_up(_stored: &[u8], expected: Option<Revision>) -> bool {
        expected.is_none()
    }
}

/// Tells it, and lets anybody replace it.
#[derive(Debug, Default)]
pub(super) struct ReplacesDamage;

impl Handling for ReplacesDamage {
    fn gives_up(_stored: &[u8], _expected: Option<Revision>) -> bool {
        true
    }
}

/// Tells it, and keeps it whatever is named.
#[derive(Debug, Default)]
pub(super) struct KeepsDamageForEver;

impl Handling for KeepsDamageForEver {
    fn gives_up(_stored: &[u8], _expected: Option<Revision>) -> bool {
        false
    }
}

/// Gives every damage the same revision.
#[derive(Debug, Default)]
pub(super) struct TellsDamagesNotApart;

impl Handling for TellsDamagesNotApart {
    fn told(_stored: &[u8]) -> Error {
        Error::corrupt_document("it was damaged", b"damage")
    }

    fn gives_up(_stored: &[u8], expected: Option<Revision>) -> bool {
        expected == Some(Revision::of_damaged(b"damage"))
    }
}

/// What stands in place of documents, by everybody's account.
type Damaged = Arc<Mutex<HashMap<DocKey, Vec<u8>>>>;

#[derive(Debug, Default)]
struct Handles<H> {
    damaged: Damaged,
    handling: PhantomData<fn() -> H>,
}

impl<H: Handling> Handles<H> {
    fn stored(&self, key: &DocKey) -> Option<Vec<u8>> {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Lets go of damage for a change on a revision, or on none; answers whether there was any.
    fn given_up(&self, key: &DocKey, expected: Option<Revision>) -> Result<bool, Error> {
        let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        match damaged.get(key) {
            None => Ok(false),
            Some(stored) if H::gives_up(stored, expected) => {
                damaged.remove(key);
                Ok(true)
            }
            Some(stored) => Err(H::told(stored)),
        }
    }
}

#[async_trait]
impl<H: Handling> Fault for Handles<H> {
    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        match self.stored(key) {
            Some(stored) => Err(H::told(&stored)),
            None => sound.get(key).await,
        }
    }

    async fn put(&self, mut it: Put<'_>) -> Result<(), Error> {
        let expected = match it.precondition {
            Precondition::Absent => None,
            Precondition::Revision(expected) => Some(expected),
        };
        if self.given_up(it.key, expected)? {
            let held = it.sound.get(it.key).await?;
            it.sound.delete(it.key, held.revision).await?;
            it.precondition = Precondition::Absent;
        }
        it.done().await
    }

    async fn delete(
        &self,
        sound: &MemoryBackend,
        key: &DocKey,
        revision: Revision,
    ) -> Result<(), Error> {
        if self.given_up(key, Some(revision))? {
            let held = sound.get(key).await?;
            return sound.delete(key, held.revision).await;
        }
        sound.delete(key, revision).await
    }
}

/// Makes the fixture of places that can be damaged, with what their handles make of it.
pub(super) fn damageable<H: Handling>() -> Arc<dyn Fixture> {
    Arc::new(DamageablePlaces::<H>(PhantomData))
}

struct DamageablePlaces<H>(PhantomData<fn() -> H>);

#[async_trait]
impl<H: Handling> Fixture for DamageablePlaces<H> {
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
        Ok(Arc::new(DamageablePlace::<H>(MemoryBackend::new(), Damaged::default(), PhantomData)))
    }
}

struct DamageablePlace<H>(MemoryBackend, Damaged, PhantomData<fn() -> H>);

#[async_trait]
impl<H: Handling> Place for DamageablePlace<H> {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        let fault = Handles::<H> { damaged: Arc::clone(&self.1), handling: PhantomData };
        Ok(Arc::new(Faulty { fault, sound: self.0.clone() }))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        let mut footprint = Footprint::default();
        footprint.add("memory", self.0.digest().as_bytes());
        Ok(Some(footprint))
    }

    fn damage(&self) -> Option<&dyn Damage> {
        Some(self)
    }
}

#[async_trait]
impl<H: Handling> Damage for DamageablePlace<H> {
    async fn damage_document(&self, key: &DocKey, stored: &[u8]) -> Result<(), Failed> {
        self.0.get(key).await?;
        let mut damaged = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        damaged.insert(key.clone(), stored.to_vec());
        Ok(())
    }
}
