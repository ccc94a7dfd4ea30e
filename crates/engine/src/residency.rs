//! Which sessions of a store are in memory: a cache of folds, and never the truth.
//!
//! A session is hot once something was to be changed of it, until others were changed more
//! recently. What was opened or was hot before is kept folded as long as there is room for it; of
//! every other session that somebody has a handle of only what [`Known`] has is left, and whoever
//! wants more reads the end of its journal.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use sessile_core::SessionKey;
use sessile_core::fold::Lifecycle;

use crate::behind::Behind;
use crate::joint::Joint;
use crate::known::Known;
use crate::resident::Resident;

/// The folds that a store keeps.
#[derive(Debug)]
pub(crate) struct Residency {
    hot_target: usize,
    cache_target: usize,
    table: Mutex<Table>,
    /// What waits to be written; none where everything is durable before it is told.
    behind: Option<Arc<Behind>>,
}

/// How many folds a store keeps, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) hot: usize,
    pub(crate) cached: usize,
    pub(crate) bytes: usize,
    pub(crate) evictions: u64,
}

#[derive(Debug, Default)]
struct Table {
    slots: HashMap<SessionKey, Slot>,
    /// Those that are hot and those that are not, by when they were last used.
    hot: BTreeMap<u64, SessionKey>,
    cached: BTreeMap<u64, SessionKey>,
    /// What handles share; those of which there is none any more are dropped now and then.
    joints: HashMap<SessionKey, Weak<Joint>>,
    sweep_at: usize,
    /// Counts uses.
    uses: u64,
    bytes: usize,
    evictions: u64,
}

#[derive(Debug)]
struct Slot {
    resident: Arc<Resident>,
    is_hot: bool,
    used: u64,
    weight: usize,
}

impl Residency {
    /// Keeps at most so many hot, and about so many bytes of folds.
    pub(crate) fn new(hot_target: usize, cache_target: usize) -> Self {
        let hot_target = hot_target.max(1);
        Self { hot_target, cache_target, table: Mutex::default(), behind: None }
    }

    /// The same, and what is told may wait so long to be written.
    pub(crate) fn writing_behind(mut self, window: Option<Duration>) -> Self {
        self.behind = window.map(Behind::new);
        self
    }

    /// What waits to be written; none where everything is durable before it is told.
    pub(crate) const fn behind(&self) -> Option<&Arc<Behind>> {
        self.behind.as_ref()
    }

    /// What the handles of a session share: what others share already, or else this.
    pub(crate) fn share(&self, key: &SessionKey, joint: &Arc<Joint>) -> Arc<Joint> {
        self.lock().share(key, joint)
    }

    /// The fold of a session, if it is kept; it was used then.
    pub(crate) fn find(&self, key: &SessionKey) -> Option<Arc<Resident>> {
        let mut table = self.lock();
        table.touch(key);
        table.slots.get(key).map(|slot| Arc::clone(&slot.resident))
    }

    /// The fold of a session, if it is kept, without any use of it.
    pub(crate) fn peek(&self, key: &SessionKey) -> Option<Arc<Resident>> {
        self.lock().slots.get(key).map(|slot| Arc::clone(&slot.resident))
    }

    /// Keeps a fold that was read, unless one is kept of a longer journal; answers which one is. It
    /// is not hot by that.
    pub(crate) fn keep(&self, resident: Resident) -> Arc<Resident> {
        let mut table = self.lock();
        let resident = table.keep(resident);
        self.make_room(&mut table, None);
        resident
    }

    /// Makes the fold hot that is kept of a session, if there is one, and cools others down.
    pub(crate) fn heat(&self, key: &SessionKey) -> Option<Arc<Resident>> {
        let mut table = self.lock();
        let resident = table.heat(key)?;
        self.cool_down(&mut table, key);
        self.make_room(&mut table, Some(key));
        Some(resident)
    }

    /// Keeps a fold that was read, as [`keep`](Self::keep) does, and makes it hot.
    pub(crate) fn keep_hot(&self, resident: Resident) -> Arc<Resident> {
        let mut table = self.lock();
        let resident = table.keep(resident);
        table.heat(resident.key());
        self.cool_down(&mut table, resident.key());
        self.make_room(&mut table, Some(resident.key()));
        resident
    }

    /// Takes note of what became of a fold by its use: what it weighs, that it is closed, or, if it
    /// is not kept, what is left of it.
    pub(crate) fn settle(&self, resident: &Arc<Resident>) {
        let (weight, is_open) = {
            let folded = resident.folded();
            (folded.weight(), folded.state().lifecycle() == Lifecycle::Active)
        };
        let mut table = self.lock();
        let key = resident.key();
        if !table.weigh(resident, weight) {
            drop(table);
            resident.joint().note(Known::of(&resident.folded()));
            return;
        }
        if !is_open {
            table.cool(key);
        }
        self.make_room(&mut table, is_open.then_some(key));
    }

    /// Whether a session is hot.
    pub(crate) fn is_hot(&self, key: &SessionKey) -> bool {
        self.lock().is_hot(key)
    }

    /// Drops what is kept of a session, unless it is held; answers whether anything was.
    pub(crate) fn evict(&self, key: &SessionKey) -> bool {
        self.lock().evict(key)
    }

    /// Drops all that is kept and not held; answers of how many sessions.
    pub(crate) fn evict_all(&self) -> usize {
        let mut table = self.lock();
        let keys: Vec<SessionKey> = table.slots.keys().cloned().collect();
        keys.iter().filter(|key| table.evict(key)).count()
    }

    pub(crate) fn figures(&self) -> Figures {
        let table = self.lock();
        let (hot, cached) = (table.hot.len(), table.cached.len());
        Figures { hot, cached, bytes: table.bytes, evictions: table.evictions }
    }

    /// Makes those that were changed least recently cold, until there are no more hot than there
    /// are to be. The one that was just made hot stays it.
    fn cool_down(&self, table: &mut Table, protected: &SessionKey) {
        let over = table.hot.len().saturating_sub(self.hot_target);
        let may_cool = |key: &&SessionKey| *key != protected && !table.is_held(key);
        let coldest: Vec<SessionKey> =
            table.hot.values().filter(may_cool).take(over).cloned().collect();
        for key in coldest {
            table.cool(&key);
            table.evictions += 1;
        }
    }

    /// Drops folds until there are no more bytes of them than there are to be: first those that are
    /// cold, then those that are hot, and never the protected one.
    fn make_room(&self, table: &mut Table, protected: Option<&SessionKey>) {
        while table.bytes > self.cache_target {
            let may_go = |key: &&SessionKey| Some(*key) != protected && !table.is_held(key);
            let oldest = table.cached.values().chain(table.hot.values()).find(may_go).cloned();
            let Some(oldest) = oldest else { return };
            table.evictions += u64::from(table.is_hot(&oldest));
            table.evict(&oldest);
        }
    }

    /// What is changed under the lock is changed at once, so a holder that panicked leaves it
    /// whole.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn share(&mut self, key: &SessionKey, joint: &Arc<Joint>) -> Arc<Joint> {
        if let Some(shared) = self.joints.get(key).and_then(Weak::upgrade) {
            return shared;
        }
        if self.joints.len() >= self.sweep_at {
            self.joints.retain(|_, joint| joint.strong_count() > 0);
            self.sweep_at = self.joints.len() * 2 + 64;
        }
        self.joints.insert(key.clone(), Arc::downgrade(joint));
        Arc::clone(joint)
    }

    fn keep(&mut self, resident: Resident) -> Arc<Resident> {
        let key = resident.key().clone();
        let weight = resident.folded().weight();
        let position = |resident: &Resident| resident.folded().state().position();
        if let Some(slot) = self.slots.get_mut(&key) {
            if position(&slot.resident) <= position(&resident) {
                slot.resident = Arc::new(resident);
                self.bytes = self.bytes.saturating_sub(slot.weight).saturating_add(weight);
                slot.weight = weight;
            }
            return Arc::clone(&slot.resident);
        }
        let (resident, used) = (Arc::new(resident), self.next_use());
        self.bytes += weight;
        self.cached.insert(used, key.clone());
        let slot = Slot { resident: Arc::clone(&resident), is_hot: false, used, weight };
        self.slots.insert(key, slot);
        resident
    }

    const fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// Notes a use.
    fn touch(&mut self, key: &SessionKey) {
        let used = self.next_use();
        if let Some(slot) = self.slots.get_mut(key) {
            let order = if slot.is_hot { &mut self.hot } else { &mut self.cached };
            order.remove(&slot.used);
            order.insert(used, key.clone());
            slot.used = used;
        }
    }

    fn heat(&mut self, key: &SessionKey) -> Option<Arc<Resident>> {
        let used = self.next_use();
        let slot = self.slots.get_mut(key)?;
        let order = if slot.is_hot { &mut self.hot } else { &mut self.cached };
        order.remove(&slot.used);
        self.hot.insert(used, key.clone());
        (slot.used, slot.is_hot) = (used, true);
        Some(Arc::clone(&slot.resident))
    }

    fn cool(&mut self, key: &SessionKey) {
        if let Some(slot) = self.slots.get_mut(key).filter(|slot| slot.is_hot) {
            slot.is_hot = false;
            self.hot.remove(&slot.used);
            self.cached.insert(slot.used, key.clone());
        }
    }

    /// Notes what a fold weighs, if it is the one that is kept.
    fn weigh(&mut self, resident: &Arc<Resident>, weight: usize) -> bool {
        let slot = self.slots.get_mut(resident.key());
        let Some(slot) = slot.filter(|slot| Arc::ptr_eq(&slot.resident, resident)) else {
            return false;
        };
        self.bytes = self.bytes.saturating_sub(slot.weight).saturating_add(weight);
        slot.weight = weight;
        true
    }

    fn is_held(&self, key: &SessionKey) -> bool {
        self.slots.get(key).is_some_and(|slot| slot.resident.joint().is_held())
    }

    fn is_hot(&self, key: &SessionKey) -> bool {
        self.slots.get(key).is_some_and(|slot| slot.is_hot)
    }

    /// Drops what is kept of a session, unless it is held; answers whether anything was.
    fn evict(&mut self, key: &SessionKey) -> bool {
        if self.is_held(key) {
            return false;
        }
        let Some(slot) = self.slots.remove(key) else {
            return false;
        };
        self.hot.remove(&slot.used);
        self.cached.remove(&slot.used);
        self.bytes = self.bytes.saturating_sub(slot.weight);
        let known = Known::of(&slot.resident.folded());
        slot.resident.joint().note(known);
        true
    }
}
