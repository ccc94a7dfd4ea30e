//! Handles that looked long ago, and journals of more objects than a list's page holds.

use std::time::Duration;

use futures_util::StreamExt as _;
use object_store::ObjectStoreExt as _;
use sessile_core::backend::{Backend as _, Expected, Scope, Span};
use sessile_core::commit::{Commit, Tip};
use sessile_core::digest::{Digest, Token};
use sessile_core::error::{ErrorKind, Outcome};
use sessile_core::{EntryType, Limits, NewEntry, Payload, UnixMillis};

use super::stage::{
    Stage, commit, damaged, forgetful, hasty, header, ids, kind, merging, message, messages,
    options, position, quiet, seq, undelete,
};
use crate::double::{Answer, Breach, Fault};
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
async fn what_a_stale_handle_wrote_is_noted_and_merged_like_what_any_other_did() {
    let stage = Stage::new().await;
    let sleeper = stage.handle(Options { look_age: Duration::ZERO, ..merging(4) });
    stage.create(&sleeper).await;
    for number in 1..8 {
        stage.append(&sleeper, vec![message(number)]).await.unwrap();
        quiet().await;
    }
    assert_eq!(stage.ranges().await, ["0-3", "4-7"]);
    let data = Payload::parse(r#""later""#.to_owned()).unwrap();
    let later = vec![NewEntry::new(UnixMillis(5), EntryType::Message, data)];
    let token = Token::from_digest(Digest::of(b"later"));
    let later = Commit::new("later".parse().unwrap(), token, later, &Limits::default()).unwrap();
    stage.append(&sleeper, vec![later]).await.unwrap();
    let listed =
        stage.handle(options()).recent(&stage.key.space, &Scope::ALL, None, 9).await.unwrap();
    assert_eq!(listed[0].recency.updated_at, UnixMillis(5));
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
        let listed = handle.recent(&stage.key.space, &Scope::ALL, None, 9).await.map(drop);
        assert_eq!(kind(listed), told);
    }
    assert_eq!(handle.recent(&stage.key.space, &Scope::ALL, None, 9).await.unwrap().len(), 1);
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
async fn no_look_is_believed_for_longer_than_half_of_what_a_purge_waits() {
    let minutes = Duration::from_mins;
    let believed = |purge_after, look_age| {
        let options = Options { purge_after, look_age, ..Options::default() };
        options.believes_looks_for()
    };
    assert_eq!(Options::default().believes_looks_for(), minutes(10));
    assert_eq!(believed(minutes(30), minutes(10)), minutes(10));
    assert_eq!(believed(minutes(10), minutes(10)), minutes(5));
    assert_eq!(believed(minutes(1), minutes(10)), minutes(1) / 2);
    // Whoever purges at once believes none.
    let at_once = || Options { purge_after: Duration::ZERO, ..Options::default() };
    assert_eq!(at_once().believes_looks_for(), Duration::ZERO);
    for expected in [Expected::At, |_| Expected::End] {
        let (stage, _) = Stage::with_messages(2).await;
        let (sleeper, other) = (stage.handle(at_once()), stage.handle(at_once()));
        let tip = stage.head(&sleeper).await.tip;
        stage.remove(&other).await;
        other.purge(&stage.key).await.unwrap();
        let sent = sleeper.append(&stage.key, expected(tip), vec![message(9)]).await;
        assert_eq!(kind(sent), ErrorKind::Deleted);
        assert_eq!(stage.all().await, ids(&["header", "delete"]));
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
    let (stage, knows) = Stage::with_messages(3).await;
    // What is as large is not kept.
    let large = format!("\"{}\"", "x".repeat(3 << 20));
    for id in ["m3", "m4"] {
        let large = commit(id, &EntryType::Message, std::slice::from_ref(&large));
        stage.append(&knows, vec![large]).await.unwrap();
    }
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
        // The marker; the mark twice, the first, the last two of the ranges, and those behind.
        assert!(counts.gets <= 23 && counts.puts == 0, "{counts:?}");
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
        assert_eq!(stage.names().await.len(), 2);
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

#[tokio::test(start_paused = true)]
async fn a_notice_that_is_listed_while_the_mark_is_read_is_met_with_a_mark_that_is_as_new() {
    let stage = Stage::new().await;
    long(&stage, 1_100).await;
    let reader = stage.handle(merging(16));
    // It asks at once for the mark, for the last objects by name and for a list of what stands
    // there. The mark and the objects are told as they are, and the others not before a mask is
    // acknowledged, so that they tell of its notices.
    let notices = [1_100, 1_101].map(|number| (stage.keys.log(number), 0));
    let behind = (stage.keys.folder(), 1);
    stage.store.pace.hold(notices.into_iter().chain([behind]));
    let looking = {
        let (reader, key) = (reader.clone(), stage.key.clone());
        tokio::spawn(async move { reader.head(&key).await })
    };
    // Time goes on when nothing else does.
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(stage.store.pace.held(), 3);
    let masked = stage.handle(options());
    let last = stage.tip().await;
    masked.mask(&stage.key, last, vec![seq(1_098)]).await.unwrap();
    stage.store.pace.release();
    assert_eq!(looking.await.unwrap().unwrap().tip, last);
    let mut read = Vec::new();
    let mut commits = reader.read(&stage.key, Span::From(seq(1_090))).await.unwrap();
    while let Some(commit) = commits.next().await {
        read.push(commit.unwrap());
    }
    let fresh = stage.commits().await;
    assert_eq!(read[..], fresh[fresh.len() - read.len()..]);
    assert_eq!(read.len(), 10);
}

#[tokio::test]
async fn ranges_that_claim_more_than_there_is_lead_nobody_behind_the_end() {
    let stage = Stage::new().await;
    long(&stage, 1_100).await;
    for (to, junk) in [(5_000_000_000, 4), (9_000, 10_000)] {
        let lie = stage.keys.range(0, to, "0123456789abcdef");
        stage.store.inner.put(&lie, vec![b'x'; junk].into()).await.unwrap();
        let fresh = stage.handle(options());
        assert_eq!(stage.head(&fresh).await.tip.position, position(1_100));
        assert!(fresh.counts().gets < 30, "{:?}", fresh.counts());
    }
    let fresh = stage.handle(options());
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

#[tokio::test(start_paused = true)]
async fn what_is_known_of_a_session_whose_note_could_not_be_written_is_that_there_is_none() {
    for (requests, fault) in [(2, Fault::Nothing), (3, Fault::Applied(Answer::Broken))] {
        let stage = Stage::new().await;
        let writer = stage.handle(hasty());
        assert_eq!(kind(writer.head(&stage.key).await), ErrorKind::Missing);
        // A list and the mark, and perhaps the note itself; nor can it be looked at after that.
        stage.store.fail_writes(&[fault]);
        stage.store.die_after(requests);
        let created = stage.append_at(&writer, Tip::ABSENT, vec![header(&stage.key)]).await;
        stage.store.die_after(None);
        let error = created.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Unavailable, Outcome::NotApplied));
        assert!(error.may_retry());
        assert!(stage.names().await.is_empty());
        assert_eq!(kind(stage.handle(options()).head(&stage.key).await), ErrorKind::Missing);
        assert!(
            stage
                .handle(options())
                .recent(&stage.key.space, &Scope::ALL, None, 9)
                .await
                .unwrap()
                .is_empty()
        );
        stage.create(&stage.handle(options())).await;
    }
}
