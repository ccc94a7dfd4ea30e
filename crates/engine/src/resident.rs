//! A session that is open: its folded state, kept up with its journal by reading only.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use sessile_core::backend::{Commits, Span};
use sessile_core::commit::Tip;
use sessile_core::fold::Lifecycle;
use sessile_core::{CommitId, Entry, Error, ErrorKind, Seq, SessionKey};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::folded::{Folded, Taken};
use crate::lost;
use crate::opened::Opened;
use crate::queue::Queue;
use crate::tail;

/// An open session, shared by every clone of its handle.
#[derive(Debug)]
pub(crate) struct Resident {
    opened: Arc<Opened>,
    key: SessionKey,
    /// Locked for moments only, never across a wait.
    folded: RwLock<Folded>,
    turn: Arc<Mutex<Turn>>,
    queue: Queue,
    /// Counts it as open.
    _counted: Arc<()>,
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

impl Resident {
    /// Keeps what was folded.
    pub(crate) fn new(opened: Arc<Opened>, key: SessionKey, folded: Folded) -> Self {
        Self {
            _counted: opened.count_session(),
            opened,
            key,
            folded: RwLock::new(folded),
            turn: Arc::default(),
            queue: Queue::default(),
        }
    }

    /// Reads and folds a journal; writes nothing, anywhere.
    ///
    /// # Errors
    /// *missing*, *corrupt* where the header can't be read or is another session's, *unknown
    /// version*, *unavailable*, *deadline*, *permission*. Damage further on is noted, not an
    /// error.
    pub(crate) async fn load(opened: Arc<Opened>, key: SessionKey) -> Result<Self, Error> {
        let head = opened.head(&key).await?;
        let mut folded = tail::fold(&opened, &key, &head).await?;
        folded.note_end(head.tip, head.tail);
        folded.opened_at(folded.state().position());
        Ok(Self::new(opened, key, folded))
    }

    /// Reads what was added to the journal since it was last read.
    ///
    /// Where the journal does not hold any more what was read of it, because a power cut took
    /// commits that were never synced, it is read anew.
    pub(crate) async fn catch_up(&self) -> Result<(), Error> {
        let head = self.opened.head(&self.key).await?;
        let tip = self.folded().state().tip();
        if head.tip != tip && !self.read_on(tip).await? {
            // Rare, and large as a future.
            let anew = Box::pin(tail::fold(&self.opened, &self.key, &head)).await?;
            self.replace(anew);
        }
        self.folded_mut().note_end(head.tip, head.tail);
        Ok(())
    }

    /// Reads all of the journal, whatever its states say.
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub(crate) async fn read_whole(&self) -> Result<(), Error> {
        let head = self.opened.head(&self.key).await?;
        let anew = Box::pin(tail::fold_whole(&self.opened, &self.key)).await?;
        self.replace(anew);
        self.folded_mut().note_end(head.tip, head.tail);
        Ok(())
    }

    fn replace(&self, mut anew: Folded) {
        let mut folded = self.folded_mut();
        anew.succeed(&folded);
        *folded = anew;
    }

    /// Folds what follows a tip; answers whether the journal still holds that tip.
    async fn read_on(&self, tip: Tip) -> Result<bool, Error> {
        let last = tip.position.number().saturating_sub(1);
        let span = Span::From(Seq::new(last).unwrap_or(Seq::FIRST));
        let mut commits = self.opened.read(&self.key, span).await?;
        match self.opened.next(&mut commits).await {
            Some(Ok(commit)) if commit.tip() == tip => {}
            Some(Err(error)) if error.damage().is_none() => return Err(error.about(&self.key)),
            _ => return Ok(false),
        }
        while let Some(item) = self.opened.next(&mut commits).await {
            let mut folded = self.folded_mut();
            match item {
                Ok(commit) if folded.take(&commit) == Taken::Elsewhere => return Ok(false),
                Ok(_) => {}
                Err(error) => match error.damage() {
                    Some(place) => folded.note_damage(place),
                    None => return Err(error.about(&self.key)),
                },
            }
        }
        Ok(true)
    }

    /// Begins to read the journal; what was lost before it was made is told like damage of its own.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) async fn read(&self, span: Span) -> Result<Commits, Error> {
        let commits = self.opened.read(&self.key, span).await?;
        let folded = self.folded();
        let state = folded.state();
        Ok(lost::told(commits, span, state.position(), state.lost()))
    }

    /// Reads one entry.
    ///
    /// # Errors
    /// *corrupt* where it is not there any more; those of reading.
    pub(crate) async fn entry(&self, seq: Seq) -> Result<Entry, Error> {
        let mut commits = self.read(Span::From(seq)).await?;
        let commit = self.opened.next(&mut commits).await.transpose();
        let commit = commit.map_err(|error| error.about(&self.key))?;
        let mut entries = commit.into_iter().flat_map(|commit| commit.entries);
        entries.find(|entry| entry.seq == seq).ok_or_else(|| {
            let clause = format!("entry {seq} is not in the journal any more");
            Error::new(ErrorKind::Corrupt, clause).about(&self.key)
        })
    }

    /// Refuses a session that was deleted.
    ///
    /// # Errors
    /// *deleted*.
    pub(crate) fn refuse_deleted(&self) -> Result<(), Error> {
        match self.folded().state().lifecycle() {
            Lifecycle::Active | Lifecycle::Closed => Ok(()),
            Lifecycle::Deleted => {
                Err(Error::new(ErrorKind::Deleted, "it was deleted").about(&self.key))
            }
        }
    }

    /// Refuses a copy that is not whole.
    ///
    /// # Errors
    /// *incomplete*.
    pub(crate) fn refuse_incomplete(&self) -> Result<(), Error> {
        self.folded().state().refuse_incomplete()
    }

    /// Waits for the mutations before this one.
    pub(crate) async fn turn(&self) -> OwnedMutexGuard<Turn> {
        Arc::clone(&self.turn).lock_owned().await
    }

    /// What waits to be appended together.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The store's backend and options.
    pub(crate) const fn opened(&self) -> &Arc<Opened> {
        &self.opened
    }

    /// The session's name.
    pub(crate) const fn key(&self) -> &SessionKey {
        &self.key
    }

    /// What was folded, to look at.
    ///
    /// Folding is total, so a panic elsewhere leaves it whole.
    pub(crate) fn folded(&self) -> RwLockReadGuard<'_, Folded> {
        self.folded.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was folded, to add to.
    pub(crate) fn folded_mut(&self) -> RwLockWriteGuard<'_, Folded> {
        self.folded.write().unwrap_or_else(PoisonError::into_inner)
    }
}
