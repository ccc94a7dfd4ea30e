//! Where a journal ends.

use crate::digest::Token;
use crate::position::Position;

/// Where a journal ends, exactly: its position and the token of its last commit.
///
/// The position alone would not do: after a power cut another commit may stand where a reader
/// saw one that was never synced.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Tip;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let before: Tip = session.state().await?.tip();
/// session.append(["hi"]).await?;
/// let after = session.state().await?.tip();
/// assert!(Tip::ABSENT.position < before.position && before.position < after.position);
/// // Two journals that end at one position are told apart by who wrote their last commit.
/// assert_ne!(before.token, after.token);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tip {
    /// The position.
    pub position: Position,
    /// The token of the last commit; none where no journal is.
    pub token: Option<Token>,
}

impl Tip {
    /// The tip of a journal that does not exist yet: appending there creates it.
    pub const ABSENT: Self = Self { position: Position::START, token: None };
}
