//! What every handle of a session in a store shares, whether or not the session is in memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use sessile_core::commit::Tip;
use sessile_core::{CommitId, Position};
use tokio::sync::{Mutex, MutexGuard, OwnedMutexGuard, watch};

use crate::known::Known;
use crate::queue::Queue;

/// What is shared of one session.
#[derive(Debug)]
pub(crate) struct Joint {
    turn: Arc<Mutex<Turn>>,
    queue: Queue,
    /// Held while the session is read into memory, so that those who want it read it once.
    loading: Mutex<()>,
    /// How far the journal is known to reach.
    reached: watch::Sender<Reached>,
    /// What is left of it while it is cold.
    known: RwLock<Known>,
    /// How many hold it in memory.
    holds: AtomicUsize,
}

/// How far a journal is known to reach, with what waits to be written.
#[derive(Clone, Copy, Debug)]
struct Reached {
    position: Position,
    /// How often something that waited was not written after all.
    receded: u64,
}

/// What the mutation whose turn it is knows of those before it.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// A commit that was sent and whose outcome is not known.
    pub(crate) unresolved: Option<Unresolved>,
}

/// A commit that may be applied, now or later.
#[derive(Clone, Debug)]
pub(crate) struct Unresolved {
    /// Its id.
    pub(crate) id: CommitId,
    /// Where it was sent: once the journal has left there, it is in it or never will be.
    pub(crate) at: Tip,
}

impl Joint {
    /// What is shared of a session that was read.
    pub(crate) fn new(known: Known) -> Self {
        Self {
            turn: Arc::default(),
            queue: Queue::default(),
            loading: Mutex::default(),
            reached: watch::Sender::new(Reached { position: known.position(), receded: 0 }),
            known: RwLock::new(known),
            holds: AtomicUsize::new(0),
        }
    }

    /// Waits for the mutations before this one.
    pub(crate) async fn turn(&self) -> OwnedMutexGuard<Turn> {
        Arc::clone(&self.turn).lock_owned().await
    }

    /// What waits to be appended together.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Waits for whoever reads it into memory.
    pub(crate) async fn loading(&self) -> MutexGuard<'_, ()> {
        self.loading.lock().await
    }

    /// Tells those who wait how far the journal reaches.
    pub(crate) fn reach(&self, position: Position) {
        self.reached.send_if_modified(|reached| {
            let is_news = position > reached.position;
            reached.position = position.max(reached.position);
            is_news
        });
    }

    /// Tells those who wait how far it reaches with what waited, and whether some of that is not
    /// there after all.
    pub(crate) fn arrive(&self, position: Position, is_less: bool) {
        self.reached.send_modify(|reached| {
            reached.receded += u64::from(is_less || position < reached.position);
            reached.position = position;
        });
    }

    /// Waits until the journal is known to reach beyond a position, or something that waited to be
    /// written was not written after all; answers how far it reaches.
    pub(crate) async fn moved_past(&self, position: Position) -> Position {
        let mut reached = self.reached.subscribe();
        let before = reached.borrow().receded;
        let news = |reached: &Reached| reached.position > position || reached.receded != before;
        let beyond = reached.wait_for(news).await;
        // The sender is here, so that it does not end.
        beyond.map_or(position, |reached| reached.position)
    }

    /// Looks at what is left of it while it is cold.
    pub(crate) fn known<T>(&self, look: impl FnOnce(&Known) -> T) -> T {
        look(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps what was read of it just now.
    pub(crate) fn note_read(&self, known: Known) {
        self.reach(known.position());
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// Keeps what is known of it, unless more is known.
    pub(crate) fn note(&self, known: Known) {
        let mut kept = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.position() >= kept.position() {
            *kept = known;
        }
    }

    /// Keeps it in memory for as long as what this answers is there, whatever the targets are.
    pub(crate) fn hold(self: &Arc<Self>) -> Hold {
        self.holds.fetch_add(1, Ordering::AcqRel);
        Hold(Arc::clone(self))
    }

    /// Whether somebody holds it in memory.
    pub(crate) fn is_held(&self) -> bool {
        self.holds.load(Ordering::Acquire) > 0
    }
}

/// Keeps a session in memory: there is something of it that is nowhere else.
#[derive(Debug)]
pub(crate) struct Hold(Arc<Joint>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.holds.fetch_sub(1, Ordering::AcqRel);
    }
}
