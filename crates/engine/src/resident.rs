//! A session that is open: its folded state, kept up with its journal by reading only.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use sessile_core::backend::{Commits, Span};
use sessile_core::commit::Tip;
use sessile_core::fold::Lifecycle;
use sessile_core::{Entry, Error, ErrorKind, Seq, SessionKey};
use tokio::sync::OwnedMutexGuard;

use crate::folded::{Folded, Taken};
use crate::gist;
use crate::joint::{Joint, Turn};
use crate::known::Known;
use crate::lost;
use crate::opened::Opened;
use crate::queue::Queue;
use crate::tail;

/// A session in memory.
///
/// Whoever has it may go on using it when it is not kept any more: what is decided on it is compared
/// with the journal when it is appended.
#[derive(Debug)]
pub(crate) struct Resident {
    opened: Arc<Opened>,
    key: SessionKey,
    /// Locked for moments only, never across a wait.
    folded: RwLock<Folded>,
    joint: Arc<Joint>,
}

impl Resident {
    /// Keeps what was folded.
    pub(crate) fn new(opened: Arc<Opened>, key: SessionKey, folded: Folded) -> Self {
        let joint = Arc::new(Joint::new(Known::of(&folded)));
        Self { opened, key, folded: RwLock::new(folded), joint }
    }

    /// Reads and folds a journal; writes nothing, anywhere.
    ///
    /// # Errors
    /// *missing*, *corrupt* where the header can't be read or is another session's, *unknown
    /// version*, *unavailable*, *deadline*, *permission*. Damage further on is noted, not an
    /// error.
    pub(crate) async fn load(opened: Arc<Opened>, key: SessionKey) -> Result<Self, Error> {
        let folded = read(&opened, &key).await?;
        let resident = Self::new(opened, key, folded);
        resident.note_gist();
        Ok(resident)
    }

    /// Reads and folds the journal of a session that handles share.
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub(crate) async fn load_for(
        opened: Arc<Opened>,
        key: SessionKey,
        joint: Arc<Joint>,
    ) -> Result<Self, Error> {
        let folded = read(&opened, &key).await?;
        let resident = Self { opened, key, folded: RwLock::new(folded), joint };
        resident.note_read();
        resident.note_gist();
        Ok(resident)
    }

    /// Tells the backend what a listing may show of the session as it was folded.
    pub(crate) fn note_gist(&self) {
        let gist = gist::of(&self.folded());
        if let Some(gist) = gist {
            self.opened.backend().note(&self.key, Arc::new(gist));
        }
    }

    /// The same session with what its handles share.
    pub(crate) fn shared(mut self, joint: Arc<Joint>) -> Self {
        if !Arc::ptr_eq(&self.joint, &joint) {
            self.joint = joint;
            self.note_read();
        }
        self
    }

    /// Notes what was read for whoever comes when it is cold; and what was known before of what was
    /// set aside.
    fn note_read(&self) {
        let mut folded = self.folded_mut();
        self.joint.known(|known| folded.remember(known.repaired()));
        self.joint.note_read(Known::of(&folded));
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
        anew.remember(folded.repaired());
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
        self.joint.turn().await
    }

    /// What waits to be appended together.
    pub(crate) fn queue(&self) -> &Queue {
        self.joint.queue()
    }

    /// What the handles of the session share.
    pub(crate) const fn joint(&self) -> &Arc<Joint> {
        &self.joint
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

    /// What was folded, to add to; who waits for news of it is told then.
    pub(crate) fn folded_mut(&self) -> FoldedMut<'_> {
        let folded = self.folded.write().unwrap_or_else(PoisonError::into_inner);
        FoldedMut { folded, joint: &self.joint }
    }
}

/// Reads and folds a journal.
async fn read(opened: &Opened, key: &SessionKey) -> Result<Folded, Error> {
    let head = opened.head(key).await?;
    let mut folded = tail::fold(opened, key, &head).await?;
    folded.note_end(head.tip, head.tail);
    Ok(folded)
}

/// What was folded, while it is added to.
#[derive(Debug)]
pub(crate) struct FoldedMut<'a> {
    folded: RwLockWriteGuard<'a, Folded>,
    joint: &'a Joint,
}

impl Deref for FoldedMut<'_> {
    type Target = Folded;

    fn deref(&self) -> &Folded {
        &self.folded
    }
}

impl DerefMut for FoldedMut<'_> {
    fn deref_mut(&mut self) -> &mut Folded {
        &mut self.folded
    }
}

impl Drop for FoldedMut<'_> {
    fn drop(&mut self) {
        self.joint.reach(self.folded.state().position());
    }
}
