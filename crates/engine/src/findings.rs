//! What was found of a journal that is not served.

use sessile_core::backend::SetAside;
use sessile_core::entry::shape::Lost;
use sessile_core::error::DamagePlace;
use sessile_core::{Position, Seq, SessionId};

use crate::receipt::Receipt;

/// What a receipt is made of, for whoever has opened the session at whatever position.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    /// How many entries can be read.
    pub(crate) entries: u64,
    /// Where they end.
    pub(crate) position: Position,
    /// What was set aside, by the entries that tell of it.
    pub(crate) repaired: Vec<(Seq, SetAside)>,
    /// A torn tail that the next append will set aside.
    pub(crate) tail: Option<SetAside>,
    /// Damage to what was acknowledged.
    pub(crate) damage: Vec<DamagePlace>,
    /// What was lost before the journal was made.
    pub(crate) lost: Vec<Lost>,
    /// Derived states that are not what they should be.
    pub(crate) passed_over: Vec<Seq>,
}

impl Findings {
    /// Whether there is nothing to tell.
    pub(crate) const fn is_empty(&self) -> bool {
        self.repaired.is_empty()
            && self.tail.is_none()
            && self.damage.is_empty()
            && self.lost.is_empty()
            && self.passed_over.is_empty()
    }

    /// What there is to tell to whoever has opened the session when its journal ended at a position:
    /// repairs from there on are news.
    pub(crate) fn receipt(&self, session: &SessionId, opened_at: Position) -> Option<Receipt> {
        let is_news = |seq: &Seq| seq.number() >= opened_at.number();
        let news = self.repaired.iter().filter(|(seq, _)| is_news(seq));
        let set_aside: Vec<SetAside> =
            news.map(|(_, aside)| aside).chain(&self.tail).cloned().collect();
        let is_whole = self.damage.is_empty() && self.lost.is_empty();
        if set_aside.is_empty() && is_whole && self.passed_over.is_empty() {
            return None;
        }
        Some(Receipt {
            session: session.clone(),
            entries: self.entries,
            position: self.position,
            set_aside,
            damage: self.damage.clone(),
            lost: self.lost.clone(),
            passed_over: self.passed_over.clone(),
        })
    }
}
