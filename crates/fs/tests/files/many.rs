//! Stores of many sessions, and how they are listed.

use std::path::PathBuf;

use futures_util::StreamExt as _;
use sessile_core::backend::{Backend as _, Expected, Recency, Recent, Scope};
use sessile_core::commit::Tip;
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::ErrorKind;
use sessile_core::payload::Payload;
use sessile_core::time::UnixMillis;
use sessile_fs::{Counts, FsBackend};

use crate::scene::{self, Scene};

/// Appends messages of some time and length, a commit each, and makes the session if need be.
pub(crate) async fn write(backend: &FsBackend, id: &str, at: u64, messages: usize, length: usize) {
    let key = scene::key(id);
    if let Err(error) = backend.head(&key).await {
        assert_eq!(error.kind(), ErrorKind::Missing);
        let created = backend.append(&key, Expected::At(Tip::ABSENT), vec![scene::header(&key)]);
        created.await.unwrap();
    }
    let text = Payload::of(&"x".repeat(length)).unwrap();
    let entry = NewEntry::new(UnixMillis(at), EntryType::Message, text);
    for _ in 0..messages {
        let commit = scene::commit("c", vec![entry.clone()]);
        backend.append(&key, Expected::End, vec![commit]).await.unwrap();
    }
}

/// A store of sessions with so many messages of such a length each, newest last, all let go of.
pub(crate) async fn store_of(sessions: u64, size: impl Fn(u64) -> (usize, usize)) -> Scene {
    let scene = Scene::new();
    let backend = scene.backend().await;
    let sessions = futures_util::stream::iter(0..sessions);
    let written = sessions.for_each_concurrent(16, |number| {
        let (backend, (messages, length)) = (&backend, size(number));
        let id = format!("s{number:03}");
        async move { write(backend, &id, 100 + number, messages, length).await }
    });
    written.await;
    backend.close().await.unwrap();
    scene
}

/// A store of so many small sessions.
pub(crate) async fn store(sessions: u64) -> Scene {
    store_of(sessions, |_| (1, 20)).await
}

pub(crate) fn catalog(scene: &Scene) -> PathBuf {
    scene.root().join("spaces/default/catalog/recency")
}

/// Every row, in pages of so many.
pub(crate) async fn walk(backend: &FsBackend, limit: usize) -> Vec<Recent> {
    let mut rows: Vec<Recent> = Vec::new();
    loop {
        let after: Option<Recency> = rows.last().map(|row| row.recency.clone());
        let space = scene::key("any").space;
        let page = backend.recent(&space, &Scope::ALL, after.as_ref(), limit).await.unwrap();
        let is_last = page.len() < limit;
        rows.extend(page);
        assert!(rows.len() < 1_000, "pages come to no end");
        if is_last {
            return rows;
        }
    }
}

/// The ids in pages of several sizes, which must be the same, on a handle of its own.
pub(crate) async fn listed(scene: &Scene) -> Vec<String> {
    let mut before = None;
    for limit in [1, 7, 20, 1_000] {
        let rows = walk(&scene.backend().await, limit).await;
        let ids: Vec<String> = rows.iter().map(|row| row.recency.id.to_string()).collect();
        assert!(before.is_none_or(|before| before == ids), "pages of {limit}");
        before = Some(ids);
    }
    before.unwrap()
}

/// The order in which a store of so many sessions is listed.
pub(crate) fn newest_first(sessions: u64) -> Vec<String> {
    (0..sessions).rev().map(|number| format!("s{number:03}")).collect()
}

/// What a page of so many costs a handle that was just opened.
pub(crate) async fn cost(scene: &Scene, limit: usize) -> Counts {
    let backend = scene.backend().await;
    let page = backend.recent(&scene.key.space, &Scope::ALL, None, limit).await.unwrap();
    assert_eq!(page.len(), limit);
    backend.counts()
}
