//! What messages are: their kinds, and what becomes of them.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$inner])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for it in entries and output.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// What a word stands for.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}

words! {
    /// What kind of message it is.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{NewSession, Options, Store};
    /// # use sessile_memory::MemoryBackend;
    /// # use sessile_workflow::board::BoardFold;
    /// use sessile_workflow::board::{Kind, MessageBoard, Post};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let engine = Options::default().fold(Arc::new(BoardFold));
    /// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
    /// # let session = store.create(NewSession::new()).await?;
    /// # let board = MessageBoard::of(&session);
    /// // By the word that a model or a command line gives.
    /// let kind = Kind::from_name("decision").expect("it is one of them");
    /// let id = board.post(Post::new(kind, "we take the new parser")).await?.id;
    /// // What was decided is neither taken back nor waited for.
    /// assert!(!kind.is_revisable() && !kind.awaits_somebody());
    /// assert!(board.withdraw(&id).await.is_err());
    /// assert_eq!(Kind::from_name("wish"), None);
    /// # Ok(())
    /// # }
    /// ```
    Kind {
        /// Something worth knowing.
        Note = "note",
        /// Something that might be done.
        Proposal = "proposal",
        /// Something to be answered.
        Question = "question",
        /// What answers.
        Answer = "answer",
        /// What was decided.
        Decision = "decision",
        /// What may go wrong.
        Risk = "risk",
        /// How far something has come.
        Progress = "progress",
        /// How something is to be done.
        Guidance = "guidance",
        /// A task that can be assigned and completed.
        Todo = "todo",
    }
}

words! {
    /// How urgent a message is.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{NewSession, Options, Store};
    /// # use sessile_memory::MemoryBackend;
    /// # use sessile_workflow::board::BoardFold;
    /// use sessile_workflow::board::{Kind, MessageBoard, Post, Priority};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let engine = Options::default().fold(Arc::new(BoardFold));
    /// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
    /// # let session = store.create(NewSession::new()).await?;
    /// # let board = MessageBoard::of(&session);
    /// for priority in [Priority::High, Priority::Low] {
    ///     board.post(Post::new(Kind::Todo, "look").priority(priority)).await?;
    /// }
    /// // They are in an order, for whoever takes what is most urgent first.
    /// let standing = board.overview().await?.standing;
    /// assert_eq!(standing.top_priority, Some(Priority::High));
    /// assert!(Priority::Low < Priority::Normal && Priority::Normal < Priority::High);
    /// # Ok(())
    /// # }
    /// ```
    Priority {
        /// It can wait.
        Low = "low",
        /// As usual.
        Normal = "normal",
        /// Before others.
        High = "high",
    }
}

words! {
    /// Whether a message is dealt with.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{NewSession, Options, Store};
    /// # use sessile_memory::MemoryBackend;
    /// # use sessile_workflow::board::BoardFold;
    /// use sessile_workflow::board::{Kind, MessageBoard, Post, Query, Resolve, Status};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let engine = Options::default().fold(Arc::new(BoardFold));
    /// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
    /// # let session = store.create(NewSession::new()).await?;
    /// # let board = MessageBoard::of(&session);
    /// let risk = board.post(Post::new(Kind::Risk, "the disk is nearly full")).await?.id;
    /// let of = async |status| board.list(&Query::all().status(status)).await.map(|it| it.total);
    /// assert_eq!((of(Status::Open).await?, of(Status::Resolved).await?), (1, 0));
    /// board.resolve(Resolve::new(&risk).resolution("it was cleared")).await?;
    /// assert_eq!((of(Status::Open).await?, of(Status::Resolved).await?), (0, 1));
    /// # Ok(())
    /// # }
    /// ```
    Status {
        /// It is not.
        Open = "open",
        /// It is.
        Resolved = "resolved",
    }
}

words! {
    /// What closed a message that nobody dealt with.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{NewSession, Options, Store};
    /// # use sessile_memory::MemoryBackend;
    /// # use sessile_workflow::board::BoardFold;
    /// use sessile_workflow::board::{Closure, Kind, MessageBoard, Post, Replace, Resolve};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let engine = Options::default().fold(Arc::new(BoardFold));
    /// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
    /// # let session = store.create(NewSession::new()).await?;
    /// # let board = MessageBoard::of(&session);
    /// # let mut ids = Vec::new();
    /// # for text in ["a", "b", "c"] {
    /// #     ids.push(board.post(Post::new(Kind::Note, text)).await?.id);
    /// # }
    /// board.withdraw(&ids[0]).await?;
    /// board.replace(Replace::new(&ids[1], "better")).await?;
    /// board.resolve(Resolve::new(&ids[2])).await?;
    /// // None of them is open; of the last one somebody has said that it is dealt with.
    /// let board = board.board().await?;
    /// let closure = |id| board.message(id).and_then(|it| it.closure);
    /// let closed = [Some(Closure::Withdrawn), Some(Closure::Superseded), None];
    /// assert_eq!(ids.iter().map(closure).collect::<Vec<_>>(), closed);
    /// # Ok(())
    /// # }
    /// ```
    Closure {
        /// It was taken back.
        Withdrawn = "withdrawn",
        /// Another message stands in its place.
        Superseded = "superseded",
    }
}

impl Kind {
    /// Whether messages of the kind can be taken back or replaced.
    pub const fn is_revisable(self) -> bool {
        matches!(self, Self::Note | Self::Guidance | Self::Question | Self::Todo)
    }

    /// Whether an open message of the kind waits for somebody.
    pub const fn awaits_somebody(self) -> bool {
        matches!(self, Self::Guidance | Self::Question | Self::Todo | Self::Risk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_its_own() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(*kind));
        }
        assert_eq!(Kind::ALL.len(), 9);
        assert_eq!(Priority::from_name("urgent"), None);
        assert!(Priority::High > Priority::Normal && Priority::Normal > Priority::Low);
    }
}
