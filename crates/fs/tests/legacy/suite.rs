//! What any backend promises, with a folder of session files beside it.

use std::fs;
use std::sync::Arc;

use async_trait::async_trait;
use sessile_conformance::{Failed, Fixture, Footprint, Place, Verdict};
use sessile_core::{Backend, Space};
use sessile_fs::LegacyBackend;
use sessile_memory::MemoryBackend;

/// Places in memory, beside an older program's folder that has no sessions.
struct Beside;

struct BesidePlace(MemoryBackend, tempfile::TempDir);

#[async_trait]
impl Fixture for Beside {
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("sessions"))?;
        Ok(Arc::new(BesidePlace(MemoryBackend::new(), folder)))
    }
}

#[async_trait]
impl Place for BesidePlace {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        let memory = Arc::new(self.0.clone());
        Ok(Arc::new(LegacyBackend::over(memory, self.1.path(), Space::default()).await?))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        let mut footprint = Footprint::default();
        footprint.add("memory", self.0.digest().as_bytes());
        for path in fs::read_dir(self.1.path().join("sessions"))? {
            footprint.add(path?.path().display().to_string(), b"");
        }
        Ok(Some(footprint))
    }
}

#[test]
fn every_promise_of_a_backend_is_kept_beside_older_files() {
    let fixture: Arc<dyn Fixture> = Arc::new(Beside);
    let verdicts = sessile_conformance::run_all(&fixture, sessile_conformance::cases()).unwrap();
    let failed: Vec<_> = verdicts
        .iter()
        .filter(|(_, verdict)| matches!(verdict, Verdict::Failed(_)))
        .map(|(case, verdict)| (case.name, verdict))
        .collect();
    assert_eq!(failed, []);
    let passed = verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Passed).count();
    assert!(passed > 100, "{passed}");
}
