//! What is asked of the history of a session.

use std::collections::BTreeSet;
use std::fmt;

use sessile_core::{EntryType, Error, Payload, Seq};
use sessile_engine::Session;

use crate::event::{EventRow, Instruction};
use crate::fold::Fold;
use crate::handle::Workflow;
use crate::reading::{self, Events};
use crate::seen::Seen;
use crate::summary::without_secrets;

/// What the events in the window say of something.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_workflow::{Begin, Event, Evidence, Options, Workflow};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let mut options = Options::default();
/// options.event_window = 2;
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let id = workflow.begin(Begin::new()).await?.summary.id;
/// let id = id.as_str();
/// let read = |body: &sessile_core::Payload| body.decode::<String>().ok();
/// for (file, is_all) in [("a.rs", true), ("b.rs", true), ("a.rs", false)] {
///     workflow.record(id, Event::new("file_read").body(file)?).await?;
///     let evidence: Evidence<String> = workflow.evidence(id, "file_read", read).await?;
///     // That a file is not among them proves something only while nothing has left the window.
///     assert_eq!(evidence.complete, is_all);
///     assert!(evidence.found.contains(file));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence<T> {
    /// Everything that was found, each once.
    pub found: BTreeSet<T>,
    /// Whether that is all there ever was: nothing has left the window or was removed from it, and
    /// no event had more than are taken of one.
    pub complete: bool,
    /// How many events of the kind were looked at.
    pub events: u64,
}

impl<T> fmt::Debug for Evidence<T> {
    /// Tells counts only: what was found is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evidence")
            .field("found", &self.found.len())
            .field("complete", &self.complete)
            .field("events", &self.events)
            .finish()
    }
}

impl Workflow {
    /// What a session was last told to do when it had so many events; none where it had not been
    /// told anything yet, or never had so many.
    ///
    /// What is not in the window any more is read from the journal.
    ///
    /// # Errors
    /// *missing*, *expired*; *corrupt* where damage hides it, and never another instruction in its
    /// place; *unavailable*, *deadline*, *permission*.
    pub async fn instruction_at(&self, id: &str, count: u64) -> Result<Option<Instruction>, Error> {
        let session = self.admitted(id).await?;
        let seen = Seen::of(&session.state().await.map_err(Self::expired)?)?;
        let found = instruction_at(&session, &seen, count).await?;
        Ok(found.map(|it| without_secrets(it, &self.options().redaction)))
    }

    /// Gathers what the events of a kind in the window say: of each the body is given, and the
    /// findings of all are put together.
    ///
    /// # Errors
    /// *missing*, *expired*; *corrupt* where damage lies among the events; *unavailable*,
    /// *deadline*, *permission*.
    pub async fn evidence<T: Ord, F: IntoIterator<Item = T>>(
        &self,
        id: &str,
        kind: &str,
        mut extract: impl FnMut(&Payload) -> F,
    ) -> Result<Evidence<T>, Error> {
        let session = self.admitted(id).await?;
        let seen = Seen::of(&session.state().await.map_err(Self::expired)?)?;
        let mut evidence = Evidence {
            found: BTreeSet::new(),
            complete: seen.fold.observed() <= seen.fold.retained(),
            events: 0,
        };
        let Some(first) = seen.fold.first_retained() else { return Ok(evidence) };
        let mut events = Events::of(&session, first, seen.position).await?;
        while let Some((number, entry)) = events.next().await? {
            let row = EventRow::of(number, &entry);
            // What was removed may have been of the kind.
            evidence.complete &= !row.removed;
            if row.removed || row.kind != kind {
                continue;
            }
            evidence.events += 1;
            let Some(body) = &row.body else { continue };
            let mut findings = extract(body).into_iter();
            evidence.found.extend(findings.by_ref().take(self.options().evidence_items));
            evidence.complete &= findings.next().is_none();
        }
        Ok(evidence)
    }
}

/// The newest instruction among the first so many events.
async fn instruction_at(
    session: &Session,
    seen: &Seen,
    count: u64,
) -> Result<Option<Instruction>, Error> {
    let fold = &seen.fold;
    let Some(latest) = fold.instruction() else { return Ok(None) };
    if count > fold.observed() {
        return Ok(None);
    }
    if latest.number < count {
        return reading::instruction(session, fold).await;
    }
    for from in beginnings(fold) {
        let mut events = Events::of(session, from, seen.position).await?;
        let mut newest = None;
        while let Some((number, entry)) = events.next().await? {
            if number >= count {
                break;
            }
            if entry.entry_type == EntryType::Instruct {
                newest = Some(Instruction::of(number, &entry));
            }
        }
        if newest.is_some() {
            return Ok(newest);
        }
    }
    Ok(None)
}

/// Where it may be found: in the window first, since that is read soonest.
fn beginnings(fold: &Fold) -> impl Iterator<Item = (u64, Seq)> {
    let all = (0, Seq::FIRST);
    let window = fold.first_retained().filter(|(number, _)| *number > 0);
    window.into_iter().chain([all])
}
