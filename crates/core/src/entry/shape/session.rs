//! Shapes of the entries that make, describe, cut and end a session.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Salt, Token};
use crate::error::DamagePlace;
use crate::id::{CommitId, Name, SessionId, Space};
use crate::payload::Payload;
use crate::position::{Ordinal, Seq};
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
            .field("host", &self.host.len())
            .finish_non_exhaustive()
    }
}

/// The member `accepted-identity` of a `meta`: the session goes on under another identity than the
/// one that it had.
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

/// `compaction`: the view is now these messages and the transcript from an ordinal on.
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

/// `close`: no more messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Close {
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
}

/// `delete`: the tombstone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delete {
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
}

/// `undelete`: takes the tombstone back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undelete {}

/// `import`: where entries of this session came from.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    /// What it could not take over because it could not be read, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Lost>,
}

/// Entries that could not be read when a fork was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lost {
    /// The first of them.
    pub from: Seq,
    /// The last.
    pub to: Seq,
}

/// `repaired`: a torn tail was cut off here and kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// How many bytes were set aside.
    pub bytes: u64,
    /// Where in the file they began.
    pub offset: u64,
    /// What was wrong with the first of them.
    pub reason: String,
    /// The name of what keeps them, beside the journal.
    pub kept_at: String,
}

/// `barrier`: a commit that is not before it can never be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Barrier {
    /// The commit whose outcome was unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolves: Option<CommitId>,
}

/// `redacted`: the data of these entries was removed.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The entry.
    pub seq: Seq,
    /// Those members of its data that stay.
    pub data: Payload,
}

/// `forgotten`: the entries before a seq were removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// The first entry that is kept.
    pub before: Seq,
}
