//! The streams that a read gives.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_core::Stream;
use futures_util::StreamExt;
use sessile_core::{Entry, Error, Ordinal, Position, Seq, SessionKey};

use super::beginning::From;
use super::course::{self, Course, Wanted};
use super::gap::Gap;
use super::message::{FromMessage, RawMessage};
use super::seen::Seen;
use crate::resident::Resident;

/// The entries of a session, in order.
///
/// A stream of [`futures_core`]; [`next`](Self::next) and [`all`](Self::all) spare its traits.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// session.append_events(["it thinks"]).await?;
/// let mut entries = session.entries(From::start()).await?;
/// let mut types = Vec::new();
/// while let Some(entry) = entries.next().await {
///     types.push(entry?.entry_type.to_string());
/// }
/// assert_eq!(types, ["session", "message", "event"]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is read before it is asked for"]
pub struct Entries(Reading);

/// The messages of a session, in order, each read as a `T`.
///
/// A stream of [`futures_core`]; [`next`](Self::next) and [`all`](Self::all) spare its traits. A
/// message that is no `T` is an error, and the next one follows.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["one", "two", "three"]).await?;
/// let mut last = session.transcript::<String>(From::last(2)).await?;
/// assert_eq!(last.next().await.transpose()?.as_deref(), Some("two"));
/// assert_eq!(last.all().await?, ["three"]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is read before it is asked for"]
pub struct Transcript<T> {
    reading: Reading,
    reads_as: PhantomData<fn() -> T>,
}

impl Entries {
    pub(crate) async fn begin(resident: &Resident, from: From) -> Result<Self, Error> {
        Ok(Self(Reading::begin(resident, from, Wanted::Entries).await?))
    }

    pub(crate) async fn events(resident: &Resident, from: From) -> Result<Self, Error> {
        Ok(Self(Reading::begin(resident, from, Wanted::Events).await?))
    }

    /// Where the journal ended when the read began: what it goes up to.
    pub fn position(&self) -> Position {
        self.0.course.seen.until()
    }

    /// Reads the next entry.
    ///
    /// # Errors
    /// *corrupt* where acknowledged entries are damaged, and the read ends; *unavailable*.
    pub async fn next(&mut self) -> Option<Result<Entry, Error>> {
        StreamExt::next(self).await
    }

    /// Reads all that is left.
    ///
    /// # Errors
    /// The first error there is.
    pub async fn all(mut self) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        while let Some(entry) = self.next().await {
            entries.push(entry?);
        }
        Ok(entries)
    }
}

impl<T: FromMessage> Transcript<T> {
    pub(crate) async fn begin(resident: &Resident, from: From) -> Result<Self, Error> {
        let reading = Reading::begin(resident, from, Wanted::Messages).await?;
        Ok(Self { reading, reads_as: PhantomData })
    }

    /// Begins a read of what was seen.
    pub(crate) async fn of(resident: &Resident, seen: Seen, from: From) -> Result<Self, Error> {
        let course = course::begin_at(resident, seen, from, Wanted::Messages).await?;
        Ok(Self { reading: Reading::of(resident, course), reads_as: PhantomData })
    }

    /// Begins to look where messages stand that were seen, forgotten ones among them.
    pub(super) async fn places(resident: &Resident, seen: Seen, from: From) -> Result<Self, Error> {
        let course = course::begin_at(resident, seen, from, Wanted::Places).await?;
        Ok(Self { reading: Reading::of(resident, course), reads_as: PhantomData })
    }

    /// Where the journal ended when the read began: what it goes up to.
    pub fn position(&self) -> Position {
        self.reading.course.seen.until()
    }

    /// Reads the next message.
    ///
    /// # Errors
    /// *corrupt* where acknowledged entries are damaged, and the read ends; *unavailable*;
    /// *mismatch* when the message is no `T`.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        StreamExt::next(self).await
    }

    /// Reads all that is left.
    ///
    /// # Errors
    /// The first error there is.
    pub async fn all(mut self) -> Result<Vec<T>, Error> {
        let mut messages = Vec::new();
        while let Some(message) = self.next().await {
            messages.push(message?);
        }
        Ok(messages)
    }
}

impl Stream for Entries {
    type Item = Result<Entry, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.0.poll_next(cx));
        Poll::Ready(next.map(|read| read.map(|(entry, _)| entry)))
    }
}

impl<T: FromMessage> Stream for Transcript<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.reading.poll_next(cx));
        Poll::Ready(next.map(|read| {
            let (entry, ordinal) = read?;
            T::from_message(RawMessage { seq: entry.seq, at: entry.at, ordinal, data: entry.data })
        }))
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> fmt::Debug for Transcript<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reading.fmt(f)
    }
}

/// An entry, with its ordinal if it is a message that can be counted.
type Read = (Entry, Option<Ordinal>);

/// A read that goes on: one commit in memory, and what the backend holds for the next.
struct Reading {
    key: SessionKey,
    course: Course,
    commit: vec::IntoIter<Entry>,
    /// How many messages stand before the next entry, if that is known.
    counted: Option<u64>,
    /// Damage that was come to.
    gap: Option<Gap>,
    begun: bool,
    ended: bool,
}

impl Reading {
    async fn begin(resident: &Resident, from: From, wanted: Wanted) -> Result<Self, Error> {
        Ok(Self::of(resident, course::begin(resident, from, wanted).await?))
    }

    fn of(resident: &Resident, course: Course) -> Self {
        Self {
            key: resident.key().clone(),
            counted: course.mark.map(|mark| mark.before),
            course,
            commit: Vec::new().into_iter(),
            gap: None,
            begun: false,
            ended: false,
        }
    }

    /// The next entry that is wanted.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Read, Error>>> {
        while !self.ended {
            while let Some(entry) = self.commit.next() {
                if entry.seq.number() >= self.course.seen.until().number() {
                    self.ended = true;
                    return Poll::Ready(None);
                }
                let ordinal = self.count(&entry);
                let Course { first, first_ordinal, .. } = self.course;
                // An entry that is no message has no ordinal, which is less than any.
                self.begun |= entry.seq >= first && ordinal >= first_ordinal;
                if self.begun && self.course.wants(&entry) {
                    if let Err(error) = self.course.check_kept(&entry) {
                        return self.end_with(error);
                    }
                    return Poll::Ready(Some(Ok((entry, ordinal))));
                }
            }
            match ready!(self.course.commits.as_mut().poll_next(cx)) {
                Some(Ok(commit)) => {
                    let next = commit.first_seq().number();
                    self.commit = commit.entries.into_iter();
                    if let Err(error) = self.pass_gap(next) {
                        return self.end_with(error);
                    }
                }
                Some(Err(error)) => match Gap::of(error) {
                    Ok(gap) => drop(self.gap.get_or_insert(gap)),
                    Err(error) => return self.end_with(error),
                },
                None => {
                    self.ended = true;
                    if let Err(error) = self.pass_gap(self.course.seen.until().number()) {
                        return self.end_with(error);
                    }
                }
            }
        }
        Poll::Ready(None)
    }

    fn end_with<T>(&mut self, error: Error) -> Poll<Option<Result<T, Error>>> {
        self.ended = true;
        Poll::Ready(Some(Err(error.about(&self.key))))
    }

    /// Passes damage that ends at a number where the read does not cover it.
    ///
    /// # Errors
    /// *corrupt* where it does.
    fn pass_gap(&mut self, next: u64) -> Result<(), Error> {
        let Some(gap) = self.gap.take() else {
            return Ok(());
        };
        // Before a number messages are only counted, for the ordinals of those that are shown.
        let only_counts = self.course.first_ordinal.is_none() && !self.begun;
        let shown = if only_counts { self.course.first } else { Seq::FIRST };
        if gap.covers(self.course.hidden(), shown, next) {
            return Err(gap.error);
        }
        if gap.covers(self.course.hidden(), Seq::FIRST, next) {
            self.counted = None;
        }
        Ok(())
    }

    /// Counts a message; answers its ordinal.
    fn count(&mut self, entry: &Entry) -> Option<Ordinal> {
        let mark = self.course.mark?;
        if !self.course.seen.shows(entry) || entry.seq < mark.seq {
            return None;
        }
        let counted = self.counted? + 1;
        self.counted = Some(counted);
        Ordinal::new(counted)
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("session", &self.key)
            .field("from", &self.course.first)
            .field("until", &self.course.seen.until())
            .finish_non_exhaustive()
    }
}
