//! A handle's place at a session, which may be in memory or not.

use std::ops::Deref;
use std::sync::Arc;

use sessile_core::entry::shape::Dialect;
use sessile_core::fold::Lifecycle;
use sessile_core::{Error, Position, SessionKey};

use crate::info::Info;
use crate::joint::Joint;
use crate::known::Known;
use crate::opened::Opened;
use crate::receipt::Receipt;
use crate::residency::Residency;
use crate::resident::Resident;

/// What a handle and its clones have of a session.
#[derive(Debug)]
pub(crate) struct Seat {
    opened: Arc<Opened>,
    residency: Arc<Residency>,
    key: SessionKey,
    joint: Arc<Joint>,
    /// Where the journal ended when it was opened: repairs from there on are news.
    opened_at: Position,
    /// Counts it as open.
    _counted: Arc<()>,
}

impl Seat {
    /// Takes a place at a session that was read, and keeps its fold if there is room.
    pub(crate) fn take(residency: &Arc<Residency>, resident: Resident) -> Self {
        let (opened, key) = (Arc::clone(resident.opened()), resident.key().clone());
        let joint = residency.share(&key, resident.joint());
        let opened_at = resident.folded().state().position();
        residency.keep(resident.shared(Arc::clone(&joint)));
        let (residency, counted) = (Arc::clone(residency), opened.count_session());
        Self { opened, residency, key, joint, opened_at, _counted: counted }
    }

    /// The store's backend and options.
    pub(crate) const fn opened(&self) -> &Arc<Opened> {
        &self.opened
    }

    /// What the store keeps in memory.
    pub(crate) const fn residency(&self) -> &Arc<Residency> {
        &self.residency
    }

    /// The session's name.
    pub(crate) const fn key(&self) -> &SessionKey {
        &self.key
    }

    /// The fold, to look at: the one that is kept, or else one for this use only.
    ///
    /// # Errors
    /// Those of reading the end of the journal.
    pub(crate) async fn at_hand(&self) -> Result<InUse, Error> {
        if let Some(resident) = self.residency.find(&self.key) {
            return Ok(self.in_use(resident, false));
        }
        Ok(self.in_use(Arc::new(self.load().await?), true))
    }

    /// The fold, to change the session on it: it is hot from here on, unless the session is closed.
    ///
    /// # Errors
    /// Those of reading the end of the journal: what can't be read is not changed, and what is
    /// known of it stays.
    pub(crate) async fn admit(&self) -> Result<InUse, Error> {
        if let Some(resident) = self.residency.heat(&self.key) {
            return Ok(self.in_use(resident, false));
        }
        let _loading = self.opened.deadline().bound(self.joint.loading()).await?;
        if let Some(resident) = self.residency.heat(&self.key) {
            return Ok(self.in_use(resident, false));
        }
        let resident = self.load().await?;
        let is_open = resident.folded().state().lifecycle() == Lifecycle::Active;
        let resident = if is_open { self.residency.keep_hot(resident) } else { Arc::new(resident) };
        Ok(self.in_use(resident, true))
    }

    async fn load(&self) -> Result<Resident, Error> {
        let (opened, key) = (Arc::clone(&self.opened), self.key.clone());
        // Boxed: it is large, seldom needed, and part of every call's future.
        Box::pin(Resident::load_for(opened, key, Arc::clone(&self.joint))).await
    }

    fn in_use(&self, resident: Arc<Resident>, is_fresh: bool) -> InUse {
        InUse { resident, residency: Arc::clone(&self.residency), is_fresh }
    }

    /// What is known of the session, without looking again.
    pub(crate) fn info(&self) -> Info {
        if let Some(resident) = self.residency.peek(&self.key) {
            return Info::of(&resident.folded());
        }
        self.joint.known(|known| known.info().clone())
    }

    /// How its messages are read.
    pub(crate) fn dialect(&self) -> Dialect {
        self.joint.known(|known| known.info().header.dialect)
    }

    /// Where its journal ends, as far as is known.
    pub(crate) fn position(&self) -> Position {
        match self.residency.peek(&self.key) {
            Some(resident) => resident.folded().state().position(),
            None => self.joint.known(Known::position),
        }
    }

    /// What was found damaged or was set aside, on opening or since.
    pub(crate) fn receipt(&self) -> Option<Receipt> {
        match self.residency.peek(&self.key) {
            Some(resident) => resident.folded().findings()?.receipt(&self.key.id, self.opened_at),
            None => self.joint.known(|known| known.receipt(self.opened_at)),
        }
    }

    /// Waits until its journal is known to reach beyond a position; answers how far.
    pub(crate) async fn moved_past(&self, position: Position) -> Position {
        self.joint.moved_past(position).await
    }
}

/// A fold in use; what became of it is noted in the end.
#[derive(Debug)]
pub(crate) struct InUse {
    resident: Arc<Resident>,
    residency: Arc<Residency>,
    is_fresh: bool,
}

impl InUse {
    /// Whether it was read for this use.
    pub(crate) const fn is_fresh(&self) -> bool {
        self.is_fresh
    }
}

impl Deref for InUse {
    type Target = Arc<Resident>;

    fn deref(&self) -> &Arc<Resident> {
        &self.resident
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.residency.settle(&self.resident);
    }
}
