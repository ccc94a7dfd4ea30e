//! Older sessions whose takeover is cut short before any step of it, and begun again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sessile_core::id::Space;
use sessile_core::payload::Payload;
use sessile_engine::{Append, Filter, From, Page, RawMessage, Session, Store};

use super::killed::copy;
use super::life;
use crate::legacy::LegacyBackend;

/// What a session is called, its files, and how many messages it has.
type Kind = (&'static str, &'static [(&'static str, &'static str)], usize);

/// The sessions of each kind.
const KINDS: [Kind; 7] = [
    ("log", &[("sessions/ID.jsonl", "HEADER\nMESSAGE\nMESSAGE\n")], 2),
    ("lines", &[("sessions/ID.json", "HEADER"), ("messages/ID.jsonl", "PLAIN\nPLAIN\n")], 2),
    ("array", &[("sessions/ID.json", "HEADER"), ("messages/ID.json", "[PLAIN,PLAIN,PLAIN]")], 3),
    ("beside", &[("sessions/ID.jsonl", "MESSAGE\n"), ("messages/ID.jsonl", "PLAIN\n")], 2),
    ("torn", &[("sessions/ID.jsonl", "HEADER\nMESSAGE\n{\"type\":\"mess")], 1),
    ("blank", &[("sessions/ID.jsonl", "\n  \n\n")], 0),
    ("empty", &[("sessions/ID.jsonl", "")], 0),
];

const MESSAGE: &str = r#"{"type":"message","role":"user","content":"Hi."}"#;

/// Writes so many sessions, one kind after the other; answers how many messages each has.
#[expect(clippy::disallowed_methods, reason = "it is what the older program wrote")]
fn write(old: &Path, count: usize) -> BTreeMap<String, usize> {
    for folder in ["sessions", "messages"] {
        fs::create_dir_all(old.join(folder)).unwrap();
    }
    let mut written = BTreeMap::new();
    for (number, (kind, files, messages)) in (0..count).zip(KINDS.into_iter().cycle()) {
        let id = format!("{kind}-{number:02}");
        for (path, text) in files {
            let header =
                format!(r#"{{"type":"session","id":"{id}","created_at":1,"updated_at":2}}"#);
            let plain = r#"{"role":"user","content":"Old."}"#;
            let text = text.replace("HEADER", &header);
            let text = text.replace("MESSAGE", MESSAGE).replace("PLAIN", plain);
            fs::write(old.join(path.replace("ID", &id)), text).unwrap();
        }
        written.insert(id, messages);
    }
    written
}

/// All files below a folder with their bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let below = |name: &str| fs::read_dir(folder.join(name)).unwrap();
    let paths = ["sessions", "messages"].into_iter().flat_map(below).map(|it| it.unwrap().path());
    paths
        .map(|path| (path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect()
}

/// The store of a place, beside the older files of it.
async fn open(place: &Path, watch: impl FnMut() + Send + 'static) -> Store {
    let backend = life::open(&place.join("store")).await.unwrap();
    let mut watch = watch;
    backend.faults().watch(move |_| watch());
    let backend = LegacyBackend::over(Arc::new(backend), place.join("old"), Space::default());
    Store::on(Arc::new(backend.await.unwrap()))
}

/// The messages of a session.
async fn messages(session: &Session) -> Vec<RawMessage> {
    session.transcript(From::start()).await.unwrap().all().await.unwrap()
}

fn is_mark(message: &RawMessage) -> bool {
    message.data.as_str().contains("Mark.")
}

/// Adds one message to each session that lacks it.
async fn mark(store: &Store) {
    for row in store.list(Filter::all(), Page::of(999)).await.unwrap().sessions {
        let session = store.open_session(row.id).await.unwrap();
        if messages(&session).await.iter().any(is_mark) {
            continue;
        }
        let append = Append::at_end().commit_id("mark".parse().unwrap());
        let mark = Payload::parse(r#"{"role":"user","content":"Mark."}"#).unwrap();
        session.append_with(append, [mark]).await.unwrap();
    }
}

/// How many messages and how many marks each session has.
async fn view(place: &Path) -> BTreeMap<String, (usize, usize)> {
    let store = open(place, || {}).await;
    let mut found = BTreeMap::new();
    let rows = store.list(Filter::all(), Page::of(999)).await.unwrap().sessions;
    for row in &rows {
        assert!(!row.damaged, "{row:?}");
        let session = store.open_session(row.id.clone()).await.unwrap();
        let messages = messages(&session).await;
        let marks = messages.iter().filter(|it| is_mark(it)).count();
        found.insert(row.id.to_string(), (messages.len() - marks, marks));
    }
    assert_eq!(found.len(), rows.len(), "a session stands twice");
    found
}

/// A child that marks all sessions, and is killed before a step; answers whether it lived to do it.
fn outlives(place: &Path, steps: usize) -> bool {
    let mut child = life::child("tests::takeover::marks_as_a_child", place);
    let status = child.env("SESSILE_TEST_STEPS", steps.to_string()).status().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{status}");
    status.success()
}

#[tokio::test]
#[ignore = "the child of the tests below"]
async fn marks_as_a_child() {
    let place = PathBuf::from(std::env::var_os("SESSILE_TEST_ROOT").unwrap());
    let last: usize = std::env::var("SESSILE_TEST_STEPS").unwrap().parse().unwrap();
    let mut steps = 0;
    let store = open(&place, move || {
        if steps == last {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
            loop {
                std::thread::park();
            }
        }
        steps += 1;
    });
    mark(&store.await).await;
}

#[tokio::test]
async fn a_takeover_that_is_killed_before_any_step_is_there_whole_or_not_at_all() {
    let start = tempfile::tempdir().unwrap();
    let written = write(&start.path().join("old"), KINDS.len());
    let before = tree(&start.path().join("old"));
    let mut steps = 0;
    let mut marked = BTreeSet::new();
    loop {
        let place = copy(start.path());
        let lived = outlives(place.path(), steps);
        let found = view(place.path()).await;
        let counts: BTreeMap<_, _> =
            found.iter().map(|(id, (messages, _))| (id.clone(), *messages)).collect();
        assert_eq!(counts, written, "killed before step {steps}");
        marked.insert(found.values().map(|(_, marks)| marks).sum::<usize>());
        mark(&open(place.path(), || {}).await).await;
        let found = view(place.path()).await;
        let wanted = written.iter().map(|(id, messages)| (id.clone(), (*messages, 1)));
        assert_eq!(found, wanted.collect(), "killed before step {steps}, then done again");
        assert_eq!(tree(&place.path().join("old")), before, "killed before step {steps}");
        if lived {
            break;
        }
        steps += 1;
    }
    // It was killed at every session, and before each of its steps.
    assert_eq!(marked, (0..=KINDS.len()).collect());
    assert!(steps > 6 * KINDS.len(), "{steps}");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the older program goes on writing")]
async fn a_takeover_that_is_killed_again_and_again_ends_with_each_session_once() {
    let place = tempfile::tempdir().unwrap();
    let old = place.path().join("old");
    let mut written = write(&old, 20);
    // The older program adds to one of them all the while.
    let growing = old.join("sessions/log-00.jsonl");
    written.remove("log-00");
    let (mut kills, mut said) = (0, 2);
    while !outlives(place.path(), 32) {
        kills += 1;
        assert!(kills < 60, "it does not come to an end");
        let log = fs::read_to_string(&growing).unwrap() + MESSAGE + "\n";
        fs::write(&growing, log).unwrap();
        said += 1;
        let found = view(place.path()).await;
        for (id, messages) in &written {
            assert_eq!(found[id].0, *messages, "{id} after {kills} kills");
        }
        let most = found.iter().filter(|(id, _)| !written.contains_key(*id));
        let most = most.map(|(_, (messages, _))| *messages).max();
        assert_eq!(most, Some(said), "what was said last is lost");
    }
    assert!(kills > 4, "{kills}");
    let found = view(place.path()).await;
    for (id, messages) in written {
        assert_eq!(found[&id], (messages, 1), "{id}");
    }
    assert!(found.values().all(|(_, marks)| *marks == 1), "{found:?}");
    assert!(found.values().any(|(messages, _)| *messages == said), "{found:?}");
}
