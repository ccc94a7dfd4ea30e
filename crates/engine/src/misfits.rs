//! What does not fit together in a transcript: open calls, results and parents that are nowhere.

use std::fmt;

use sessile_core::backend::Span;
use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, Findings, Pairing};
use sessile_core::{EntryType, Error, ErrorKind, Seq, StoredCommit};

use crate::reading::Seen;
use crate::resident::Resident;

/// How much of a session is examined.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Reach;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// // The end of a short session is all of it.
/// assert_eq!(session.misfits(Reach::End).await?, session.misfits(Reach::Whole).await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// At most the last [`END_BYTES`](Self::END_BYTES) bytes of payloads, or the last commit where
    /// that alone has more: what it costs does not grow with the session.
    #[default]
    End,
    /// All of it.
    Whole,
}

impl Reach {
    /// How many bytes of payloads [`End`](Self::End) reads back at most.
    pub const END_BYTES: u64 = 1 << 20;
}

/// What does not fit together among the messages in sight and the events of a session.
///
/// Nothing that is told here was refused, and nothing is: whoever goes on with the session
/// decides. Where less than all was examined, only what shows there by itself is told, so that
/// each list holds true ones and may lack others: a result whose call may stand before is no
/// orphan, and neither is an entry whose parent may.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Misfits, Reach};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let call = r#"{"role":"assistant","tool_calls":[{"id":"call_1","function":{"name":"ls"}}]}"#;
/// session.append([call]).await?;
/// // A text of one's own has no calls; a dialect that has is named when a session is created.
/// let misfits: Misfits = session.misfits(Reach::Whole).await?;
/// assert!(misfits.whole);
/// assert_eq!(misfits.open_calls.count, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misfits {
    /// Calls that no result follows.
    pub open_calls: Findings,
    /// Results that no call precedes.
    pub orphan_results: Findings,
    /// Further results of a call that has one.
    pub second_results: Findings,
    /// Entries that name a parent that no message in sight and no event is, or themselves.
    pub unknown_parents: Findings,
    /// The first entry that was examined.
    pub from: Seq,
    /// Whether that is all there is, but for what was forgotten. It is not where only the end was
    /// asked for and there is more, where damage stands before, and where more ids stand before
    /// than can be kept, about a million.
    pub whole: bool,
}

impl fmt::Debug for Misfits {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Misfits")
            .field("open_calls", &self.open_calls.count)
            .field("orphan_results", &self.orphan_results.count)
            .field("second_results", &self.second_results.count)
            .field("unknown_parents", &self.unknown_parents.count)
            .field("from", &self.from)
            .field("whole", &self.whole)
            .finish()
    }
}

/// Looks for what does not fit together, up to the journal's present end.
///
/// # Errors
/// Those of reading but for damage: what stands behind it is examined.
pub(crate) async fn misfits(resident: &Resident, reach: Reach) -> Result<Misfits, Error> {
    let seen = Seen::now(resident).await?;
    let first = seen.sight().forgotten().unwrap_or(Seq::FIRST);
    let until = seen.until();
    let span = match reach {
        Reach::End => Span::Back { before: until, max_bytes: Reach::END_BYTES },
        Reach::Whole => Span::From(first),
    };
    let dialect = resident.folded().state().header().dialect;
    let mut examined = Examined { seen, first, dialect, pairing: Pairing::default() };
    let mut commits = resident.read(span).await?;
    // Whether something may stand before the next commit that was not examined.
    let mut gap = reach == Reach::End;
    while let Some(item) = resident.opened().next(&mut commits).await {
        match item {
            Ok(commit) => {
                examined.take(&commit, gap);
                gap = false;
            }
            Err(error) if error.kind() == ErrorKind::Corrupt => gap = true,
            Err(error) => return Err(error.about(resident.key())),
        }
    }
    if let Some(end) = until.seq().filter(|_| gap) {
        examined.pairing.restart(end);
    }
    Ok(examined.told())
}

/// What was examined so far.
struct Examined {
    seen: Seen,
    /// The first entry that was not forgotten.
    first: Seq,
    dialect: Dialect,
    pairing: Pairing,
}

impl Examined {
    fn take(&mut self, commit: &StoredCommit, behind_gap: bool) {
        if behind_gap && commit.first_seq() > self.first {
            self.pairing.restart(commit.first_seq());
        }
        for entry in &commit.entries {
            if entry.seq < self.first || entry.seq.after() > self.seen.until() {
                continue;
            }
            let read = || lens::read(self.dialect, &entry.data);
            if self.seen.shows(entry) {
                self.pairing.message(entry.seq, &read());
            } else if entry.entry_type == EntryType::Event {
                self.pairing.event(entry.seq, &read());
            }
        }
    }

    fn told(&self) -> Misfits {
        let report = self.pairing.report();
        Misfits {
            open_calls: report.open_calls,
            orphan_results: report.orphan_results,
            second_results: report.second_results,
            unknown_parents: report.unknown_parents,
            from: report.from.unwrap_or(self.first),
            whole: report.from.is_none(),
        }
    }
}
