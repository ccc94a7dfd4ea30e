//! Bindings in memory and as documents.

use std::sync::{Arc, Mutex};

use sessile_core::{ErrorKind, Space};
use sessile_engine::{NewSession, Options, Store};
use sessile_interchange::binding::{Continuing, NewBinding, Plan};
use sessile_memory::MemoryBackend;
use sessile_records::{BestEffort, Bindings, Forgotten};

use crate::line::{Fate, Line};
use crate::scene::{Hands, document, hasty, put_past, text_of};

fn bindings(memory: &MemoryBackend) -> Bindings {
    Bindings::on(Arc::new(memory.clone()), Space::default())
}

fn to(session_id: &str) -> NewBinding<'_> {
    NewBinding { session_id, harness: "claude", driver: "claude-code" }
}

async fn id(bindings: &Bindings, context: &str) -> Option<String> {
    bindings.get(context).await.unwrap().map(|binding| binding.session_id)
}

#[tokio::test]
async fn without_a_place_they_live_as_long_as_the_map() {
    let map = Bindings::in_memory();
    assert_eq!(map.put("ctx", &to("a")).await.unwrap(), None);
    assert_eq!(map.put("ctx", &to("b")).await.unwrap(), Some("a".to_owned()));
    assert_eq!(id(&map.clone(), "ctx").await, Some("b".to_owned()));
    assert_eq!(map.place("ctx"), None);
    assert_eq!(id(&Bindings::in_memory(), "ctx").await, None);
    let error = map.bind("ctx", None, &to("c")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    map.bind("ctx", Some("b"), &to("c")).await.unwrap();
    map.bind("new", None, &to("d")).await.unwrap();
    assert_eq!(id(&map, "ctx").await, Some("c".to_owned()));
    assert_eq!(map.forget("ctx", "me").await.unwrap(), Some("c".to_owned()));
    assert_eq!(map.forget("ctx", "me").await.unwrap(), None);
    assert_eq!(id(&map, "new").await, Some("d".to_owned()));
}

#[tokio::test]
async fn binding_again_keeps_when_it_was_first_bound_and_an_empty_id_does_nothing() {
    let memory = MemoryBackend::new();
    let hands = Arc::new(Hands::default());
    let clock: Arc<Hands> = Arc::clone(&hands);
    let options = Options::default().clock(clock);
    let open = || Bindings::with(Arc::new(memory.clone()), Space::default(), options.clone());
    let times = async |bindings: &Bindings| {
        let binding = bindings.get("ctx").await.unwrap().unwrap();
        (binding.created_at.millis(), binding.updated_at.millis())
    };
    hands.set(5);
    open().put("ctx", &to("a")).await.unwrap();
    hands.set(9);
    let map = open();
    assert_eq!(map.put("ctx", &to("b")).await.unwrap(), Some("a".to_owned()));
    hands.set(7);
    assert_eq!(map.put("ctx", &to("c")).await.unwrap(), Some("b".to_owned()));
    assert_eq!(times(&map).await, (5, 9));
    assert_eq!(times(&open()).await, (5, 9));
    let before = text_of(&memory, &document("bindings", "ctx")).await;
    assert_eq!(map.put("ctx", &to("")).await.unwrap(), None);
    assert_eq!(map.put("never", &to("")).await.unwrap(), None);
    assert_eq!(id(&map, "never").await, None);
    assert_eq!(text_of(&memory, &document("bindings", "ctx")).await, before);
    // Who forgets and binds anew begins anew.
    hands.set(20);
    map.forget("ctx", "me").await.unwrap();
    map.put("ctx", &to("d")).await.unwrap();
    assert_eq!(times(&open()).await, (20, 20));
}

#[tokio::test]
async fn what_was_bound_when_the_stored_one_got_damaged_is_still_known_here() {
    let memory = MemoryBackend::new();
    let hands = Arc::new(Hands::default());
    hands.set(5);
    let clock: Arc<Hands> = Arc::clone(&hands);
    let options = Options::default().clock(clock);
    let map = Bindings::with(Arc::new(memory.clone()), Space::default(), options);
    map.put("ctx", &to("a")).await.unwrap();
    let revision = put_past(&memory, &document("bindings", "ctx"), "{").await;
    hands.set(9);
    let error = map.put("ctx", &to("b")).await.unwrap_err();
    assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Corrupt, Some(revision)));
    assert_eq!(text_of(&memory, &document("bindings", "ctx")).await, "{");
    assert_eq!(id(&map, "ctx").await, Some("b".to_owned()));
    let error = bindings(&memory).get("ctx").await.unwrap_err();
    assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Corrupt, Some(revision)));
    let lenient = map.treating_unreadable_as_absent();
    lenient.put("ctx", &to("c")).await.unwrap();
    let binding = bindings(&memory).get("ctx").await.unwrap().unwrap();
    assert_eq!((&*binding.session_id, binding.created_at.millis()), ("c", 5));
}

#[tokio::test(start_paused = true)]
async fn what_was_forgotten_is_gone_here_also_where_it_could_not_be_deleted() {
    let memory = MemoryBackend::new();
    bindings(&memory).put("ctx", &to("a")).await.unwrap();
    let line = Arc::new(Line::to(&memory, |_| Fate::Refused));
    let map = Bindings::with(line, Space::default(), hasty());
    let error = map.forget("ctx", "me").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(id(&map, "ctx").await, None);
    assert_eq!(map.plan(Continuing::IfAny, Some("ctx")).await.unwrap(), Plan::Remember);
    assert_eq!(id(&bindings(&memory), "ctx").await, Some("a".to_owned()));
    // The next try deletes what is left, and drops nothing that was not dropped before.
    let map = bindings(&memory);
    assert_eq!(map.forget("ctx", "me").await.unwrap(), Some("a".to_owned()));
    assert_eq!(map.forget("ctx", "me").await.unwrap(), None);
    assert_eq!(id(&map, "ctx").await, None);
    assert_eq!(id(&bindings(&memory), "ctx").await, None);
}

#[tokio::test(start_paused = true)]
async fn what_is_bound_after_a_failed_deletion_begins_anew() {
    let memory = MemoryBackend::new();
    bindings(&memory).put("ctx", &to("a")).await.unwrap();
    let line = Line::to(&memory, |number| match number {
        0 => Fate::Refused,
        _ => Fate::Answered,
    });
    let map = Bindings::with(Arc::new(line), Space::default(), hasty());
    map.forget("ctx", "me").await.unwrap_err();
    map.bind("ctx", None, &to("b")).await.unwrap();
    let binding = bindings(&memory).get("ctx").await.unwrap().unwrap();
    assert_eq!(binding.session_id, "b");
    assert_eq!(binding.created_at, binding.updated_at);
}

#[tokio::test]
async fn forgetting_is_told_with_who_asked_if_something_was_bound() {
    let told: Arc<Mutex<Vec<Forgotten>>> = Arc::default();
    let witness = Arc::clone(&told);
    let map = bindings(&MemoryBackend::new())
        .witnessed(move |forgotten| witness.lock().unwrap().push(forgotten.clone()));
    map.forget("ctx", "nobody").await.unwrap();
    assert_eq!(told.lock().unwrap().len(), 0);
    map.put("ctx", &to("a")).await.unwrap();
    map.forget("ctx", "the command line").await.unwrap();
    map.forget("ctx", "somebody else").await.unwrap();
    let told = told.lock().unwrap();
    let all: Vec<_> = told.iter().map(|it| (&*it.context, &*it.session_id, &*it.asker)).collect();
    assert_eq!(all, [("ctx", "a", "the command line")]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_reported_once_and_what_was_bound_holds() {
    let memory = MemoryBackend::new();
    let line = Arc::new(Line::to(&memory, |_| Fate::Answered));
    let behind: Arc<Line> = Arc::clone(&line);
    let reports: Arc<Mutex<Vec<ErrorKind>>> = Arc::default();
    let told = Arc::clone(&reports);
    let map = BestEffort::of(Bindings::with(behind, Space::default(), hasty()), move |error| {
        told.lock().unwrap().push(error.kind());
    });
    line.cut(true);
    for (context, session) in [("x", "a"), ("y", "b"), ("x", "c")] {
        map.put(context, &to(session)).await;
    }
    assert_eq!(map.clone().forget("y", "me").await, Some("b".to_owned()));
    assert_eq!(*reports.lock().unwrap(), [ErrorKind::Unavailable]);
    assert_eq!(id(map.bindings(), "x").await, Some("c".to_owned()));
    assert_eq!(id(map.bindings(), "y").await, None);
    // What was never looked at is not taken for absent.
    let error = map.bindings().get("z").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn of_many_that_bind_where_none_is_bound_one_does() {
    let memory = MemoryBackend::new();
    let one = bindings(&memory);
    let ids: Vec<String> = (0..12).map(|number| format!("session {number}")).collect();
    // Half of them share a map, as tasks of one process do.
    let maps = (0..12).map(|number| if number % 2 == 0 { one.clone() } else { bindings(&memory) });
    let tasks = maps.zip(ids).map(|(map, id)| {
        tokio::spawn(async move { map.bind("ctx", None, &to(&id)).await.map(|()| id) })
    });
    let tasks: Vec<_> = tasks.collect();
    assert_eq!(tasks.len(), 12);
    let mut won = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            Ok(id) => won.push(id),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict),
        }
    }
    assert_eq!(won.len(), 1);
    let bound = bindings(&memory).get("ctx").await.unwrap();
    assert_eq!(bound.map(|bound| bound.session_id), won.pop());
}

#[tokio::test]
async fn a_binding_names_the_session_that_was_run_and_moves_from_what_is_expected_only() {
    let memory = MemoryBackend::new();
    let store = Store::on(Arc::new(memory.clone()));
    for id in ["q", "third"] {
        store.create_as(id, NewSession::new()).await.unwrap();
    }
    let (planned, run, third) =
        ("p".parse().unwrap(), "q".parse().unwrap(), "third".parse().unwrap());
    let map = Bindings::from(&store);
    // What was planned was never stored.
    let error = map.bind_session("m", None, &planned).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    map.bind_session("m", None, &run).await.unwrap();
    let map = Bindings::from(&store);
    assert_eq!(map.resolve("m").await.unwrap(), Some(run.clone()));
    assert_eq!(map.resolve("other").await.unwrap(), None);
    let before = text_of(&memory, &document("bindings", "m")).await;
    map.bind_session("m", None, &run).await.unwrap();
    assert_eq!(text_of(&memory, &document("bindings", "m")).await, before);
    let error = map.bind_session("m", None, &third).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.clause().contains("session q"), "{error}");
    map.bind_session("m", Some(&run), &third).await.unwrap();
    assert_eq!(map.resolve("m").await.unwrap(), Some(third));
}

#[tokio::test]
async fn a_binding_to_a_session_that_was_purged_says_deleted() {
    let memory = MemoryBackend::new();
    let store = Store::on(Arc::new(memory.clone()));
    store.create_as("s", NewSession::new()).await.unwrap();
    let map = Bindings::from(&store);
    map.bind_session("ctx", None, &"s".parse().unwrap()).await.unwrap();
    store.delete("s").await.unwrap();
    for purged in [false, true] {
        if purged {
            store.purge("s").await.unwrap();
        }
        for map in [&map, &Bindings::from(&store)] {
            let error = map.resolve("ctx").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Deleted, "purged: {purged}");
        }
    }
    assert_eq!(map.forget("ctx", "me").await.unwrap(), Some("s".to_owned()));
    assert_eq!(map.resolve("ctx").await.unwrap(), None);
}

#[tokio::test]
async fn keys_of_several_parts_are_apart_whatever_signs_are_in_them() {
    let memory = MemoryBackend::new();
    let parts = ["", "a", "b", "a/b", "a:b", "b/c", "b:c", "c", "a/", "/a", "a b", ".a", "ü"];
    let of = |record: &str| match record {
        "" => bindings(&memory),
        record => bindings(&memory).record(record).unwrap(),
    };
    for record in parts {
        for context in parts.into_iter().filter(|context| !context.is_empty()) {
            of(record).put(context, &to(&format!("{record}|{context}"))).await.unwrap();
        }
    }
    for record in parts {
        for context in parts.into_iter().filter(|context| !context.is_empty()) {
            assert_eq!(id(&of(record), context).await, Some(format!("{record}|{context}")));
        }
    }
}

#[tokio::test]
async fn a_context_without_a_place_is_bound_in_memory_and_said_to_be() {
    let map = bindings(&MemoryBackend::new());
    let long = "x".repeat(2_000);
    for context in ["", "a\0b", &long] {
        let error = map.put(context, &to("a")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidId);
        assert_eq!(id(&map, context).await, Some("a".to_owned()));
        let error = map.bind(context, None, &to("b")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidId);
        assert_eq!(map.forget(context, "me").await.unwrap(), Some("a".to_owned()));
        assert_eq!(id(&map, context).await, None);
    }
}

#[tokio::test]
async fn members_that_are_not_known_outlive_a_change() {
    let memory = MemoryBackend::new();
    let text = concat!(
        r#"{"type":"murmur.harness-session","session_id":"a","harness":"h","driver":"d","#,
        r#""created_ms":1,"updated_ms":2,"later":{"x": 1.50}}"#
    );
    put_past(&memory, &document("bindings", "ctx"), text).await;
    bindings(&memory).put("ctx", &to("b")).await.unwrap();
    let text = text_of(&memory, &document("bindings", "ctx")).await;
    assert!(text.contains(r#""created_ms":1,"#) && text.ends_with(r#","later":{"x": 1.50}}"#));
}

#[tokio::test]
async fn bytes_are_taken_over_as_they_are_and_once() {
    let memory = MemoryBackend::new();
    let text = concat!(
        r#"{ "type":"murmur.harness-session","session_id":"a","harness":"h","driver":"d","#,
        r#""created_ms":1,"updated_ms":2,"later":[1.50]}"#
    );
    let map = bindings(&memory);
    for (bytes, kind) in [("{", ErrorKind::Corrupt), (r#"{"type":"x"}"#, ErrorKind::Refused)] {
        let error = map.take_over("ctx", bytes.as_bytes()).await.unwrap_err();
        assert_eq!(error.kind(), kind);
    }
    assert_eq!(id(&map, "ctx").await, None);
    assert!(map.take_over("ctx", text.as_bytes()).await.unwrap());
    assert!(!bindings(&memory).take_over("ctx", text.as_bytes()).await.unwrap());
    assert_eq!(text_of(&memory, &document("bindings", "ctx")).await, text);
    let other = text.replace("\"a\"", "\"b\"");
    let error = map.take_over("ctx", other.as_bytes()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.clause().ends_with("to session a"), "{error}");
    assert_eq!(id(&map, "ctx").await, Some("a".to_owned()));
}
