//! The in-memory backend of sessile, and the reference for every other.
//!
//! A [`MemoryBackend`] keeps a place in ordered maps behind one lock. It keeps every promise of
//! the [contract](sessile_core::Backend) that needs no disk, in the plainest way there is: where
//! the words of the contract leave a doubt, what this crate does settles it.
//!
//! It declares `rewrite`, `mask` and `purge`. It is neither durable nor shared between processes,
//! reads no clock and draws no random number.
//!
//! ```
//! use sessile_core::backend::{Backend as _, Span};
//! use sessile_core::{ErrorKind, SessionKey, Space};
//! use sessile_memory::MemoryBackend;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let backend = MemoryBackend::new();
//! let key = SessionKey { space: Space::default(), id: "ses_42".parse()? };
//! let error = backend.read(&key, Span::ALL).await.err().map(|error| error.kind());
//! assert_eq!(error, Some(ErrorKind::Missing));
//! # Ok::<(), sessile_core::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod page;
mod journal;
mod collection;
mod space;
mod place;
mod backend;

pub use backend::MemoryBackend;
