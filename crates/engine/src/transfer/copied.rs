//! What a copy did.

use sessile_core::{Position, RequestId, SessionId};

/// What a copy of a session did; the target holds all of it when it is answered.
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
