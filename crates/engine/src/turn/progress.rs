//! What a turn tells while it goes on.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::{StreamExt as _, stream};
use sessile_core::{Name, Seq};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::admission::Done;

/// How many events wait for somebody who is slow, before the oldest are left out.
const MOST_WAITING: usize = 256;

/// Something that happened in a turn.
///
/// None but [`Committed`](Self::Committed) is an acknowledgement of the turn: until then its
/// messages are provisional.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::StreamExt as _;
/// use sessile_engine::{Committed, TurnEvent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let mut progress = turn.progress();
/// turn.push("a plum").await?;
/// assert!(matches!(progress.next().await, Some(TurnEvent::Pushed { messages: 1, .. })));
/// turn.commit("answered").await?;
/// assert!(matches!(progress.next().await, Some(TurnEvent::Committed(_))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnEvent {
    /// Provisional messages were appended.
    Pushed {
        /// The number of the first.
        first: Seq,
        /// How many.
        messages: usize,
    },
    /// Events were appended.
    Noted {
        /// The number of the first.
        first: Seq,
    },
    /// A checkpoint was stored.
    Checkpointed {
        /// Its number within the request.
        number: u64,
    },
    /// Leave was asked for.
    Asked {
        /// The approval's id.
        approval: Name,
    },
    /// A side effect is about to happen.
    Intended {
        /// The action's id.
        action: Name,
    },
    /// A side effect happened.
    Completed {
        /// The action's id.
        action: Name,
    },
    /// A summary came to stand for messages.
    Summarised {
        /// The last message that it stands for.
        through: Seq,
    },
    /// So many events were left out, since they were not taken in time.
    Missed(u64),
    /// The request ended and the session is free. It is the last event, and comes once.
    Committed(Box<Done>),
}

/// The events of a turn, from when they were asked for to its end.
///
/// It ends without [`TurnEvent::Committed`] when the turn is dropped before it was ended.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::StreamExt as _;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let told = turn.progress();
/// turn.push("a plum").await?;
/// turn.commit("answered").await?;
/// drop(turn);
/// // It ends with the turn.
/// assert_eq!(told.count().await, 2);
/// # Ok(())
/// # }
/// ```
pub struct Progress(Pin<Box<dyn Stream<Item = TurnEvent> + Send>>);

impl Progress {
    /// That of a request that ended before: it only tells how.
    pub(crate) fn of_replay(done: Done) -> Self {
        Self(Box::pin(stream::iter([TurnEvent::Committed(Box::new(done))])))
    }

    fn of(receiver: broadcast::Receiver<TurnEvent>) -> Self {
        let events = stream::unfold(receiver, |mut receiver| async move {
            match receiver.recv().await {
                Ok(event) => Some((event, receiver)),
                Err(RecvError::Lagged(missed)) => Some((TurnEvent::Missed(missed), receiver)),
                Err(RecvError::Closed) => None,
            }
        });
        Self(Box::pin(events))
    }
}

impl Stream for Progress {
    type Item = TurnEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<TurnEvent>> {
        self.0.poll_next_unpin(context)
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}

/// Where a turn tells what happens; shared by what acts for it.
#[derive(Clone, Debug)]
pub(super) struct Teller(Arc<Mutex<Option<broadcast::Sender<TurnEvent>>>>);

impl Teller {
    pub(super) fn new() -> Self {
        let (sender, _) = broadcast::channel(MOST_WAITING);
        Self(Arc::new(Mutex::new(Some(sender))))
    }

    /// What is told from here on.
    pub(super) fn listen(&self) -> Progress {
        match &*self.lock() {
            Some(sender) => Progress::of(sender.subscribe()),
            None => Progress(Box::pin(stream::empty())),
        }
    }

    /// Tells that something happened.
    pub(super) fn tell(&self, event: TurnEvent) {
        if let Some(sender) = &*self.lock() {
            // Nobody may be listening.
            drop(sender.send(event));
        }
    }

    /// Tells that the request ended, once, and nothing after that.
    pub(super) fn end(&self, done: &Done) {
        if let Some(sender) = self.lock().take() {
            drop(sender.send(TurnEvent::Committed(Box::new(done.clone()))));
        }
    }

    /// The sender is replaced as a whole, so a holder that panicked leaves it whole.
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<broadcast::Sender<TurnEvent>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
