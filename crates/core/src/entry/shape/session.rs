//! Shapes of the entries that say what a session is and where it came from.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Salt, Token};
use crate::id::{Name, SessionId, Space};
use crate::payload::Payload;
use crate::position::{Position, Seq};
use crate::text::Text;
use crate::time::UnixMillis;

/// How messages of a session are to be read; chooses the [lens](crate::lens).
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
///
/// assert_eq!(Dialect::default(), Dialect::Plain);
/// assert_eq!(serde_json::to_string(&Dialect::ClaudeCode).unwrap(), r#""claude-code""#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dialect {
    /// Objects with `role` and `content`.
    #[default]
    Plain,
    /// Messages of the `OpenAI` chat interface.
    Openai,
    /// Messages of the Anthropic interface.
    Anthropic,
    /// Records of Claude Code's session files.
    ClaudeCode,
    /// Records of Codex's rollout files.
    Codex,
    /// Records of pi's session files.
    Pi,
    /// Messages of Gemini CLI's files.
    Gemini,
    /// Messages of goose's session files.
    Goose,
    /// Messages and parts of opencode's store.
    Opencode,
    /// Turns of kerness's snapshots.
    Kerness,
    /// A dialect that this version does not know: nothing is read from its messages.
    #[serde(other)]
    Unknown,
}

impl Dialect {
    /// Every dialect with its name in a header.
    pub const NAMED: &'static [(&'static str, Self)] = &[
        ("plain", Self::Plain),
        ("openai", Self::Openai),
        ("anthropic", Self::Anthropic),
        ("claude-code", Self::ClaudeCode),
        ("codex", Self::Codex),
        ("pi", Self::Pi),
        ("gemini", Self::Gemini),
        ("goose", Self::Goose),
        ("opencode", Self::Opencode),
        ("kerness", Self::Kerness),
    ];
}

/// Where a fork was cut.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::ForkedFrom;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let asked = session.append(["a question"]).await?;
/// session.append(["an answer"]).await?;
/// let fork = session.fork_as("ses_43", Some(asked.first)).await?;
/// let cut: ForkedFrom = fork.info().header.forked_from.expect("it is a fork");
/// assert_eq!((cut.session.as_str(), cut.seq), ("ses_42", asked.first));
/// // It holds what it took over, and is whole without the other.
/// assert!(cut.copied);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkedFrom {
    /// The session it was cut from.
    pub session: SessionId,
    /// The last entry that it took over.
    pub seq: Seq,
    /// Whether the entries up to it were copied into this journal, which is whole once a `forked`
    /// stands behind them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub copied: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// `session`: what the session is; the first entry of its journal.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Header;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let session = store.create_as("ses_42", NewSession::new().project("shop")).await?;
/// let header: Header = session.info().header;
/// assert_eq!(header.project.as_ref().map(|name| name.as_str()), Some("shop"));
/// assert_eq!((header.format, header.crc.as_str()), (Header::FORMAT, Header::CRC));
/// // What a host keeps with it is not for logs.
/// assert!(!format!("{header:?}").contains("shop"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the journal's format.
    pub format: u32,
    /// The session's id.
    pub id: SessionId,
    /// The space it lies in.
    pub space: Space,
    /// When it was created.
    pub created_at: UnixMillis,
    /// The name of the checksum of every line: `crc32c`.
    pub crc: String,
    /// The initial value of every checksum but the header's own.
    pub salt: Salt,
    /// Names this physical file or chain; new at each rewrite, fork and copy.
    pub file: Token,
    /// How its messages are to be read.
    #[serde(default)]
    pub dialect: Dialect,
    /// The project it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Name>,
    /// What tells this project from another of the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_identity: Option<Text>,
    /// The authority that owns it: a fingerprint of 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Digest>,
    /// The session that started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<SessionId>,
    /// Where it was cut from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkedFrom>,
    /// Of a copy from another store: where its source ended when it was begun. It is not whole before
    /// its journal ends there too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_to: Option<Position>,
    /// What must be equal before its state is applied to a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Payload>,
    /// What its host keeps with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub host: BTreeMap<String, Payload>,
}

impl Header {
    /// The version of the journal's format that this crate writes.
    pub const FORMAT: u32 = 1;
    /// The only checksum of format 1.
    pub const CRC: &'static str = "crc32c";
}

impl fmt::Debug for Header {
    /// Tells ids and counts only: what a host keeps with a session is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("format", &self.format)
            .field("id", &self.id)
            .field("space", &self.space)
            .field("created_at", &self.created_at)
            .field("file", &self.file)
            .field("dialect", &self.dialect)
            .field("parent_id", &self.parent_id)
            .field("forked_from", &self.forked_from)
            .field("copied_to", &self.copied_to)
            .field("host", &self.host.len())
            .finish_non_exhaustive()
    }
}

/// The member `accepted-identity` of a `meta`: the session goes on under another identity than the
/// one that it had.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::AcceptedIdentity;
/// use sessile_engine::Expected;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let session = store.create_as("ses_42", NewSession::new().project("shop")).await?;
/// let differences = session.differences(&Expected::new().project("depot")).await?;
/// session.accept(&differences, Some("ann".into())).await?;
/// let accepted: AcceptedIdentity = session.info().meta.accepted_identity()?.expect("one was");
/// assert_eq!(accepted.by.as_deref(), Some("ann"));
/// assert_eq!(accepted.current["project"].as_str(), "\"depot\"");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedIdentity {
    /// When it was accepted, by the clock of whoever did.
    pub at: UnixMillis,
    /// Who accepted it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
    /// The whole identity that it had, by field.
    pub saved: BTreeMap<String, Payload>,
    /// The whole identity that it has since.
    pub current: BTreeMap<String, Payload>,
}

impl fmt::Debug for AcceptedIdentity {
    /// Tells counts only: what a session belongs to is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcceptedIdentity")
            .field("at", &self.at)
            .field("saved", &self.saved.len())
            .field("current", &self.current.len())
            .finish_non_exhaustive()
    }
}

/// `import`: where entries of this session came from.
///
/// # Examples
/// ```
/// use sessile_core::digest::{Digest, Parts};
/// use sessile_core::entry::shape::Import;
///
/// # let records = ["first", "second"].map(str::as_bytes);
/// // Taken from a file of two records.
/// let import = Import {
///     format: "claude-code".into(),
///     source_id: Some("0b3e".into()),
///     first: Digest::of(records[0]),
///     records_digest: Digest::of_parts(records),
///     records: 2,
///     branch: None,
/// };
/// // The file has grown: it is the same as far as it was taken, and what follows is new.
/// let mut parts = Parts::default();
/// let grown = ["first", "second", "third"].map(str::as_bytes);
/// grown[..2].iter().for_each(|record| parts.push(record));
/// assert_eq!(parts.digest(), import.records_digest);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The format of the source.
    pub format: String,
    /// The source's own id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// The digest of the source's first record.
    pub first: Digest,
    /// The digest of all records taken so far, each with its length.
    pub records_digest: Digest,
    /// How many records of the source were taken so far.
    pub records: u64,
    /// The branch or sub-agent of the source that this session is; none for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// `forked`: the first entry of a fork's own, behind all that it took over.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::EntryType;
/// use sessile_core::entry::shape::Forked;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["a question"]).await?;
/// let fork = session.fork_as("ses_43", None).await?;
/// fork.append(["an answer"]).await?;
/// // It parts what was taken over from what is the fork's own.
/// let entries = fork.entries(From::start()).await?.all().await?;
/// let at = entries.iter().position(|entry| entry.entry_type == EntryType::Forked);
/// let forked: Forked = entries[2].data.decode()?;
/// assert_eq!((at, forked.lost.len()), (Some(2), 0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    /// What it could not take over because it could not be read, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Lost>,
}

/// Entries that could not be read when a fork was made.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::{Forked, Lost};
///
/// // What stands in the journal of a session that was forked over damage.
/// let forked: Forked = Payload::parse(r#"{"lost":[{"from":7,"to":9}]}"#)?.decode()?;
/// let Lost { from, to } = forked.lost[0];
/// // The numbers are not given again: the fork has a gap there.
/// assert_eq!((from.number(), to.number()), (7, 9));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lost {
    /// The first of them.
    pub from: Seq,
    /// The last.
    pub to: Seq,
}
