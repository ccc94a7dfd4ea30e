//! Purges: what is left is the tombstone's record, whenever one ends and whoever races it.

use std::time::Duration;

use sessile_core::backend::{
    Backend as _, Collection, DocKey, Expected, NewDocument, Precondition, Span,
};
use sessile_core::commit::Tip;
use sessile_core::error::ErrorKind;
use sessile_core::revision::Revision;
use tokio::task;

use super::stage::{
    Stage, damaged, elsewhere, forgetful, hasty, header, ids, kind, message, object_behind,
    options, position, tombstone, undelete,
};
use crate::backend::ObjectBackend;
use crate::double::Breach;
use crate::entropy;
use crate::options::Options;

const DAY: Duration = Duration::from_hours(24);

/// A journal that is deleted, and where it ends.
async fn deleted(messages: usize) -> (Stage, ObjectBackend, Tip) {
    let (stage, backend) = Stage::with_messages(messages).await;
    let tip = stage.remove(&backend).await;
    (stage, backend, tip)
}

fn waiting() -> Options {
    Options { purge_after: DAY, purges_at_once: false, ..options() }
}

/// What is left is the tombstone's record and the mark that tells where it is, and what every reader takes it for.
async fn is_purged(stage: &Stage, tip: Tip, number: u64) {
    let log = stage.keys.log(number);
    let left: Vec<String> =
        stage.names().await.iter().map(|name| format!("{}/{name}", stage.keys.folder())).collect();
    assert_eq!(left, [log.to_string(), stage.keys.masked().to_string()]);
    let fresh = stage.handle(options());
    let head = stage.head(&fresh).await;
    assert_eq!((head.tip, head.deleted), (tip, true));
    assert_eq!(stage.read(&fresh, Span::ALL).await, ids(&["header", "delete"]));
    let back = Span::Back { before: position(10_000), max_bytes: 0 };
    assert_eq!(stage.read(&fresh, back).await, ids(&["delete"]));
    assert_eq!(
        fresh.journals(&stage.key.space, None, 9).await.unwrap(),
        std::slice::from_ref(&stage.key.id)
    );
    for commit in [header(&stage.key), undelete(), message(1)] {
        for expected in [Expected::At(Tip::ABSENT), Expected::At(tip), Expected::End] {
            let fresh = stage.handle(options());
            let sent = fresh.append(&stage.key, expected, vec![commit.clone()]);
            assert_eq!(kind(sent.await), ErrorKind::Deleted, "{expected:?}");
        }
    }
}

#[tokio::test]
async fn what_is_left_is_the_tombstone_and_the_note_of_the_catalog() {
    let (stage, backend, tip) = deleted(3).await;
    backend.purge(&stage.key).await.unwrap();
    is_purged(&stage, tip, 5).await;
    let names = stage.store.names().await;
    let note = names.iter().filter(|name| name.starts_with("p/catalog/")).count();
    assert_eq!((note, names.len()), (1, 4), "{names:?}");
    // Purging it again is done already.
    stage.handle(options()).purge(&stage.key).await.unwrap();
    is_purged(&stage, tip, 5).await;
}

#[tokio::test]
async fn a_purge_waits_by_the_times_of_the_place_and_says_how_long() {
    let (stage, _, tip) = deleted(2).await;
    let purger = stage.handle(waiting());
    let before = stage.names().await;
    // The tombstone is the object 3.
    for (age, minutes) in [(0, 1_440), (3_600, 1_380), (86_400 - 90, 2), (86_400 - 5, 1)] {
        stage.store.age(stage.keys.log(3), Duration::from_secs(age));
        let error = purger.purge(&stage.key).await.unwrap_err();
        assert_eq!((error.kind(), error.may_retry()), (ErrorKind::Unavailable, true));
        let hint = error.hint().unwrap().to_owned();
        assert!(hint.contains(&format!(" {minutes} minutes")), "{hint} at {age} s");
        assert_eq!(stage.names().await, before);
        stage.store.age_no_more();
    }
    // That other objects are old enough is not enough.
    for number in 0..3 {
        stage.store.age(stage.keys.log(number), DAY * 2);
    }
    assert_eq!(kind(purger.purge(&stage.key).await), ErrorKind::Unavailable);
    stage.store.age(stage.keys.log(3), DAY);
    purger.purge(&stage.key).await.unwrap();
    is_purged(&stage, tip, 4).await;
}

#[tokio::test]
async fn only_what_is_deleted_is_purged() {
    let (stage, backend) = Stage::with_messages(2).await;
    let before = stage.names().await;
    assert_eq!(kind(backend.purge(&stage.key).await), ErrorKind::Conflict);
    stage.remove(&backend).await;
    stage.append(&backend, vec![undelete()]).await.unwrap();
    assert_eq!(kind(stage.handle(options()).purge(&stage.key).await), ErrorKind::Conflict);
    assert_eq!(stage.names().await.len(), before.len() + 2);
    assert_eq!(stage.all().await, ids(&["header", "m0", "m1", "delete", "undelete"]));
}

#[tokio::test]
async fn of_a_purge_and_an_undelete_one_wins_whichever_comes_first() {
    let mut won = [0, 0];
    for round in 0..24 {
        let (stage, _, tip) = deleted(2).await;
        let (purger, writer) = (stage.handle(options()), stage.handle(options()));
        stage.head(&writer).await;
        // The undelete has fewer requests to make, and comes first unless it waits for some.
        let expected = if round % 2 == 0 { Expected::End } else { Expected::At(tip) };
        let appending = async {
            for _ in 0..round {
                task::yield_now().await;
            }
            writer.append(&stage.key, expected, vec![undelete()]).await
        };
        let (ended, appended) = tokio::join!(purger.purge(&stage.key), appending);
        assert_eq!(ended.is_ok(), appended.is_err(), "{ended:?} and {appended:?}");
        won[usize::from(ended.is_ok())] += 1;
        if ended.is_ok() {
            assert_eq!(kind(appended), ErrorKind::Deleted);
            is_purged(&stage, tip, 4).await;
        } else {
            assert_eq!(kind(ended), ErrorKind::Conflict);
            assert_eq!(stage.all().await, ids(&["header", "m0", "m1", "delete", "undelete"]));
        }
    }
    assert!(won.iter().all(|won| *won > 0), "{won:?}");
}

#[tokio::test]
async fn a_purge_that_ends_after_any_request_is_completed_by_the_next() {
    let mut died = 0;
    for requests in 0.. {
        let (stage, writer, tip) = deleted(4).await;
        let name = |name: &str| {
            let collection =
                Collection { space: stage.key.space.clone(), name: "c".parse().unwrap() };
            DocKey { collection, name: name.parse().unwrap() }
        };
        for owned in ["a", "b"] {
            let revision = Revision::new(entropy::token());
            let session = Some(stage.key.id.clone());
            let document = NewDocument { bytes: "value".into(), revision, session };
            writer.put(&name(owned), document, Precondition::Absent).await.unwrap();
        }
        let purger = stage.handle(hasty());
        stage.head(&purger).await;
        stage.store.die_after(requests);
        let ended = purger.purge(&stage.key).await;
        stage.store.die_after(None);
        // Whatever is left by then: it is deleted, and can be read as that.
        for reader in [&writer, &stage.handle(options())] {
            let head = stage.head(reader).await;
            assert_eq!((head.tip, head.deleted), (tip, true), "after {requests} requests");
        }
        let fresh = stage.handle(options());
        let created = stage.append_at(&fresh, Tip::ABSENT, vec![message(0)]);
        assert_eq!(kind(created.await), ErrorKind::Deleted);
        let is_done = ended.is_ok();
        if !is_done {
            died += 1;
            stage.handle(options()).purge(&stage.key).await.unwrap();
        }
        is_purged(&stage, tip, 6).await;
        for owned in ["a", "b"] {
            assert_eq!(kind(writer.get(&name(owned)).await), ErrorKind::Missing);
        }
        let names = stage.store.names().await;
        assert!(!names.iter().any(|name| name.contains("/belongings/")), "{names:?}");
        if is_done {
            break;
        }
    }
    assert!(died > 15, "it died {died} times");
}

#[tokio::test]
async fn a_handle_that_knew_the_session_before_answers_deleted() {
    let (stage, _) = Stage::with_messages(2).await;
    let knew = stage.handle(forgetful());
    let tip = stage.head(&knew).await.tip;
    stage.read(&knew, Span::ALL).await;
    let other = stage.handle(options());
    let end = stage.remove(&other).await;
    // One that looked since the deletion need not look anew.
    let saw = stage.handle(options());
    stage.head(&saw).await;
    other.purge(&stage.key).await.unwrap();
    for handle in [&knew, &saw, &other] {
        for expected in [Expected::At(Tip::ABSENT), Expected::At(tip), Expected::End] {
            let commit =
                if expected == Expected::At(Tip::ABSENT) { header(&stage.key) } else { message(3) };
            let sent = handle.append(&stage.key, expected, vec![commit]).await;
            assert_eq!(kind(sent), ErrorKind::Deleted, "{expected:?}");
        }
        assert_eq!(kind(handle.remove(&stage.key, tip, tombstone()).await), ErrorKind::Deleted);
        let masked = handle.mask(&stage.key, end, vec![super::stage::seq(1)]).await;
        assert_eq!(kind(masked), ErrorKind::Deleted);
        assert!(stage.head(handle).await.deleted);
        assert_eq!(stage.read(handle, Span::ALL).await, ids(&["header", "delete"]));
    }
    is_purged(&stage, end, 4).await;
}

#[tokio::test]
async fn the_tombstone_sent_again_is_answered_as_before_also_by_its_remains() {
    let (stage, writer) = Stage::with_messages(1).await;
    let (tip, commit) = (stage.tip().await, tombstone());
    let first = writer.remove(&stage.key, tip, commit.clone()).await.unwrap();
    for purged in [false, true] {
        if purged {
            writer.purge(&stage.key).await.unwrap();
        }
        let again = stage.handle(options()).remove(&stage.key, tip, commit.clone()).await.unwrap();
        assert_eq!((again.tip, again.replayed), (first.tip, true));
    }
}

#[tokio::test]
async fn strangers_and_damage_behind_the_tombstone_do_not_keep_what_is_to_go() {
    let (stage, _, tip) = deleted(2).await;
    stage.put_log(4, object_behind(elsewhere(4), &message(90))).await;
    stage.handle(options()).purge(&stage.key).await.unwrap();
    is_purged(&stage, tip, 5).await;

    let (stage, _, _) = deleted(2).await;
    stage.put_log(4, "junk\n").await;
    assert_eq!(stage.all().await.last(), Some(&damaged(4)));
    stage.handle(options()).purge(&stage.key).await.unwrap();
    assert_eq!(stage.all().await, ids(&["header", "delete"]));
    assert_eq!(stage.names().await.len(), 2);
}

#[tokio::test]
async fn what_is_put_back_before_or_behind_the_tombstone_brings_nothing_back() {
    let (stage, purger, tip) = deleted(2).await;
    let objects = [stage.log(0).await, stage.log(1).await, stage.log(2).await];
    purger.purge(&stage.key).await.unwrap();
    for (number, bytes) in (0..).zip(&objects) {
        stage.put_log(number, bytes.clone()).await;
    }
    for reader in [&purger, &stage.handle(options())] {
        assert_eq!(stage.read(reader, Span::ALL).await, ids(&["header", "delete"]));
    }
    // The next purge sweeps them away.
    stage.handle(options()).purge(&stage.key).await.unwrap();
    is_purged(&stage, tip, 4).await;
    stage.put_log(5, objects[1].clone()).await;
    for reader in [&purger, &stage.handle(options())] {
        assert!(stage.head(reader).await.deleted);
        assert_eq!(kind(stage.append(reader, vec![message(7)]).await), ErrorKind::Deleted);
    }
}

#[tokio::test]
async fn of_thousands_of_objects_those_that_could_not_be_deleted_are_told_and_the_others_are_gone()
{
    let stage = Stage::new().await;
    let writer = stage.handle(options());
    let mut tip = stage.create(&writer).await;
    for number in 1..2_501 {
        tip = stage.append_at(&writer, tip, vec![message(number)]).await.unwrap()[0].tip;
    }
    let tip = stage.remove(&writer).await;
    let kept = [0, 1_000, 2_400].map(|number| stage.keys.log(number));
    stage.store.keep(kept.clone());
    let purger = stage.handle(options());
    assert_eq!(kind(purger.purge(&stage.key).await), ErrorKind::Permission);
    assert_eq!(stage.names().await.len(), kept.len() + 2);
    for reader in [&writer, &stage.handle(options())] {
        assert!(stage.head(reader).await.deleted);
    }
    stage.store.keep([]);
    purger.purge(&stage.key).await.unwrap();
    is_purged(&stage, tip, 2_502).await;
}

#[tokio::test]
async fn the_id_of_a_purged_session_is_not_taken_again_although_a_list_hides_what_is_left_of_it() {
    let stage = Stage::with(Breach::ListsNothing).await;
    let writer = stage.handle(options());
    let tip = stage.create(&writer).await;
    let tip = stage.append_at(&writer, tip, vec![message(0)]).await.unwrap()[0].tip;
    let tip = writer.remove(&stage.key, tip, tombstone()).await.unwrap().tip;
    writer.purge(&stage.key).await.unwrap();
    // What the list would have shown to the purge.
    for number in 0..3 {
        stage.delete_log(number).await;
    }
    let fresh = || stage.handle(options());
    for handle in [fresh(), fresh()] {
        let created = stage.append_at(&handle, Tip::ABSENT, vec![header(&stage.key)]).await;
        assert_eq!(kind(created), ErrorKind::Deleted);
    }
    let head = stage.head(&fresh()).await;
    assert_eq!((head.tip, head.deleted), (tip, true));
    assert_eq!(stage.read(&fresh(), Span::ALL).await, ids(&["header", "delete"]));
    assert_eq!(kind(stage.append(&fresh(), vec![message(1)]).await), ErrorKind::Deleted);
}

#[tokio::test]
async fn a_mask_that_comes_after_a_purge_takes_its_mark_from_nobody() {
    let (stage, purger, tip) = deleted(2).await;
    let session = stage.session(options());
    purger.purge(&stage.key).await.unwrap();
    let client = session.client();
    let swapped = crate::mark::swap(client, &session.keys, "another".to_owned()).await.unwrap();
    assert_eq!(crate::mark::purged(&swapped), Some(4));
    is_purged(&stage, tip, 4).await;
}
