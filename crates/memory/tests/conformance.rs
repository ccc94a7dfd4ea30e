//! The suite on the in-memory backend.

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use sessile_conformance::{Failed, Fixture, Footprint, Place};
use sessile_core::Backend;
use sessile_memory::MemoryBackend;

struct Memory;

struct MemoryPlace(MemoryBackend);

#[async_trait]
impl Fixture for Memory {
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
        Ok(Arc::new(MemoryPlace(MemoryBackend::new())))
    }
}

#[async_trait]
impl Place for MemoryPlace {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        Ok(Arc::new(self.0.clone()))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        let mut footprint = Footprint::default();
        footprint.add("memory", self.0.digest().as_bytes());
        Ok(Some(footprint))
    }
}

fn main() -> ExitCode {
    sessile_conformance::main("memory", Memory)
}
