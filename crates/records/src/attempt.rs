//! What an attempt to do an effect is given, and what comes of it.

use std::error::Error as StdError;
use std::fmt;

use async_trait::async_trait;
use sessile_core::{Error, Name, Payload};

use crate::effect::EffectRecord;

/// What is done with an effect that was begun and of which nobody knows whether it was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// Nothing: it is *ambiguous*.
    #[default]
    RejectAmbiguous,
    /// It is done again if [that does no harm](crate::Request::is_retry_safe).
    RetrySafe,
}

/// What became of an effect, as whoever did it can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reconciliation {
    /// It was done, with this output.
    Completed(Payload),
    /// It was not done, and whoever began it is known to be stopped.
    NotExecuted,
    /// Nobody can tell.
    Ambiguous,
}

/// Finds out what became of an effect that was begun: asks the service that was to do it.
#[async_trait]
pub trait Reconciler: Send + Sync {
    /// Finds out what became of an effect that is [started](crate::State::Started).
    ///
    /// # Errors
    /// Any that keeps it from being found out; whoever executes gets it, and the effect stays
    /// started.
    async fn reconcile(&self, effect: &EffectRecord) -> Result<Reconciliation, Error>;
}

/// An attempt to do an effect, which is recorded as started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The id of the effect: of the owner of the key, where another has it.
    pub effect: Name,
    /// A number that is greater in each later attempt: whoever is to be done to may refuse smaller
    /// ones.
    pub token: u64,
}

/// How a handler failed.
pub enum HandlerError {
    /// For certain: nothing was done, or nothing more will be. It is recorded with this error,
    /// which is answered from then on.
    Failed(Payload),
    /// Whether anything was done it can't tell. The effect stays started.
    Unsure(Box<dyn StdError + Send + Sync>),
}

impl HandlerError {
    /// A failure that leaves open whether anything was done.
    pub fn unsure(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Unsure(cause.into())
    }
}

impl fmt::Debug for HandlerError {
    /// Does not tell the error, which may hold what was sent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => f.debug_tuple("Failed").field(error).finish(),
            Self::Unsure(_) => f.write_str("Unsure"),
        }
    }
}

/// How an effect ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was done, with this output.
    Completed(Payload),
    /// It failed, with this error.
    Failed(Payload),
}

/// An effect that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Executed {
    /// The id of the effect: of the owner of the key, where another has it.
    pub effect: Name,
    /// The number of its record.
    pub number: u64,
    /// How it ended.
    pub ended: Ended,
    /// Whether that was recorded before, so that the handler was not called.
    pub replayed: bool,
    /// Whether its output or error is kept: what is above the limit of a document is answered this
    /// once, and is *expired* after.
    pub is_kept: bool,
}

impl Executed {
    /// The output; or else the error that it failed with.
    ///
    /// # Errors
    /// The payload of a failure.
    pub const fn output(&self) -> Result<&Payload, &Payload> {
        match &self.ended {
            Ended::Completed(output) => Ok(output),
            Ended::Failed(error) => Err(error),
        }
    }
}
