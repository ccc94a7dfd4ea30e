//! The view of a session: a summary, and the messages that it does not stand for.

use std::fmt;

use sessile_core::backend::Span;
use sessile_core::entry::shape::Compaction;
use sessile_core::{Error, ErrorKind, Ordinal, Payload, Position, Seq};

use super::beginning::{Beginning, From};
use super::message::RawMessage;
use super::seen::Seen;
use super::stream::Transcript;
use crate::resident::Resident;

/// Which messages a view shows whole.
///
/// # Examples
/// ```
/// use sessile_engine::Window;
///
/// // The last 50, and the 20 oldest of the others that no summary stands for yet.
/// let window = Window::last(50).batch(20);
/// # let _ = window;
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
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct View {
    /// The messages of the last compaction; none without one.
    pub summary: Vec<Payload>,
    /// The last message that the summary stands for.
    pub through: Option<Ordinal>,
    /// The oldest messages after it that are not in the window, as many as were asked for.
    pub buffer: Vec<RawMessage>,
    /// How many messages stand between the buffer and the window.
    pub backlog: u64,
    /// The last messages, as many as were asked for; none that the summary stands for.
    pub window: Vec<RawMessage>,
    /// Where the journal ended.
    pub position: Position,
}

impl View {
    /// The summary's messages and then the window's: what a model is shown.
    pub fn messages(&self) -> impl Iterator<Item = &Payload> {
        self.summary.iter().chain(self.window.iter().map(|message| &message.data))
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
            .field("position", &self.position)
            .finish()
    }
}

/// Takes the view of a session.
///
/// # Errors
/// *refused* for a window of no messages; *corrupt* where damage hides how many messages there
/// are; those of reading.
pub(crate) async fn view(resident: &Resident, window: Window) -> Result<View, Error> {
    if window.last == 0 {
        return Err(Error::new(
            ErrorKind::Refused,
            "a window of the last 0 messages shows nothing",
        )
        .with_hint("ask for at least 1")
        .about(resident.key()));
    }
    let seen = Seen::now(resident).await?;
    let messages = seen.messages(resident.key())?;
    let compaction = seen.sight().compaction();
    let kept = compaction.map_or(1, |last| last.keep_from.number());
    let first = first_kept(resident, &seen, kept, messages).await?;
    let left = (messages + 1).saturating_sub(first);
    let shown = left.min(number(window.last));
    let batch = (left - shown).min(number(window.batch));
    let summary = match compaction {
        Some(last) => summary(resident, last.seq).await?,
        None => Vec::new(),
    };
    Ok(View {
        summary,
        through: Ordinal::new(kept - 1),
        buffer: some(resident, &seen, first, batch).await?,
        backlog: left - shown - batch,
        window: some(resident, &seen, first + left - shown, shown).await?,
        position: seen.until(),
    })
}

/// The ordinal of the message with which a read would begin; the one after the last where that
/// is named and there is no such message yet.
///
/// # Errors
/// Those of reading; *refused* for the last 0, and where a number is not that of a message.
pub(crate) async fn ordinal_of(
    resident: &Resident,
    seen: &Seen,
    from: From,
) -> Result<Option<Ordinal>, Error> {
    match from.beginning()? {
        Beginning::Ordinal(ordinal) => Ok(Some(ordinal)),
        Beginning::Last(count) => {
            let before = seen.messages(resident.key())?.saturating_sub(number(count));
            Ok(Ordinal::new(before + 1))
        }
        Beginning::Seq(seq) => {
            let first = some_from(resident, seen, from, 1).await?.pop();
            Ok(first.filter(|first| first.seq == seq).and_then(|first| first.ordinal))
        }
    }
}

/// The first message from one on that was not forgotten, of so many.
async fn first_kept(
    resident: &Resident,
    seen: &Seen,
    kept: u64,
    messages: u64,
) -> Result<u64, Error> {
    let Some(before) = seen.sight().forgotten() else {
        return Ok(kept);
    };
    let first = some_from(resident, seen, From::seq(before), 1).await?.pop();
    let ordinal = first.and_then(|first| first.ordinal).map(Ordinal::number);
    Ok(kept.max(ordinal.unwrap_or(messages + 1)))
}

/// The messages of a compaction.
async fn summary(resident: &Resident, seq: Seq) -> Result<Vec<Payload>, Error> {
    let opened = resident.opened();
    let mut commits = opened.read(resident.key(), Span::From(seq)).await?;
    let commit = opened.next(&mut commits).await.transpose();
    let commit = commit.map_err(|error| error.about(resident.key()))?;
    let mut entries = commit.into_iter().flat_map(|commit| commit.entries);
    let entry = entries.find(|entry| entry.seq == seq).ok_or_else(|| {
        let clause = format!("compaction {seq} is not in the journal any more");
        Error::new(ErrorKind::Corrupt, clause).about(resident.key())
    })?;
    Ok(entry.data.decode::<Compaction>()?.summary)
}

/// So many messages from an ordinal on.
async fn some(
    resident: &Resident,
    seen: &Seen,
    first: u64,
    count: u64,
) -> Result<Vec<RawMessage>, Error> {
    match Ordinal::new(first) {
        Some(first) if count > 0 => some_from(resident, seen, From::ordinal(first), count).await,
        _ => Ok(Vec::new()),
    }
}

/// At most so many messages.
async fn some_from(
    resident: &Resident,
    seen: &Seen,
    from: From,
    count: u64,
) -> Result<Vec<RawMessage>, Error> {
    let mut reading = Transcript::<RawMessage>::of(resident, seen.clone(), from).await?;
    let mut messages = Vec::new();
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
