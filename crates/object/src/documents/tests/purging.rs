//! What is purged with a session.

use std::time::Duration;

use futures_util::future;
use sessile_core::ErrorKind;
use sessile_core::id::Name;

use super::stage::*;
use crate::belongings;
use crate::documents::{delete, purge_belongings, put};
use crate::double::{Answer, Fault};
use crate::options::Options;
use crate::place::Place;
use crate::shelf;

#[tokio::test]
async fn a_session_takes_its_documents_with_it_and_no_others() {
    let (store, place) = sound();
    let own = [key("a"), key("b"), key(&"long/".repeat(100))];
    for key in &own {
        let first = of_session("v", "s1");
        put(&place, key, &first, ABSENT).await.unwrap();
        put(&place, key, &of_session("w", "s1"), over(&first)).await.unwrap();
    }
    let others = [(key("c"), value("v")), (key("d"), of_session("v", "s10"))];
    for (key, value) in &others {
        put(&place, key, value, ABSENT).await.unwrap();
    }
    // One that left the session for another, and one that is deleted.
    let (left, gone) = (of_session("v", "s1"), of_session("v", "s1"));
    put(&place, &key("e"), &left, ABSENT).await.unwrap();
    let moved = of_session("v", "s2");
    put(&place, &key("e"), &moved, over(&left)).await.unwrap();
    put(&place, &key("f"), &gone, ABSENT).await.unwrap();
    delete(&place, &key("f"), gone.revision).await.unwrap();
    for _ in 0..2 {
        purge_belongings(&place, &session("s1")).await.unwrap();
        for key in &own {
            is_missing(&place, key).await;
        }
        for (key, value) in &others {
            is_held(&place, key, value).await;
        }
        is_held(&place, &key("e"), &moved).await;
        is_missing(&place, &key("f")).await;
    }
    let notes = format!("{}/", place.keys.belongings(&session("s1")));
    let names = store.names().await;
    assert!(names.iter().all(|name| !name.starts_with(&notes)), "{names:?}");
    // It is purged of what is put again.
    put(&place, &own[0], &of_session("v", "s1"), ABSENT).await.unwrap();
    purge_belongings(&place, &session("s1")).await.unwrap();
    is_missing(&place, &own[0]).await;
}

#[tokio::test]
async fn a_purge_that_broke_off_is_gone_on_with() {
    let (store, place) = sound();
    for name in ["a", "b", "c"] {
        put(&place, &key(name), &of_session("v", "s1"), ABSENT).await.unwrap();
    }
    // The place refuses one of the three tombstones; and then a note can't be read.
    store.fail_writes(&[Fault::Dropped(Answer::Denied)]);
    let error = purge_belongings(&place, &session("s1")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    let left = shelf::documents(&place, &key("a").collection, None, 10).await.unwrap();
    assert_eq!(left.len(), 1);
    store.fail_reads(&[Answer::Broken]);
    let error = purge_belongings(&place, &session("s1")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    is_held_by(&place, &left, 1).await;
    purge_belongings(&place, &session("s1")).await.unwrap();
    for name in ["a", "b", "c"] {
        is_missing(&place, &key(name)).await;
    }
}

async fn is_held_by(place: &Place, names: &[Name], count: usize) {
    let listed = shelf::documents(place, &key("a").collection, None, 10).await.unwrap();
    assert_eq!((&*listed, listed.len()), (names, count));
}

#[tokio::test]
async fn a_damaged_document_of_a_session_is_reported_by_its_purge_and_stops_no_other() {
    let (store, place) = sound();
    for name in ["a", "b", "c"] {
        put(&place, &key(name), &of_session("v", "s1"), ABSENT).await.unwrap();
    }
    let revision = damage(&store, &place, &key("b"), b"damage").await;
    let error = purge_belongings(&place, &session("s1")).await.unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Corrupt, Some("document c/b")));
    is_missing(&place, &key("a")).await;
    is_missing(&place, &key("c")).await;
    delete(&place, &key("b"), revision).await.unwrap();
    purge_belongings(&place, &session("s1")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_document_that_comes_after_its_note_was_purged_is_noted_again() {
    let (store, _) = sound();
    let options = Options { request_timeout: Duration::from_secs(2), ..Options::default() };
    let place = store.place(options);
    let (new, session) = (of_session("v", "s1"), session("s1"));
    let putting = async {
        // The note goes through, and the document not before the purge is over.
        store.fail_writes(&[Fault::Nothing, Fault::Dropped(Answer::Never)]);
        put(&place, &key("n"), &new, ABSENT).await
    };
    let purging = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        purge_belongings(&place, &session).await
    };
    let (put, purged) = future::join(putting, purging).await;
    put.unwrap();
    purged.unwrap();
    is_held(&place, &key("n"), &new).await;
    assert!(belongings::is_noted(&place, &session.id, &key("n")).await.unwrap());
    purge_belongings(&place, &session).await.unwrap();
    is_missing(&place, &key("n")).await;
}

#[tokio::test(start_paused = true)]
async fn a_document_that_comes_before_its_note_is_purged_is_purged_with_it() {
    let (store, place) = sound();
    let (new, session) = (of_session("v", "s1"), session("s1"));
    belongings::note(&place, &session.id, &key("n")).await.unwrap();
    store.delay_deletes(Duration::from_secs(2));
    let putting = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        put(&place, &key("n"), &new, ABSENT).await
    };
    let (put, purged) = future::join(putting, purge_belongings(&place, &session)).await;
    put.unwrap();
    purged.unwrap();
    assert!(!belongings::is_noted(&place, &session.id, &key("n")).await.unwrap());
    is_missing(&place, &key("n")).await;
}
