//! Writing behind: when what waits is written, by whom, and what is told where it never is.

#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sessile_core::fold::SessionState;
use sessile_core::{EntryType, Error, ErrorKind, Outcome, Payload, UnixMillis};
use sessile_engine::{From, Generation, Move, NewSession, Operation, Options, Session, Store};
use tokio::time;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::faults::{Fault, Faulty};

/// Adds an event; told before it is durable.
pub(crate) struct Later(pub(crate) u64);

impl Operation for Later {
    type Answer = u64;
    type Refusal = Error;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<u64>, Error> {
        Ok(Move::Append(vec![(EntryType::Event, Payload::of(&self.0)?)], state.events()))
    }

    fn is_barrier(&self) -> bool {
        false
    }
}

async fn scene(options: Options) -> (Arc<Faulty>, Store, Session) {
    let faulty = Faulty::new();
    let store = faulty.store_with(options.write_behind());
    let session = store.create_as("a", NewSession::new()).await.unwrap();
    (faulty, store, session)
}

async fn later(session: &Session, number: u64) -> Generation {
    let told = session.perform(Later(number)).await.unwrap();
    assert_eq!(told.committed, None);
    told.waits.unwrap()
}

/// The numbers of all events, as another process reads them.
async fn stored(faulty: &Arc<Faulty>) -> Vec<u64> {
    let session = faulty.store().open_session("a").await.unwrap();
    let entries = session.entries(From::start()).await.unwrap().all().await.unwrap();
    let events = entries.into_iter().filter(|it| it.entry_type == EntryType::Event);
    events.map(|event| event.data.decode().unwrap()).collect()
}

fn cycles(store: &Store) -> u64 {
    store.status().waiting.unwrap().cycles
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_written_by_itself_when_the_window_of_the_first_of_it_ends() {
    let (faulty, store, session) = scene(Options::default()).await;
    later(&session, 1).await;
    time::sleep(Duration::from_millis(15)).await;
    later(&session, 2).await;
    assert_eq!((stored(&faulty).await, cycles(&store)), (Vec::new(), 0));
    // What joins does not put the end off.
    time::sleep(Duration::from_millis(10)).await;
    assert_eq!((stored(&faulty).await, cycles(&store)), (vec![1, 2], 1));
    time::sleep(Duration::from_secs(9)).await;
    assert_eq!(cycles(&store), 1, "where nothing waits nothing is done");
    later(&session, 3).await;
    time::sleep(Duration::from_millis(25)).await;
    assert_eq!((stored(&faulty).await, cycles(&store)), (vec![1, 2, 3], 2));
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_written_is_tried_again_until_it_can() {
    let (faulty, store, session) = scene(Options::default()).await;
    faulty.reachable(false);
    let first = later(&session, 1).await;
    time::sleep(Duration::from_secs(5)).await;
    let waiting = store.status().waiting.unwrap();
    assert_eq!(waiting.changes, 1);
    // It waits longer each time, up to a second.
    assert!((4..20).contains(&waiting.cycles), "{} cycles", waiting.cycles);
    assert!(waiting.last_error.unwrap().contains("session a"));
    later(&session, 2).await;
    faulty.reachable(true);
    time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(stored(&faulty).await, [1, 2]);
    let waiting = store.status().waiting.unwrap();
    assert_eq!((waiting.changes, waiting.last_error), (0, None));
    store.flush_through(first).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_lost_has_nothing_written_twice() {
    for faults in [[Fault::AnswerLost; 40], [Fault::CallLost; 40], [Fault::Delayed; 40]] {
        let options = Options::default().deadline(Duration::from_millis(50));
        let (faulty, store, session) = scene(options).await;
        later(&session, 1).await;
        later(&session, 2).await;
        faulty.script(faults);
        let error = store.flush().await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
        faulty.script_ends();
        faulty.land().await;
        store.flush().await.unwrap();
        assert_eq!(stored(&faulty).await, [1, 2], "{:?}", faults[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_that_comes_while_others_are_written_is_decided_after_them() {
    let (faulty, store, session) = scene(Options::default()).await;
    later(&session, 1).await;
    faulty.script([Fault::Held]);
    let flushing = tokio::spawn({
        let store = store.clone();
        async move { store.flush().await }
    });
    faulty.is_holding().await;
    let told = session.perform(Later(2)).await.unwrap();
    assert_eq!(told.answer, 1, "it is decided on what waits before it");
    faulty.let_go();
    flushing.await.unwrap().unwrap();
    assert_eq!(session.state().await.unwrap().events(), 2);
    store.flush().await.unwrap();
    assert_eq!(stored(&faulty).await, [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn what_waits_keeps_its_session_in_memory() {
    let (faulty, store, session) = scene(Options::default().residency(1, 0)).await;
    let other = store.create_as("b", NewSession::new()).await.unwrap();
    later(&session, 1).await;
    other.append([1]).await.unwrap();
    assert!(!store.evict("a").unwrap(), "it was dropped with what waits");
    assert_eq!(session.state().await.unwrap().events(), 1);
    store.flush().await.unwrap();
    store.evict_all();
    assert_eq!(store.status().hot_sessions + store.status().cached_sessions, 0);
    assert_eq!(stored(&faulty).await, [1]);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_writes_nothing_behind_tells_only_what_is_durable() {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await.unwrap();
    let told = session.perform(Later(1)).await.unwrap();
    assert_eq!((told.waits, told.committed.is_some()), (None, true));
    assert_eq!((stored(&faulty).await, store.status().waiting), (vec![1], None));
    store.flush().await.unwrap();
    faulty.reachable(false);
    assert_eq!(session.perform(Later(2)).await.unwrap_err().kind(), ErrorKind::Unavailable);
}

/// What was told to operators.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("sessile")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = String::new();
        event.record(&mut Fields(&mut text));
        self.0.lock().unwrap().push(text);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

#[test]
fn what_a_store_that_is_dropped_loses_is_told_by_its_generations() {
    let heard = Heard::default();
    let _listening = tracing::subscriber::set_default(heard.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (_, store, session) = scene(Options::default()).await;
        for number in [1, 2] {
            later(&session, number).await;
        }
        store.flush().await.unwrap();
        for number in [3, 4, 5] {
            later(&session, number).await;
        }
        drop((store, session));
    });
    let told = heard.0.lock().unwrap().clone();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("changes=3 first=3 last=5"), "{told:?}");
}
