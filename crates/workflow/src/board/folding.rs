//! The board as a fold that a store is opened with.

use sessile_core::Entry;
use sessile_core::fold::{Extended, Extension};

use super::message::Message;
use super::state::{Board, Delivery};

/// The name of the fold.
const NAME: &str = "board";

/// It rises whenever an entry comes to mean something else.
const VERSION: u32 = 1;

/// The entries that it folds.
const TYPES: &[&str] = &["ack", "complete", "post", "replace", "resolve", "withdraw"];

/// The fold of message boards: a store that is to have them is opened with it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::ErrorKind;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_workflow::board::{BoardFold, MessageBoard};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let with_boards = Options::default().fold(Arc::new(BoardFold));
/// let store = Store::with(Arc::new(MemoryBackend::new()), with_boards);
/// let session = store.create(NewSession::new()).await?;
/// assert!(MessageBoard::of(&session).board().await?.is_empty());
///
/// let session = Store::on(Arc::new(MemoryBackend::new())).create(NewSession::new()).await?;
/// let none = MessageBoard::of(&session).board().await.unwrap_err();
/// assert_eq!(none.kind(), ErrorKind::Unsupported);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardFold;

impl Extension for BoardFold {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        VERSION
    }

    fn types(&self) -> &'static [&'static str] {
        TYPES
    }

    fn start(&self) -> Box<dyn Extended> {
        Box::new(Board::default())
    }

    fn restore(&self, member: &str) -> Option<Box<dyn Extended>> {
        let board = Board::restore(member)?;
        Some(Box::new(board))
    }
}

impl Extended for Board {
    fn apply(&mut self, entry: &Entry) {
        Self::apply(self, entry);
    }

    fn save(&self) -> String {
        Self::save(self)
    }

    fn copy(&self) -> Box<dyn Extended> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        // Ids and digests stand outside of what holds them: about as much again.
        2 * (self.messages.len() * size_of::<Message>()
            + self.deliveries.len() * size_of::<Delivery>())
    }
}
