//! The names of messages.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sessile_core::digest::Digest;

use super::base64;

/// How many ids are tried before a message is refused for want of one.
const DRAWS: u8 = 16;

/// The name of a message, unique on its board.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, MessageId, Post, Refused};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let id: MessageId = board.post(Post::new(Kind::Note, "a slip")).await?.id;
/// // A model gets it as text and hands it back as text; what it makes up is not on the board.
/// let wrong = board.withdraw("msg_made_up").await.unwrap_err();
/// assert_eq!(wrong.refused(), Some(&Refused::UnknownMessage("msg_made_up".into())));
/// assert_eq!(board.withdraw(id.to_string()).await?.id, id);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(Arc<str>);

impl MessageId {
    /// The name as it stands in entries.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for MessageId {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<String> for MessageId {
    fn from(name: String) -> Self {
        Self(name.into())
    }
}

impl From<&Self> for MessageId {
    fn from(id: &Self) -> Self {
        id.clone()
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The ids that a message may get: 16, from one draw, so that whoever decides about it a second
/// time comes to the same one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws([u8; 16]);

impl Draws {
    /// Takes 16 random bytes.
    pub(crate) const fn of(random: [u8; 16]) -> Self {
        Self(random)
    }

    /// The first of them that is free.
    pub(crate) fn first_free(&self, is_taken: impl Fn(&MessageId) -> bool) -> Option<MessageId> {
        (0..DRAWS).map(|draw| self.id(draw)).find(|id| !is_taken(id))
    }

    fn id(&self, draw: u8) -> MessageId {
        let digest = Digest::of_parts([self.0.as_slice(), &[draw]]);
        let bytes = digest.as_bytes().first_chunk::<12>().map_or(&[][..], |it| it.as_slice());
        format!("msg_{}", base64::encode(bytes)).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn of_sixteen_ids_the_first_free_one_is_taken() {
        let draws = Draws::of([7; 16]);
        let mut taken = BTreeSet::new();
        for _ in 0..DRAWS {
            let id = draws.first_free(|id| taken.contains(id)).unwrap();
            assert_eq!(id.as_str().len(), 20);
            assert!(taken.insert(id));
        }
        assert_eq!(draws.first_free(|id| taken.contains(id)), None);
        assert_ne!(Draws::of([8; 16]).id(0), draws.id(0));
    }
}
