//! What is asked of a session's admission, and what it comes to.

use crate::digest::Digest;
use crate::entry::EntryType;
use crate::entry::shape::{self, Approval, Checkpoint, Contract, Intent, OutcomeStatus};
use crate::fold::{Ended, Intended, Unread};
use crate::id::{Name, RequestId};
use crate::payload::Payload;
use crate::position::Seq;
use crate::text::Text;
use crate::usage::Usage;

use super::plan::Plan;

/// A request that wants to hold the session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Usage;
/// use sessile_core::admission::{Bid, Decision, Request, decide};
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::Contract;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let (request, contract, usage) = ("req-1".parse()?, Contract::new(), Usage::new());
/// let input = Digest::of(b"refund order 7");
/// let bid = Bid { request: &request, input, contract: &contract, usage: &usage, holder: None };
/// let state = session.state().await?;
/// let Decision::Claim(plan) = decide(&state, &Request::Admit(bid))? else { panic!("it is free") };
/// // What is to be appended says all of it, so that a repeat is told from other work.
/// let claim = plan.new_claim().expect("it begins with one");
/// assert_eq!((&claim.request, claim.input), (&request, input));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bid<'a> {
    /// The request's id.
    pub request: &'a RequestId,
    /// The digest of the exact bytes of its input.
    pub input: Digest,
    /// Its terms.
    pub contract: &'a Contract,
    /// What its run has used so far.
    pub usage: &'a Usage,
    /// A label of who is to hold it, for people.
    pub holder: Option<&'a Text>,
}

/// What is done about work that may have been under way when the owner stopped.
///
/// # Examples
/// ```
/// use sessile_core::admission::Recovery;
///
/// // Work that may have been done is not done again unless somebody says so.
/// assert_eq!(Recovery::default(), Recovery::Reject);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recovery {
    /// It is not done again: where the last checkpoint says that some may have been, the recovery is
    /// refused as *ambiguous*. Else the turn goes on from its last checkpoint with the messages it
    /// has written, or begins anew where it has none.
    #[default]
    Reject,
    /// It may be done again, from the stable transcript: the messages that the turn has written
    /// are left as evidence.
    Restart,
    /// It may be done again, and the turn keeps the messages that it has written.
    Resume,
}

/// A claim on a request, as whoever names it knows it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::admission::{Held, Request, decide};
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::{ErrorKind, Seq};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let request = "req-1".parse()?;
/// let turn = session.admit(&request, "hi", &Contract::new()).await?.started()?;
/// let state = session.state().await?;
/// let held = Held { request: &request, claim: turn.claim() };
/// assert!(decide(&state, &Request::Release { held, holder: None }).is_ok());
/// // Who names another claim has not seen who holds it.
/// let held = Held { claim: Seq::FIRST, ..held };
/// let error = decide(&state, &Request::Release { held, holder: None }).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Conflict);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// The request.
    pub request: &'a RequestId,
    /// Its claim.
    pub claim: Seq,
}

/// Whose hand ends or reconciles a request.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::admission::{Decision, End, Hand, Held, Request, decide};
/// use sessile_core::entry::shape::{Contract, OutcomeStatus};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let request = "req-1".parse()?;
/// let turn = session.admit(&request, "hi", &Contract::new()).await?.started()?;
/// let state = session.state().await?;
/// let held = Held { request: &request, claim: turn.claim() };
/// let end = End::new(OutcomeStatus::Abandoned);
/// let by = |hand| decide(&state, &Request::End { held, hand, end: &end });
/// // Another hand takes the claim away first, so that the holder hears of it.
/// let Decision::Append(own) = by(Hand::Holder)? else { panic!("it is active") };
/// let others = by(Hand::Other { holder: None })?;
/// let Decision::Append(others) = others else { panic!("it is active") };
/// assert!(own.new_claim().is_none() && others.new_claim().is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Hand<'a> {
    /// The holder's own.
    Holder,
    /// Somebody else's, who fences the holder by that.
    Other {
        /// A label of who it is, for people.
        holder: Option<&'a Text>,
    },
}

/// What the end of a turn was built on.
///
/// # Examples
/// ```
/// use sessile_core::admission::BuiltOn;
///
/// let built_on = BuiltOn { messages: 12, checkpoint: None };
/// assert_eq!(built_on.messages, 12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltOn {
    /// How many stable messages there were.
    pub messages: u64,
    /// The number of its last checkpoint that was stored; none where it has none.
    pub checkpoint: Option<u64>,
}

/// How a request ends.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::ErrorKind;
/// use sessile_core::admission::{End, Hand, Held, Request, decide};
/// use sessile_core::entry::shape::{Contract, OutcomeStatus};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let request = "req-1".parse()?;
/// let turn = session.admit(&request, "hi", &Contract::new()).await?.started()?;
/// let state = session.state().await?;
/// let held = Held { request: &request, claim: turn.claim() };
/// let failed = End { may_retry: true, ..End::new(OutcomeStatus::Failed) };
/// assert!(decide(&state, &Request::End { held, hand: Hand::Holder, end: &failed }).is_ok());
/// // Completed is only what is committed with what the turn has written.
/// let end = End::new(OutcomeStatus::Completed);
/// let error = decide(&state, &Request::End { held, hand: Hand::Holder, end: &end }).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Refused);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct End {
    /// How.
    pub status: OutcomeStatus,
    /// What a repeat of it is answered with.
    pub result: Option<Payload>,
    /// Whether a new request may try again.
    pub may_retry: bool,
    /// Why, for people.
    pub reason: Option<Text>,
    /// What was used.
    pub usage: Usage,
}

impl End {
    /// An end without a result or a reason, after which nothing is to be tried again.
    pub const fn new(status: OutcomeStatus) -> Self {
        Self { status, result: None, may_retry: false, reason: None, usage: Usage::new() }
    }
}

/// What somebody wants of a session's admission.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::admission::{Decision, Request, decide};
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::{EntryType, ErrorKind};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// let state = session.state().await?;
/// let write = |claim| decide(&state, &Request::Write { claim, types: &[EntryType::Message] });
/// assert_eq!(write(Some(turn.claim()))?, Decision::Granted);
/// // Nobody else adds to the transcript while a request holds it.
/// assert_eq!(write(None).unwrap_err().kind(), ErrorKind::Busy);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Request<'a> {
    /// To hold the session, or to hear how the request ended.
    Admit(Bid<'a>),
    /// To go on with a request whose owner has stopped.
    Recover {
        /// The claim to take over from.
        claim: Seq,
        /// The same request, with the usage it goes on with.
        bid: Bid<'a>,
        /// What is done about work that may have been under way.
        recovery: Recovery,
    },
    /// To fence the holder of a request, so that the same request may be sent again.
    Release {
        /// The request, and the claim to take it from.
        held: Held<'a>,
        /// A label of who does so, for people.
        holder: Option<&'a Text>,
    },
    /// To append entries of the caller's, in one commit, under a claim or without one.
    Write {
        /// The claim.
        claim: Option<Seq>,
        /// What the entries are.
        types: &'a [EntryType],
    },
    /// To store a checkpoint.
    Checkpoint {
        /// Whose.
        held: Held<'a>,
        /// The checkpoint, with the number after the last one's.
        checkpoint: &'a Checkpoint,
    },
    /// To say that a side effect is about to happen.
    Intend {
        /// Whose.
        held: Held<'a>,
        /// What.
        intent: &'a Intent,
    },
    /// To say what came of a side effect.
    Complete {
        /// Whose.
        held: Held<'a>,
        /// The action's id.
        action: &'a Name,
        /// The intent that it completes.
        intent: Seq,
        /// What came of it.
        output: &'a Payload,
    },
    /// To say what came of a side effect of which nobody knew.
    Reconcile {
        /// The request, and its claim.
        held: Held<'a>,
        /// By whose hand.
        hand: Hand<'a>,
        /// The action's id.
        action: &'a Name,
        /// What was called.
        name: &'a Name,
        /// What came of it; none where it was not executed.
        output: Option<&'a Payload>,
    },
    /// To ask for leave.
    Ask {
        /// Whose.
        held: Held<'a>,
        /// For what.
        approval: &'a Approval,
    },
    /// To give or refuse leave.
    Decide(&'a shape::Decision),
    /// To end the request with the messages it has written.
    Commit {
        /// Whose.
        held: Held<'a>,
        /// What it was built on.
        built_on: BuiltOn,
        /// What it comes to; whatever its status says, the request is completed.
        end: &'a End,
    },
    /// To end the request without the messages it has written.
    End {
        /// The request, and its claim.
        held: Held<'a>,
        /// By whose hand.
        hand: Hand<'a>,
        /// How.
        end: &'a End,
    },
}

/// What a request comes to.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Usage;
/// use sessile_core::admission::{Bid, Decision, Request, decide};
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::Contract;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let (request, contract, usage) = ("req-1".parse()?, Contract::new(), Usage::new());
/// let turn = session.admit(&request, "hi", &contract).await?.started()?;
/// turn.commit("hello").await?;
/// // It ended: nothing is to be done, and this is how.
/// let input = Digest::of(b"hi");
/// let bid = Bid { request: &request, input, contract: &contract, usage: &usage, holder: None };
/// let decision = decide(&session.state().await?, &Request::Admit(bid))?;
/// assert!(matches!(decision, Decision::Replay(ended) if ended.request == request));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// To append this plan, which begins with a claim: the number it gets is the fencing token, and
    /// the request is held from then on.
    Claim(Plan),
    /// To append this plan.
    Append(Plan),
    /// The caller's entries may be appended.
    Granted,
    /// Nothing is to be appended: the request ended, and this is how.
    Replay(Ended),
    /// Nothing is to be appended: this entry says the same.
    Stands(Seq),
    /// Nothing is to be appended: the action was done, and this entry holds what came of it.
    Done(Seq),
    /// Nothing is to be appended: nobody knows whether the action was done.
    Indeterminate(Intended),
    /// To read this first, have the state learn it, and decide again.
    LookUp(Unread),
}
