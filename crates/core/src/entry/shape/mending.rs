//! Shapes of the entries that are written after a crash or a lost answer.

use serde::{Deserialize, Serialize};

use crate::id::CommitId;

/// `repaired`: a torn tail was cut off here and kept.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Repaired;
///
/// let data = Payload::parse(
///     r#"{"bytes":31,"offset":4096,"reason":"not closed","kept_at":"set-aside/ses_42/4096-1"}"#,
/// )?;
/// // Nothing of a torn tail is thrown away: this says where it is to be found.
/// let Repaired { bytes, offset, kept_at, .. } = data.decode()?;
/// assert_eq!((bytes, offset, kept_at.as_str()), (31, 4_096, "set-aside/ses_42/4096-1"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// How many bytes were set aside.
    pub bytes: u64,
    /// Where in the file they began.
    pub offset: u64,
    /// What was wrong with the first of them.
    pub reason: String,
    /// The name of what keeps them, beside the journal.
    pub kept_at: String,
}

/// `barrier`: a commit that is not before it can never be.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::TryStreamExt as _;
/// use sessile_core::backend::{Backend as _, Span};
/// use sessile_core::entry::shape::Barrier;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// let id = "turn-7".parse()?;
/// // Was it done? Nobody has heard; an append is under way perhaps.
/// assert_eq!(session.resolve(&id).await?, None);
/// let commits: Vec<_> = place.read(&key, Span::ALL).await?.try_collect().await?;
/// let last = commits.last().and_then(|commit| commit.entries.last()).expect("there is one");
/// // It stands where that would have gone: if it was under way, it is refused from here on.
/// assert_eq!(last.data.decode::<Barrier>()?, Barrier { resolves: Some(id) });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Barrier {
    /// The commit whose outcome was unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolves: Option<CommitId>,
}
