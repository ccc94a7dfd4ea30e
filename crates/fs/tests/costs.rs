//! What an append of one message costs on a handle that is warm: calls that read, write and flush,
//! bytes and allocations, each bounded by a number. A test of its own, for they are the process's.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

use std::alloc::System;
use std::sync::Arc;

use sessile_engine::{NewSession, Session, Store};
use sessile_fs::{FsBackend, Options};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many appends are counted.
const APPENDS: u64 = 50;

/// How many bytes an append writes beside the message.
const FRAMING: u64 = 400;

/// How many allocations it makes, in all threads, growth of what is folded included.
const ALLOCATIONS: u64 = 30;

/// How many bytes its future has: it is moved into tasks and other futures.
const FUTURE_BYTES: usize = 2_048;

/// What the process has done so far: calls that read and that write, and bytes that they wrote.
#[derive(Clone, Copy, Debug)]
struct Done {
    reads: u64,
    writes: u64,
    bytes: u64,
}

impl Done {
    fn so_far() -> Self {
        let text = std::fs::read_to_string("/proc/self/io").unwrap();
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim().parse().unwrap()
        };
        Self { reads: of("syscr:"), writes: of("syscw:"), bytes: of("wchar:") }
    }

    fn since(self, before: Self) -> Self {
        Self {
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
            bytes: self.bytes - before.bytes,
        }
    }
}

async fn append(session: &Session, message: &str) {
    for _ in 0..APPENDS {
        session.append([message]).await.unwrap();
    }
}

// A runtime of one thread would count too: it writes to wake itself when an answer comes late.
#[tokio::test(flavor = "multi_thread")]
async fn a_warm_append_reads_writes_and_flushes_once_and_allocates_little() {
    let folder = tempfile::tempdir().unwrap();
    let backend = FsBackend::open(folder.path(), Options::default()).await.unwrap();
    let store = Store::with(Arc::new(backend.clone()), sessile_engine::Options::default());
    let session = store.create(NewSession::new()).await.unwrap();
    // Fewer than carry a state, and less than comes near the end of the file's first step.
    let message = "x".repeat(100);
    append(&session, &message).await;

    let appending = session.append([&message]);
    assert!(size_of_val(&appending) <= FUTURE_BYTES, "{}", size_of_val(&appending));
    drop(appending);
    let asking = {
        let before = Done::so_far();
        Done::so_far().since(before).reads
    };
    let (counts, before, region) = (backend.counts(), Done::so_far(), Region::new(ALLOCATOR));
    append(&session, &message).await;
    let allocations = u64::try_from(region.change().allocations).unwrap();
    let done = Done::so_far().since(before);

    let after = backend.counts();
    assert_eq!(after.file_syncs - counts.file_syncs, APPENDS);
    assert_eq!((after.folder_syncs, after.opens), (counts.folder_syncs, counts.opens));
    assert_eq!((done.writes, done.reads), (APPENDS, APPENDS + asking), "{done:?}");
    let message = u64::try_from(message.len()).unwrap();
    assert!(done.bytes < APPENDS * (message + FRAMING), "{done:?}");
    assert!(allocations < APPENDS * ALLOCATIONS, "{} an append", allocations / APPENDS);
}
