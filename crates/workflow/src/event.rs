//! What happens in a workflow session, and how it is told again.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Close, Instruct};
use sessile_core::lens::View;
use sessile_core::{CommitId, Entry, EntryType, Error, ErrorKind, Payload, Seq, UnixMillis};

use crate::redaction::Redaction;

/// The kind of an event that is an instruction.
pub const INSTRUCTION: &str = "instruction";

/// The kind of an event that is the close of its session.
pub const CLOSED: &str = "closed";

/// The kind of the event that a context was set.
pub const CONTEXT_SET: &str = "context_set";

/// The kind of an event that was appended as it is, and names none.
pub const PLAIN: &str = "event";

/// The most characters of a kind.
const KIND_CHARS: usize = 64;

/// The types of entries that are events, each counted once.
pub(crate) const fn is_event(entry_type: &EntryType) -> bool {
    matches!(entry_type, EntryType::Event | EntryType::Instruct | EntryType::Close)
}

/// Something that happened, to be recorded.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use serde_json::json;
/// use sessile_workflow::Event;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// let event = Event::new("tool_call_finished")
///     .body(&json!({"tool": "curl", "auth": "4711"}))?
///     // However often it is reported, it happened once.
///     .once("call-4711");
/// workflow.record(id.as_str(), event.clone()).await?;
/// workflow.record(id.as_str(), event).await?;
///
/// let summary = workflow.summary(id.as_str(), None).await?;
/// assert_eq!(summary.kinds["tool_call_finished"], 1);
/// let body = summary.events[1].body.as_ref().map(|body| body.as_str());
/// assert_eq!(body, Some(r#"{"auth":"[redacted]","tool":"curl"}"#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Event {
    kind: String,
    body: Option<Payload>,
    once: Option<String>,
}

/// The data of an event of this crate's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Payload>,
}

impl Event {
    /// An event of a kind: 1 to 64 characters.
    pub fn new(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), body: None, once: None }
    }

    /// Says what is to be known of it; secrets in it are not stored.
    ///
    /// # Errors
    /// *refused* for a value without a JSON form.
    pub fn body<T: Serialize + ?Sized>(mut self, body: &T) -> Result<Self, Error> {
        self.body = Some(Payload::of(body)?);
        Ok(self)
    }

    /// Names it by an id from outside: within the session it is recorded once, for ever.
    #[must_use]
    pub fn once(mut self, id: impl Into<String>) -> Self {
        self.once = Some(id.into());
        self
    }

    /// The commit id under which a repeat is recognised.
    ///
    /// # Errors
    /// None of its own: those of making an id.
    pub(crate) fn commit_id(&self) -> Result<Option<CommitId>, Error> {
        let Some(once) = &self.once else { return Ok(None) };
        let digest = Digest::of_parts([b"sessile.workflow.once".as_slice(), once.as_bytes()]);
        format!("once-{digest}").parse().map(Some)
    }

    /// The data of its entry.
    ///
    /// # Errors
    /// *refused* for a kind that is none.
    pub(crate) fn data(&self, redaction: &Redaction) -> Result<Payload, Error> {
        if !(1..=KIND_CHARS).contains(&self.kind.chars().count()) {
            let clause = "the kind of an event has 1 to 64 characters";
            return Err(Error::new(ErrorKind::Refused, clause));
        }
        let body = self.body.as_ref().map(|body| redaction.value(body));
        Payload::of(&Shape { kind: self.kind.clone(), body })
    }
}

impl fmt::Debug for Event {
    /// Tells its kind and no content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// An event as it stands in a session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Event, Options, Workflow};
/// use sessile_workflow::EventRow;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// workflow.record(id.as_str(), Event::new("tests_ran").body(&3)?).await?;
/// let row: EventRow = workflow.summary(id.as_str(), None).await?.events.remove(1);
/// assert_eq!((row.number, row.kind.as_str()), (1, "tests_ran"));
///
/// // What it held can be removed. That it happened stays, under the same number.
/// workflow.store().open_session(&id).await?.redact([row.seq], None).await?;
/// let left = workflow.summary(id.as_str(), None).await?.events.remove(1);
/// assert!(left.removed && left.body.is_none());
/// assert_eq!((left.number, left.seq), (row.number, row.seq));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventRow {
    /// Which of the session's events it is, from 0; it stays the same for ever.
    pub number: u64,
    /// The number of its entry.
    pub seq: Seq,
    /// When it was recorded.
    pub at: UnixMillis,
    /// What it is.
    pub kind: String,
    /// What is known of it; none where nothing is, or where it was removed.
    pub body: Option<Payload>,
    /// Whether what it held was removed.
    pub removed: bool,
}

impl EventRow {
    /// The event of an entry that is one.
    pub(crate) fn of(number: u64, entry: &Entry) -> Self {
        let removed = entry.is_redacted();
        let (kind, body) = match entry.entry_type {
            EntryType::Instruct => (INSTRUCTION.to_owned(), Some(entry.data.clone())),
            EntryType::Close => (CLOSED.to_owned(), reason(entry)),
            _ if removed => (PLAIN.to_owned(), None),
            _ => of_event(&entry.data),
        };
        let body = body.filter(|_| !removed);
        Self { number, seq: entry.seq, at: entry.at, kind, body, removed }
    }
}

impl fmt::Debug for EventRow {
    /// Tells numbers and its kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRow")
            .field("number", &self.number)
            .field("seq", &self.seq)
            .field("kind", &self.kind)
            .field("removed", &self.removed)
            .finish_non_exhaustive()
    }
}

/// Why a session was closed, if it was said.
fn reason(close: &Entry) -> Option<Payload> {
    close.data.decode::<Close>().ok()?.reason.map(|_| close.data.clone())
}

/// The kind and the body of an event, this crate's or anybody's.
fn of_event(data: &Payload) -> (String, Option<Payload>) {
    if let Ok(Shape { kind, body }) = data.decode() {
        return (kind, body);
    }
    let kind = View::of(data).member("kind").and_then(View::text);
    (kind.map_or_else(|| PLAIN.to_owned(), Cow::into_owned), Some(data.clone()))
}

/// What a session was last told to do.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Event, Options, Workflow};
/// use sessile_workflow::Instruction;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// workflow.record(id.as_str(), Event::new("tests_ran")).await?;
/// workflow.instruct(id.as_str(), "fix it", Some("anna")).await?;
///
/// let text = |it: Option<Instruction>| it.and_then(|it| it.text);
/// let last = workflow.summary(id.as_str(), None).await?.instruction;
/// assert_eq!(last.as_ref().and_then(|it| it.by.as_deref()), Some("anna"));
/// assert_eq!(text(last).as_deref(), Some("fix it"));
/// // What the tests ran for.
/// let then = workflow.instruction_at(id.as_str(), 2).await?;
/// assert_eq!(text(then).as_deref(), Some("find the bug"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instruction {
    /// Which of the session's events it is, from 0.
    pub number: u64,
    /// The number of its entry: its id.
    pub seq: Seq,
    /// When it was given.
    pub at: UnixMillis,
    /// What is asked; none where it was removed.
    pub text: Option<String>,
    /// Who asks, if that was said.
    pub by: Option<String>,
}

impl Instruction {
    /// The instruction of an entry that is one.
    pub(crate) fn of(number: u64, entry: &Entry) -> Self {
        let read = entry.data.decode::<Instruct>().ok().filter(|_| !entry.is_redacted());
        let (text, by) = match read {
            Some(Instruct { text, by }) => {
                (Some(text.as_str().to_owned()), by.map(|by| by.as_str().to_owned()))
            }
            None => (None, None),
        };
        Self { number, seq: entry.seq, at: entry.at, text, by }
    }
}

impl fmt::Debug for Instruction {
    /// Tells numbers only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instruction")
            .field("number", &self.number)
            .field("seq", &self.seq)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sessile_core::NewEntry;

    fn entry(entry_type: EntryType, data: &str) -> Entry {
        let data = Payload::parse(data.to_owned()).unwrap();
        NewEntry::new(UnixMillis(5), entry_type, data).numbered(Seq::new(3).unwrap())
    }

    fn told(entry_type: EntryType, data: &str) -> (String, Option<String>, bool) {
        let row = EventRow::of(0, &entry(entry_type, data));
        (row.kind, row.body.map(|body| body.as_str().to_owned()), row.removed)
    }

    #[test]
    fn an_event_is_stored_without_secrets_and_told_as_it_was_given() {
        let event = Event::new("ran").body(&serde_json::json!({"token": "x", "n": 1})).unwrap();
        let data = event.data(&Redaction::default()).unwrap();
        assert_eq!(data.as_str(), r#"{"kind":"ran","body":{"n":1,"token":"[redacted]"}}"#);
        let (kind, body, _) = told(EntryType::Event, data.as_str());
        assert_eq!((&*kind, body.as_deref()), ("ran", Some(r#"{"n":1,"token":"[redacted]"}"#)));
        for bad in [String::new(), "x".repeat(65)] {
            let error = Event::new(bad).data(&Redaction::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused);
        }
    }

    #[test]
    fn events_of_others_keep_their_kind_if_they_name_one() {
        let some = |text: &str| Some(text.to_owned());
        let named = r#"{"kind":"x","more":1}"#;
        assert_eq!(told(EntryType::Event, named), ("x".to_owned(), some(named), false));
        assert_eq!(told(EntryType::Event, "7"), ("event".to_owned(), some("7"), false));
        assert_eq!(told(EntryType::Close, "{}"), ("closed".to_owned(), None, false));
        let removed = r#"{"redacted":true}"#;
        assert_eq!(told(EntryType::Event, removed), ("event".to_owned(), None, true));
        assert_eq!(told(EntryType::Instruct, removed), ("instruction".to_owned(), None, true));
    }

    #[test]
    fn one_id_from_outside_is_one_commit_id() {
        let id = |once: &str| Event::new("x").once(once).commit_id().unwrap().unwrap();
        assert_eq!(id("job 1\u{0}"), id("job 1\u{0}"));
        assert_ne!(id("job 1"), id("job 2"));
        assert_eq!(Event::new("x").commit_id().unwrap(), None);
        let texts = format!("{:?}", Event::new("x").body("secret").unwrap().once("secret"));
        assert!(!texts.contains("secret"));
    }
}
