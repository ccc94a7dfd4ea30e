//! What keeps a session from being built upon.

use crate::entry::EntryType;
use crate::position::Seq;

/// An entry that this version may read past but must not build upon.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Expected};
/// use sessile_core::digest::Token;
/// use sessile_core::fold::Blocked;
/// use sessile_core::{Commit, EntryType, ErrorKind, Limits, NewEntry, Payload, UnixMillis};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// // A newer program has written what nobody may build upon who does not know it.
/// let vote = EntryType::from_name("vote");
/// let entry = NewEntry::new(UnixMillis(0), vote.clone(), Payload::of("aye")?);
/// let entry = NewEntry { must: true, ..entry };
/// let token = Token::from_random([1; 16]);
/// let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// place.append(&key, Expected::End, vec![commit]).await?;
///
/// let error = session.append(["hi"]).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unsupported);
/// // It can be read all the same.
/// session.refresh().await?;
/// let state = session.state().await?;
/// let Blocked { seq, entry_type } = state.blocked().expect("it stands there");
/// assert_eq!((seq.number(), entry_type), (1, &vote));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The entry.
    pub seq: Seq,
    /// Its type.
    pub entry_type: EntryType,
}
