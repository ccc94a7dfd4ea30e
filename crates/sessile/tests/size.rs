//! What a long session and a full store cost: memory and files, not time.
#![cfg(feature = "fs")]
#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]
#![expect(clippy::print_stdout, reason = "the child tells its parent")]

use std::process::Command;
use std::sync::Arc;

use sessile::fs::{FsBackend, Options};
use sessile::prelude::*;
use sessile::{From, UnixMillis};

/// How long the session is, and how much of a message is text.
const SESSION_BYTES: usize = 200 << 20;
const MESSAGE_BYTES: usize = 1_200;
const MESSAGES_A_COMMIT: usize = 100;

/// What a process may hold that opens it, reads its end and appends.
const MEMORY_KIB: u64 = 64 << 10;

async fn store(folder: &std::path::Path) -> (Store, FsBackend) {
    let backend = FsBackend::open(folder, Options::default()).await.unwrap();
    (Store::on(Arc::new(backend.clone())), backend)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_two_hundred_mebibytes_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (built, _) = store(folder.path()).await;
    let session = built.create_as("long", NewSession::new()).await.unwrap();
    let text = "x".repeat(MESSAGE_BYTES);
    for _ in 0..SESSION_BYTES / MESSAGE_BYTES / MESSAGES_A_COMMIT {
        session.append(vec![&text; MESSAGES_A_COMMIT]).await.unwrap();
    }
    built.close().await.unwrap();

    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reads_the_long_session_as_a_child", "--ignored", "--nocapture"])
        .env("SESSILE_TEST_STORE", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let kib = said.lines().find_map(|line| line.split_once("peak KiB: ")).unwrap().1;
    let kib: u64 = kib.trim().parse().unwrap();
    assert!(kib <= MEMORY_KIB, "{kib} KiB");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn reads_the_long_session_as_a_child() {
    let folder = std::env::var_os("SESSILE_TEST_STORE").unwrap();
    let (store, _) = store(folder.as_ref()).await;
    let session = store.open_session("long").await.unwrap();
    let messages = session.info().messages;
    assert!(messages > 100_000);
    let last = session.transcript::<RawMessage>(From::last(50)).await.unwrap().all().await.unwrap();
    assert_eq!(last.len(), 50);
    assert_eq!(last.last().unwrap().ordinal.unwrap().number(), messages);
    session.append(["and on"]).await.unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak KiB: {}", peak.trim().trim_end_matches(" kB"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_fifty_of_many_sessions_opens_the_fifty_and_no_more() {
    // As many as take seconds to make; the assertions are the same for all.
    let soak = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    let sessions = if soak { 10_000 } else { 1_000 };
    let folder = tempfile::tempdir().unwrap();
    let (built, _) = store(folder.path()).await;
    for number in 0..sessions {
        let new = NewSession::new().title(format!("session {number}"));
        let session = built.create_as(format!("s{number:05}"), new).await.unwrap();
        session.append(["a message that no listing reads"]).await.unwrap();
    }
    built.close().await.unwrap();

    let (read, backend) = store(folder.path()).await;
    let before = backend.counts();
    let page = read.list(Filter::all(), Page::of(50)).await.unwrap();
    assert_eq!(page.sessions.len(), 50);
    assert!(page.sessions.iter().all(|row| row.updated_at > UnixMillis(0) && row.title.is_some()));
    let opens = backend.counts().opens - before.opens;
    // Each row's journal is looked at, opened by its tail, and one more page is begun.
    assert!(opens < 50 * 8, "{opens} files opened");

    let mut seen = std::collections::BTreeSet::new();
    let mut page = Page::of(500);
    loop {
        let listing = read.list(Filter::all(), page).await.unwrap();
        seen.extend(listing.sessions.into_iter().map(|row| row.id));
        match listing.next {
            Some(next) => page = Page::of(500).after(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), sessions);
}
