//! What an export has left out.

use sessile_core::Seq;

/// Entries that could not be read and are no part of an exported file.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::LeftOut;
/// use sessile_interchange::Format;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let mut export = store.export_readable("ses_42", Format::Jsonl).await?;
/// while let Some(piece) = export.next().await {
///     assert!(!piece?.is_empty());
/// }
/// // Nothing of it is damaged.
/// let left_out: &[LeftOut] = export.left_out();
/// assert_eq!(left_out, []);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The first of them.
    pub from: Seq,
    /// The last.
    pub to: Seq,
    /// Why, for people.
    pub reason: String,
}
