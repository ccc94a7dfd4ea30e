//! Random changes of checkpoints, compared with a plain map.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sessile_core::{ErrorKind, Payload};
use sessile_memory::MemoryBackend;
use sessile_records::Checkpoint;

use crate::scene::{checkpoints, first, name, payload};

const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
enum Step {
    Swap {
        at: usize,
        number: u64,
        expected: Option<u64>,
        run: u8,
        payload: u8,
    },
    /// What a run does that keeps up.
    Advance {
        at: usize,
        payload: u8,
    },
    Delete {
        at: usize,
        expected: u64,
    },
    Load {
        at: usize,
    },
    List {
        rows: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let at = || 0..NAMES.len();
    prop_oneof![
        3 => (at(), 0..5_u64, prop::option::of(0..5_u64), 0..2_u8, any::<u8>()).prop_map(
            |(at, number, expected, run, payload)| Step::Swap { at, number, expected, run, payload }
        ),
        4 => (at(), any::<u8>()).prop_map(|(at, payload)| Step::Advance { at, payload }),
        1 => (at(), 0..4_u64).prop_map(|(at, expected)| Step::Delete { at, expected }),
        1 => at().prop_map(|at| Step::Load { at }),
        1 => (1..4_usize).prop_map(|rows| Step::List { rows }),
    ]
}

/// What a name holds: number, run and payload.
type Model = BTreeMap<&'static str, (u64, u8, Payload)>;

fn of(at: usize, number: u64, run: u8, json: u8) -> Checkpoint {
    let mut new = first(NAMES[at], &json.to_string());
    (new.number, new.run) = (number, name(&run.to_string()));
    new
}

/// What a swap is to be answered with, by the rules.
fn decide(model: &Model, new: &Checkpoint, expected: Option<u64>) -> Option<ErrorKind> {
    let held = model.get(new.name.as_str());
    match (held, expected) {
        (None, None) => (new.number != 0).then_some(ErrorKind::Conflict),
        (None, Some(_)) => Some(ErrorKind::Missing),
        (Some(_), None) => Some(ErrorKind::Conflict),
        (Some((number, run, _)), Some(expected)) => {
            if *number != expected || new.number != number + 1 {
                Some(ErrorKind::Conflict)
            } else {
                (new.run.as_str() != run.to_string()).then_some(ErrorKind::Refused)
            }
        }
    }
}

async fn swap(model: &mut Model, memory: &MemoryBackend, new: Checkpoint, expected: Option<u64>) {
    let decided = decide(model, &new, expected);
    let answer = checkpoints(memory).compare_and_swap(new.clone(), expected).await;
    assert_eq!(answer.as_ref().err().map(sessile_core::Error::kind), decided);
    if let Ok(put) = answer {
        let at = NAMES.iter().find(|it| **it == put.name.as_str()).unwrap();
        let run = put.run.as_str().parse().unwrap();
        model.insert(*at, (put.number, run, put.payload));
    }
}

async fn take(model: &mut Model, memory: &MemoryBackend, step: Step) {
    match step {
        Step::Swap { at, number, expected, run, payload } => {
            swap(model, memory, of(at, number, run, payload), expected).await;
        }
        Step::Advance { at, payload } => {
            let held = model.get(NAMES[at]).map(|(number, run, _)| (*number, *run));
            let number = held.map_or(0, |(number, _)| number + 1);
            let new = of(at, number, held.map_or(0, |(_, run)| run), payload);
            swap(model, memory, new, held.map(|(number, _)| number)).await;
        }
        Step::Delete { at, expected } => {
            let decided = match model.get(NAMES[at]) {
                None => Some(ErrorKind::Missing),
                Some((number, ..)) => (*number != expected).then_some(ErrorKind::Conflict),
            };
            let answer = checkpoints(memory).delete(&name(NAMES[at]), expected).await;
            assert_eq!(answer.as_ref().err().map(sessile_core::Error::kind), decided);
            if answer.is_ok() {
                model.remove(NAMES[at]);
            }
        }
        Step::Load { at } => match checkpoints(memory).load(&name(NAMES[at])).await {
            Ok(held) => {
                let run = held.run.as_str().parse().unwrap();
                assert_eq!(model.get(NAMES[at]), Some(&(held.number, run, held.payload)));
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Missing);
                assert!(!model.contains_key(NAMES[at]));
            }
        },
        Step::List { rows } => {
            let (mut listed, mut after) = (Vec::new(), None);
            loop {
                let page = checkpoints(memory).list(&[], after.as_ref(), rows).await.unwrap();
                assert!(page.rows.len() <= rows);
                let row = |row: sessile_records::Listed| {
                    (row.name.to_string(), row.checkpoint.unwrap().number)
                };
                listed.extend(page.rows.into_iter().map(row));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            let expected = model.iter().map(|(of, (number, ..))| ((*of).to_owned(), *number));
            assert_eq!(listed, expected.collect::<Vec<_>>());
        }
    }
}

proptest! {
    #[test]
    fn random_steps_show_what_a_map_shows(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (mut model, memory) = (Model::new(), MemoryBackend::new());
            for step in steps {
                take(&mut model, &memory, step).await;
            }
            for (of, (number, run, held)) in model {
                let stored = checkpoints(&memory).load(&name(of)).await.unwrap();
                assert_eq!((stored.number, stored.payload), (number, held));
                assert_eq!(stored.run, name(&run.to_string()));
            }
        });
    }

    #[test]
    fn whatever_bytes_are_stored_are_a_checkpoint_or_corrupt_and_never_missing(bytes: Vec<u8>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let memory = MemoryBackend::new();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let key = crate::scene::document("checkpoints", "n");
            let revision = crate::scene::put_past(&memory, &key, &text).await;
            let error = checkpoints(&memory).load(&name("n")).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!(error.actual_revision(), Some(revision));
            let second = first("n", "0").next(payload("1")).unwrap();
            for (new, expected) in [(first("n", "0"), None), (second, Some(0))] {
                let answer = checkpoints(&memory).compare_and_swap(new, expected).await;
                assert!(answer.is_err());
            }
            assert_eq!(crate::scene::text_of(&memory, &key).await, text);
        });
    }
}
