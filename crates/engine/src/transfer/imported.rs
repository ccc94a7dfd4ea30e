//! What an import did.

use sessile_core::SessionId;
use sessile_interchange::{Format, Notice};

/// What an import did to one session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Imported;
/// use sessile_interchange as interchange;
/// use sessile_interchange::Format;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let source = interchange::parse(Format::Jsonl, "{\"role\":\"user\",\"content\":\"hi\"}\n".into())?;
/// let imported: Imported = store.import(&source).await?.remove(0);
/// assert_eq!((imported.messages, imported.added), (1, 1));
/// // Again adds nothing.
/// assert_eq!(store.import(&source).await?[0].added, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// The session.
    pub session: SessionId,
    /// The format of the source.
    pub format: Format,
    /// The branch or sub-agent of the source that it is; none for the main session.
    pub branch: Option<String>,
    /// How many messages it has now.
    pub messages: u64,
    /// How many records were added this time; 0 where there was nothing new.
    pub added: u64,
    /// The lines that were left out, in the order of the file. Those that no session could be
    /// told of are with the main one.
    pub skipped: Vec<Skipped>,
    /// The lines that were kept, but did not fit where they say they belong. All are with the main
    /// session.
    pub notices: Vec<Notice>,
}

/// A line of a source that was left out.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Skipped;
/// use sessile_interchange::{self as interchange, Format};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let file = "{\"role\":\"user\",\"content\":\"hi\"}\nmy password is 4711\n";
/// let source = interchange::parse(Format::Jsonl, file.into())?;
/// let imported = store.import(&source).await?.remove(0);
/// // What is not taken over is told line by line, and never in silence.
/// let skipped: &Skipped = &imported.skipped[0];
/// assert_eq!((imported.messages, skipped.line), (1, 2));
/// assert!(!skipped.reason.contains("4711"), "the reason may be logged: {}", skipped.reason);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its number, from 1.
    pub line: u64,
    /// Why, in words that never quote it.
    pub reason: String,
}
