//! Many at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::{ErrorKind, Outcome, Space};
use sessile_memory::MemoryBackend;
use sessile_records::{Checkpoints, Class, Effects, Retry};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::scene::{Outside, effects, first, keyed, name, payload};

const WRITERS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_swaps_of_one_number_one_succeeds_and_its_payload_stays() {
    let memory = MemoryBackend::new();
    let handle = || Checkpoints::on(Arc::new(memory.clone()), Space::default());
    let mut held = handle().compare_and_swap(first("n", "0"), None).await.unwrap();
    for _ in 0..50 {
        let barrier = Arc::new(Barrier::new(WRITERS));
        let mut tasks = JoinSet::new();
        for writer in 0..WRITERS {
            let (checkpoints, barrier) = (handle(), Arc::clone(&barrier));
            let (new, number) = (held.next(payload(&writer.to_string())).unwrap(), held.number);
            tasks.spawn(async move {
                barrier.wait().await;
                checkpoints.compare_and_swap(new, Some(number)).await
            });
        }
        let answers = tasks.join_all().await;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        for error in lost.into_iter().filter_map(Result::err) {
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Conflict, Outcome::NotApplied));
        }
        held = handle().load(&name("n")).await.unwrap();
        assert_eq!(Some(&held), won[0].as_ref().ok());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_do_the_work_of_a_key_one_does() {
    for round in 0..30 {
        let memory = MemoryBackend::new();
        let outside = Arc::new(Outside::default());
        let barrier = Arc::new(Barrier::new(WRITERS));
        let mut tasks = JoinSet::new();
        for writer in 0..WRITERS {
            let effects = Effects::on(Arc::new(memory.clone()), Space::default());
            let (barrier, outside) = (Arc::clone(&barrier), Arc::clone(&outside));
            // Some know the effect by the same id, some by the key only.
            let id = if (writer + round) % 2 == 0 { "e".to_owned() } else { writer.to_string() };
            tasks.spawn(async move {
                barrier.wait().await;
                let request = keyed(&id, Class::NonIdempotent);
                outside.execute(&effects, &request).await
            });
        }
        let answers = tasks.join_all().await;
        assert_eq!(outside.count(), 1);
        let mut owners = BTreeSet::new();
        for answer in answers {
            match answer {
                Ok(executed) => _ = owners.insert(executed.effect),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Ambiguous),
            }
        }
        assert_eq!(owners.len(), 1);
        let policy = Retry::RejectAmbiguous;
        let request = keyed("late", Class::NonIdempotent);
        let late = outside.execute_with(&effects(&memory), &request, policy, None).await.unwrap();
        assert!(late.replayed && owners.contains(&late.effect));
    }
}
