//! Writing a session as a file.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_util::{StreamExt, TryStreamExt as _, future, stream};
use sessile_core::backend::{Commits, Span};
use sessile_core::{EntryType, Error, Position, Seq, SessionKey, StoredCommit};
use sessile_interchange::{ENVELOPE, ExportFormat, Exporter, Origin, file_name};

use super::left_out::LeftOut;
use crate::opened::Opened;
use crate::reading::Seen;
use crate::resident::Resident;

/// A session as the bytes of a file, piece by piece; one commit is in memory at a time.
///
/// A stream of [`futures_core`]; [`next`](Self::next) and [`all`](Self::all) spare its traits.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Export;
/// use sessile_interchange::Format;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let export: Export = store.export("ses_42", Format::Jsonl).await?;
/// assert!(export.file_name().ends_with(".jsonl"));
/// assert_eq!(export.all().await?, b"\"hi\"\n");
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is read before it is asked for"]
pub struct Export {
    pieces: Pin<Box<dyn Stream<Item = Result<Piece, Error>> + Send>>,
    file_name: String,
    position: Position,
    left_out: Vec<LeftOut>,
}

/// What an export does about damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// It ends there.
    Ends,
    /// It is left out, and told.
    IsLeftOut,
}

/// What follows in the file, or is left out of it.
enum Piece {
    Bytes(Vec<u8>),
    LeftOut(LeftOut),
}

impl Export {
    /// Begins to write a session as it is now.
    ///
    /// # Errors
    /// *unsupported* where that would take a conversion between dialects; those of reading.
    pub(crate) async fn begin(
        resident: &Resident,
        form: ExportFormat,
        damage: Damage,
    ) -> Result<Self, Error> {
        let (opened, key) = (resident.opened(), resident.key());
        let seen = Seen::now(resident).await?;
        let (dialect, title, envelope) = {
            let folded = resident.folded();
            let state = folded.state();
            let meta = state.meta();
            (state.header().dialect, meta.title(), meta.value(ENVELOPE).cloned())
        };
        let mut exporter = Exporter::new(form, dialect).map_err(|error| error.about(key))?;
        if let Some(envelope) = envelope {
            exporter = exporter.envelope(envelope);
        }
        let title = title.as_deref();
        let file_name = file_name(title, &key.space, &key.id, form);
        let (head, tail) = (exporter.head(title), exporter.tail());
        let position = seen.until();
        // What was forgotten is not there to be written.
        let first = seen.sight().forgotten().unwrap_or(Seq::FIRST);
        let course = Course {
            opened: Arc::clone(opened),
            key: key.clone(),
            exporter,
            seen,
            first,
            commits: resident.read(Span::From(first)).await?,
            damage,
            gap: None,
            next: None,
        };
        let text = |text: String| (!text.is_empty()).then(|| Ok(Piece::Bytes(text.into_bytes())));
        let (head, tail) = (stream::iter(text(head)), stream::iter(text(tail.to_owned())));
        let pieces = stream::try_unfold(course, |mut course| async move {
            Ok(course.next().await?.map(|piece| (piece, course)))
        });
        // No error is followed by the end of a file that looks whole.
        let has_failed = Arc::new(AtomicBool::new(false));
        let failing = Arc::clone(&has_failed);
        let pieces = pieces.inspect_err(move |_| failing.store(true, Ordering::Relaxed));
        let tail = tail.filter(move |_| future::ready(!has_failed.load(Ordering::Relaxed)));
        let pieces = Box::pin(head.chain(pieces).chain(tail));
        Ok(Self { pieces, file_name, position, left_out: Vec::new() })
    }

    /// A name for the file: safe on every common filesystem, and no other session's.
    pub fn file_name(&self) -> &str {
        &self.file_name
    }

    /// Where the journal ended when the export began: what it goes up to.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// What was left out so far because it could not be read; all of it once nothing follows.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Writes the next piece.
    ///
    /// # Errors
    /// *corrupt* where acknowledged entries are damaged, unless they are to be left out,
    /// *unavailable*, *deadline*; what was written by then is no whole session, and nothing follows.
    pub async fn next(&mut self) -> Option<Result<Vec<u8>, Error>> {
        StreamExt::next(self).await
    }

    /// Writes all that is left, into memory.
    ///
    /// # Errors
    /// Those of [`next`](Self::next).
    pub async fn all(mut self) -> Result<Vec<u8>, Error> {
        let mut file = Vec::new();
        while let Some(piece) = self.next().await {
            file.append(&mut piece?);
        }
        Ok(file)
    }
}

impl Stream for Export {
    type Item = Result<Vec<u8>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(self.pieces.as_mut().poll_next(cx)) {
                Some(Ok(Piece::Bytes(bytes))) => return Poll::Ready(Some(Ok(bytes))),
                Some(Ok(Piece::LeftOut(left_out))) => self.left_out.push(left_out),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export").field("position", &self.position).finish_non_exhaustive()
    }
}

/// An export that goes on.
struct Course {
    opened: Arc<Opened>,
    key: SessionKey,
    exporter: Exporter,
    seen: Seen,
    first: Seq,
    commits: Commits,
    damage: Damage,
    /// Damage that was come to: what follows says where it ends.
    gap: Option<(Seq, String)>,
    /// What follows what was left out.
    next: Option<StoredCommit>,
}

impl Course {
    /// What the next commits add to the file that add anything.
    async fn next(&mut self) -> Result<Option<Piece>, Error> {
        while let Some(commit) = self.next_commit().await? {
            if let Some(left_out) = self.pass_gap(commit.first_seq().number()) {
                self.next = Some(commit);
                return Ok(Some(Piece::LeftOut(left_out)));
            }
            if commit.tip().position > self.seen.until() {
                break;
            }
            let piece = self.piece(&commit);
            if !piece.is_empty() {
                return Ok(Some(Piece::Bytes(piece.into_bytes())));
            }
        }
        Ok(self.pass_gap(self.seen.until().number()).map(Piece::LeftOut))
    }

    /// The next commit that can be read.
    async fn next_commit(&mut self) -> Result<Option<StoredCommit>, Error> {
        if let Some(commit) = self.next.take() {
            return Ok(Some(commit));
        }
        while let Some(item) = self.opened.next(&mut self.commits).await {
            let error = match item {
                Ok(commit) => return Ok(Some(commit)),
                Err(error) => error,
            };
            match error.damage().filter(|_| self.damage == Damage::IsLeftOut) {
                Some(place) => {
                    self.gap.get_or_insert_with(|| (place.seq, error.clause().to_owned()));
                }
                None => return Err(error.about(&self.key)),
            }
        }
        Ok(None)
    }

    /// What is left out where the next entry that can be read has a number.
    fn pass_gap(&mut self, next: u64) -> Option<LeftOut> {
        let (from, reason) = self.gap.take()?;
        let from = from.max(self.first);
        let to = next.min(self.seen.until().number()).checked_sub(1).and_then(Seq::new)?;
        (from <= to).then_some(LeftOut { from, to, reason })
    }

    fn piece(&mut self, commit: &StoredCommit) -> String {
        let imported = commit.has(&EntryType::Import);
        let origin = if imported { Origin::Imported } else { Origin::Own };
        let mut piece = String::new();
        let first = self.first;
        for entry in commit.entries.iter().filter(|entry| entry.seq >= first) {
            let is_shown = entry.entry_type != EntryType::Message || self.seen.shows(entry);
            if is_shown {
                self.exporter.entry(&mut piece, &entry.entry_type, &entry.data, origin);
            }
        }
        piece
    }
}
