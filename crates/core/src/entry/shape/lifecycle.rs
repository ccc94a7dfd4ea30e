//! Shapes of the entries that end a session, and of the one that takes that back.

use serde::{Deserialize, Serialize};

use crate::text::Text;

/// `close`: no more messages.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Close;
///
/// assert_eq!(Payload::of(&Close::default())?.as_str(), "{}");
/// let close: Close = Payload::parse(r#"{"reason":"solved"}"#)?.decode()?;
/// assert_eq!(close.reason.as_deref(), Some("solved"));
/// // What people write is not for logs.
/// assert!(!format!("{close:?}").contains("solved"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Close {
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
}

/// `delete`: the tombstone.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::Backend as _;
/// use sessile_core::digest::Token;
/// use sessile_core::entry::shape::Delete;
/// use sessile_core::{Commit, EntryType, ErrorKind, Limits, NewEntry, Payload, UnixMillis};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// let delete = Payload::of(&Delete { reason: Some("asked to".into()) })?;
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Delete, delete);
/// let token = Token::from_random([1; 16]);
/// let tombstone = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// place.remove(&key, place.head(&key).await?.tip, tombstone).await?;
/// // Whoever holds it open hears of it with what they do next.
/// assert_eq!(session.append(["hi"]).await.unwrap_err().kind(), ErrorKind::Deleted);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delete {
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
}

/// `undelete`: takes the tombstone back.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Undelete;
/// use sessile_core::fold::Lifecycle;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.close().await?;
/// session.delete().await?;
/// session.undelete().await?;
/// // It says nothing but that: the session is what it was before its tombstone.
/// let entries = session.entries(From::start()).await?.all().await?;
/// assert_eq!(entries[3].data.decode::<Undelete>()?, Undelete {});
/// assert_eq!(session.info().lifecycle, Lifecycle::Closed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undelete {}
