//! What everybody asked and was answered, in the order in which it happened.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sessile_core::{Error, ErrorKind, Outcome, Position, Revision, Seq};

/// What a client asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// To append messages under an id, at a position or at the end.
    Append { session: String, commit: String, texts: Vec<String>, at: Option<Position> },
    /// All messages.
    Read { session: String },
    /// A session for a request.
    Admit { session: String, request: String },
    /// To take a request over from a claim.
    Recover { session: String, request: String, from: Seq },
    /// A message of a turn.
    Push { session: String, claim: Seq, text: String },
    /// To end a turn with a result.
    Finish { session: String, request: String, claim: Seq, result: String },
    /// To end the request that holds a claim.
    Abandon { session: String, request: String, claim: Seq },
    /// To put a document over another.
    Put { revision: Revision, over: Option<Revision> },
    /// The document.
    Get,
}

/// What a client was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It stands there, up to a position.
    Committed { first: Seq, position: Position, replayed: bool },
    /// The messages.
    Messages(Vec<String>),
    /// The request holds the session under a claim.
    Started { claim: Seq },
    /// The request ended, by an entry.
    Ended { seq: Seq, result: Option<String> },
    /// The document has a revision, or there is none.
    Holds(Option<Revision>),
    /// Nothing, or nobody knows.
    Refused { kind: ErrorKind, outcome: Outcome },
}

impl Answer {
    pub(super) fn refused(error: &Error) -> Self {
        Self::Refused { kind: error.kind(), outcome: error.outcome() }
    }
}

/// One call of one client, by the moments of a count that all share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) client: u64,
    pub(super) asked: Asked,
    pub(super) begun: u64,
    pub(super) ended: u64,
    pub(super) answer: Answer,
}

/// All calls so far.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    moment: u64,
    calls: Vec<Call>,
}

impl History {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The moment at which a call begins.
    pub(super) fn begin(&self) -> u64 {
        let mut told = self.told();
        told.moment += 1;
        told.moment
    }

    /// Notes how a call ended that began at some moment.
    pub(super) fn end(&self, client: u64, begun: u64, asked: Asked, answer: Answer) {
        let mut told = self.told();
        told.moment += 1;
        let ended = told.moment;
        told.calls.push(Call { client, asked, begun, ended, answer });
    }

    /// All calls, in the order of their answers.
    pub(super) fn calls(&self) -> Vec<Call> {
        self.told().calls.clone()
    }
}
