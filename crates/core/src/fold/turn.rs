//! The request that holds a session, as its claims and its turn's entries have left it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::entry::Entry;
use crate::entry::shape::{
    Approval, Checkpoint, Claim, Completion, Contract, Decision, Intent, call,
};
use crate::error::Occupant;
use crate::id::{Name, RequestId};
use crate::position::Seq;
use crate::text::Text;
use crate::time::UnixMillis;
use crate::usage::Usage;

/// The one request that holds a session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Active;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// let active: Active = session.refresh().await?.active.expect("the request holds it");
/// assert_eq!((active.request.as_str(), active.claim), ("req-1", turn.claim()));
/// // What anybody else is told who asks for the session meanwhile.
/// assert_eq!(&*active.occupant().request, "req-1");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Active {
    /// The request's id.
    pub request: RequestId,
    /// Its last claim: the fencing token, and what a recovery must name.
    pub claim: Seq,
    /// When that was made, by its writer's clock.
    pub since: UnixMillis,
    /// A label of who made it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Text>,
    /// The digest of the exact bytes of its input.
    pub input: Digest,
    /// Its terms: those of its first claim.
    pub contract: Contract,
    /// What it has used at least: the greatest of what its claims and checkpoints say, component by
    /// component. Work that none of them tells of may have used more.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// The claim that the last one took over from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovers: Option<Seq>,
    /// Whether nobody holds it, so that the same request may take it over without a recovery.
    #[serde(default)]
    pub released: bool,
    /// How many stable messages there were when it was last claimed.
    pub messages: u64,
    /// The last checkpoint, under whichever claim it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<LastCheckpoint>,
    /// The entry that holds the last checkpoint of each kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<Name, Seq>,
    /// What was intended, by the action's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub intents: BTreeMap<Name, Intended>,
    /// What leave was asked for, by the approval's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub approvals: BTreeMap<Name, Asked>,
}

/// A turn's last checkpoint, without its state.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::LastCheckpoint;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let mut turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.checkpoint("agent.step", 1, &["asked"]).await?;
/// turn.checkpoint("agent.step", 1, &["asked", "answered"]).await?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let last: LastCheckpoint = active.checkpoint.expect("one was stored");
/// assert_eq!((last.kind.as_str(), last.number, last.in_flight), ("agent.step", 1, false));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LastCheckpoint {
    /// The entry that holds it.
    pub seq: Seq,
    /// Its number within the request.
    pub number: u64,
    /// What kind of state it is.
    pub kind: Name,
    /// The version of that kind's schema.
    pub schema: u32,
    /// Whether work that it does not show may be under way.
    #[serde(default)]
    pub in_flight: bool,
    /// What it said had been used.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
}

/// A side effect that was to happen.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Intended;
/// use sessile_engine::Action;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// drop(turn.intend(Action::new("call_1", "refund", "{}")).await?);
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let intended: &Intended = &active.intents[&"call_1".parse()?];
/// assert_eq!((intended.name.as_str(), intended.claim), ("refund", turn.claim()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Intended {
    /// The entry that says so.
    pub seq: Seq,
    /// The claim under which it was written.
    pub claim: Seq,
    /// What is called.
    pub name: Name,
    /// The digest of its arguments' exact bytes.
    pub arguments: Digest,
    /// The approval that it has used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Name>,
    /// What is known of it.
    #[serde(default)]
    pub effect: Effect,
}

/// What is known of a side effect.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Effect;
/// use sessile_engine::{Action, Intent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// let intent = turn.intend(Action::new("call_1", "refund", "{}")).await?;
/// let action = "call_1".parse()?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// // Nobody has said what came of it.
/// assert_eq!(active.intents[&action].effect, Effect::Unknown);
/// let Intent::Fresh(intent) = intent else { panic!("it is new") };
/// intent.complete("refunded").await?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// assert!(matches!(active.intents[&action].effect, Effect::Done { .. }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Nothing: it may have happened, in whole or in part, or not.
    #[default]
    Unknown,
    /// It happened, and this entry holds what came of it.
    Done {
        /// The completion.
        seq: Seq,
        /// The digest of its output's exact bytes.
        output: Digest,
    },
    /// It did not happen, as this entry says.
    NotExecuted {
        /// The completion.
        seq: Seq,
    },
}

/// Leave that a turn has asked for.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Asked;
/// use sessile_engine::Action;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.ask("pay-1", &Action::new("call_1", "pay", "{}")).await?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let asked: &Asked = &active.approvals[&"pay-1".parse()?];
/// // Anybody may decide on it; nobody has.
/// assert!(asked.action.as_str() == "call_1" && asked.decided.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Asked {
    /// The entry that asks.
    pub seq: Seq,
    /// The action that it is for.
    pub action: Name,
    /// The digest of the exact call.
    pub call: Digest,
    /// What was decided, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// The intent that has used it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_by: Option<Seq>,
}

/// What was decided of an approval.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Decided;
/// use sessile_engine::Action;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.ask("pay-1", &Action::new("call_1", "pay", "{}")).await?;
/// let seq = session.decide("pay-1", false, None).await?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let decided: Decided = active.approvals[&"pay-1".parse()?].decided.expect("somebody has");
/// assert_eq!((decided.seq, decided.allow), (seq, false));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decided {
    /// The entry that decides.
    pub seq: Seq,
    /// Whether leave was given.
    pub allow: bool,
}

impl Active {
    /// A request that has just claimed the session, which has so many stable messages.
    pub(super) fn new(entry: &Entry, claim: Claim, messages: u64) -> Self {
        Self {
            request: claim.request,
            claim: entry.seq,
            since: entry.at,
            holder: claim.holder,
            input: claim.input,
            contract: claim.contract,
            usage: claim.usage,
            recovers: claim.recovers,
            released: claim.released,
            messages,
            checkpoint: None,
            kinds: BTreeMap::new(),
            intents: BTreeMap::new(),
            approvals: BTreeMap::new(),
        }
    }

    /// Whether a claim takes it over.
    pub(super) fn is_recovered_by(&self, claim: &Claim) -> bool {
        claim.recovers == Some(self.claim) && claim.request == self.request
    }

    /// Goes on under another claim: with its terms, its checkpoint, its intents, and no less usage.
    pub(super) fn recover(&mut self, entry: &Entry, claim: Claim, messages: u64) {
        self.recovers = claim.recovers;
        self.claim = entry.seq;
        self.since = entry.at;
        self.holder = claim.holder;
        self.usage = self.usage.max(&claim.usage);
        self.released = claim.released;
        self.messages = messages;
    }

    /// Takes a checkpoint.
    pub(super) fn take_checkpoint(&mut self, seq: Seq, checkpoint: Checkpoint) {
        let Checkpoint { kind, schema, number, in_flight, usage, state: _ } = checkpoint;
        self.usage = self.usage.max(&usage);
        self.kinds.insert(kind.clone(), seq);
        self.checkpoint = Some(LastCheckpoint { seq, number, kind, schema, in_flight, usage });
    }

    /// Takes an intent, which uses its approval up; a second one of an action counts only where
    /// the first is known not to have been executed.
    pub(super) fn take_intent(&mut self, seq: Seq, intent: Intent) {
        let Intent { action, name, arguments, approval } = intent;
        let before = self.intents.get(&action);
        if before.is_some_and(|it| !matches!(it.effect, Effect::NotExecuted { .. })) {
            return;
        }
        if let Some(asked) = approval.as_ref().and_then(|id| self.approvals.get_mut(id)) {
            asked.used_by.get_or_insert(seq);
        }
        let (claim, effect) = (self.claim, Effect::Unknown);
        self.intents.insert(action, Intended { seq, claim, name, arguments, approval, effect });
    }

    /// Takes what came of an intent; one that is not open any more is past being changed.
    pub(super) fn take_completion(&mut self, seq: Seq, completion: &Completion) {
        let intended = self.intents.get_mut(&completion.action);
        let open =
            intended.filter(|it| it.seq == completion.intent && it.effect == Effect::Unknown);
        if let Some(intended) = open {
            intended.effect = match &completion.output {
                Some(output) => {
                    Effect::Done { seq, output: Digest::of(output.as_str().as_bytes()) }
                }
                None => Effect::NotExecuted { seq },
            };
        }
    }

    /// Takes a question for leave; the first of an id counts.
    pub(super) fn take_approval(&mut self, seq: Seq, approval: Approval) {
        let Approval { id, action, call } = approval;
        let asked = Asked { seq, action, call, decided: None, used_by: None };
        self.approvals.entry(id).or_insert(asked);
    }

    /// Takes a decision; the first one counts.
    pub(super) fn take_decision(&mut self, seq: Seq, decision: &Decision) {
        if let Some(asked) = self.approvals.get_mut(&decision.approval) {
            asked.decided.get_or_insert(Decided { seq, allow: decision.allow });
        }
    }

    /// The actions of which nobody knows whether they happened, by id.
    pub fn indeterminate(&self) -> impl Iterator<Item = (&Name, &Intended)> {
        self.intents.iter().filter(|(_, intended)| intended.effect == Effect::Unknown)
    }

    /// Who holds it, as a *busy* tells.
    pub fn occupant(&self) -> Occupant {
        Occupant::new(self.request.as_str(), self.claim, self.since).labelled(self.holder.clone())
    }
}

impl Intended {
    /// The digest of the call that it makes.
    pub fn call(&self) -> Digest {
        call(&self.name, &self.arguments)
    }
}
