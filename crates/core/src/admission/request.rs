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
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// The request.
    pub request: &'a RequestId,
    /// Its claim.
    pub claim: Seq,
}

/// Whose hand ends or reconciles a request.
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
