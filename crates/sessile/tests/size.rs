//! What a long session and a full store cost: memory and files, not time.
#![cfg(feature = "fs")]
#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]
#![expect(clippy::print_stdout, reason = "the child tells its parent")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use sessile::fs::{FsBackend, Options};
use sessile::prelude::*;
use sessile::{From, Query, Seq, UnixMillis};

/// How long the session is, and how much of a message is text.
const SESSION_BYTES: usize = 200 << 20;
const MESSAGE_BYTES: usize = 1_200;
const MESSAGES_A_COMMIT: usize = 100;

/// Longer than what a process may hold, where all of it is rewritten and seconds are to do.
const REWRITTEN_BYTES: usize = 96 << 20;

/// What a process may hold that opens it, reads its end and appends, or rewrites it.
const MEMORY_KIB: u64 = 64 << 10;

/// Whether there is time for what takes longer than seconds; the assertions are the same.
fn is_soaking() -> bool {
    std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1")
}

async fn store(folder: &Path) -> (Store, FsBackend) {
    let backend = FsBackend::open(folder, Options::default()).await.unwrap();
    (Store::on(Arc::new(backend.clone())), backend)
}

/// Makes a session that has so many bytes of text.
async fn build(folder: &Path, bytes: usize) {
    let (built, _) = store(folder).await;
    let session = built.create_as("long", NewSession::new()).await.unwrap();
    let text = "x".repeat(MESSAGE_BYTES);
    for _ in 0..bytes / MESSAGE_BYTES / MESSAGES_A_COMMIT {
        session.append(vec![&text; MESSAGES_A_COMMIT]).await.unwrap();
    }
    built.close().await.unwrap();
}

/// Runs a test of this file as a process of its own, and answers the most memory that it had.
fn peak_of_child(test: &str, folder: &Path) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("SESSILE_TEST_STORE", folder)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    let kib = said.lines().find_map(|line| line.split_once("peak KiB: ")).unwrap().1;
    kib.trim().parse().unwrap()
}

/// Where the parent has put the session.
fn folder_of_parent() -> PathBuf {
    std::env::var_os("SESSILE_TEST_STORE").unwrap().into()
}

fn tell_peak() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak KiB: {}", peak.trim().trim_end_matches(" kB"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_two_hundred_mebibytes_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), SESSION_BYTES).await;
    let kib = peak_of_child("reads_the_long_session_as_a_child", folder.path());
    assert!(kib <= MEMORY_KIB, "{kib} KiB");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn reads_the_long_session_as_a_child() {
    let (store, _) = store(&folder_of_parent()).await;
    let session = store.open_session("long").await.unwrap();
    let messages = session.info().messages;
    assert!(messages > 100_000);
    let last = session.transcript::<RawMessage>(From::last(50)).await.unwrap().all().await.unwrap();
    assert_eq!(last.len(), 50);
    assert_eq!(last.last().unwrap().ordinal.unwrap().number(), messages);
    session.append(["and on"]).await.unwrap();
    tell_peak();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_longer_than_memory_may_be_is_read_rewritten_and_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = if is_soaking() { SESSION_BYTES } else { REWRITTEN_BYTES };
    build(folder.path(), bytes).await;
    let kib = peak_of_child("rewrites_the_long_session_as_a_child", folder.path());
    assert!(kib <= MEMORY_KIB, "{kib} KiB");
    let (store, _) = store(folder.path()).await;
    let found = store.verify("long").await.unwrap();
    assert!(found.sound, "{found:?}");
    assert!(usize::try_from(found.entries).unwrap() > bytes / MESSAGE_BYTES - MESSAGES_A_COMMIT);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn rewrites_the_long_session_as_a_child() {
    let (store, _) = store(&folder_of_parent()).await;
    let done = store.vacuum("long").await.unwrap();
    assert!(done.dropped > 50 && done.bytes_after < done.bytes_before, "{done:?}");
    let session = store.open_session("long").await.unwrap();
    let ends = [Seq::new(1).unwrap(), Seq::new(session.position().number() - 1).unwrap()];
    session.redact(ends, None).await.unwrap();
    let mut transcript = session.transcript::<RawMessage>(From::start()).await.unwrap();
    let (mut messages, mut redacted) = (0, 0);
    while let Some(message) = transcript.next().await.transpose().unwrap() {
        messages += 1;
        redacted += usize::from(message.data.as_str() == r#"{"redacted":true}"#);
    }
    assert_eq!((messages, redacted), (session.info().messages, 2));
    assert!(store.verify("long").await.unwrap().sound);
    tell_peak();
}

/// How long the session of few messages is, how much of it is an event, and how many messages
/// there are.
const EVENTS_BYTES: usize = 100 << 20;
const EVENT_BYTES: usize = 64 << 10;
const FEW_MESSAGES: usize = 14;

#[tokio::test(flavor = "multi_thread")]
async fn a_few_messages_among_a_hundred_mebibytes_are_streamed_in_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (built, _) = store(folder.path()).await;
    let session = built.create_as("wide", NewSession::new()).await.unwrap();
    let text = "x".repeat(EVENT_BYTES);
    let a_message = EVENTS_BYTES / EVENT_BYTES / FEW_MESSAGES;
    for number in 0..FEW_MESSAGES {
        session.append([number]).await.unwrap();
        for _ in 0..a_message.div_ceil(8) {
            session.append_events(vec![&text; 8]).await.unwrap();
        }
    }
    built.close().await.unwrap();
    let kib = peak_of_child("reads_the_few_messages_as_a_child", folder.path());
    assert!(kib <= MEMORY_KIB, "{kib} KiB");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn reads_the_few_messages_as_a_child() {
    let folder = std::env::var_os("SESSILE_TEST_STORE").unwrap();
    let (store, _) = store(folder.as_ref()).await;
    let session = store.open_session("wide").await.unwrap();
    let read: Vec<usize> = session.transcript(From::start()).await.unwrap().all().await.unwrap();
    assert!(read.into_iter().eq(0..FEW_MESSAGES));
    // All of it, piece by piece.
    let mut entries = session.entries(From::start()).await.unwrap();
    let mut bytes = 0;
    while let Some(entry) = entries.next().await {
        bytes += entry.unwrap().data.len();
    }
    assert!(bytes > EVENTS_BYTES, "{bytes}");
    tell_peak();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_many_sessions_and_a_search_for_a_common_word_open_what_they_show_and_no_more() {
    let sessions = if is_soaking() { 10_000 } else { 1_000 };
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

    // A word in many titles ends with the first page of 100 that is looked at.
    let before = backend.counts();
    let found = read.search(Query::new("session")).await.unwrap();
    assert_eq!((found.hits.len(), found.sessions), (100, 100));
    assert!(found.next.is_some());
    let opens = backend.counts().opens - before.opens;
    assert!(opens < 100 * 8, "{opens} files opened");
    // A word in one title costs what a listing of all costs, up to the bound.
    let found = read.search(Query::new("session 0").most_sessions(500)).await.unwrap();
    assert_eq!((found.hits.len(), found.sessions), (0, 500));
    // It is answered from what was noted of the sessions: none is opened that it is not in.
    let before = backend.counts();
    for (word, hits) in [("session 777", if is_soaking() { 11 } else { 1 }), ("nowhere", 0)] {
        let found = read.search(Query::new(word)).await.unwrap();
        assert_eq!((found.hits.len(), found.sessions), (hits, sessions), "{word}");
    }
    let opens = backend.counts().opens - before.opens;
    assert!(opens < 12 * 8, "{opens} files opened");

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
