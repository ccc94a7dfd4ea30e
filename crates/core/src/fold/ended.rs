//! Requests that ended: what a repeat of their ids is answered with.

use crate::commit::StoredCommit;
use crate::digest::Digest;
use crate::entry::shape::{Claim, Contract, Outcome, OutcomeStatus};
use crate::entry::{Entry, EntryType};
use crate::id::RequestId;
use crate::position::{Position, Seq};

/// A request that ended.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::{Contract, OutcomeStatus};
/// use sessile_core::fold::{Ended, RequestLookup};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let id = "req-1".parse()?;
/// let turn = session.admit(&id, "hi", &Contract::new()).await?.started()?;
/// let claim = turn.claim();
/// turn.commit("hello").await?;
/// let state = session.state().await?;
/// let RequestLookup::Found(ended) = state.commits().look_request(&id) else { panic!("it ended") };
/// let Ended { status, seq, .. } = ended;
/// assert_eq!((status, ended.claim), (OutcomeStatus::Completed, claim));
/// // The entry that ended it holds what a repeat is answered with.
/// assert!(claim < seq && !ended.expired);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// The request's id.
    pub request: RequestId,
    /// How it ended.
    pub status: OutcomeStatus,
    /// The claim under which it ended.
    pub claim: Seq,
    /// The entry that ended it: an outcome, which holds the result. Where it is the claim, the
    /// session was deleted while the request was active.
    pub seq: Seq,
    /// Where the journal ended right after that entry's commit.
    pub position: Position,
    /// The digest of the exact bytes of its input; none where nothing that can be read tells.
    pub input: Option<Digest>,
    /// Its terms; none where nothing that can be read tells.
    pub contract: Option<Contract>,
    /// Whether a new request may try again.
    pub may_retry: bool,
    /// Whether its result was removed.
    pub expired: bool,
}

impl Ended {
    /// A request that an outcome ends, as the entry alone tells; none where it is no outcome that
    /// can be read.
    pub(super) fn by_outcome(entry: &Entry, position: Position) -> Option<Self> {
        let outcome = entry.data.decode::<Outcome>().ok()?;
        Some(Self::of(entry, position, outcome))
    }

    /// A request that this outcome ends.
    pub(super) fn of(entry: &Entry, position: Position, outcome: Outcome) -> Self {
        Self {
            request: outcome.request,
            status: outcome.status,
            claim: entry.claim.unwrap_or(entry.seq),
            seq: entry.seq,
            position,
            input: outcome.input,
            contract: outcome.contract,
            may_retry: outcome.may_retry,
            expired: outcome.redacted,
        }
    }

    /// A request that was active under a claim when the session was deleted.
    pub(super) fn by_deletion(
        request: RequestId,
        claim: Seq,
        position: Position,
        terms: (Digest, Contract),
    ) -> Self {
        let (input, contract) = terms;
        Self {
            request,
            status: OutcomeStatus::Abandoned,
            claim,
            seq: claim,
            position,
            input: Some(input),
            contract: Some(contract),
            may_retry: true,
            expired: false,
        }
    }

    /// The request that an entry of a commit has ended, where an index says that one did: an
    /// outcome, or the claim under which it was when the session was deleted.
    pub(super) fn in_commit(commit: &StoredCommit, seq: Seq) -> Option<Self> {
        let entry = commit.entries.iter().find(|entry| entry.seq == seq)?;
        let position = commit.tip().position;
        match entry.entry_type {
            EntryType::Outcome => Self::by_outcome(entry, position),
            EntryType::Claim => {
                let claim = entry.data.decode::<Claim>().ok()?;
                let terms = (claim.input, claim.contract);
                Some(Self::by_deletion(claim.request, seq, position, terms))
            }
            _ => None,
        }
    }
}
