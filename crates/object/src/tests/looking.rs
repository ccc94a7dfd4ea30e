//! Handles that looked long ago, and journals of more objects than a list's page holds.

use std::time::Duration;

use object_store::ObjectStoreExt as _;
use sessile_core::backend::{Backend as _, Expected, Span};
use sessile_core::commit::Tip;
use sessile_core::error::ErrorKind;

use super::stage::{
    Stage, damaged, forgetful, header, ids, kind, merging, message, messages, options, position,
    quiet, undelete,
};
use crate::double::{Answer, Breach};
use crate::options::Options;

#[tokio::test]
async fn a_stale_handle_looks_again_before_it_acknowledges_and_finds_what_it_wrote() {
    let stage = Stage::new().await;
    let sleeper = stage.handle(forgetful());
    let tip = stage.create(&sleeper).await;
    let at = stage.append_at(&sleeper, tip, vec![message(0), message(1)]).await.unwrap();
    assert_eq!(at.iter().map(|it| it.first.number()).collect::<Vec<_>>(), [1, 2]);
    let at_end = stage.append(&sleeper, vec![message(2), message(3)]).await.unwrap();
    assert_eq!(at_end.iter().map(|it| it.first.number()).collect::<Vec<_>>(), [3, 4]);
    let large = stage.append(&sleeper, (4..900).map(message).collect()).await.unwrap();
    assert_eq!((large.len(), large[0].first.number()), (896, 5));
    assert_eq!(stage.all().await.len(), 901);
    // It looks before it writes, and after.
    let before = sleeper.counts();
    stage.append(&sleeper, vec![message(900)]).await.unwrap();
    assert_eq!(sleeper.counts().lists - before.lists, 2, "{:?}", sleeper.counts());
}

#[tokio::test]
async fn a_place_that_refuses_to_show_a_session_is_no_damaged_session() {
    let (stage, _) = Stage::with_messages(2).await;
    let handle = stage.handle(options());
    stage.head(&handle).await;
    for (answer, told) in
        [(Answer::Denied, ErrorKind::Permission), (Answer::Status(500), ErrorKind::Unavailable)]
    {
        stage.store.fail_reads(&[answer]);
        let listed = handle.recent(&stage.key.space, None, 9).await.map(drop);
        assert_eq!(kind(listed), told);
    }
    assert_eq!(handle.recent(&stage.key.space, None, 9).await.unwrap().len(), 1);
}

/// What a handle does whose place answers its write long after it looked: by then the session
/// was deleted and purged, and its names are free.
async fn purged_meanwhile(expected: fn(Tip) -> Expected, age: Duration) -> (Stage, ErrorKind) {
    let (stage, _) = Stage::with_messages(2).await;
    let sleeper = stage.handle(Options { look_age: age, ..options() });
    let tip = stage.head(&sleeper).await.tip;
    let other = stage.handle(options());
    stage.remove(&other).await;
    other.purge(&stage.key).await.unwrap();
    let sent = sleeper.append(&stage.key, expected(tip), vec![message(9)]).await;
    (stage, kind(sent))
}

#[tokio::test]
async fn a_stale_handle_finds_the_purge_and_acknowledges_nothing() {
    for expected in [Expected::At, |_| Expected::End] {
        let (stage, answer) = purged_meanwhile(expected, Duration::ZERO).await;
        assert_eq!(answer, ErrorKind::Deleted);
        assert_eq!(stage.all().await, ids(&["header", "delete"]));
    }
}

#[tokio::test]
async fn a_handle_whose_look_grew_old_under_way_acknowledges_nothing_either() {
    for expected in [Expected::At, |_| Expected::End] {
        let (stage, _) = Stage::with_messages(2).await;
        let age = Duration::from_millis(300);
        let sleeper = stage.handle(Options { look_age: age, ..options() });
        let tip = stage.head(&sleeper).await.tip;
        stage.read(&sleeper, Span::ALL).await;
        let other = stage.handle(options());
        stage.remove(&other).await;
        other.purge(&stage.key).await.unwrap();
        // The write is sent while the look is young, or after it has grown old: both are refused
        // by what they find, since the answer comes later than that.
        stage.store.delay_writes(age * 2);
        let sent = sleeper.append(&stage.key, expected(tip), vec![message(9)]).await;
        assert_eq!(kind(sent), ErrorKind::Deleted);
        assert_eq!(stage.all().await, ids(&["header", "delete"]));
        stage.store.delay_writes(Duration::ZERO);
        assert_eq!(kind(stage.append(&sleeper, vec![undelete()]).await), ErrorKind::Deleted);
    }
}

#[tokio::test]
async fn a_creation_that_was_sent_long_after_its_look_is_not_acknowledged() {
    let stage = Stage::new().await;
    let age = Duration::from_millis(300);
    let sleeper = stage.handle(Options { look_age: age, ..options() });
    stage.store.delay_writes(age * 2);
    let creating = stage.append_at(&sleeper, Tip::ABSENT, vec![header(&stage.key)]);
    let meanwhile = async {
        tokio::time::sleep(age / 3).await;
        stage.store.delay_writes(Duration::ZERO);
        let other = stage.handle(options());
        stage.create(&other).await;
        stage.remove(&other).await;
        other.purge(&stage.key).await.unwrap();
    };
    let (created, ()) = tokio::join!(creating, meanwhile);
    assert_eq!(kind(created), ErrorKind::Deleted);
    assert_eq!(stage.all().await, ids(&["header", "delete"]));
}

#[tokio::test]
async fn a_reader_that_knew_more_than_there_is_looks_anew_when_it_asks_again() {
    let (stage, knows) = Stage::with_messages(5).await;
    assert_eq!(stage.read(&knows, Span::ALL).await.len(), 6);
    let cold = stage.handle(options());
    stage.head(&cold).await;
    for number in 4..=5 {
        stage.delete_log(number).await;
    }
    let read = stage.read(&cold, Span::ALL).await;
    assert_eq!(read.last(), Some(&Err((ErrorKind::Unavailable, None))));
    assert_eq!(stage.read(&cold, Span::ALL).await, ids(&["header", "m0", "m1", "m2"]));
}

/// A journal of so many objects, whose objects but the last few are in ranges.
async fn long(stage: &Stage, objects: usize) {
    let writer = stage.handle(merging(16));
    stage.create(&writer).await;
    for number in 1..objects {
        stage.append(&writer, vec![message(number)]).await.unwrap();
        quiet().await;
    }
}

#[tokio::test]
async fn a_journal_of_more_than_a_thousand_objects_is_opened_behind_its_ranges() {
    for stage in [Stage::new().await, Stage::with(Breach::ListsBackwards).await] {
        long(&stage, 2_501).await;
        let fresh = stage.handle(merging(16));
        let head = stage.head(&fresh).await;
        assert_eq!(head.tip.position, position(2_501));
        let counts = fresh.counts();
        // The marker; what was removed, the first, the last two, and the one behind.
        assert_eq!((counts.gets, counts.puts), (6, 0), "{counts:?}");
        assert!(counts.lists <= 2, "{counts:?}");
        assert_eq!(stage.read(&fresh, Span::ALL).await.len(), 2_501);
        let counts = fresh.counts();
        assert!(counts.gets <= 70, "{counts:?}");
        let known = stage.handle(options());
        assert_eq!(stage.head(&known).await.tip, head.tip);
        // What is deleted is deleted whole, ranges and all.
        let deleter = stage.handle(options());
        stage.remove(&deleter).await;
        deleter.purge(&stage.key).await.unwrap();
        assert_eq!(stage.names().await.len(), 1);
    }
}

#[tokio::test]
async fn a_jump_counts_the_bytes_of_what_it_passed_over() {
    let stage = Stage::new().await;
    long(&stage, 1_100).await;
    let mut bytes = 0;
    for number in 0..1_100 {
        bytes += u64::try_from(stage.log(number).await.len()).unwrap();
    }
    assert_eq!(stage.head(&stage.handle(options())).await.bytes, bytes);
}

#[tokio::test]
async fn ranges_that_claim_more_than_there_is_lead_nobody_behind_the_end() {
    let stage = Stage::new().await;
    long(&stage, 1_100).await;
    let lie = stage.keys.range(0, 5_000_000_000, "0123456789abcdef");
    stage.store.inner.put(&lie, "junk".into()).await.unwrap();
    let fresh = stage.handle(options());
    assert_eq!(stage.head(&fresh).await.tip.position, position(1_100));
    assert!(fresh.counts().gets < 20, "{:?}", fresh.counts());
    let appended = stage.append(&fresh, vec![message(0)]).await.unwrap();
    assert_eq!(appended[0].first.number(), 1_100);
    assert_eq!(stage.log(1_100).await.first(), Some(&b'{'));
}

#[tokio::test]
async fn finding_the_end_behind_a_stranger_costs_no_walk_along_the_whole_journal() {
    let (stage, _) = Stage::with_messages(300).await;
    stage.put_log(301, stage.log(7).await).await;
    let fresh = stage.handle(options());
    assert_eq!(stage.head(&fresh).await.tip.position, position(301));
    assert!(fresh.counts().gets < 40, "{:?}", fresh.counts());
    stage.append(&fresh, vec![message(1)]).await.unwrap();
    let fresh = stage.handle(options());
    assert_eq!(stage.head(&fresh).await.tip.position, position(302));
    assert!(fresh.counts().gets < 40, "{:?}", fresh.counts());
}

#[tokio::test]
async fn damage_all_over_the_end_is_walked_around() {
    let (stage, _) = Stage::with_messages(60).await;
    let writer = stage.handle(options());
    stage.append(&writer, vec![messages(60, 5)]).await.unwrap();
    for number in 40..=61 {
        stage.damage_log(number).await;
    }
    let fresh = stage.handle(options());
    // 40 to 60 held one entry each, 61 five.
    assert_eq!(stage.head(&fresh).await.tip.position, position(66));
    assert_eq!(stage.read(&fresh, Span::ALL).await[40..], [damaged(40)]);
    let back = Span::Back { before: position(41), max_bytes: 0 };
    assert_eq!(stage.read(&fresh, back).await, vec![Ok("m38".to_owned()), damaged(40)]);
}
