//! Operations as the cases perform them, and what is seen of them.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::Backend;
use sessile_core::fold::{Recorded, SessionState};
use sessile_core::{CommitId, EntryType, Error, ErrorKind, Payload, UnixMillis};
use sessile_engine::{From, Generation, Move, Operation, Options, Performed, Session, Store};

use crate::cases::session::scene;
use crate::failed::{Failed, same};
use crate::fixture::Place;

/// A window that no case lives to see the end of: whatever is written, somebody asked for it.
const NEVER: Duration = Duration::from_hours(1);

/// What an operation answers that finds what it did the first time.
pub(super) const REPLAYED: &str = "replayed";

/// Adds an event.
#[derive(Clone, Debug)]
pub(super) struct Add {
    text: String,
    key: Option<CommitId>,
    is_barrier: bool,
    entry_type: EntryType,
    /// Refuses where there are more events.
    at_most: u64,
}

impl Add {
    /// Told before it is durable.
    pub(super) fn later(text: impl Into<String>) -> Self {
        let (text, entry_type) = (text.into(), EntryType::Event);
        Self { text, key: None, is_barrier: false, entry_type, at_most: u64::MAX }
    }

    /// Told once it is durable.
    pub(super) fn now(text: impl Into<String>) -> Self {
        Self { is_barrier: true, ..Self::later(text) }
    }

    /// Known by a key when it is repeated.
    pub(super) fn keyed(self, key: &str) -> Result<Self, Failed> {
        Ok(Self { key: Some(key.parse()?), ..self })
    }

    /// Refused where there are more events than so many.
    pub(super) const fn at_most(mut self, events: u64) -> Self {
        self.at_most = events;
        self
    }

    /// A message in place of an event.
    pub(super) fn message(mut self) -> Self {
        self.entry_type = EntryType::Message;
        self
    }
}

impl Operation for Add {
    type Answer = String;
    type Refusal = Error;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<String>, Error> {
        if state.events() > self.at_most {
            return Err(Error::new(ErrorKind::Refused, "there are too many events"));
        }
        let entry = (self.entry_type.clone(), Payload::of(&self.text)?);
        Ok(Move::Append(vec![entry], format!("{} before it", state.events())))
    }

    fn commit_id(&self) -> Option<&CommitId> {
        self.key.as_ref()
    }

    fn is_barrier(&self) -> bool {
        self.is_barrier
    }

    fn repeated(&self, _: &SessionState, _: &Recorded) -> Result<String, Error> {
        Ok(REPLAYED.to_owned())
    }
}

/// A store that writes behind only when it is asked to.
pub(super) fn behind(backend: Arc<dyn Backend>) -> Store {
    let options = Options::default().deadline(Duration::from_secs(2));
    Store::with(backend, options.write_behind_within(NEVER))
}

/// The same on a handle of its own.
pub(super) async fn store(place: &dyn Place) -> Result<Store, Failed> {
    Ok(behind(place.handle().await?))
}

/// The generation that something waits as.
pub(super) fn waits<A>(performed: &Performed<A>) -> Result<Generation, Failed> {
    performed.waits.ok_or_else(|| Failed::new("it was told as durable"))
}

/// The texts of all events and messages of a session in the order of the journal, seen by another
/// process.
pub(super) async fn stored(place: &dyn Place, id: &str) -> Result<Vec<String>, Failed> {
    let session = scene::store(place).await?.open_session(id).await?;
    let entries = session.entries(From::start()).await?.all().await?;
    let is_one = |kind: &EntryType| matches!(kind, EntryType::Event | EntryType::Message);
    let entries = entries.into_iter().filter(|entry| is_one(&entry.entry_type));
    entries.map(|entry| Ok(entry.data.decode()?)).collect()
}

/// Fails unless another process sees these texts.
pub(super) async fn holds(place: &dyn Place, id: &str, texts: &[&str]) -> Result<(), Failed> {
    let expected: Vec<String> = texts.iter().map(ToString::to_string).collect();
    same("what another process sees", stored(place, id).await?, expected)
}

/// How many events the state has, with what waits.
pub(super) async fn events(session: &Session) -> Result<u64, Failed> {
    Ok(session.state().await?.events())
}
