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

mod place;
mod open;

pub mod prelude;

pub use open::{OpenUrl, Opening};

pub use sessile_core::backend::{self, Backend};
pub use sessile_core::entry::shape::{Dialect, Header, Lost};
pub use sessile_core::fold::{Lifecycle, Meta};
pub use sessile_core::lens;
pub use sessile_core::probe::{Finding, Probe};
pub use sessile_core::{
    CommitId, Entry, EntryType, Error, ErrorKind, Limits, Name, Ordinal, Outcome, Payload,
    Position, Seq, SessionId, Space, Text, UnixMillis,
};
pub use sessile_engine::{
    Append, Clock, Committed, Copied, Cursor, Damage, Entries, Entropy, Export, Filter, From,
    FromMessage, Imported, Info, LeftOut, Listing, Misfits, NewSession, Options, Page, Popped,
    RawMessage, Reach, Receipt, Removal, Session, Status, Store, Summary, SystemClock,
    SystemEntropy, Transcript, Unfinished, Vacuumed, Verification, View, Window,
};
#[cfg(feature = "fs")]
pub use sessile_fs as fs;
pub use sessile_interchange as interchange;
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

/// The README's example, so that it compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[derive(Debug)]
pub struct Readme;
