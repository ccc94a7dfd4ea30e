//! Where a session is in its life.

/// Where a session is in its life.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::ErrorKind;
/// use sessile_core::fold::Lifecycle;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// assert_eq!(session.info().lifecycle, Lifecycle::Active);
/// session.close().await?;
/// assert_eq!(session.info().lifecycle.name(), "closed");
/// assert_eq!(session.append(["hi"]).await.unwrap_err().kind(), ErrorKind::Closed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// It takes everything.
    Active,
    /// It takes events and metadata, but no more messages.
    Closed,
    /// Only its tombstone speaks for it.
    Deleted,
}

impl Lifecycle {
    /// The stable name in `--json` output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Closed => "closed",
            Self::Deleted => "deleted",
        }
    }
}
