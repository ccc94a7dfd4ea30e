//! Shapes of the entries that change what later readers see of others.

use serde::{Deserialize, Serialize};

use crate::error::DamagePlace;
use crate::payload::Payload;
use crate::position::{Ordinal, Seq};
use crate::text::Text;

/// `compaction`: the view is now these messages and the transcript from an ordinal on.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Compaction;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["one", "two", "three"]).await?;
/// session.compact(From::last(1), ["one and two"]).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// // Nothing was removed: the entry says what stands for what.
/// assert_eq!(entries.len(), 5);
/// let compaction: Compaction = entries[4].data.decode()?;
/// assert_eq!(compaction.summary[0].as_str(), r#""one and two""#);
/// assert_eq!(compaction.keep_from.map(|ordinal| ordinal.number()), Some(3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// One or more messages that stand for what is left out.
    pub summary: Vec<Payload>,
    /// The first message that they do not stand for; the one after the last if they stand for
    /// all; none where damage hides its ordinal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_from: Option<Ordinal>,
    /// The number of that message, or where the journal ended if they stand for all; where it is
    /// left out, the ordinal tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_seq: Option<Seq>,
}

/// `rewind`: messages and compactions after a seq are hidden from later readers.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Rewind;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let asked = session.append(["a question"]).await?;
/// session.append(["a poor answer"]).await?;
/// session.rewind(asked.first).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let rewind: Rewind = entries[3].data.decode()?;
/// // The next message is the second, also for readers that can't count those before.
/// assert_eq!(rewind, Rewind { to: asked.first, messages: 1, damage: None });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewind {
    /// The last entry that stays in sight.
    pub to: Seq,
    /// How many messages stay in sight: the next one has the ordinal after that.
    pub messages: u64,
    /// The damage that hides how many there are: those that could be read were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<DamagePlace>,
}

/// `redacted`: the data of these entries was removed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Redacted;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let done = session.append(["a password"]).await?;
/// session.redact([done.first], Some("a secret")).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let redacted: Redacted = entries[2].data.decode()?;
/// assert_eq!((redacted.seqs, redacted.reason.as_deref()), (vec![done.first], Some("a secret")));
/// assert!(entries[1].is_redacted());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redacted {
    /// The entries.
    pub seqs: Vec<Seq>,
    /// What of their data stays in force, where others rest on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
}

/// What stays in force of the data of an entry that was redacted.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::{Kept, Redacted};
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["a password", "thanks"]).await?;
/// let compacted = session.compact(From::last(1), ["they told a password"]).await?;
/// session.redact([compacted.first], None).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let redacted: Redacted = entries[4].data.decode()?;
/// // The words are gone; what they stood for stays left out of the view.
/// let Kept { seq, data } = &redacted.kept[0];
/// assert_eq!((*seq, data.as_str()), (compacted.first, r#"{"keep_from":2,"keep_seq":2}"#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The entry.
    pub seq: Seq,
    /// Those members of its data that stay.
    pub data: Payload,
}

/// `forgotten`: the entries before a seq were removed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::EntryType;
/// use sessile_core::entry::shape::Forgotten;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["of last year"]).await?;
/// let kept = session.append(["of today"]).await?;
/// session.forget(kept.first).await?;
/// let entries = session.entries(From::start()).await?.all().await?;
/// let forgotten = entries.iter().find(|entry| entry.entry_type == EntryType::Forgotten);
/// let forgotten: Forgotten = forgotten.expect("it is recorded").data.decode()?;
/// assert_eq!(forgotten.before, kept.first);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// The first entry that is kept.
    pub before: Seq,
}
