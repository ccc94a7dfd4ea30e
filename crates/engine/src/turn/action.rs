//! Side effects as a turn sees them.

use std::fmt;

use serde::Serialize;
use sessile_core::admission::{self, Held, Request};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{self, call};
use sessile_core::fold::{Intended, SessionState};
use sessile_core::{Error, Name, Payload, Seq};

use super::holding::Holding;
use super::progress::TurnEvent;
use crate::admission::Came;

/// A side effect that a turn wants: its id, what is called, and the exact bytes of its arguments.
///
/// The id is unique within the request, whichever claim it is used under: a model's own id of the
/// call serves. The same id with another name or other arguments is a conflict.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Action, Done, Intent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let refund = Action::new("call_1", "refund", r#"{"order":7}"#);
/// let Intent::Fresh(intent) = turn.intend(refund.clone()).await? else { panic!("it is new") };
/// intent.complete("refunded").await?;
/// // The same id stands for the same call.
/// let Intent::Done(output) = turn.intend(refund).await? else { panic!("it was done") };
/// assert_eq!(output.decode::<String>()?, "refunded");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Action {
    id: String,
    name: String,
    arguments: Digest,
    approval: Option<String>,
}

impl Action {
    /// A call of something with arguments.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl AsRef<[u8]>,
    ) -> Self {
        let arguments = Digest::of(arguments.as_ref());
        Self { id: id.into(), name: name.into(), arguments, approval: None }
    }

    /// Uses up leave that was given for it.
    #[must_use]
    pub fn approved(mut self, approval: impl Into<String>) -> Self {
        self.approval = Some(approval.into());
        self
    }

    /// As an intent.
    ///
    /// # Errors
    /// *invalid id* for an id or name that is none.
    pub(super) fn intent(&self) -> Result<shape::Intent, Error> {
        Ok(shape::Intent {
            action: self.id.parse()?,
            name: self.name.parse()?,
            arguments: self.arguments,
            approval: self.approval.as_deref().map(str::parse).transpose()?,
        })
    }

    /// As a question for leave.
    ///
    /// # Errors
    /// *invalid id* for an id or name that is none.
    pub(super) fn question(&self, approval: &str) -> Result<shape::Approval, Error> {
        let name: Name = self.name.parse()?;
        let (id, action) = (approval.parse()?, self.id.parse()?);
        Ok(shape::Approval { id, action, call: call(&name, &self.arguments) })
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, name, approval, .. } = self;
        f.debug_struct("Action")
            .field("id", id)
            .field("name", name)
            .field("approval", approval)
            .finish_non_exhaustive()
    }
}

/// What became of a question for leave.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Action, Approval};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let pay = Action::new("call_1", "pay", "{}");
/// assert_eq!(turn.ask("pay-1", &pay).await?, Approval::Pending);
/// session.decide("pay-1", true, None).await?;
/// assert_eq!(turn.approval("pay-1").await?, Approval::Allowed);
/// turn.intend(pay.approved("pay-1")).await?;
/// assert_eq!(turn.approval("pay-1").await?, Approval::Used);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Approval {
    /// Nobody has decided yet.
    Pending,
    /// Leave was given, and an intent may use it up.
    Allowed,
    /// Leave was refused.
    Denied,
    /// It was given and is used up.
    Used,
}

/// What an intent comes to.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Action, Done, Indeterminate, Intent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let output = match turn.intend(Action::new("call_1", "refund", "{}")).await? {
///     Intent::Fresh(intent) => {
///         intent.complete("refunded").await?;
///         "refunded".to_owned()
///     }
///     Intent::Done(stored) => stored.decode()?,
///     Intent::Indeterminate(unknown) => panic!("nobody knows whether {} ran", unknown.name),
/// };
/// assert_eq!(output, "refunded");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum Intent {
    /// It is recorded: do it now, once, and say what came of it.
    Fresh(FreshIntent),
    /// It was done before; this came of it.
    Done(Payload),
    /// It was intended before, and nobody knows whether it was done. Never do it again unasked:
    /// reconcile it, or end the request.
    Indeterminate(Indeterminate),
}

/// A side effect of which nobody knows whether it happened.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Action, Indeterminate, Intent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let refund = Action::new("call_1", "refund", "{}");
/// // It is intended, and nobody says what came of it.
/// drop(turn.intend(refund.clone()).await?);
/// let Intent::Indeterminate(unknown) = turn.intend(refund).await? else { panic!("it may have run") };
/// assert_eq!((unknown.action.as_str(), unknown.name.as_str()), ("call_1", "refund"));
/// turn.reconcile(&unknown, "refunded").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Indeterminate {
    /// The action's id.
    pub action: Name,
    /// What was to be called.
    pub name: Name,
    /// The entry that says what was intended.
    pub seq: Seq,
    /// The claim under which it was.
    pub claim: Seq,
}

impl Indeterminate {
    pub(super) fn of(action: Name, intended: Intended) -> Self {
        Self { action, name: intended.name, seq: intended.seq, claim: intended.claim }
    }
}

/// A side effect that is recorded as intended, and about to happen.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Action, Intent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let Intent::Fresh(intent) = turn.intend(Action::new("call_1", "refund", "{}")).await? else {
///     panic!("it is new")
/// };
/// // What the tool acts on refuses tokens below the greatest that it has seen.
/// assert_eq!(intent.token(), turn.claim());
/// intent.complete("refunded").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "what came of it has to be said, else nobody knows whether it was done"]
pub struct FreshIntent {
    pub(super) holding: Holding,
    pub(super) action: Name,
    pub(super) seq: Seq,
}

impl FreshIntent {
    /// The number of the claim: whoever carries the effect out refuses any that is older than
    /// one it has seen.
    pub const fn token(&self) -> Seq {
        self.holding.claim
    }

    /// The entry that says what is intended.
    pub const fn seq(&self) -> Seq {
        self.seq
    }

    /// Says what came of it; durable when this returns. Saying the same again changes nothing.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more; *conflict* when something else came of it,
    /// as somebody said; *refused*, *unavailable*, *deadline*, *permission*.
    pub async fn complete<T: Serialize + ?Sized>(&self, output: &T) -> Result<(), Error> {
        let output = Payload::of(output)?;
        let (action, intent) = (self.action.clone(), self.seq);
        let ask = move |state: &SessionState, held: Held<'_>| {
            let request = Request::Complete { held, action: &action, intent, output: &output };
            admission::decide(state, &request)
        };
        match self.holding.rule(ask).await? {
            Came::Appended { .. } => {
                let action = self.action.clone();
                self.holding.teller.tell(TurnEvent::Completed { action });
                Ok(())
            }
            Came::Stood(_) => Ok(()),
            _ => Err(self.holding.unexpected()),
        }
    }
}
