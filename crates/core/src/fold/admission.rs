//! Who holds the session: the fold of claims, of what stands under them, and of what ends them.

use serde::{Deserialize, Serialize};

use super::turn::Active;
use crate::entry::shape::{Approval, Checkpoint, Claim, Completion, Decision, Intent, Outcome};
use crate::entry::{Entry, EntryType};
use crate::error::DamagePlace;
use crate::id::Name;
use crate::position::Seq;

/// Which request holds a session, and what stands there that no request may rely upon.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Admission;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let untouched: Admission = session.state().await?.admission().clone();
/// assert!(untouched.is_untouched() && untouched.claim().is_none());
///
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// let held = session.state().await?.admission().clone();
/// assert_eq!(held.claim(), Some(turn.claim()));
/// assert_eq!(held.active().map(|active| active.request.as_str()), Some("req-1"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admission {
    #[serde(default)]
    standing: Standing,
    /// The last claim or outcome that counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<Seq>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strays: Option<Strays>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inherited: Vec<Inherited>,
    /// The first entry that can't be read. No state is kept behind it.
    #[serde(skip)]
    unreadable: Option<Seq>,
}

/// Which claim stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Standing {
    /// None.
    #[default]
    Idle,
    /// That of a request.
    Active(Box<Active>),
    /// One of which nothing but its number is known: it can't be read, or damage hides it.
    Unknown(Seq),
}

/// Entries of turns that stand under a claim that did not stand: a program has written them that
/// did not see that it was fenced. They change nothing.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Expected};
/// use sessile_core::digest::Token;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Strays;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, UnixMillis};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.commit("hello").await?;
/// // A program that did not see that its request had ended goes on writing for it.
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("too late")?);
/// let entry = NewEntry { claim: Some(turn.claim()), ..entry };
/// let token = Token::from_random([1; 16]);
/// let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// place.append(&key, Expected::End, vec![commit]).await?;
///
/// let info = session.refresh().await?;
/// let Strays { count, first, .. } = info.strays.expect("it stands there");
/// // It is told, and changes nothing.
/// assert_eq!((count, first.number(), info.messages), (1, 3, 0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Strays {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Seq,
    /// The last of them.
    pub last: Seq,
}

/// A side effect of which nobody knows whether it happened, intended in the session that this one
/// was forked from.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Inherited;
/// use sessile_engine::Action;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// drop(turn.intend(Action::new("call_1", "refund", "{}")).await?);
/// // A fork begins free, and tells of what may have happened.
/// let fork = session.fork_as("ses_43", None).await?;
/// let inherited: &Inherited = &fork.info().inherited[0];
/// assert_eq!((inherited.action.as_str(), inherited.name.as_str()), ("call_1", "refund"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Inherited {
    /// The entry that says what was intended.
    pub seq: Seq,
    /// The action's id.
    pub action: Name,
    /// What was to be called.
    pub name: Name,
}

/// What an entry of a turn comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It counts.
    Counts,
    /// It counts, and messages that pended before it do so no more.
    StartsAnew,
    /// It ends the request.
    Ends(Option<Box<Active>>, Box<Outcome>),
    /// It can't be read.
    Unreadable,
}

impl Admission {
    /// The request that holds the session.
    pub fn active(&self) -> Option<&Active> {
        match &self.standing {
            Standing::Active(active) => Some(active),
            Standing::Idle | Standing::Unknown(_) => None,
        }
    }

    /// The claim that stands, also where no more is known of it.
    pub fn claim(&self) -> Option<Seq> {
        match &self.standing {
            Standing::Active(active) => Some(active.claim),
            Standing::Unknown(claim) => Some(*claim),
            Standing::Idle => None,
        }
    }

    /// Whether no request has claimed the session yet, but for those that a fork has inherited.
    pub const fn is_untouched(&self) -> bool {
        self.last.is_none() && matches!(self.standing, Standing::Idle)
    }

    /// The first entry of admission that can't be read.
    pub const fn unreadable(&self) -> Option<Seq> {
        self.unreadable
    }

    /// What stands under claims that did not stand.
    pub const fn strays(&self) -> Option<Strays> {
        self.strays
    }

    /// What was intended and is not known to have happened, of requests that were active when this
    /// session was forked.
    pub fn inherited(&self) -> &[Inherited] {
        &self.inherited
    }

    /// Whether an entry's claim stands. One that damage may hide does, as far as anybody knows.
    pub(super) fn stands(&mut self, entry: &Entry, damage: &[DamagePlace]) -> bool {
        let Some(claim) = entry.claim else {
            return false;
        };
        if self.claim() == Some(claim) {
            return !self.active().is_some_and(|active| active.released);
        }
        let is_news = Some(claim) > self.last && claim < entry.seq;
        let may_hide = |place: &DamagePlace| place.seq <= claim && Some(place.seq) > self.last;
        let is_lost = is_news && damage.iter().any(may_hide);
        if is_lost {
            self.standing = Standing::Unknown(claim);
            self.last = Some(claim);
        }
        is_lost
    }

    /// Notes an entry that counts for nothing.
    pub(super) fn stray(&mut self, seq: Seq) {
        let strays = self.strays.get_or_insert(Strays { count: 0, first: seq, last: seq });
        strays.count += 1;
        strays.last = seq;
    }

    /// Takes a claim of a session that has so many stable messages.
    pub(super) fn take_claim(
        &mut self,
        entry: &Entry,
        messages: u64,
        damage: &[DamagePlace],
    ) -> Taken {
        let Ok(claim) = entry.data.decode::<Claim>() else {
            self.last = Some(entry.seq);
            self.standing = Standing::Unknown(entry.seq);
            return self.note_unreadable(entry.seq);
        };
        let resumes = claim.resumes;
        match &mut self.standing {
            Standing::Active(active) if active.is_recovered_by(&claim) => {
                active.recover(entry, claim, messages);
            }
            // The outcome may have been damaged; else nobody may claim what is claimed.
            Standing::Active(active) if !damage.iter().any(|place| place.seq > active.claim) => {
                self.stray(entry.seq);
                return Taken::Counts;
            }
            // What was known before of the request that it takes over can't be read.
            Standing::Unknown(before) if claim.recovers == Some(*before) => {
                *before = entry.seq;
            }
            standing => {
                *standing = Standing::Active(Box::new(Active::new(entry, claim, messages)));
            }
        }
        self.last = Some(entry.seq);
        if resumes { Taken::Counts } else { Taken::StartsAnew }
    }

    /// Takes an entry of a turn whose claim stands.
    pub(super) fn take(&mut self, entry: &Entry) -> Taken {
        let seq = entry.seq;
        let data = &entry.data;
        let active = match &mut self.standing {
            Standing::Active(active) => Some(&mut **active),
            Standing::Idle | Standing::Unknown(_) => None,
        };
        let taken = match entry.entry_type {
            EntryType::Checkpoint => data.decode::<Checkpoint>().map(|checkpoint| {
                active.map(|active| active.take_checkpoint(seq, checkpoint)).is_some()
            }),
            EntryType::Intent => data
                .decode::<Intent>()
                .map(|intent| active.map(|active| active.take_intent(seq, intent)).is_some()),
            EntryType::Completion => data.decode::<Completion>().map(|completion| {
                active.map(|active| active.take_completion(seq, &completion)).is_some()
            }),
            EntryType::Approval => data
                .decode::<Approval>()
                .map(|approval| active.map(|active| active.take_approval(seq, approval)).is_some()),
            EntryType::Outcome => return self.take_outcome(entry),
            _ => return Taken::Counts,
        };
        match taken {
            Ok(_) => Taken::Counts,
            Err(_) => self.note_unreadable(seq),
        }
    }

    /// Takes a decision; one of an approval that nobody waits for decides nothing.
    pub(super) fn take_decision(&mut self, entry: &Entry) -> Taken {
        let Ok(decision) = entry.data.decode::<Decision>() else {
            return self.note_unreadable(entry.seq);
        };
        if let Standing::Active(active) = &mut self.standing {
            active.take_decision(entry.seq, &decision);
        }
        Taken::Counts
    }

    fn take_outcome(&mut self, entry: &Entry) -> Taken {
        let Ok(outcome) = entry.data.decode::<Outcome>() else {
            return self.note_unreadable(entry.seq);
        };
        if self.active().is_some_and(|active| active.request != outcome.request) {
            self.stray(entry.seq);
            return Taken::Counts;
        }
        self.last = Some(entry.seq);
        let active = match std::mem::take(&mut self.standing) {
            Standing::Active(active) => Some(active),
            Standing::Idle | Standing::Unknown(_) => None,
        };
        Taken::Ends(active, Box::new(outcome))
    }

    /// Takes the tombstone: nothing is active behind it. Answers what was.
    pub(super) fn take_deletion(&mut self) -> Option<Box<Active>> {
        match std::mem::take(&mut self.standing) {
            Standing::Active(active) => Some(active),
            Standing::Idle | Standing::Unknown(_) => None,
        }
    }

    /// Takes the first own entry of a fork: it has no requests yet, and open intents of what it
    /// was forked from are only told.
    pub(super) fn inherit(&mut self) {
        let inherited = std::mem::take(self);
        self.inherited = inherited.inherited;
        if let Standing::Active(active) = inherited.standing {
            let open = active.indeterminate();
            self.inherited.extend(open.map(|(action, intended)| Inherited {
                seq: intended.seq,
                action: action.clone(),
                name: intended.name.clone(),
            }));
        }
        self.unreadable = inherited.unreadable;
    }

    fn note_unreadable(&mut self, seq: Seq) -> Taken {
        self.unreadable.get_or_insert(seq);
        Taken::Unreadable
    }
}
