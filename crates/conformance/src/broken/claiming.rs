//! Backends that declare less than they could, and keep it or do not.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use sessile_core::backend::{Appended, Backend as _, Capabilities, Commits};
use sessile_core::{Error, ErrorKind, Seq, SessionKey, Tip};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::Append;

/// Does everything right.
#[derive(Debug, Default)]
pub(super) struct Sound;

impl Fault for Sound {}

/// Declares nothing, and refuses what it does not declare.
#[derive(Debug, Default)]
pub(super) struct DeclaresNothing;

fn unsupported() -> Error {
    Error::new(ErrorKind::Unsupported, "this backend does not do that")
}

#[async_trait]
impl Fault for DeclaresNothing {
    fn capabilities(&self, _sound: &MemoryBackend) -> Capabilities {
        Capabilities::of([])
    }

    async fn rewrite(
        &self,
        _sound: &MemoryBackend,
        _key: &SessionKey,
        _expected: Tip,
        _commits: Commits,
    ) -> Result<(), Error> {
        Err(unsupported())
    }

    async fn mask(
        &self,
        _sound: &MemoryBackend,
        _key: &SessionKey,
        _expected: Tip,
        _seqs: Vec<Seq>,
    ) -> Result<(), Error> {
        Err(unsupported())
    }

    async fn purge(&self, _sound: &MemoryBackend, _key: &SessionKey) -> Result<(), Error> {
        Err(unsupported())
    }
}

/// Declares nothing, and does it all the same.
#[derive(Debug, Default)]
pub(super) struct DoesWhatItDenies;

impl Fault for DoesWhatItDenies {
    fn capabilities(&self, _sound: &MemoryBackend) -> Capabilities {
        Capabilities::of([])
    }
}

/// Declares less once it was used.
#[derive(Debug, Default)]
pub(super) struct DeclaresLessLater(AtomicBool);

#[async_trait]
impl Fault for DeclaresLessLater {
    fn capabilities(&self, sound: &MemoryBackend) -> Capabilities {
        if self.0.load(Ordering::Relaxed) {
            return Capabilities::of([]);
        }
        sound.capabilities()
    }

    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        self.0.store(true, Ordering::Relaxed);
        it.done().await
    }
}
