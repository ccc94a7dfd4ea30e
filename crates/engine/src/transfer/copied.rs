//! What a copy did.

use sessile_core::{Position, RequestId, SessionId};

/// What a copy of a session did; the target holds all of it when it is answered.
///
/// # Examples
/// ```
/// # use sessile_engine::NewSession;
/// use std::sync::Arc;
///
/// use sessile_engine::{Copied, Store};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let other = Store::on(Arc::new(MemoryBackend::new()));
/// let copied: Copied = store.copy("ses_42", &other).await?;
/// assert_eq!((copied.commits, copied.added), (2, 2));
/// // Again there is nothing to add.
/// assert_eq!(store.copy("ses_42", &other).await?.added, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The session, which has the same id there.
    pub session: SessionId,
    /// Where the source ended: the target holds every entry before it.
    pub position: Position,
    /// How many commits the source has.
    pub commits: u64,
    /// How many of them were added this time; 0 where all were there.
    pub added: u64,
    /// The request that held the session: in the target it ended as *abandoned*, since its holder
    /// goes on elsewhere.
    pub interrupted: Option<RequestId>,
}
