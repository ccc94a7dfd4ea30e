//! How a request ended, and what a repeat of it is answered with.

use std::fmt;

use serde::de::DeserializeOwned;
use sessile_core::entry::shape::{Outcome, OutcomeStatus};
use sessile_core::fold::Ended;
use sessile_core::{Error, ErrorKind, Payload, Position, RequestId, Seq, Text, Usage};

use crate::resident::Resident;

/// How a request ended.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let done = turn.commit("refunded").await?;
/// assert!(done.is_completed() && !done.replayed);
/// assert_eq!(done.decode::<String>()?, "refunded");
/// assert_eq!(session.position(), done.position);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Done {
    /// The request's id.
    pub request: RequestId,
    /// How it ended.
    pub status: OutcomeStatus,
    /// What came of it, as its holder gave it.
    pub result: Option<Payload>,
    /// Whether a new request may try again.
    pub may_retry: bool,
    /// Why it ended like that, for people.
    pub reason: Option<Text>,
    /// What it has used.
    pub usage: Usage,
    /// The claim under which it ended.
    pub claim: Seq,
    /// The entry that ended it.
    pub seq: Seq,
    /// Where the journal ended right after it.
    pub position: Position,
    /// Whether it had ended before, and this only tells how.
    pub replayed: bool,
}

impl Done {
    /// Reads the result as a type of the caller's.
    ///
    /// # Errors
    /// *mismatch* when it has another shape, or when the request did not end with a result.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let about = format_args!("request {}", self.request);
        let Some(result) = &self.result else {
            let clause = format!("it is {} and has no result", self.status.name());
            return Err(Error::new(ErrorKind::Mismatch, clause).about(about));
        };
        result.decode().map_err(|error| error.about(about))
    }

    /// Whether it ended with a result, and not with an error, by being called off or given up.
    pub fn is_completed(&self) -> bool {
        self.status == OutcomeStatus::Completed
    }

    /// Reads how a request ended from the entry that says so.
    ///
    /// # Errors
    /// *expired* where the result was removed; *corrupt*; those of reading.
    pub(crate) async fn read(
        resident: &Resident,
        ended: Ended,
        replayed: bool,
    ) -> Result<Self, Error> {
        let mut done = Self {
            request: ended.request,
            status: ended.status,
            result: None,
            may_retry: ended.may_retry,
            reason: None,
            usage: Usage::new(),
            claim: ended.claim,
            seq: ended.seq,
            position: ended.position,
            replayed,
        };
        // Deletion ends a request without a word of its own.
        if ended.seq == ended.claim {
            done.reason = Some("the session was deleted".into());
            return Ok(done);
        }
        let outcome: Outcome = resident.entry(ended.seq).await?.data.decode()?;
        if outcome.redacted {
            let clause = format!("request {} ended, and its result was removed", done.request);
            return Err(Error::new(ErrorKind::Expired, clause).about(resident.key()));
        }
        done.result = outcome.result;
        done.reason = outcome.reason;
        done.usage = outcome.usage;
        Ok(done)
    }
}

impl fmt::Debug for Done {
    /// Tells ids and numbers only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Done")
            .field("request", &self.request)
            .field("status", &self.status)
            .field("may_retry", &self.may_retry)
            .field("claim", &self.claim)
            .field("seq", &self.seq)
            .field("position", &self.position)
            .field("replayed", &self.replayed)
            .finish_non_exhaustive()
    }
}
