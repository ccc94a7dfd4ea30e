//! What requests have done to one session, kept in lists and maps.

use std::collections::BTreeMap;

use sessile_core::Seq;
use sessile_core::admission::Recovery;
use sessile_core::entry::shape::OutcomeStatus;

/// What is known of a side effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Nothing,
    Done,
    NotExecuted,
}

/// The request that holds the session.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) id: String,
    pub(super) claim: Seq,
    pub(super) released: bool,
    /// What its turn has written and nobody else sees.
    pub(super) pending: Vec<String>,
    /// The number of its last checkpoint, and whether work was under way.
    pub(super) checkpoint: Option<(u64, bool)>,
    pub(super) actions: BTreeMap<String, Known>,
}

impl Held {
    /// Whether nobody knows what came of one of its actions.
    pub(super) fn is_unclear(&self) -> bool {
        self.actions.values().any(|known| *known == Known::Nothing)
    }

    /// Whether a recovery is refused because nobody decided what is to be done again.
    pub(super) fn is_undecided(&self, recovery: Recovery) -> bool {
        let in_flight = self.checkpoint.is_some_and(|(_, in_flight)| in_flight);
        in_flight && recovery == Recovery::Reject
    }

    /// Goes on under another claim.
    pub(super) fn recover(&mut self, claim: Seq, recovery: Recovery) {
        let keeps = match recovery {
            Recovery::Reject => self.checkpoint.is_some(),
            Recovery::Restart => false,
            Recovery::Resume => true,
        };
        if !keeps {
            self.pending.clear();
        }
        self.claim = claim;
        self.released = false;
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) status: OutcomeStatus,
    pub(super) result: Option<String>,
    pub(super) claim: Seq,
    pub(super) seq: Seq,
}

/// The session: its messages, who holds it, and what ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    pub(super) messages: Vec<String>,
    pub(super) events: u64,
    pub(super) held: Option<Held>,
    pub(super) ended: BTreeMap<String, End>,
}

impl Book {
    /// A request takes the session for the first time.
    pub(super) fn begin(&mut self, id: &str, claim: Seq) {
        self.held = Some(Held {
            id: id.to_owned(),
            claim,
            released: false,
            pending: Vec::new(),
            checkpoint: None,
            actions: BTreeMap::new(),
        });
    }

    /// The request that holds the session, if it does so under this claim.
    pub(super) fn held_under(&mut self, claim: Seq) -> Option<&mut Held> {
        self.held.as_mut().filter(|held| held.claim == claim && !held.released)
    }

    /// The request that holds the session ended.
    pub(super) fn end(&mut self, end: End) {
        let Some(held) = self.held.take() else { return };
        if end.status == OutcomeStatus::Completed {
            self.messages.extend(held.pending);
        }
        self.ended.insert(held.id, end);
    }

    /// How a request ended whose turn asks once more, if that is what ended it.
    pub(super) fn ended_by(&self, id: &str, claim: Seq) -> Option<&End> {
        // What a deletion ended no turn has ended.
        self.ended.get(id).filter(|end| end.claim == claim && end.seq != claim)
    }
}
