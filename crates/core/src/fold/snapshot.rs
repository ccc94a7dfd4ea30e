//! The folds of a journal as a `state` entry has them, and when they may be used.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::admission::Admission;
use super::commits::Ids;
use super::marks::Marks;
use super::meta::Meta;
use super::sight::Sight;
use crate::commit::StoredCommit;
use crate::entry::shape::{FoldState, Import, Lost, State};
use crate::entry::{Entry, EntryType};
use crate::error::{DamagePlace, Error};
use crate::payload::Payload;
use crate::position::Position;
use crate::time::UnixMillis;

/// The version of the folds that this program writes and takes. It rises whenever an entry comes
/// to mean something else to one of them.
const VERSION: u32 = 1;

/// The names of the folds.
const SESSION: &str = "session";
const COMMITS: &str = "commits";
const MARKS: &str = "marks";
const ADMISSION: &str = "admission";

/// The types whose entries the folds understand, in order of name.
pub(super) const FOLDED: &[EntryType] = &[
    EntryType::Approval,
    EntryType::Barrier,
    EntryType::Checkpoint,
    EntryType::Claim,
    EntryType::Close,
    EntryType::Compaction,
    EntryType::Completion,
    EntryType::Decision,
    EntryType::Delete,
    EntryType::Event,
    EntryType::Forgotten,
    EntryType::Forked,
    EntryType::Import,
    EntryType::Intent,
    EntryType::Message,
    EntryType::Meta,
    EntryType::Outcome,
    EntryType::Redacted,
    EntryType::Repaired,
    EntryType::Rewind,
    EntryType::Session,
    EntryType::State,
    EntryType::Undelete,
];

/// Why the state that a commit carries is passed over.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::TryStreamExt as _;
/// use sessile_core::Payload;
/// use sessile_core::backend::{Backend as _, Span};
/// use sessile_core::fold::{PassedOver, SessionState};
/// # use sessile_engine::Options;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// # let options = Options::default().state_every(1, 1);
/// # let session = Store::with(Arc::new(place.clone()), options).open_session("ses_42").await?;
/// # session.append(["hi"]).await?;
/// # session.append(["more"]).await?;
/// let mut commits: Vec<_> = place.read(&key, Span::ALL).await?.try_collect().await?;
/// let mut last = commits.pop().expect("there are some");
/// let header = session.info().header;
/// assert!(matches!(SessionState::resume(header.clone(), &last), Ok(Some(_))));
/// // A state is derived: of one that can't be used nothing depends, and an earlier one will do.
/// last.entries[0].data = Payload::parse("{}")?;
/// let passed_over = SessionState::resume(header, &last).unwrap_err();
/// assert_eq!(passed_over, PassedOver::Malformed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PassedOver {
    /// Its line can't be read.
    Damaged,
    /// It is not what a state looks like.
    Malformed,
    /// It is of other folds than those of this version: of an older program or a newer one.
    OtherFolds,
}

/// How much was folded since the last state.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::Since;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let before: Since = session.state().await?.since_state();
/// session.append(["hi", "ho"]).await?;
/// let after = session.state().await?.since_state();
/// // What decides whether the next commit carries a state: texts of four bytes each.
/// assert_eq!((after.entries - before.entries, after.bytes - before.bytes), (2, 8));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// How many entries.
    pub entries: u64,
    /// How many bytes of payload.
    pub bytes: u64,
}

/// What a session is, without its header and the ids of its commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Session {
    pub(super) updated_at: UnixMillis,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) closed: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) deleted: bool,
    pub(super) meta: Meta,
    pub(super) entries: u64,
    pub(super) events: u64,
    pub(super) payload_bytes: u64,
    pub(super) sight: Sight,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) import: Option<Import>,
    pub(super) settled: Position,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) damage: Vec<DamagePlace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) uncounted: Option<DamagePlace>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) lost: Vec<Lost>,
}

impl Session {
    /// Whether entries of this journal could not be read.
    pub(super) fn lacks_any(&self) -> bool {
        let was_lost = |place: &DamagePlace| self.lost.iter().any(|lost| lost.from == place.seq);
        !self.damage.iter().all(was_lost)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// What was folded of everything before a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) position: Position,
    pub(super) session: Session,
    pub(super) ids: Ids,
    pub(super) marks: Marks,
    pub(super) admission: Admission,
    /// Those of extensions, and any other that it has.
    pub(super) members: BTreeMap<String, FoldState>,
}

impl Snapshot {
    /// The snapshot that a commit carries, if it carries one.
    pub(super) fn of(commit: &StoredCommit) -> Result<Option<Self>, PassedOver> {
        let Some(state) = state_of(commit)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            position: state.position,
            session: read(&state.folds, SESSION)?,
            ids: read(&state.folds, COMMITS)?,
            marks: read(&state.folds, MARKS)?,
            admission: read(&state.folds, ADMISSION)?,
            members: state.folds,
        }))
    }

    /// The members of the state that a commit carries, whatever those of the session are.
    pub(super) fn members_of(
        commit: &StoredCommit,
    ) -> Result<Option<BTreeMap<String, FoldState>>, PassedOver> {
        Ok(state_of(commit)?.map(|state| state.folds))
    }

    /// The data of a `state` entry.
    pub(super) fn to_data(&self) -> Result<Payload, Error> {
        let Self { position, session, ids, marks, admission, members } = self;
        let folds = [
            (SESSION, Payload::of(session)?),
            (COMMITS, Payload::of(ids)?),
            (MARKS, Payload::of(marks)?),
            (ADMISSION, Payload::of(admission)?),
        ];
        let fold = |(name, state): (&str, Payload)| {
            (name.to_owned(), FoldState { v: VERSION, types: types(), state })
        };
        let mut all = members.clone();
        all.extend(folds.into_iter().map(fold));
        Payload::of(&State { position: *position, folds: all })
    }
}

/// The state that a commit carries, if it carries one.
fn state_of(commit: &StoredCommit) -> Result<Option<State>, PassedOver> {
    let Some(seq) = commit.state else {
        return Ok(None);
    };
    let is_state = |it: &&Entry| it.seq == seq && it.entry_type == EntryType::State;
    let entry = commit.entries.iter().find(is_state).ok_or(PassedOver::Damaged)?;
    let state: State = entry.data.decode().map_err(|_| PassedOver::Malformed)?;
    if state.position.number() > commit.first_seq().number() {
        return Err(PassedOver::Malformed);
    }
    Ok(Some(state))
}

/// One fold of a state.
fn read<T: for<'a> Deserialize<'a>>(
    folds: &BTreeMap<String, FoldState>,
    name: &str,
) -> Result<T, PassedOver> {
    let fold = folds.get(name).ok_or(PassedOver::OtherFolds)?;
    // A program that folds fewer types has missed some, and one that folds more may have built
    // upon what this version must not build upon.
    let types = fold.types.iter().map(String::as_str);
    if fold.v != VERSION || !types.eq(FOLDED.iter().map(EntryType::as_str)) {
        return Err(PassedOver::OtherFolds);
    }
    fold.state.decode().map_err(|_| PassedOver::Malformed)
}

fn types() -> Vec<String> {
    FOLDED.iter().map(|it| it.as_str().to_owned()).collect()
}
