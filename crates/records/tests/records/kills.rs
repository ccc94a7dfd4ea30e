//! Processes that die at any change that they ask for.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::{ErrorKind, Space};
use sessile_memory::MemoryBackend;
use sessile_records::{Class, Effects, Executed, Request, Retry, State};
use tokio::time;

use crate::line::{Fate, Line};
use crate::reconciling::Says;
use crate::scene::{Outside, effects, hasty, keyed, name, unkeyed};

/// The effects of a process that dies at the change of a number, before or after it is done.
fn dying(memory: &MemoryBackend, at: usize, fate: Fate) -> Effects {
    let line = Line::to(memory, move |number| if number == at { fate } else { Fate::Answered });
    Effects::with(Arc::new(line), Space::default(), hasty())
}

/// Executes until the process dies or it is answered.
async fn until_death(effects: &Effects, request: &Request, outside: &Outside) -> Option<Executed> {
    let executing = outside.execute(effects, request);
    time::timeout(Duration::from_millis(1), executing).await.ok().map(Result::unwrap)
}

#[tokio::test(start_paused = true)]
async fn at_no_change_does_a_death_let_the_work_of_a_key_be_done_twice() {
    let mut deaths = 0;
    for at in 0..6 {
        for fate in [Fate::DiesBefore, Fate::DiesAfter] {
            // The next process knows the effect by its id, or only by its key.
            for id in ["e", "f"] {
                let (memory, outside) = (MemoryBackend::new(), Outside::default());
                let first = keyed("e", Class::NonIdempotent);
                let done = until_death(&dying(&memory, at, fate), &first, &outside).await;
                deaths += usize::from(done.is_none());
                let was_run = outside.count();

                let (next, effects) = (keyed(id, Class::NonIdempotent), effects(&memory));
                let answer = outside.execute(&effects, &next).await;
                assert_eq!(outside.count().max(1), 1, "done twice: {at} {fate:?}");
                let record = effects.find(&name("bank"), &name("order-7")).await.unwrap();
                match answer {
                    Ok(executed) => {
                        assert_eq!(outside.count(), 1);
                        assert_eq!(executed.replayed, was_run == 1);
                        assert_eq!(executed.effect, record.request.id);
                    }
                    Err(error) => {
                        // It was begun, or ran and could not be recorded.
                        assert_eq!(error.kind(), ErrorKind::Ambiguous, "{at} {fate:?}");
                        assert_eq!(record.state, State::Started);
                        let proof = Says::not_executed();
                        let policy = Retry::RejectAmbiguous;
                        let done =
                            outside.execute_with(&effects, &next, policy, Some(&proof)).await;
                        assert!(!done.unwrap().replayed);
                    }
                }
            }
        }
    }
    // Four changes are asked for: owner, record, start and end.
    assert_eq!(deaths, 4 * 2 * 2);
}

#[tokio::test(start_paused = true)]
async fn whoever_finds_an_owner_without_a_record_does_its_owners_work_and_no_other() {
    let (memory, outside) = (MemoryBackend::new(), Outside::default());
    let first = keyed("e", Class::NonIdempotent);
    until_death(&dying(&memory, 1, Fate::DiesBefore), &first, &outside).await;
    let effects = effects(&memory);
    assert_eq!(effects.load(&name("e")).await.unwrap_err().kind(), ErrorKind::Missing);
    let found = effects.find(&name("bank"), &name("order-7")).await.unwrap();
    assert_eq!((found.state, &found.request), (State::Prepared, &first));
    // The key is taken, though nothing is recorded yet.
    let other = outside.execute(&effects, &keyed("f", Class::Pure)).await.unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Conflict);
    assert_eq!(outside.count(), 0);
    let done = outside.execute(&effects, &keyed("f", Class::NonIdempotent)).await.unwrap();
    assert_eq!((done.effect, done.replayed), (name("e"), false));
    assert_eq!(effects.load(&name("e")).await.unwrap().request, first);
}

#[tokio::test(start_paused = true)]
async fn whoever_does_a_whole_effect_between_two_changes_of_another_does_it_alone() {
    for at in 0..6 {
        for id in ["e", "f"] {
            let (memory, outside) = (MemoryBackend::new(), Arc::new(Outside::default()));
            let (beside, rival) = (effects(&memory), Arc::clone(&outside));
            let between = keyed(id, Class::NonIdempotent);
            let line = Line::with_between(&memory, at, move || {
                Box::pin(async move {
                    match rival.execute(&beside, &between).await {
                        Ok(_) => {}
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Ambiguous),
                    }
                })
            });
            let effects = Effects::with(Arc::new(line), Space::default(), hasty());
            let done = outside.execute(&effects, &keyed("e", Class::NonIdempotent)).await;
            assert!(done.is_ok(), "change {at}, {id}: {done:?}");
            assert_eq!(outside.count(), 1, "change {at}, {id}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_owner_turned_out_to_do_other_work_is_free_for_the_next() {
    // Between owner and record of one another one takes its id for other work.
    let (memory, outside) = (MemoryBackend::new(), Arc::new(Outside::default()));
    let (beside, rival) = (effects(&memory), Arc::clone(&outside));
    let line = Line::with_between(&memory, 1, move || {
        Box::pin(async move {
            let done = rival.execute(&beside, &unkeyed("e", Class::NonIdempotent)).await;
            assert!(!done.unwrap().replayed);
        })
    });
    let behind = Effects::with(Arc::new(line), Space::default(), hasty());
    let request = keyed("e", Class::NonIdempotent);
    let error = outside.execute(&behind, &request).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(outside.count(), 1);

    let effects = effects(&memory);
    let found = effects.find(&name("bank"), &name("order-7")).await;
    assert_eq!(found.unwrap_err().kind(), ErrorKind::Missing);
    let next = keyed("f", Class::NonIdempotent);
    for replayed in [false, true] {
        let done = outside.execute(&effects, &next).await.unwrap();
        assert_eq!((done.effect, done.replayed), (name("f"), replayed));
    }
    assert_eq!(outside.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn where_the_start_can_not_be_recorded_the_handler_is_not_called() {
    for fate in [Fate::Refused, Fate::CallLost, Fate::AnswerLost, Fate::DiesAfter] {
        for at in 0..3 {
            let (memory, outside) = (MemoryBackend::new(), Outside::default());
            let line =
                Line::to(&memory, move |number| if number >= at { fate } else { Fate::Answered });
            let effects = Effects::with(Arc::new(line), Space::default(), hasty());
            let request = keyed("e", Class::NonIdempotent);
            let error = outside.execute(&effects, &request).await.unwrap_err();
            let kind = error.kind();
            assert!(matches!(kind, ErrorKind::Unavailable | ErrorKind::Deadline), "{error}");
            assert_eq!(outside.count(), 0, "{fate:?} from change {at} on");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lost_answers_change_nothing() {
    for lost in 0..4 {
        for fate in [Fate::AnswerLost, Fate::CallLost] {
            let (memory, outside) = (MemoryBackend::new(), Outside::default());
            let request = keyed("e", Class::NonIdempotent);
            let done = outside.execute(&dying(&memory, lost, fate), &request).await.unwrap();
            assert!(!done.replayed);
            let again = outside.execute(&effects(&memory), &request).await.unwrap();
            assert!(again.replayed);
            assert_eq!(outside.count(), 1);
        }
    }
}
