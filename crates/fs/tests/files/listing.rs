//! Listing while another process writes.

use std::process::Child;

use sessile_core::backend::{Backend as _, Expected};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::id::SessionId;
use sessile_core::payload::Payload;
use sessile_core::time::UnixMillis;
use sessile_fs::{FsBackend, Options};

use crate::many::{store, walk, write};
use crate::processes;
use crate::scene;

/// Sessions that nobody touches, and then some that are appended to all the time.
const QUIET: usize = 50;
const TOUCHED: usize = 10;

/// Rows on a page: few, so that much happens between the first and the last.
const ROWS: usize = 7;

/// All ids, in pages of so many.
async fn ids(backend: &FsBackend) -> Vec<SessionId> {
    let mut ids: Vec<SessionId> = Vec::new();
    loop {
        let space = scene::key("any").space;
        let page = backend.journals(&space, ids.last(), ROWS).await.unwrap();
        let is_last = page.len() < ROWS;
        ids.extend(page);
        if is_last {
            return ids;
        }
    }
}

/// The ids that begin with a letter, in the order in which they are listed.
fn beginning(ids: &[SessionId], letter: char) -> Vec<&str> {
    ids.iter().map(SessionId::as_str).filter(|id| id.starts_with(letter)).collect()
}

/// A child that does not outlive the test, however that ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_show_what_is_there_all_the_time_exactly_once_while_another_process_writes() {
    let scene = store(u64::try_from(QUIET + TOUCHED).unwrap()).await;
    let all: Vec<String> = (0..QUIET + TOUCHED).map(|number| format!("s{number:03}")).collect();
    let mut child = Ended(processes::child(&scene, "", "listing::writes_as_a_child"));
    let stays = scene.backend().await;
    let (mut walks, mut begun) = (0, None);
    loop {
        // By a handle that stays, and by one that comes.
        let backend = if walks % 2 == 0 { scene.backend().await } else { stays.clone() };
        let listed = ids(&backend).await;
        assert!(listed.is_sorted_by(|one, next| one < next), "{listed:?}");
        assert_eq!(beginning(&listed, 's'), all);

        let rows = walk(&backend, ROWS).await;
        let recent: Vec<SessionId> = rows.into_iter().map(|row| row.recency.id).collect();
        let shown = beginning(&recent, 's');
        let quiet: Vec<_> = shown.iter().copied().filter(|id| *id < all[QUIET].as_str()).collect();
        let newest_first: Vec<_> = all[..QUIET].iter().rev().collect();
        assert_eq!(quiet, newest_first);
        // What moves up while it is looked for may be missed, and is not shown twice.
        let mut once = shown.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), shown.len(), "{shown:?}");

        let made = beginning(&listed, 'n').len();
        let begun = *begun.get_or_insert(made);
        walks += 1;
        if walks >= 20 && made >= begun + 10 {
            break;
        }
        assert!(walks < 10_000, "the other process does not write: {:?}", child.0.try_wait());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above, which ends it"]
async fn writes_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    for round in 0.. {
        let backend = FsBackend::open(&root, Options::default()).await.unwrap();
        // Above every time that the store has, and rising.
        let at = 10_000 + u64::try_from(round).unwrap();
        for number in [round, round + 3, round + 7] {
            let id = format!("s{:03}", QUIET + number % TOUCHED);
            let text = Payload::of(&"more").unwrap();
            let entry = NewEntry::new(UnixMillis(at), EntryType::Message, text);
            let commit = scene::commit("more", vec![entry]);
            backend.append(&scene::key(&id), Expected::End, vec![commit]).await.unwrap();
        }
        write(&backend, &format!("n{round:06}"), at, 1, 20).await;
        if round % 3 == 0 {
            // Padding is cut off, and the catalog grows.
            backend.close().await.unwrap();
        }
    }
}
