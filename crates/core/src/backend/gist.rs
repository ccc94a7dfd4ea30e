//! What a listing shows of a session, so that it need not open it.

use std::fmt;
use std::sync::Arc;

use bytestring::ByteString;

use crate::commit::Tip;
use crate::digest::Digest;
use crate::error::Occupant;
use crate::fold::Lifecycle;
use crate::id::{Name, SessionId};
use crate::time::UnixMillis;

/// What somebody who had folded a journal found worth showing of it in a listing.
///
/// It is derived, and good for the tip that it was made at only: a backend that keeps it serves it
/// as long as the journal ends there, and may lose it at any time.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Gist, Scope, Seen};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// let state = session.state().await?;
/// # let header = state.header();
/// let gist = Gist {
///     tip: state.tip(),
///     title: Some("Plums".into()),
///     messages: state.messages(),
/// #     project: None,
/// #     owner: None,
/// #     parent: None,
/// #     created_at: header.created_at,
/// #     updated_at: state.updated_at(),
/// #     tags: [].into(),
/// #     lifecycle: state.lifecycle(),
/// #     damaged: false,
/// #     incomplete: false,
/// #     occupant: None,
///     // and what else a listing shows
/// };
/// place.note(&key, Arc::new(gist));
/// let rows = place.recent(&key.space, &Scope::ALL, None, 10).await?;
/// let Ok(Seen::Gist(shown)) = &rows[0].seen else { panic!("it was noted") };
/// assert_eq!(shown.title.as_deref(), Some("Plums"));
/// // It is shown as long as the journal ends there, and no longer.
/// session.append(["hi"]).await?;
/// let rows = place.recent(&key.space, &Scope::ALL, None, 10).await?;
/// let seen = rows[0].seen.as_ref().expect("it can be read");
/// assert_eq!(seen.tip().position, session.position());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Gist {
    /// Where the journal ended.
    pub tip: Tip,
    /// The project of its header.
    pub project: Option<Name>,
    /// The fingerprint of the owner in its header.
    pub owner: Option<Digest>,
    /// The session that its header says has started it.
    pub parent: Option<SessionId>,
    /// When its header says it was created.
    pub created_at: UnixMillis,
    /// When a caller had last added something.
    pub updated_at: UnixMillis,
    /// Its title; it may be a part of more text, which it keeps in memory.
    pub title: Option<ByteString>,
    /// Its tags.
    pub tags: Arc<[String]>,
    /// Where it was in its life.
    pub lifecycle: Lifecycle,
    /// Whether some of it could not be read.
    pub damaged: bool,
    /// Whether it is a copy that was cut short.
    pub incomplete: bool,
    /// How many messages were in sight, of those that could be read.
    pub messages: u64,
    /// Who held it.
    pub occupant: Option<Occupant>,
}

impl fmt::Debug for Gist {
    /// Tells places, states and counts only: titles are not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gist")
            .field("tip", &self.tip)
            .field("updated_at", &self.updated_at)
            .field("lifecycle", &self.lifecycle)
            .field("damaged", &self.damaged)
            .field("incomplete", &self.incomplete)
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}
