//! A sound backend with one thing done wrong.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Collection, Commits, DocKey, Document, Expected, Gist, Head,
    NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile_core::id::Name;
use sessile_core::{Commit, Error, Revision, Seq, SessionId, SessionKey, Space, Tip};
use sessile_memory::MemoryBackend;

use crate::broken::request::{Append, Page, Put, Read};
use crate::failed::Failed;
use crate::fixture::{Fixture, Footprint, Place};

/// What a broken backend does in place of the sound one; it leaves out what it does right.
///
/// Each handle has a fault of its own, as each process has its own memory.
#[async_trait]
pub(super) trait Fault: fmt::Debug + Default + Send + Sync + 'static {
    fn capabilities(&self, sound: &MemoryBackend) -> Capabilities {
        sound.capabilities()
    }

    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        it.done().await
    }

    async fn remove(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        sound.remove(key, expected, tombstone).await
    }

    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        it.done().await
    }

    async fn head(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<Head, Error> {
        sound.head(key).await
    }

    async fn set_aside(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
    ) -> Result<Vec<SetAside>, Error> {
        sound.set_aside(key).await
    }

    async fn rewrite(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        sound.rewrite(key, expected, commits).await
    }

    async fn mask(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        seqs: Vec<Seq>,
    ) -> Result<(), Error> {
        sound.mask(key, expected, seqs).await
    }

    async fn purge(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<(), Error> {
        sound.purge(key).await
    }

    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        it.done().await
    }

    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        it.done().await
    }

    fn note(&self, sound: &MemoryBackend, key: &SessionKey, gist: Arc<Gist>) {
        sound.note(key, gist);
    }

    async fn spaces(
        &self,
        sound: &MemoryBackend,
        after: Option<&Space>,
        limit: usize,
    ) -> Result<Vec<Space>, Error> {
        sound.spaces(after, limit).await
    }

    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        sound.get(key).await
    }

    async fn put(&self, it: Put<'_>) -> Result<(), Error> {
        it.done().await
    }

    async fn delete(
        &self,
        sound: &MemoryBackend,
        key: &DocKey,
        revision: Revision,
    ) -> Result<(), Error> {
        sound.delete(key, revision).await
    }

    async fn documents(&self, it: Page<'_, Collection, Name>) -> Result<Vec<Name>, Error> {
        it.done().await
    }

    async fn close(&self, sound: &MemoryBackend) -> Result<(), Error> {
        sound.close().await
    }
}

/// A handle with a fault.
#[derive(Debug)]
pub(super) struct Faulty<F> {
    pub(super) fault: F,
    pub(super) sound: MemoryBackend,
}

#[async_trait]
impl<F: Fault> Backend for Faulty<F> {
    fn name(&self) -> &'static str {
        self.sound.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.fault.capabilities(&self.sound)
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        let sound = &self.sound;
        self.fault.append(Append { sound, key, expected, commits }).await
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.fault.remove(&self.sound, key, expected, tombstone).await
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        self.fault.read(Read { sound: &self.sound, key, span }).await
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        self.fault.head(&self.sound, key).await
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.fault.set_aside(&self.sound, key).await
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        self.fault.rewrite(&self.sound, key, expected, commits).await
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.fault.mask(&self.sound, key, expected, seqs).await
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.fault.purge(&self.sound, key).await
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        let sound = &self.sound;
        self.fault.journals(Page { sound, of: space, scope: &Scope::ALL, after, limit }).await
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        let sound = &self.sound;
        self.fault.recent(Page { sound, of: space, scope, after, limit }).await
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.fault.note(&self.sound, key, gist);
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        self.fault.spaces(&self.sound, after, limit).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        self.fault.get(&self.sound, key).await
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let sound = &self.sound;
        self.fault.put(Put { sound, key, document, precondition }).await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.fault.delete(&self.sound, key, revision).await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        let sound = &self.sound;
        self.fault.documents(Page { sound, of: collection, scope: &Scope::ALL, after, limit }).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.fault.close(&self.sound).await
    }
}

/// Makes the fixture of a fault.
pub(super) fn fixture<F: Fault>() -> Arc<dyn Fixture> {
    Arc::new(FaultyPlaces::<F>(PhantomData))
}

/// Places in memory whose handles have a fault.
struct FaultyPlaces<F>(PhantomData<fn() -> F>);

#[async_trait]
impl<F: Fault> Fixture for FaultyPlaces<F> {
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
        Ok(Arc::new(FaultyPlace::<F>(MemoryBackend::new(), PhantomData)))
    }
}

struct FaultyPlace<F>(MemoryBackend, PhantomData<fn() -> F>);

#[async_trait]
impl<F: Fault> Place for FaultyPlace<F> {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        Ok(Arc::new(Faulty { fault: F::default(), sound: self.0.clone() }))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        let mut footprint = Footprint::default();
        footprint.add("memory", self.0.digest().as_bytes());
        Ok(Some(footprint))
    }
}
