//! Places that do not answer.

use std::sync::Arc;

use sessile_core::{ErrorKind, Outcome, Space};
use sessile_memory::MemoryBackend;
use sessile_records::{Class, Effects, Retry};

use crate::line::{Fate, Line};
use crate::scene::{Outside, checkpoints, checkpoints_behind, first, hasty, keyed, name, payload};

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_found_out() {
    for fate in [Fate::AnswerLost, Fate::CallLost] {
        for lost in 1..4 {
            let memory = MemoryBackend::new();
            let line = Line::to(&memory, move |number| match number {
                number if number < lost => fate,
                _ => Fate::Answered,
            });
            let behind = checkpoints_behind(Arc::new(line));
            let put = behind.compare_and_swap(first("n", "0"), None).await.unwrap();
            assert_eq!(checkpoints(&memory).load(&name("n")).await.unwrap(), put);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_stay_away_leave_an_unknown_outcome_at_the_deadline() {
    let fates = [Fate::AnswerLost, Fate::CallLost, Fate::DiesBefore, Fate::DiesAfter];
    for fate in fates {
        let memory = MemoryBackend::new();
        let was_applied = matches!(fate, Fate::AnswerLost | Fate::DiesAfter);
        let behind = checkpoints_behind(Arc::new(Line::to(&memory, move |_| fate)));
        let error = behind.compare_and_swap(first("n", "0"), None).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{fate:?}");
        assert!(matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Deadline), "{error}");
        assert_eq!(checkpoints(&memory).load(&name("n")).await.is_ok(), was_applied);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_for_certain_is_not_sent_again() {
    let memory = MemoryBackend::new();
    let line = Arc::new(Line::to(&memory, |_| Fate::Refused));
    let behind: Arc<Line> = Arc::clone(&line);
    let error = checkpoints_behind(behind).compare_and_swap(first("n", "0"), None).await;
    let error = error.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Unavailable, Outcome::NotApplied));
    assert_eq!(line.changes(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_lost_after_a_lost_call_is_told_so_and_whether_it_is_certain() {
    // The call is lost; before it is sent again somebody else is faster.
    for is_first in [true, false] {
        let memory = MemoryBackend::new();
        let others = checkpoints(&memory);
        let held = first("n", "0");
        if !is_first {
            others.compare_and_swap(held.clone(), None).await.unwrap();
        }
        let faster = held.next(payload("1")).unwrap();
        let line = Line::with_between(&memory, 1, move || {
            Box::pin(async move {
                let new = if is_first { held } else { faster };
                let expected = (!is_first).then_some(0);
                others.compare_and_swap(new, expected).await.unwrap();
            })
        });
        let line = line.losing(|number| if number == 0 { Fate::CallLost } else { Fate::Answered });
        let behind = checkpoints_behind(Arc::new(line));
        let answer = if is_first {
            behind.compare_and_swap(first("n", "\"late\""), None).await
        } else {
            let late = first("n", "0").next(payload("\"late\"")).unwrap();
            behind.compare_and_swap(late, Some(0)).await
        };
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        // What stood before tells that it never was replaced by this; where nothing stood, nothing
        // tells that it was not put, and deleted.
        let expected = if is_first { Outcome::Unknown } else { Outcome::NotApplied };
        assert_eq!(error.outcome(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_whose_answer_is_lost_is_done() {
    let memory = MemoryBackend::new();
    checkpoints(&memory).compare_and_swap(first("n", "0"), None).await.unwrap();
    let line = Line::to(&memory, |number| match number {
        0 => Fate::AnswerLost,
        _ => Fate::Answered,
    });
    checkpoints_behind(Arc::new(line)).delete(&name("n"), 0).await.unwrap();
    let error = checkpoints(&memory).load(&name("n")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
}

#[tokio::test(start_paused = true)]
async fn a_place_out_of_reach_is_unavailable_never_missing_or_empty_and_nothing_runs() {
    let memory = MemoryBackend::new();
    let line = Arc::new(Line::to(&memory, |_| Fate::Answered));
    let (behind, beside): (Arc<Line>, Arc<Line>) = (Arc::clone(&line), Arc::clone(&line));
    let checkpoints = checkpoints_behind(behind);
    let effects = Effects::with(beside, Space::default(), hasty());
    let held = checkpoints.compare_and_swap(first("n", "0"), None).await.unwrap();
    line.cut(true);
    let outside = Outside::default();
    let request = keyed("e", Class::Pure);
    let (of, key) = (name("bank"), name("order-7"));
    let revision = "00000000000000000000000000000000".parse().map(sessile_core::Revision::new);
    let answers = [
        checkpoints.load(&name("n")).await.map(drop),
        checkpoints.load(&name("never")).await.map(drop),
        checkpoints.compare_and_swap(first("m", "0"), None).await.map(drop),
        checkpoints.compare_and_swap(held.next(payload("1")).unwrap(), Some(0)).await.map(drop),
        checkpoints.force(first("n", "1"), revision.unwrap()).await.map(drop),
        checkpoints.delete(&name("n"), 0).await,
        checkpoints.discard(&name("n"), revision.unwrap()).await,
        checkpoints.list(&[], None, 9).await.map(drop),
        effects.load(&name("e")).await.map(drop),
        effects.find(&of, &key).await.map(drop),
        outside.execute_with(&effects, &request, Retry::RetrySafe, None).await.map(drop),
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::Unavailable, "call {number}");
    }
    assert_eq!(outside.count(), 0);
    line.cut(false);
    assert_eq!(checkpoints.load(&name("n")).await.unwrap(), held);
}
