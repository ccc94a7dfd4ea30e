//! Putting and deleting.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future;
use sessile_core::backend::{DocKey, NewDocument, Precondition};
use sessile_core::{ErrorKind, Outcome};

use super::stage::*;
use crate::documents::{delete, get, put};
use crate::double::{Answer, Double, Fault};
use crate::options::Options;
use crate::shelf;

#[tokio::test]
async fn a_document_is_put_only_over_what_the_caller_knows() {
    let (_, place) = sound();
    let (one, two) = (value("one"), value("two"));
    is_missing(&place, &key("n")).await;
    is_conflict(put(&place, &key("n"), &one, over(&two)).await, None);
    put(&place, &key("n"), &one, ABSENT).await.unwrap();
    is_held(&place, &key("n"), &one).await;
    is_conflict(put(&place, &key("n"), &two, ABSENT).await, Some(one.revision));
    put(&place, &key("n"), &two, over(&one)).await.unwrap();
    is_held(&place, &key("n"), &two).await;
    is_conflict(put(&place, &key("n"), &value("3"), over(&one)).await, Some(two.revision));
    is_conflict(delete(&place, &key("n"), one.revision).await, Some(two.revision));
    is_held(&place, &key("n"), &two).await;
}

#[tokio::test]
async fn no_revision_returns_after_a_deletion() {
    let (_, place) = sound();
    let mut old: Vec<NewDocument> = Vec::new();
    for _ in 0..5 {
        let held = value("the same");
        put(&place, &key("n"), &held, ABSENT).await.unwrap();
        for stale in &old {
            is_conflict(
                put(&place, &key("n"), &value("x"), over(stale)).await,
                Some(held.revision),
            );
            is_conflict(delete(&place, &key("n"), stale.revision).await, Some(held.revision));
            // What was put before is answered as done, and is not put again.
            put(&place, &key("n"), stale, ABSENT).await.unwrap();
        }
        is_held(&place, &key("n"), &held).await;
        delete(&place, &key("n"), held.revision).await.unwrap();
        is_missing(&place, &key("n")).await;
        is_conflict(put(&place, &key("n"), &value("x"), over(&held)).await, None);
        let again = delete(&place, &key("n"), held.revision).await.unwrap_err();
        assert_eq!(again.kind(), ErrorKind::Missing);
        put(&place, &key("n"), &held, ABSENT).await.unwrap();
        is_missing(&place, &key("n")).await;
        old.push(held);
    }
}

/// What may become of a write that is applied, or not applied at its first sending.
fn faults() -> Vec<Vec<Fault>> {
    let answers = [
        Answer::Exists,
        Answer::Changed,
        Answer::Broken,
        Answer::Status(409),
        Answer::Status(500),
        Answer::Status(503),
        Answer::Never,
    ];
    let late = |answer| Fault::Late(Duration::from_secs(31), answer);
    let each = answers.into_iter().flat_map(|answer| {
        [
            vec![Fault::Applied(answer)],
            vec![Fault::Dropped(answer)],
            vec![Fault::Dropped(answer), Fault::Applied(answer)],
            vec![late(answer), Fault::Dropped(answer)],
        ]
    });
    each.collect()
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_answer_is_lost_is_done_once() {
    for faults in faults() {
        let (store, _) = sound();
        let options = Options { deadline: Duration::from_mins(3), ..Options::default() };
        let place = store.place(options);
        let (one, two) = (value("one"), value("two"));
        store.fail_writes(&faults);
        put(&place, &key("n"), &one, ABSENT).await.unwrap();
        is_held(&place, &key("n"), &one).await;
        store.fail_writes(&faults);
        put(&place, &key("n"), &two, over(&one)).await.unwrap();
        tokio::time::sleep(Duration::from_mins(2)).await;
        is_held(&place, &key("n"), &two).await;
        assert_eq!(get(&place, &key("n")).await.unwrap().recent, [two.revision, one.revision]);
        store.fail_writes(&faults);
        delete(&place, &key("n"), two.revision).await.unwrap();
        tokio::time::sleep(Duration::from_mins(2)).await;
        is_missing(&place, &key("n")).await;
    }
}

/// Puts a value of its own on each of 16 handles; answers the one that won.
async fn race(store: &Arc<Double>, key: &DocKey, precondition: Precondition) -> NewDocument {
    let racing = (0..16).map(|number| {
        let place = store.place(Options::default());
        async move {
            let value = value(&number.to_string());
            let answer = put(&place, key, &value, precondition).await;
            (value, answer)
        }
    });
    let answers = future::join_all(racing).await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(_, answer)| answer.is_ok());
    let [(winner, _)] = won.as_slice() else { panic!("{} won", won.len()) };
    for (_, answer) in lost {
        is_conflict(answer, Some(winner.revision));
    }
    winner.clone()
}

#[tokio::test(start_paused = true)]
async fn one_of_many_wins_also_where_answers_are_lost() {
    let (store, place) = sound();
    for round in 0..20 {
        let key = key(&format!("n{round}"));
        store.fail_writes(&[Fault::Applied(Answer::Broken), Fault::Dropped(Answer::Status(409))]);
        let first = race(&store, &key, ABSENT).await;
        is_held(&place, &key, &first).await;
        store.fail_writes(&[Fault::Applied(Answer::Changed), Fault::Dropped(Answer::Broken)]);
        let second = race(&store, &key, over(&first)).await;
        is_held(&place, &key, &second).await;
        delete(&place, &key, second.revision).await.unwrap();
        // Over a tombstone too.
        let third = race(&store, &key, ABSENT).await;
        is_held(&place, &key, &third).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_rival_after_a_lost_answer_is_told_from_a_rival_before_it() {
    // Ours was applied and replaced: done.
    let (store, place) = sound();
    let (one, ours, rivals) = (value("one"), value("ours"), value("rival's"));
    put(&place, &key("n"), &one, ABSENT).await.unwrap();
    let putting = async {
        store.fail_writes(&[Fault::Applied(Answer::Never)]);
        put(&place, &key("n"), &ours, over(&one)).await
    };
    let replacing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        put(&store.place(Options::default()), &key("n"), &rivals, over(&ours)).await
    };
    let (put_ours, replaced) = future::join(putting, replacing).await;
    put_ours.unwrap();
    replaced.unwrap();
    is_held(&place, &key("n"), &rivals).await;
    // Another was first: a conflict, although nobody knows what became of what was sent.
    let (two, late) = (value("two"), value("late"));
    let putting = async {
        store.fail_writes(&[Fault::Dropped(Answer::Never)]);
        put(&place, &key("n"), &late, over(&rivals)).await
    };
    let replacing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        put(&store.place(Options::default()), &key("n"), &two, over(&rivals)).await
    };
    let (put_late, replaced) = future::join(putting, replacing).await;
    replaced.unwrap();
    is_conflict(put_late, Some(two.revision));
}

#[tokio::test(start_paused = true)]
async fn where_too_many_followed_nobody_can_tell_whether_a_put_was_applied() {
    let (store, place) = sound();
    let first = value("first");
    put(&place, &key("n"), &first, ABSENT).await.unwrap();
    let ours = value("ours");
    let putting = async {
        store.fail_writes(&[Fault::Applied(Answer::Never)]);
        put(&place, &key("n"), &ours, over(&first)).await
    };
    let replacing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut held = ours.clone();
        for _ in 0..16 {
            let next = value("next");
            put(&store.place(Options::default()), &key("n"), &next, over(&held)).await.unwrap();
            held = next;
        }
    };
    let (put_ours, ()) = future::join(putting, replacing).await;
    let error = put_ours.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Unavailable, Outcome::Unknown));
}

#[tokio::test]
async fn what_is_refused_is_not_applied() {
    let (store, place) = sound();
    store.fail_writes(&[Fault::Dropped(Answer::Denied)]);
    let error = put(&place, &key("n"), &value("v"), ABSENT).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Permission, Outcome::NotApplied));
    is_missing(&place, &key("n")).await;
    assert_eq!(error.subject(), Some("document c/n"));
}

#[tokio::test]
async fn damage_is_corrupt_until_somebody_replaces_just_that_damage() {
    let (store, place) = sound();
    let one = value("one");
    put(&place, &key("n"), &one, ABSENT).await.unwrap();
    for (round, bytes) in [b"".as_slice(), b"\0\0\0", b"{}\n"].into_iter().enumerate() {
        let revision = damage(&store, &place, &key("n"), bytes).await;
        assert_eq!(get(&place, &key("n")).await.unwrap_err().kind(), ErrorKind::Corrupt);
        for precondition in [ABSENT, over(&one)] {
            let error = put(&place, &key("n"), &value("x"), precondition).await.unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Corrupt, Outcome::NotApplied));
        }
        let error = delete(&place, &key("n"), one.revision).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let listed = shelf::documents(&place, &key("n").collection, None, 10).await.unwrap();
        assert_eq!(listed, [key("n").name]);
        if round == 0 {
            delete(&place, &key("n"), revision).await.unwrap();
            is_missing(&place, &key("n")).await;
        } else {
            let next = value("next");
            put(&place, &key("n"), &next, Precondition::Revision(revision)).await.unwrap();
            is_held(&place, &key("n"), &next).await;
        }
    }
}
