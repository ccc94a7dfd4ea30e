//! Snapshots as documents.

use std::sync::Arc;

use sessile_core::{Backend as _, ErrorKind, Payload, Space, UnixMillis};
use sessile_engine::{NewSession, Options, Store};
use sessile_interchange::json::{Object, Value};
use sessile_interchange::snapshot::{Contents, Identity, OwnSnapshot, Snapshot};
use sessile_memory::MemoryBackend;
use sessile_records::Snapshots;

use crate::line::{Fate, Line};
use crate::scene::{Hands, document, hasty, name, put_past, text_of};

fn snapshots(memory: &MemoryBackend) -> Snapshots {
    Snapshots::on(Arc::new(memory.clone()), Space::default())
}

fn identity(topic: &str, participants: &[&str]) -> Identity {
    Identity {
        gameplan: "plan".into(),
        topic: topic.into(),
        orchestrator: "chair".into(),
        participants: participants.iter().map(|&name| name.into()).collect(),
    }
}

fn begun(topic: &str) -> Snapshot {
    Snapshot::of(Contents::begun(identity(topic, &["a", "b"]))).unwrap()
}

#[tokio::test]
async fn a_missing_one_is_a_first_run_and_what_was_saved_is_loaded_by_another_process() {
    let memory = MemoryBackend::new();
    assert!(snapshots(&memory).load::<Snapshot>(&name("run")).await.unwrap().is_none());
    let saved = begun("tides");
    let revision = snapshots(&memory).save(&name("run"), &saved, None).await.unwrap();
    let kept = snapshots(&memory).load::<Snapshot>(&name("run")).await.unwrap().unwrap();
    assert_eq!((kept.revision, kept.snapshot.encode()), (revision, saved.encode()));
    assert_eq!(text_of(&memory, &document("snapshots", "run")).await, saved.encode());
}

#[tokio::test]
async fn a_save_goes_on_from_the_revision_that_it_names_only() {
    let memory = MemoryBackend::new();
    let first = snapshots(&memory).save(&name("run"), &begun("1"), None).await.unwrap();
    let second = snapshots(&memory).save(&name("run"), &begun("2"), Some(first)).await.unwrap();
    for expected in [None, Some(first)] {
        let error = snapshots(&memory).save(&name("run"), &begun("3"), expected).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{expected:?}");
        let error = snapshots(&memory).delete(&name("run"), first).await.unwrap_err();
        assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Conflict, Some(second)));
    }
    assert_eq!(text_of(&memory, &document("snapshots", "run")).await, begun("2").encode());
    snapshots(&memory).delete(&name("run"), second).await.unwrap();
    assert!(snapshots(&memory).load::<Snapshot>(&name("run")).await.unwrap().is_none());
}

#[tokio::test]
async fn what_is_none_is_corrupt_by_its_place_until_a_save_names_its_revision() {
    let memory = MemoryBackend::new();
    let key = document("snapshots", "run");
    let damages = [
        ("\"compactions\": 0", "\"compactions\": -1", "compactions"),
        ("\"compactions\": 0", "\"compactions\": 0,\n  \"more\": 1", "more"),
        ("\"topic\": \"tides\"", "\"topic\": 5", "identity.topic"),
        (",\n  \"compactions\": 0", "", "compactions is missing"),
    ];
    for (from, to, place) in damages {
        let text = begun("tides").encode().replace(from, to);
        let revision = put_past(&memory, &key, &text).await;
        let snapshots = snapshots(&memory);
        let error = snapshots.load::<Snapshot>(&name("run")).await.unwrap_err();
        assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Corrupt, Some(revision)));
        assert!(error.clause().contains(place), "{error}");
        assert!(error.hint().unwrap().contains("another place"), "{error}");
        snapshots.save(&name("run"), &begun("tides"), None).await.unwrap_err();
        assert_eq!(text_of(&memory, &key).await, text);
        let listed = snapshots.list(None, 9).await.unwrap();
        assert_eq!(listed.rows.len(), 1);
        assert_eq!(listed.rows[0].bytes.as_ref().unwrap_err().kind(), ErrorKind::Corrupt);
        snapshots.save(&name("run"), &begun("tides"), Some(revision)).await.unwrap();
        assert!(snapshots.load::<Snapshot>(&name("run")).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn neither_envelope_is_read_as_the_other_and_both_are_listed() {
    let memory = MemoryBackend::new();
    let snapshots = snapshots(&memory);
    let own = OwnSnapshot::of(Object::default().with("model", "large"), Value::Null).unwrap();
    snapshots.save(&name("own"), &own, None).await.unwrap();
    snapshots.save(&name("run"), &begun("tides"), None).await.unwrap();
    let error = snapshots.load::<Snapshot>(&name("own")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let error = snapshots.load::<OwnSnapshot>(&name("run")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let listed = snapshots.list(None, 9).await.unwrap();
    let sizes = listed.rows.iter().map(|row| *row.bytes.as_ref().unwrap());
    assert_eq!(sizes.collect::<Vec<_>>(), [own.encode().len(), begun("tides").encode().len()]);
}

#[tokio::test]
async fn another_identity_is_refused_until_it_is_accepted_and_that_is_recorded() {
    let memory = MemoryBackend::new();
    let hands = Arc::new(Hands::default());
    hands.set(77);
    let clock: Arc<Hands> = Arc::clone(&hands);
    let options = Options::default().clock(clock);
    let snapshots = Snapshots::with(Arc::new(memory.clone()), Space::default(), options);
    let run = name("run");
    let first = snapshots.save(&run, &begun("tides"), None).await.unwrap();
    let same = identity("tides", &["b", "a"]);
    assert!(snapshots.resume::<Snapshot>(&run, &same).await.unwrap().is_some());
    let other = identity("winds", &["a", "b"]);
    let error = snapshots.resume::<Snapshot>(&run, &other).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    assert_eq!(error.clause(), r#"identity.topic differs: saved is "tides", current is "winds""#);
    // What is accepted is what was looked at.
    let second = snapshots.save(&run, &begun("storms"), Some(first)).await.unwrap();
    let error = snapshots.accept::<Snapshot>(&run, &other, first).await.unwrap_err();
    assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Conflict, Some(second)));
    assert_eq!(snapshots.accepted(&run).await.unwrap(), []);
    let kept = snapshots.accept::<Snapshot>(&run, &other, second).await.unwrap();
    let again = snapshots.accept::<Snapshot>(&run, &other, kept.revision).await.unwrap();
    assert_eq!(again.revision, kept.revision);
    assert!(snapshots.resume::<Snapshot>(&run, &other).await.unwrap().is_some());
    let accepted = snapshots.accepted(&run).await.unwrap();
    assert_eq!(accepted.len(), 1);
    assert_eq!(accepted[0].at, UnixMillis(77));
    let told = |topic: &str| {
        let rest = r#""orchestrator":"chair","participants":["a","b"]"#;
        Payload::parse(format!(r#"{{"gameplan":"plan","topic":"{topic}",{rest}}}"#)).unwrap()
    };
    assert_eq!((&accepted[0].saved, &accepted[0].current), (&told("storms"), &told("winds")));
    snapshots.delete(&run, kept.revision).await.unwrap();
    assert_eq!(snapshots.accepted(&run).await.unwrap(), []);
}

#[tokio::test]
async fn an_older_version_is_saved_as_the_current_one_and_an_unknown_one_is_refused() {
    let memory = MemoryBackend::new();
    let (key, run) = (document("snapshots", "run"), name("run"));
    let old = begun("tides").encode().replace("\"version\": 2", "\"version\": 1");
    put_past(&memory, &key, &old).await;
    let kept = snapshots(&memory).load::<Snapshot>(&run).await.unwrap().unwrap();
    assert!(kept.snapshot.contents().progress.runtime.is_none());
    snapshots(&memory).save(&run, &kept.snapshot, Some(kept.revision)).await.unwrap();
    assert_eq!(text_of(&memory, &key).await, begun("tides").encode());
    put_past(&memory, &key, &old.replace("\"version\": 1", "\"version\": 999")).await;
    let error = snapshots(&memory).load::<Snapshot>(&run).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownVersion);
    assert_eq!(error.clause(), "it is of version 999, and versions 1 and 2 are read");
}

#[tokio::test]
async fn those_of_a_session_go_with_it_and_are_saved_for_no_other() {
    let memory = MemoryBackend::new();
    let store = Store::on(Arc::new(memory.clone()));
    store.create_as("s1", NewSession::new()).await.unwrap();
    let of_session = Snapshots::from(&store).of_session("s1".parse().unwrap());
    let first = of_session.save(&name("run"), &begun("1"), None).await.unwrap();
    // Whoever saves it without naming the session keeps it with the session.
    Snapshots::from(&store).save(&name("run"), &begun("2"), Some(first)).await.unwrap();
    store.delete("s1").await.unwrap();
    let error = of_session.load::<Snapshot>(&name("run")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deleted);
    let error = of_session.save(&name("more"), &begun("1"), None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deleted);
    store.purge("s1").await.unwrap();
    assert!(memory.get(&document("snapshots", "run")).await.is_err());
    let never = Snapshots::from(&store).of_session("s2".parse().unwrap());
    let error = never.save(&name("run"), &begun("1"), None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_found_out_and_a_place_out_of_reach_is_no_first_run() {
    let memory = MemoryBackend::new();
    let line = Arc::new(Line::to(&memory, |number| match number {
        0 => Fate::AnswerLost,
        1 => Fate::CallLost,
        _ => Fate::Answered,
    }));
    let behind: Arc<Line> = Arc::clone(&line);
    let snapshots = Snapshots::with(behind, Space::default(), hasty());
    let first = snapshots.save(&name("run"), &begun("1"), None).await.unwrap();
    snapshots.save(&name("run"), &begun("2"), Some(first)).await.unwrap();
    line.cut(true);
    let error = snapshots.load::<Snapshot>(&name("run")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let error = snapshots.load::<Snapshot>(&name("never")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(text_of(&memory, &document("snapshots", "run")).await, begun("2").encode());
}

#[tokio::test]
async fn namespaces_are_apart() {
    let memory = MemoryBackend::new();
    let of = |space: &str| snapshots(&memory).namespace(space).unwrap();
    of("a").save(&name("run"), &begun("1"), None).await.unwrap();
    assert!(of("b").load::<Snapshot>(&name("run")).await.unwrap().is_none());
    assert!(snapshots(&memory).load::<Snapshot>(&name("run")).await.unwrap().is_none());
}

#[tokio::test]
async fn bytes_are_taken_over_as_they_are_and_once() {
    let memory = MemoryBackend::new();
    let (key, run) = (document("snapshots", "run"), name("run"));
    let old = begun("tides").encode().replace("\"version\": 2", "\"version\":   1");
    let snapshots = snapshots(&memory);
    let error = snapshots.take_over(&run, b"{}").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(snapshots.bytes(&run).await.unwrap(), None);
    assert!(snapshots.take_over(&run, old.as_bytes()).await.unwrap());
    assert!(!snapshots.take_over(&run, old.as_bytes()).await.unwrap());
    let error = snapshots.take_over(&run, begun("tides").encode().as_bytes()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(text_of(&memory, &key).await, old);
    assert_eq!(snapshots.bytes(&run).await.unwrap().unwrap(), old.as_bytes());
    let revision = put_past(&memory, &key, "{}").await;
    let error = snapshots.bytes(&run).await.unwrap_err();
    assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Corrupt, Some(revision)));
}
