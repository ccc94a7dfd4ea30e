//! Durable sessions for AI agents.
//!
//! An agent's process dies, is redeployed, or moves to another host. Its conversation must not
//! die with it, must not fork, and must not be mixed up with another one. A session here is a
//! journal; its state is a fold over the journal; the only way to change it is a conditional
//! append. The same code runs on a place in memory, on a local filesystem and in object storage.
//!
//! ```
//! use serde_json::json;
//! use sessile::prelude::*;
//! use sessile::From;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), sessile::Error> {
//! // Or "file:///var/lib/agents", or "s3://agents/prod".
//! let store = Store::open("memory:").space("tenant-7")?.await?;
//!
//! let new = NewSession::new().project("shop").dialect(Dialect::Openai);
//! let session = store.open_or_create("ses_42", new).await?;
//! if let Some(receipt) = session.receipt() {
//!     eprintln!("{receipt}"); // what was kept, what was set aside, where, and why
//! }
//!
//! // At the end, whoever else writes; what is given is kept byte for byte.
//! let done = session.append([json!({"role": "user", "content": "hi"})]).await?;
//!
//! // Only if nothing was added since, and safe to repeat.
//! let id = store.mint_commit_id()?;
//! let append = Append::at(done.position).commit_id(id);
//! let reply = json!({"role": "assistant", "content": "hello"});
//! session.append_with(append.clone(), [&reply]).await?;
//! assert!(session.append_with(append, [&reply]).await?.replayed);
//!
//! // The last messages, piece by piece, without reading what is before them.
//! let mut tail = session.transcript::<RawMessage>(From::last(50)).await?;
//! while let Some(message) = tail.next().await {
//!     println!("{}", message?.data.as_str());
//! }
//!
//! // Newest first, a page at a time.
//! let page = store.list(Filter::all().project("shop").active(), Page::of(50)).await?;
//! assert_eq!(page.sessions[0].messages, 2);
//! store.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Requests
//!
//! A request asks for the session before any model or tool work. Its id, which the caller chooses,
//! makes it safe to send again: one that ended is answered from the journal, and while one is
//! active every other hears *busy*. What its [`Turn`] pushes is durable and provisional; one commit
//! makes it part of the transcript, records the outcome and frees the session. A turn whose owner
//! died keeps the session until somebody [recovers](Session::recover) it, which fences the owner.
//!
//! ```
//! use serde_json::{Value, json};
//! use sessile::prelude::*;
//! use sessile::{Error, ErrorKind, Indeterminate, Seq, Usage};
//!
//! async fn answer(admission: Admission, input: &str) -> Result<String, Error> {
//!     let mut turn = match admission {
//!         Admission::Replay(done) => return done.decode(), // it ended before: nothing is done twice
//!         Admission::Started(turn) => turn,
//!     };
//!     turn.push(&json!({"role": "user", "content": input})).await?;
//!     let view = turn.view(Window::last(50)).await?; // summary, messages, and those of the turn
//!     let reply = model::call(view.messages());
//!     turn.push(&reply).await?;
//!     let usage = Usage::new().with("tokens", 900);
//!     turn.checkpoint("agent.step", 1, &reply).usage(&usage).await?;
//!
//!     for call in reply["tool_calls"].as_array().into_iter().flatten() {
//!         let (id, name) = (call["id"].as_str().unwrap(), call["name"].as_str().unwrap());
//!         let arguments = call["arguments"].to_string();
//!         let output = match turn.intend(Action::new(id, name, &arguments)).await? {
//!             Intent::Fresh(intent) => {
//!                 let output = tool::run(name, &arguments, intent.token());
//!                 intent.complete(&output).await?;
//!                 output
//!             }
//!             Intent::Done(stored) => stored.decode()?, // under an earlier claim: not run again
//!             Intent::Indeterminate(unknown) => {
//!                 // Nobody knows whether it ran. Look at what it acts on, or ask a person.
//!                 let found = tool::look(&unknown, turn.claim());
//!                 turn.reconcile(&unknown, &found).await?;
//!                 found
//!             }
//!         };
//!         turn.push(&json!({"role": "tool", "tool_call_id": id, "content": output})).await?;
//!     }
//!     // Messages, outcome and release: one commit.
//!     turn.commit("refunded").await?.decode()
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! let store = Store::open("memory:agents").await?;
//! let session = store.open_or_create("ses_42", NewSession::new().dialect(Dialect::Openai)).await?;
//!
//! // Its terms are kept with the request; under others it is refused, and told which part differs.
//! let contract = Contract::new().part("agent", "shop-7")?.part("tools", &["refund"])?;
//! let request = "req-1".parse()?;
//! let input = "refund order 7";
//! let admission = session.admit(&request, input, &contract).await?;
//! assert_eq!(answer(admission, input).await?, "refunded");
//!
//! // The answer was lost? Send it again.
//! let admission = session.admit(&request, input, &contract).await?;
//! assert_eq!(answer(admission, input).await?, "refunded");
//! assert_eq!(session.info().messages, 3);
//!
//! // An owner that dies within its turn keeps the session.
//! let second = "req-2".parse()?;
//! let turn = session.admit(&second, "and order 8", &contract).await?.started()?;
//! turn.push(&json!({"role": "user", "content": "and order 8"})).await?;
//! drop(turn);
//!
//! // Another process.
//! let elsewhere = Store::open("memory:agents").await?.open_session("ses_42").await?;
//! let busy = elsewhere.admit(&"req-3".parse()?, "hi", &contract).await.unwrap_err();
//! assert_eq!(busy.kind(), ErrorKind::Busy);
//! assert_eq!(busy.occupant().unwrap().request.as_ref(), "req-2");
//!
//! // Its owner is known to have stopped: go on with the request, under a claim that fences it.
//! let active = elsewhere.refresh().await?.active.ok_or(busy)?;
//! let usage = elsewhere.recovery_usage(&second).await?;
//! let recovery = Recovery::Restart; // what it has pushed stays as evidence, outside the transcript
//! let admission = elsewhere.recover(&active, "and order 8", &contract, recovery, &usage).await?;
//! assert_eq!(answer(admission, "and order 8").await?, "refunded");
//! store.close().await?;
//! # Ok(())
//! # }
//! # mod model {
//! #     use super::*;
//! #     pub fn call<'a>(_shown: impl Iterator<Item = &'a sessile::Payload>) -> Value {
//! #         let call = json!({"id": "call_1", "name": "refund", "arguments": {"order": 7}});
//! #         json!({"role": "assistant", "content": null, "tool_calls": [call]})
//! #     }
//! # }
//! # mod tool {
//! #     use super::*;
//! #     pub fn run(_name: &str, _arguments: &str, _token: Seq) -> Value {
//! #         json!({"refunded": true})
//! #     }
//! #     pub fn look(_unknown: &Indeterminate, _token: Seq) -> Value {
//! #         json!({"refunded": true})
//! #     }
//! # }
//! ```
//!
//! A tool is given the claim as a fencing token: what it acts on refuses tokens below the greatest
//! that it has seen. `examples/two_agents.rs` plays a crash between a tool's effect and the commit,
//! with two processes.
//!
//! # Places
//!
//! [`Store::open`](OpenUrl::open) takes a place, whose first word says which backend it is:
//!
//! | place | what it is |
//! | --- | --- |
//! | `memory:` | a place in memory, fresh for each open |
//! | `memory:NAME` | a place in memory, shared within the process |
//! | `file:///abs/path`, `file:relative/path` | a folder of a local filesystem; feature `fs`, on by default |
//! | `s3://bucket/prefix` | S3, and what speaks like it; feature `aws` |
//! | `gs://bucket/prefix` | Google Cloud Storage; feature `gcp` |
//! | `az://container/prefix` | Azure Blob Storage; feature `azure` |
//!
//! A `file:` place may have session files of an older layout beside it,
//! `file:///agents?legacy=/old`, whose sessions are the store's as soon as they are written to.
//! Places in object storage take options, as in `s3://agents/prod?region=eu-west-1`, and read the
//! environment variables of their cloud; `docs/backends.md` lists both. Credentials never stand in
//! a place. [`Store::probe`](OpenUrl::probe) finds out before traffic whether a place can be relied
//! on.
//!
//! Features add backends, places choose them: a place whose backend is not compiled in is refused
//! with the name of the feature to turn on. Any other [`Backend`] is opened by [`Store::on`].
//!
//! # Errors
//!
//! There is one [`Error`]. Its [`kind`](Error::kind) says what to do next; after a mutation that
//! failed its [`outcome`](Error::outcome) says whether anything was done. A mutation that was
//! begun runs to its end even when its future is dropped; an answer that was lost is found out by
//! the next mutation of the handle, or by [`Session::resolve`].
//!
//! # Where to read on
//!
//! [`Store`] and [`Session`] are the two handles. [`memory`] is the backend to try things on, and
//! the reference for every other; [`backend`] is the contract for those who write their own.
//! [`records`] keeps checkpoints, effects, snapshots and bindings of agents beside their sessions.

mod place;
mod open;

pub mod prelude;

pub use open::{OpenUrl, Opening};
pub use sessile_core::admission::{BuiltOn, Recovery};
/// The contract of backends, for those who write one or look below a store.
///
/// # Examples
/// ```
/// use sessile::backend::{Backend as _, Scope};
/// use sessile::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// store.create_as("ses_42", NewSession::new()).await?;
/// let recent = store.backend().recent(store.space_name(), &Scope::ALL, None, 10).await?;
/// assert_eq!(recent[0].recency.id.as_str(), "ses_42");
/// # Ok(())
/// # }
/// ```
pub use sessile_core::backend;
pub use sessile_core::digest::Digest;
pub use sessile_core::entry::shape::{
    AcceptedIdentity, Contract, Dialect, Header, Lost, OutcomeStatus,
};
pub use sessile_core::error::Occupant;
pub use sessile_core::fold::{
    Active, Asked, Decided, Effect, Extended, Extension, Inherited, Intended, LastCheckpoint,
    Lifecycle, Meta, SessionState, Strays,
};
/// What can be told of a message whose program has a dialect of its own.
///
/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::{Payload, lens};
///
/// # fn main() -> Result<(), sessile::Error> {
/// let message = Payload::parse(r#"{"role":"user","content":"hi"}"#)?;
/// let reading = lens::read(Dialect::Openai, &message);
/// assert_eq!((reading.role.as_deref(), reading.text.as_deref()), (Some("user"), Some("hi")));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::lens;
pub use sessile_core::probe::{Finding, Probe};
pub use sessile_core::{
    Backend, CommitId, Entry, EntryType, Error, ErrorKind, Limits, Name, Ordinal, Outcome, Payload,
    Position, RequestId, Revision, Seq, SessionId, SessionKey, Space, Text, UnixMillis, Usage,
};
pub use sessile_engine::{
    Action, Admission, Admit, Ailment, Append, Approval, Backlog, Census, CheckpointToStore, Clock,
    Committed, ContextPolicy, Copied, Cursor, Damage, Diagnosis, Differences, Differing, Done,
    Entries, Entropy, Erased, Erasure, Expected, Export, Filter, Finish, FreshIntent, From,
    FromMessage, Generation, Hit, HitPlace, Hits, Imported, Indeterminate, Info, Intent, Judged,
    KeptBack, LedgerRow, Left, LeftOut, Listing, Misfits, Move, NewSession, Operation, Options,
    Page, Passage, Performed, Popped, Progress, Pruned, Query, RawMessage, Reach, Receipt,
    Reconciled, Remedy, Removal, Retention, RowDone, Scope, Session, Status, Store,
    StoredCheckpoint, Summarised, Summary, SystemClock, SystemEntropy, Transcript, Turn, TurnEvent,
    Unfinished, Vacuumed, Verdict, Verification, View, Watch, Window,
};
/// Sessions in files; [`FsBackend`](fs::FsBackend) tells what it has asked of the system.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile::fs::{FsBackend, Options};
/// use sessile::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let folder = tempfile::tempdir().expect("a folder");
/// let backend = Arc::new(FsBackend::open(folder.path(), Options::default()).await?);
/// let store = Store::on(Arc::clone(&backend) as Arc<dyn sessile::Backend>);
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let before = backend.counts();
/// session.append(["more"]).await?;
/// assert_eq!(backend.counts().file_syncs - before.file_syncs, 1);
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "fs")]
pub use sessile_fs as fs;
/// Files of other programs: what they become, and what is written for them.
///
/// # Examples
/// ```
/// use sessile::interchange::{self, Format};
/// use sessile::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let file = "{\"role\":\"user\",\"content\":\"hi\"}\n";
/// let store = Store::open("memory:").await?;
/// let imported = store.import(&interchange::parse(Format::Jsonl, file.into())?).await?.remove(0);
/// let exported = store.export(&imported.session, Format::Jsonl).await?.all().await?;
/// assert_eq!(exported, file.as_bytes());
/// # Ok(())
/// # }
/// ```
pub use sessile_interchange as interchange;
/// Sessions in memory; all clones of a [`MemoryBackend`](memory::MemoryBackend) are one place.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile::memory::MemoryBackend;
/// use sessile::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let place = MemoryBackend::new();
/// let store = Store::on(Arc::new(place.clone()));
/// store.create_as("ses_42", NewSession::new()).await?;
/// let elsewhere = Store::on(Arc::new(place));
/// assert!(elsewhere.open_session("ses_42").await.is_ok());
/// # Ok(())
/// # }
/// ```
pub use sessile_memory as memory;
/// Sessions in object storage; [`ObjectBackend`](object::ObjectBackend) takes any client of it.
///
/// # Examples
/// A store on a client of the caller's, which may be wrapped or configured in ways that no place
/// can say:
///
/// ```
/// use std::sync::Arc;
///
/// use sessile::object::object_store::{ObjectStore, memory::InMemory, path::Path};
/// use sessile::object::{ObjectBackend, Options};
/// use sessile::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let client: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
/// // Two clients: what is read may be tried again, what is written is sent once.
/// let (reads, writes) = (Arc::clone(&client), client);
/// let backend = ObjectBackend::on(reads, writes, &Path::from("agents"), Options::default());
/// let store = Store::on(Arc::new(backend));
///
/// let session = store.open_or_create("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// assert_eq!(store.list(Filter::all(), Page::of(9)).await?.sessions[0].messages, 1);
/// store.close().await
/// # }
/// ```
#[cfg(feature = "object")]
pub use sessile_object as object;

/// Checkpoints, effects, snapshots and bindings, which are kept beside sessions as documents of the
/// same place.
///
/// # Examples
/// Those of a store are [made of it](records::Checkpoints#impl-From<%26Store>-for-Checkpoints):
///
/// ```
/// use sessile::prelude::*;
/// use sessile::records::{Checkpoint, Checkpoints};
/// use sessile::{ErrorKind, Payload};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let done = session.append(["plan it"]).await?;
///
/// // It goes with the session, and is never there before what it was built on.
/// let state = Payload::of(&["plan"])?;
/// let first = Checkpoint::new("step".parse()?, "run-1".parse()?, "agent.step".parse()?, 1, state)
///     .of_session(session.id().clone())
///     .built_on(done.position);
/// let checkpoints = Checkpoints::from(&store);
/// checkpoints.compare_and_swap(first.clone(), None).await?;
/// let again = checkpoints.compare_and_swap(first, None).await;
/// assert_eq!(again.unwrap_err().kind(), ErrorKind::Conflict);
/// # Ok(())
/// # }
/// ```
pub use sessile_records as records;

/// Sessions that are begun once and continued by their owner, with guards, a context, counted events
/// and a message board. Needs the feature `workflow`.
///
/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::workflow::{Begin, Options, Workflow};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let options = Options::default();
/// let engine = Workflow::engine(sessile::Options::default(), &options);
/// let store = Store::open("memory:").options(engine).await?;
/// let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let begun = workflow.begin(Begin::new().project("shop").instruction("find the bug")).await?;
/// assert_eq!(begun.summary.events_total, 1);
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "workflow")]
pub use sessile_workflow as workflow;

#[cfg(doctest)]
pub mod guide;
