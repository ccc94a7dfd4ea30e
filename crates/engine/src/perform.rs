//! Changes that others decide on, by what they make of the journal themselves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sessile_core::backend::Appended;
use sessile_core::fold::{Lifecycle, Lookup, Recorded, SessionState};
use sessile_core::{Commit, CommitId, EntryType, Error, NewEntry, Payload, UnixMillis};

use crate::addition::other_content;
use crate::append::Committed;
use crate::decision::{Decision, Sought, hidden};
use crate::generation::Generation;
use crate::lagging;
use crate::mutation::{Mutation, Waiting};
use crate::opened::{Opened, stopped};
use crate::resident::Resident;

/// A change of a session that is decided on its folded state.
///
/// It is decided on the newest state, and decided anew whenever somebody else was faster: any
/// number of times, and each time only the last decision counts.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::SessionState;
/// use sessile_core::{EntryType, Error, ErrorKind, Payload, UnixMillis};
/// use sessile_engine::{Append, Move, Operation};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// /// Adds a note, but for the first thing in a session.
/// struct Note(&'static str);
///
/// impl Operation for Note {
///     type Answer = u64;
///     type Refusal = Error;
///
///     fn decide(&self, state: &SessionState, _at: UnixMillis) -> Result<Move<u64>, Error> {
///         if state.messages() == 0 {
///             return Err(Error::new(ErrorKind::Refused, "nothing was said yet"));
///         }
///         let event = (EntryType::Event, Payload::of(self.0)?);
///         Ok(Move::Append(vec![event], state.messages()))
///     }
/// }
///
/// assert_eq!(session.perform(Note("a plum")).await.unwrap_err().kind(), ErrorKind::Refused);
/// session.append(["hi"]).await?;
/// assert_eq!(session.perform(Note("a plum")).await?.answer, 1);
/// assert_eq!(session.info().events, 1);
/// # Ok(())
/// # }
/// ```
pub trait Operation: Send + Sync + 'static {
    /// What the caller is told.
    type Answer: Send + 'static;
    /// Why it is not done: an error of the store's, or whatever else the operation refuses with.
    type Refusal: From<Error> + Send + 'static;

    /// Says what it takes on this state. The entries will have the time `at`, which is never before
    /// the last one's.
    ///
    /// It is asked while the state is held, so it reads nothing and waits for nothing.
    ///
    /// # Errors
    /// Why the state does not allow it. The caller gets to see it only when the state was read
    /// anew before.
    fn decide(
        &self,
        state: &SessionState,
        at: UnixMillis,
    ) -> Result<Move<Self::Answer>, Self::Refusal>;

    /// The commit id under which it is done, for one that is safe to repeat by that; else the id is
    /// minted.
    fn commit_id(&self) -> Option<&CommitId> {
        None
    }

    /// Whether the caller is told only what is durable, also where the store
    /// [writes behind](crate::Options::write_behind).
    ///
    /// One that is none is told there what was decided on what this process knows, while it waits to
    /// be written; then it is decided anew, and may be refused. Elsewhere it makes no difference.
    fn is_barrier(&self) -> bool {
        true
    }

    /// The answer where a commit of its id is in the journal already.
    ///
    /// # Errors
    /// By default *conflict*: what was decided then is not known to be what is wanted now.
    fn repeated(
        &self,
        _state: &SessionState,
        _recorded: &Recorded,
    ) -> Result<Self::Answer, Self::Refusal> {
        Err(self.commit_id().map_or_else(stopped, other_content).into())
    }
}

/// What an operation takes on a state.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::SessionState;
/// use sessile_core::{Error, UnixMillis};
/// use sessile_engine::{Move, Operation};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// /// Asks without adding anything.
/// struct Count;
///
/// impl Operation for Count {
///     type Answer = u64;
///     type Refusal = Error;
///
///     fn decide(&self, state: &SessionState, _at: UnixMillis) -> Result<Move<u64>, Error> {
///         Ok(Move::Stands(state.messages()))
///     }
/// }
///
/// session.append(["hi"]).await?;
/// let before = session.position();
/// assert_eq!(session.perform(Count).await?.answer, 1);
/// assert_eq!(session.position(), before);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum Move<A> {
    /// To append entries, by type and data, as one commit where the state ends; and what the caller
    /// is told when they stand there.
    Append(Vec<(EntryType, Payload)>, A),
    /// Nothing: what is wanted is there already. The caller is told so once it is durable.
    Stands(A),
}

/// What became of an operation.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::SessionState;
/// use sessile_core::{EntryType, Error, Payload, UnixMillis};
/// use sessile_engine::{Append, Move, Operation, Performed};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// struct Touch;
///
/// impl Operation for Touch {
///     type Answer = ();
///     type Refusal = Error;
///
///     fn decide(&self, _state: &SessionState, _at: UnixMillis) -> Result<Move<()>, Error> {
///         Ok(Move::Append(vec![(EntryType::Event, Payload::of("touched")?)], ()))
///     }
/// }
///
/// let performed: Performed<()> = session.perform(Touch).await?;
/// let committed = performed.committed.expect("it was appended");
/// assert_eq!(committed.position, session.position());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Performed<A> {
    /// What the decision says of it.
    pub answer: A,
    /// Where its entries stand; none where it took none, or where they wait to be written.
    pub committed: Option<Committed>,
    /// What to [flush](crate::Store::flush_through) for it to be durable; none where it is.
    pub waits: Option<Generation>,
}

/// The answer for an operation.
pub(crate) type Answered<O> =
    Result<Performed<<O as Operation>::Answer>, <O as Operation>::Refusal>;

/// An operation on its way.
pub(crate) struct Perform<O: Operation> {
    opened: Arc<Opened>,
    operation: O,
    id: CommitId,
    /// When it was wanted; none if that is whenever it is decided.
    since: Option<UnixMillis>,
    /// What the caller is told if the last decision comes to stand in the journal.
    answer: Mutex<Option<O::Answer>>,
    /// Whether it may be in the journal although nobody was told so.
    is_sent: AtomicBool,
}

impl<O: Operation> Perform<O> {
    /// Wants it done.
    ///
    /// # Errors
    /// None of its own: those of minting an id.
    pub(crate) fn new(opened: &Arc<Opened>, operation: O) -> Result<Self, Error> {
        let id = operation.commit_id().cloned().map_or_else(|| opened.commit_id(), Ok)?;
        let (opened, answer, is_sent) = (Arc::clone(opened), Mutex::new(None), false.into());
        Ok(Self { opened, operation, id, since: None, answer, is_sent })
    }

    /// Wants it done as of now, whenever it is decided.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub(crate) fn since_now(opened: &Arc<Opened>, operation: O) -> Result<Self, Error> {
        Ok(Self { since: Some(opened.now()), ..Self::new(opened, operation)? })
    }

    /// Whether the caller is told only what is durable.
    pub(crate) fn is_barrier(&self) -> bool {
        self.operation.is_barrier()
    }

    /// Its commit id.
    pub(crate) const fn id(&self) -> &CommitId {
        &self.id
    }

    /// What the caller is told by the last decision.
    ///
    /// # Errors
    /// *unavailable* where nothing was decided.
    pub(crate) fn answer(&self) -> Result<O::Answer, Error> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        answer.ok_or_else(stopped)
    }

    /// It is replaced as a whole, so a holder that panicked leaves it whole.
    fn will_answer(&self, answer: O::Answer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }

    fn look(&self, state: &SessionState) -> Result<Option<Decision<Answered<O>>>, Error> {
        let Some(id) = self.operation.commit_id() else {
            return Ok(None);
        };
        Ok(match state.commits().look(id) {
            Lookup::Found(recorded) => Some(match self.operation.repeated(state, &recorded) {
                Ok(answer) => {
                    let performed = Performed { answer, committed: None, waits: None };
                    Decision::Stands(Ok(performed), recorded.position)
                }
                Err(refusal) => Decision::Refuse(Err(refusal)),
            }),
            Lookup::Unread(_) => Some(Decision::Recall(Sought::Commit(id.clone()))),
            Lookup::Absent => hidden(state, id).map_or(Ok(None), Err)?,
        })
    }

    fn commit(
        &self,
        state: &SessionState,
        at: UnixMillis,
        drafts: Vec<(EntryType, Payload)>,
    ) -> Result<Commit, Error> {
        let types: Vec<EntryType> =
            drafts.iter().map(|(entry_type, _)| entry_type.clone()).collect();
        state.takes(&types, None)?;
        let entry = |(entry_type, data)| NewEntry::new(at, entry_type, data);
        let entries = drafts.into_iter().map(entry).collect();
        Commit::new(self.id.clone(), self.opened.token(), entries, self.opened.limits())
    }
}

impl<O: Operation> Mutation for Perform<O> {
    type Answer = Answered<O>;

    async fn prepare(&mut self, resident: &Resident) -> Result<(), Error> {
        lagging::make_up(resident).await
    }

    fn decide(&self, state: &SessionState) -> Result<Decision<Answered<O>>, Error> {
        // It comes before whatever was done earlier.
        if state.lifecycle() == Lifecycle::Deleted {
            state.accepts(&EntryType::Event)?;
        }
        if let Some(decision) = self.look(state)? {
            return Ok(decision);
        }
        let at = self.since.unwrap_or_else(|| self.opened.now()).max(state.updated_at());
        Ok(match self.operation.decide(state, at) {
            Err(refusal) => Decision::Refuse(Err(refusal)),
            Ok(Move::Stands(answer)) => Decision::Stands(
                Ok(Performed { answer, committed: None, waits: None }),
                state.position(),
            ),
            Ok(Move::Append(drafts, answer)) => {
                let commit = self.commit(state, at, drafts)?;
                self.will_answer(answer);
                Decision::Append(commit)
            }
        })
    }

    fn appended(&self, appended: Appended) -> Answered<O> {
        // Nothing is appended that was not decided on.
        let answer = self.answer()?;
        let committed = Committed {
            first: appended.first,
            position: appended.tip.position,
            commit_id: self.id.clone(),
            replayed: false,
        };
        Ok(Performed { answer, committed: Some(committed), waits: None })
    }
}

impl<O: Operation> Waiting for Perform<O> {
    fn decide(&self, state: &SessionState) -> Result<Decision<()>, Error> {
        if self.is_sent.load(Ordering::Acquire) {
            match state.commits().look(&self.id) {
                Lookup::Found(recorded) => return Ok(Decision::Stands((), recorded.position)),
                Lookup::Unread(_) => return Ok(Decision::Recall(Sought::Commit(self.id.clone()))),
                Lookup::Absent => hidden(state, &self.id).map_or(Ok(()), Err)?,
            }
        }
        Ok(match Mutation::decide(self, state)? {
            Decision::Append(commit) => Decision::Append(commit),
            Decision::Plan(id, plan) => Decision::Plan(id, plan),
            Decision::Stands(Ok(performed), position) => {
                self.will_answer(performed.answer);
                Decision::Stands((), position)
            }
            Decision::Stands(Err(_), _) | Decision::Refuse(_) => Decision::Refuse(()),
            Decision::Recall(sought) => Decision::Recall(sought),
            Decision::Again => Decision::Again,
        })
    }

    fn may_be_there(&self) {
        self.is_sent.store(true, Ordering::Release);
    }
}
