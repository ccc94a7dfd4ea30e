//! Finding sessions by a word, with a bounded cost.

use std::fmt;
use std::ops::ControlFlow;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens;
use sessile_core::{Error, ErrorKind, Ordinal, Payload, Seq, SessionId};

use crate::listing::{Cursor, Filter, Page, Summary};
use crate::reading::{From, RawMessage};
use crate::store::Store;

/// How many sessions a page of the listing has while they are looked through.
const PAGE: usize = 100;

/// How many letters are shown before and behind what was found.
const AROUND: usize = 40;

/// What is looked for, where, and how long.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use serde_json::json;
/// # use sessile_engine::{NewSession, Query, Store};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
/// let session = store.create(NewSession::new().title("Fix the parser")).await?;
/// session.append([json!({"role": "user", "content": "It drops the last comma."})]).await?;
/// assert_eq!(store.search(Query::new("PARSER")).await?.hits.len(), 1);
/// let found = store.search(Query::new("comma").in_text()).await?;
/// let place = found.hits[0].place.as_ref();
/// assert_eq!(place.map(|place| place.excerpt.as_str()), Some("It drops the last comma."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a query does nothing before it is given to a store"]
pub struct Query {
    word: String,
    filter: Filter,
    in_text: bool,
    enough: usize,
    most_sessions: usize,
    most_bytes: u64,
    after: Option<Cursor>,
}

/// What was found, and how far it was looked.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Hits, Query};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.set_title("Plums").await?;
/// let hits: Hits = store.search(Query::new("plum")).await?;
/// assert_eq!((hits.hits.len(), hits.sessions, hits.bytes), (1, 1, 0));
/// assert!(hits.next.is_none() && hits.unread.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Hits {
    /// The sessions, newest first.
    pub hits: Vec<Hit>,
    /// How many sessions were looked at.
    pub sessions: usize,
    /// How many bytes of their transcripts were read.
    pub bytes: u64,
    /// The sessions whose transcripts could not be read to the end, and why.
    pub unread: Vec<(SessionId, Error)>,
    /// Where to go on; none where all sessions were looked at.
    pub next: Option<Cursor>,
}

/// A session that was found.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Hit, Query};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.set_title("Plums").await?;
/// let hit: Hit = store.search(Query::new("plum")).await?.hits.remove(0);
/// // The title has it, and no message.
/// assert!(hit.session.id == *session.id() && hit.place.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Hit {
    /// The session.
    pub session: Summary,
    /// Where in its transcript; none where its title has the word.
    pub place: Option<HitPlace>,
}

/// Where a word stands.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{HitPlace, Query};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let message = serde_json::json!({"role": "user", "content": "a plum, please"});
/// let done = session.append([message]).await?;
/// let hit = store.search(Query::new("PLUM").in_text()).await?.hits.remove(0);
/// let place: HitPlace = hit.place.expect("a message has it");
/// assert_eq!((place.seq, place.excerpt.as_str()), (done.first, "a plum, please"));
/// # Ok(())
/// # }
/// ```
#[non_exhaustive]
pub struct HitPlace {
    /// The entry.
    pub seq: Seq,
    /// The message's place among the messages, if it has one.
    pub ordinal: Option<Ordinal>,
    /// What stands around the word, on one line.
    pub excerpt: String,
}

impl Query {
    /// Looks for a word, or several in a row, in titles; upper and lower case are alike.
    pub fn new(word: impl Into<String>) -> Self {
        Self {
            word: word.into(),
            filter: Filter::all(),
            in_text: false,
            enough: 50,
            most_sessions: 10_000,
            most_bytes: 256 << 20,
            after: None,
        }
    }

    /// Looks in transcripts too: in what is said, called and answered.
    pub const fn in_text(mut self) -> Self {
        self.in_text = true;
        self
    }

    /// Only in sessions that a filter lets through; in all but deleted ones without it.
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Ends once so many were found: 50 by default. The sessions are looked at by pages of 100, and
    /// the page is looked at to its end.
    pub const fn enough(mut self, count: usize) -> Self {
        self.enough = count;
        self
    }

    /// Ends once so many sessions were looked at: 10,000 by default.
    pub const fn most_sessions(mut self, count: usize) -> Self {
        self.most_sessions = count;
        self
    }

    /// Ends once so many bytes of transcripts were read: 256 MiB by default. The session that it
    /// happens in is not looked at further.
    pub const fn most_bytes(mut self, bytes: u64) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// Goes on where an earlier search ended.
    pub fn after(mut self, cursor: Cursor) -> Self {
        self.after = Some(cursor);
        self
    }
}

impl fmt::Debug for Query {
    /// Leaves out the word: it may be what somebody said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("in_text", &self.in_text).finish_non_exhaustive()
    }
}

impl fmt::Debug for HitPlace {
    /// Leaves out what was said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HitPlace").field("seq", &self.seq).finish_non_exhaustive()
    }
}

/// Looks through the sessions of a space.
pub(crate) async fn search(store: &Store, query: Query) -> Result<Hits, Error> {
    let word = folded(query.word.trim());
    if word.is_empty() {
        return Err(Error::new(ErrorKind::Refused, "there is no word to look for")
            .with_hint("name at least one letter"));
    }
    let mut found =
        Hits { hits: Vec::new(), sessions: 0, bytes: 0, unread: Vec::new(), next: None };
    let mut after = query.after.clone();
    loop {
        let rows = PAGE.min(query.most_sessions.saturating_sub(found.sessions)).max(1);
        let page = after.iter().fold(Page::of(rows), |page, after| page.after(after.clone()));
        let listing = store.list(query.filter.clone(), page).await?;
        for summary in listing.sessions {
            found.sessions += 1;
            let in_title = summary.title.as_deref().is_some_and(|title| has(title, &word));
            if in_title {
                found.hits.push(Hit { session: summary, place: None });
            } else if query.in_text && found.bytes < query.most_bytes {
                look_in(store, summary, &word, query.most_bytes, &mut found).await?;
            }
        }
        let is_enough = found.hits.len() >= query.enough
            || found.sessions >= query.most_sessions
            || found.bytes >= query.most_bytes;
        match listing.next {
            Some(next) if is_enough => {
                found.next = Some(next);
                return Ok(found);
            }
            Some(next) => after = Some(next),
            None => return Ok(found),
        }
    }
}

/// Looks in the transcript of one session.
async fn look_in(
    store: &Store,
    summary: Summary,
    word: &str,
    most_bytes: u64,
    found: &mut Hits,
) -> Result<(), Error> {
    match place_in(store, &summary.id, word, most_bytes, &mut found.bytes).await {
        Ok(Some(place)) => found.hits.push(Hit { session: summary, place: Some(place) }),
        Ok(None) => {}
        Err(error) if is_of_the_session(&error) => found.unread.push((summary.id, error)),
        Err(error) => return Err(error),
    }
    Ok(())
}

async fn place_in(
    store: &Store,
    id: &SessionId,
    word: &str,
    most_bytes: u64,
    bytes: &mut u64,
) -> Result<Option<HitPlace>, Error> {
    let session = store.open_session(id).await?;
    let info = session.info();
    let dialect = info.header.dialect;
    // What was forgotten is not there to be found.
    let from = info.forgotten.map_or(From::start(), From::seq);
    let mut messages = session.transcript::<RawMessage>(from).await?;
    while let Some(message) = messages.next().await {
        let message = message?;
        *bytes += u64::try_from(message.data.len()).unwrap_or(u64::MAX);
        let looked = pieces(dialect, &message.data, |piece| match excerpt(piece, word) {
            Some(excerpt) => ControlFlow::Break(excerpt),
            None => ControlFlow::Continue(()),
        });
        if let ControlFlow::Break(excerpt) = looked {
            let (seq, ordinal) = (message.seq, message.ordinal);
            return Ok(Some(HitPlace { seq, ordinal, excerpt }));
        }
        if *bytes >= most_bytes {
            break;
        }
    }
    Ok(None)
}

/// What a message says, calls and answers, piece by piece.
fn pieces<B>(
    dialect: Dialect,
    data: &Payload,
    mut take: impl FnMut(&str) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let reading = lens::read(dialect, data);
    reading.text.iter().try_for_each(|text| take(text))?;
    for call in &reading.calls {
        take(&call.name)?;
        if let Some(input) = call.input {
            match input.text() {
                Some(text) => take(&text)?,
                None => take(input.as_json())?,
            }
        }
    }
    reading.results.iter().filter_map(|it| it.text.as_deref()).try_for_each(take)
}

/// Whether an error is about one session, and others can still be looked at.
fn is_of_the_session(error: &Error) -> bool {
    let kinds = [
        ErrorKind::Corrupt,
        ErrorKind::UnknownVersion,
        ErrorKind::Missing,
        ErrorKind::Deleted,
        ErrorKind::Incomplete,
        ErrorKind::Forgotten,
    ];
    kinds.contains(&error.kind())
}

fn folded(text: &str) -> String {
    text.to_lowercase()
}

fn has(text: &str, word: &str) -> bool {
    folded(text).contains(word)
}

/// What stands around a word in a text, on one line.
fn excerpt(text: &str, word: &str) -> Option<String> {
    let lower = folded(text);
    let at = lower.find(word)?;
    // By letters: those of the text and in lower case are as many as a rule, and near where not.
    let before = lower.get(..at).map_or(0, |before| before.chars().count());
    let from = before.saturating_sub(AROUND);
    let count = (before - from) + word.chars().count() + AROUND;
    let mut letters = text.chars().skip(from);
    let shown: String = letters.by_ref().take(count).collect();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let (begin, end) =
        (if from > 0 { "…" } else { "" }, if letters.next().is_some() { "…" } else { "" });
    Some(format!("{begin}{shown}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_around_the_word() {
        assert_eq!(excerpt("no", "word"), None);
        assert_eq!(excerpt("a\n\tWord b", "word").as_deref(), Some("a Word b"));
        let long = format!("{} WORD {}", "x ".repeat(100), "y ".repeat(100));
        let shown = excerpt(&long, "word").unwrap();
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains(" WORD "));
        assert!(shown.chars().count() < 90, "{shown}");
        // One letter that has two in lower case.
        assert!(excerpt("İİİ word", "word").unwrap().contains("word"));
    }

    #[test]
    fn debug_tells_no_word() {
        assert!(!format!("{:?}", Query::new("secret")).contains("secret"));
    }
}
