//! The view of a session: a summary, and the messages that it does not stand for.

use std::fmt;

use sessile_core::entry::shape::Compaction;
use sessile_core::{Error, ErrorKind, Ordinal, Payload, Position, Seq};

use super::beginning::From;
use super::kept;
use super::message::RawMessage;
use super::seen::Seen;
use super::stream::Transcript;
use super::stretch;
use crate::resident::Resident;

/// Which messages a view shows whole.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_engine::Window;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["a", "b", "c", "d", "e"]).await?;
/// // The last 2, and the oldest of the others that no summary stands for yet.
/// let view = session.view(Window::last(2).batch(1)).await?;
/// let texts = |of: &[sessile_engine::RawMessage]| -> Vec<String> {
///     of.iter().map(|message| message.data.as_str().to_owned()).collect()
/// };
/// assert_eq!(texts(&view.window), [r#""d""#, r#""e""#]);
/// assert_eq!((texts(&view.buffer), view.backlog), (vec![r#""a""#.to_owned()], 2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    last: usize,
    batch: usize,
}

impl Window {
    /// The last so many messages; none at all is refused when the view is taken.
    pub const fn last(messages: usize) -> Self {
        Self { last: messages, batch: 0 }
    }

    /// And at most so many of the oldest ones before them that no summary stands for: those to
    /// summarise next.
    #[must_use]
    pub const fn batch(mut self, messages: usize) -> Self {
        self.batch = messages;
        self
    }
}

/// What a model is to be shown of a session, and what waits to be summarised.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{From, View, Window};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["one", "two", "three"]).await?;
/// session.compact(From::last(1), ["they counted"]).await?;
/// let view: View = session.view(Window::last(50)).await?;
/// let shown: Vec<&str> = view.messages().map(|message| message.as_str()).collect();
/// assert_eq!(shown, [r#""they counted""#, r#""three""#]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct View {
    /// The messages of the last compaction; none without one.
    pub summary: Vec<Payload>,
    /// The last message that the summary stands for; none also where damage hid its ordinal.
    pub through: Option<Ordinal>,
    /// The oldest messages after it that are not in the window, as many as were asked for.
    pub buffer: Vec<RawMessage>,
    /// How many messages stand between the buffer and the window; where damage lies between, how
    /// many can be read.
    pub backlog: u64,
    /// The last messages, as many as were asked for; none that the summary stands for.
    pub window: Vec<RawMessage>,
    /// The messages that the turn has pushed and not committed, where a turn asks for the view.
    pub pending: Vec<RawMessage>,
    /// Where the journal ended.
    pub position: Position,
}

impl View {
    /// The summary's messages, then the window's, then those of the turn: what a model is shown.
    pub fn messages(&self) -> impl Iterator<Item = &Payload> {
        let whole = self.window.iter().chain(&self.pending);
        self.summary.iter().chain(whole.map(|message| &message.data))
    }
}

impl fmt::Debug for View {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("summary", &self.summary.len())
            .field("through", &self.through)
            .field("buffer", &self.buffer.len())
            .field("backlog", &self.backlog)
            .field("window", &self.window.len())
            .field("pending", &self.pending.len())
            .field("position", &self.position)
            .finish()
    }
}

/// Takes the view of a session.
///
/// # Errors
/// *refused* for a window of no messages; *corrupt* where damage lies among those that are shown;
/// those of reading.
pub(crate) async fn view(resident: &Resident, window: Window) -> Result<View, Error> {
    if window.last == 0 {
        return Err(Error::new(
            ErrorKind::Refused,
            "a window of the last 0 messages shows nothing",
        )
        .with_hint("ask for at least 1")
        .about(resident.key()));
    }
    let seen = Seen::with_end(resident, stretch::of_messages(resident, window.last)).await?;
    let kept = kept::in_force(resident, &seen).await?;
    let wanted = number(window.last).saturating_add(number(window.batch));
    let left = kept::left(resident, &seen, kept, wanted).await?;
    let shown = left.min(number(window.last));
    let batch = (left - shown).min(number(window.batch));
    let compaction = seen.sight().compaction();
    let summary = match compaction {
        Some(last) => summary(resident, last.seq).await?,
        None => Vec::new(),
    };
    let from_last = usize::try_from(shown).map_or(From::start(), From::last);
    Ok(View {
        summary,
        through: compaction.and_then(|last| Ordinal::new(last.keep_from?.number() - 1)),
        buffer: some(resident, &seen, From::seq(kept.seq), batch).await?,
        backlog: left - shown - batch,
        window: some(resident, &seen, from_last, shown).await?,
        pending: Vec::new(),
        position: seen.until(),
    })
}

/// The messages of a compaction.
async fn summary(resident: &Resident, seq: Seq) -> Result<Vec<Payload>, Error> {
    let entry = resident.entry(seq).await?;
    if entry.is_redacted() {
        // Something stood there, and it is not for the reader to take it for nothing.
        return Ok(vec![entry.data]);
    }
    Ok(entry.data.decode::<Compaction>()?.summary)
}

/// At most so many messages.
async fn some(
    resident: &Resident,
    seen: &Seen,
    from: From,
    count: u64,
) -> Result<Vec<RawMessage>, Error> {
    let mut messages = Vec::new();
    if count == 0 {
        return Ok(messages);
    }
    let mut reading = Transcript::<RawMessage>::of(resident, seen.clone(), from).await?;
    while number(messages.len()) < count
        && let Some(message) = reading.next().await
    {
        messages.push(message?);
    }
    Ok(messages)
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
