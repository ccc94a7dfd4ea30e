use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::files::read;
use crate::json::tests::{any_text, any_value, python};
use crate::json::{Object, compact, parse, pretty};
use crate::snapshot::runtime::Runtime;
use crate::snapshot::{Contents, Identity, OwnSnapshot, Phases, Progress, Remark, Snapshot, Turn};

fn count() -> impl Strategy<Value = u64> {
    0..=u64::MAX / 2
}

fn any_object() -> impl Strategy<Value = Object> {
    let add = |object: Object, (name, value)| object.with(name, value);
    vec((any_text(), any_value()), 0..4)
        .prop_map(move |members| members.into_iter().fold(Object::default(), add))
}

fn any_turn() -> impl Strategy<Value = Turn> {
    let texts = (any_text(), any_text(), any_text(), any_text());
    (texts, count()).prop_map(|((role, speaker, content, msg_type), round_idx)| Turn {
        role,
        speaker,
        content,
        round_idx,
        msg_type,
    })
}

fn any_progress() -> impl Strategy<Value = Progress> {
    let numbers = [(); 3].map(|()| option::of(count()));
    let phases = (numbers, option::of(vec(any_text(), 0..3)), option::of(any::<bool>()));
    let phases = phases.prop_map(|([index, round_in_phase, rounds_run], pending, exhausted)| {
        Phases { index, round_in_phase, rounds_run, pending, exhausted }
    });
    (option::of(count()), option::of(phases), option::of(any_object()), option::of(any_object()))
        .prop_map(|(turn_count, phases, runtime, scheduler)| Progress {
            turn_count,
            phases,
            runtime,
            scheduler,
        })
}

fn any_contents() -> impl Strategy<Value = Contents> {
    let identity = (any_text(), any_text(), any_text(), vec(any_text(), 0..4));
    let turns = vec(any_turn(), 0..4);
    (identity, turns, any_progress(), count()).prop_map(
        |((gameplan, topic, orchestrator, participants), turns, progress, compactions)| {
            let remark = |turn: &Turn| Remark {
                sender: turn.speaker.clone(),
                content: turn.content.clone(),
                msg_type: turn.msg_type.clone(),
                round_idx: turn.round_idx,
            };
            Contents {
                identity: Identity { gameplan, topic, orchestrator, participants },
                transcript: turns.iter().map(remark).collect(),
                turns,
                progress,
                compactions,
            }
        },
    )
}

static INDETERMINATE: LazyLock<Vec<u8>> =
    LazyLock::new(|| read("v2/indeterminate.json").encode().into_bytes());

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(mut contents in any_contents()) {
        let snapshot = Snapshot::of(contents.clone()).unwrap();
        prop_assert_eq!(snapshot.contents(), &contents);
        let text = snapshot.encode();
        let read = Snapshot::decode(text.as_bytes()).unwrap();
        prop_assert_eq!(read.encode(), text);
        contents.identity.participants.sort();
        prop_assert_eq!(read.contents(), &contents);
    }

    #[test]
    fn an_envelope_of_the_callers_own_is_read_as_it_was(
        identity in any_object(),
        state in any_value(),
    ) {
        let identity = identity.with("project", "p");
        let snapshot = OwnSnapshot::of(identity.clone(), state).unwrap();
        let read = OwnSnapshot::decode(snapshot.encode().as_bytes()).unwrap();
        prop_assert_eq!(&read, &snapshot);
        prop_assert_eq!(read.difference(&identity), None);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        prop_assert!(Snapshot::decode(&bytes).is_err());
        prop_assert!(OwnSnapshot::decode(&bytes).is_err());
    }

    #[test]
    fn spoiled_snapshots_are_read_or_refused(
        at in 0_usize..3_000,
        with in any::<u8>(),
        keep in 1_usize..4_000,
    ) {
        let mut bytes = INDETERMINATE.clone();
        let length = bytes.len();
        bytes[at % length] = with;
        bytes.truncate(keep);
        if let Ok(snapshot) = Snapshot::decode(&bytes) {
            let again = Snapshot::decode(snapshot.encode().as_bytes()).unwrap();
            prop_assert_eq!(again.encode(), snapshot.encode());
            let runtime = snapshot.contents().progress.runtime.as_ref();
            let runtime = runtime.map(Runtime::decode).and_then(Result::ok);
            if let Some(runtime) = runtime {
                prop_assert_eq!(Runtime::decode(&runtime.encode()).unwrap(), runtime);
            }
        }
    }

    #[test]
    fn any_object_is_a_runtime_or_refused(object in any_object()) {
        prop_assert!(Runtime::decode(&object).is_err());
    }
}

/// Reads snapshots with a NUL between them and writes each as Python does.
const REWRITE: &str = r"
import json, sys
for text in sys.stdin.buffer.read().split(b'\0'):
    sys.stdout.buffer.write((json.dumps(json.loads(text), indent=2) + '\n').encode() + b'\0')
";

#[test]
fn python_loads_what_is_saved_here_and_saves_the_same() {
    let contents = python::drawn(&any_contents(), 300);
    let ours: Vec<String> =
        contents.into_iter().map(|it| Snapshot::of(it).unwrap().encode()).collect();
    let theirs = python::python(REWRITE, ours.join("\0").as_bytes());
    let theirs = String::from_utf8(theirs).unwrap();
    let theirs: Vec<&str> = theirs.split_terminator('\0').collect();
    assert_eq!(theirs.len(), ours.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours, theirs);
    }
}

#[test]
fn what_python_saves_is_loaded_here_and_saved_the_same() {
    // On one line and without escapes, as another writer may have left it.
    let contents = python::drawn(&any_contents(), 100);
    let documents: Vec<_> = contents
        .into_iter()
        .map(|it| parse(&Snapshot::of(it).unwrap().encode()).unwrap())
        .collect();
    let texts: Vec<String> = documents.iter().map(compact).collect();
    for (document, theirs) in documents.iter().zip(python::rewritten(&texts)) {
        let snapshot = Snapshot::decode(theirs.as_bytes()).unwrap();
        assert_eq!(snapshot.encode(), format!("{theirs}\n"));
        assert_eq!(pretty(document), theirs);
    }
}
