//! Shapes of the entries of admission and turns.

use serde::{Deserialize, Serialize};

use super::contract::Contract;
use crate::digest::Digest;
use crate::id::{Name, RequestId};
use crate::payload::Payload;
use crate::position::Seq;
use crate::text::Text;
use crate::time::UnixMillis;
use crate::usage::Usage;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// `claim`: a request takes the session; the entry's seq is the fencing token.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::{Claim, Contract};
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "refund it", &Contract::new()).await?.started()?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let claim: Claim = entries[1].data.decode()?;
/// // Its number is the fencing token, and of the input it has the digest only.
/// assert_eq!(entries[1].seq, turn.claim());
/// assert_eq!((claim.request.as_str(), claim.input), ("req-1", Digest::of(b"refund it")));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The request's id.
    pub request: RequestId,
    /// The digest of the exact bytes of its input.
    pub input: Digest,
    /// Its terms.
    pub contract: Contract,
    /// What had been used before it.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// A label of who holds it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Text>,
    /// The claim that it takes over from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovers: Option<Seq>,
    /// Whether the messages go on being the turn's that were written under the claims before it
    /// and are not adopted yet; else they stay as evidence.
    #[serde(default, skip_serializing_if = "is_false")]
    pub resumes: bool,
    /// Whether nobody holds it: it fences the holder before it, and who sends the same request
    /// again takes it over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub released: bool,
}

/// `checkpoint`: state from which a turn can go on.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::{Checkpoint, Contract};
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let mut turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.checkpoint("agent.step", 1, &["asked"]).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let checkpoint: Checkpoint = entries[2].data.decode()?;
/// // Who knows the kind and its schema can go on from the state; others carry it.
/// assert_eq!((checkpoint.kind.as_str(), checkpoint.schema), ("agent.step", 1));
/// assert_eq!((checkpoint.number, checkpoint.state.as_str()), (0, r#"["asked"]"#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// What kind of state it is, namespaced by its owner.
    pub kind: Name,
    /// The version of that kind's schema.
    pub schema: u32,
    /// Its number within the request, from 0.
    pub number: u64,
    /// Whether work that it does not show may be under way.
    #[serde(default)]
    pub in_flight: bool,
    /// What had been used by then.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// The state.
    pub state: Payload,
}

/// `intent`: a side effect is about to happen.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::{Contract, Intent};
/// use sessile_engine::{Action, From};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.intend(Action::new("call_1", "refund", r#"{"order":7}"#)).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let intent: Intent = entries[2].data.decode()?;
/// assert_eq!((intent.action.as_str(), intent.name.as_str()), ("call_1", "refund"));
/// // The same action with other arguments is another call, and a conflict.
/// assert_eq!(intent.arguments, Digest::of(br#"{"order":7}"#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The action's id, unique within its request.
    pub action: Name,
    /// What is called.
    pub name: Name,
    /// The digest of its arguments' exact bytes.
    pub arguments: Digest,
    /// The approval that it uses up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Name>,
}

/// `completion`: a side effect happened, or is known not to have.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::{Completion, Contract};
/// use sessile_engine::{Action, From, Intent};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// let intent = turn.intend(Action::new("call_1", "refund", "{}")).await?;
/// let Intent::Fresh(intent) = intent else { panic!("it is new") };
/// intent.complete("refunded").await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let completion: Completion = entries[3].data.decode()?;
/// assert_eq!((completion.intent, completion.reconciled), (intent.seq(), false));
/// assert_eq!(completion.output.map(|it| it.as_str().to_owned()), Some(r#""refunded""#.into()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The action's id.
    pub action: Name,
    /// The intent that it completes.
    pub intent: Seq,
    /// What came of it; absent if it was not executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Payload>,
    /// Whether somebody else than the holder found out.
    #[serde(default)]
    pub reconciled: bool,
}

/// `approval`: a turn asks for leave to act.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::{Approval, Contract, call};
/// use sessile_engine::{Action, From};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.ask("pay-1", &Action::new("call_1", "pay", r#"{"euro":9}"#)).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let approval: Approval = entries[2].data.decode()?;
/// // Leave is for this very call: for another sum it is none.
/// assert_eq!(approval.call, call(&"pay".parse()?, &Digest::of(br#"{"euro":9}"#)));
/// assert_ne!(approval.call, call(&"pay".parse()?, &Digest::of(br#"{"euro":900}"#)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The approval's id.
    pub id: Name,
    /// The action that it is for.
    pub action: Name,
    /// The digest of the exact call: of [`call`].
    pub call: Digest,
}

/// The digest of a call: of the name of what is called and of its arguments' digest.
pub fn call(name: &Name, arguments: &Digest) -> Digest {
    Digest::of_parts([name.as_str().as_bytes(), arguments.as_bytes()])
}

/// `decision`: leave is given or refused.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::{Contract, Decision};
/// use sessile_engine::{Action, From};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.ask("pay-1", &Action::new("call_1", "pay", "{}")).await?;
/// // By whoever may, in whichever process.
/// session.decide("pay-1", true, Some("ann".into())).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let Decision { approval, allow, by } = entries[3].data.decode()?;
/// assert_eq!((approval.as_str(), allow, by.as_deref()), ("pay-1", true, Some("ann")));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The approval's id.
    pub approval: Name,
    /// Whether leave is given.
    pub allow: bool,
    /// Who decided, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
}

/// How a request ended.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::OutcomeStatus;
///
/// assert_eq!(OutcomeStatus::Completed.name(), "completed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeStatus {
    /// With a result.
    Completed,
    /// With an error.
    Failed,
    /// By being called off.
    Cancelled,
    /// By being given up, by whoever.
    Abandoned,
}

impl OutcomeStatus {
    /// The stable name, as it stands in entries and in `--json` output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Abandoned => "abandoned",
        }
    }
}

/// `outcome`: a request ended, and the session is free.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::{Outcome, OutcomeStatus};
/// use sessile_core::{Entry, EntryType, NewEntry, Payload, Seq, UnixMillis};
///
/// let ended = r#"{"request":"req-7","status":"completed","messages":4,"result":"refunded"}"#;
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Outcome, Payload::parse(ended)?);
/// let mut entry: Entry = entry.numbered(Seq::FIRST);
/// // Its result can be taken away; how the request ended can't, because others rest on it.
/// entry.redact()?;
/// let outcome: Outcome = entry.data.decode()?;
/// assert_eq!((outcome.request.as_str(), outcome.status), ("req-7", OutcomeStatus::Completed));
/// assert!(outcome.redacted && outcome.result.is_none());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether its result and its reason were removed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub redacted: bool,
    /// The request's id.
    pub request: RequestId,
    /// The digest of the exact bytes of its input, by which a repeat is told from another request
    /// of its id; where it is left out, its claim tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Digest>,
    /// Its terms; where they are left out, its claim tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Contract>,
    /// How it ended.
    pub status: OutcomeStatus,
    /// The first and last entry among which the turn's messages become stable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopts: Option<(Seq, Seq)>,
    /// How many stable messages the turn was built on.
    pub messages: u64,
    /// What a repeat of the request is answered with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Payload>,
    /// Whether a new request may try again.
    #[serde(default)]
    pub may_retry: bool,
    /// Why it was abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
    /// What was used.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
}

/// `lease`: reserved; a claim bounded by time.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Expected};
/// use sessile_core::digest::Token;
/// use sessile_core::entry::shape::Lease;
/// use sessile_core::{Commit, EntryType, ErrorKind, Limits, NewEntry, Payload, Seq, UnixMillis};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// // Written by a newer program: this one has the shape, and does not know what it changes.
/// let lease = Payload::of(&Lease { claim: Seq::FIRST, until: UnixMillis(1_790_000_000_000) })?;
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Lease, lease);
/// let token = Token::from_random([1; 16]);
/// let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// place.append(&key, Expected::End, vec![commit]).await?;
/// // So it reads past it, and does not build upon it.
/// assert_eq!(session.append(["hi"]).await.unwrap_err().kind(), ErrorKind::Unsupported);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The claim.
    pub claim: Seq,
    /// Until when.
    pub until: UnixMillis,
}
