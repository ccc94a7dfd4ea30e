//! What a file turned out to hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sessile_core::digest::Digest;
use sessile_core::entry::shape::Dialect;
use sessile_core::{Payload, UnixMillis};

use crate::format::Format;
use crate::records::Records;

/// A file that was read: its sessions, and the report of what was lost or mended.
///
/// # Examples
/// ```
/// use sessile_interchange::{Format, Source, parse};
///
/// let file = "{\"role\":\"user\",\"content\":\"hi\"}\nnot JSON\n{\"role\":\"assistant\"";
/// let source: Source = parse(Format::Jsonl, file.into())?;
/// assert_eq!(source.sessions[0].records.len(), 1);
/// // What can't be read is told, and never quoted.
/// assert_eq!(source.skipped.iter().map(|it| it.line).collect::<Vec<_>>(), [2, 3]);
/// // Every line is somewhere.
/// assert_eq!((source.accounted(), source.lines), (3, 3));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Source {
    /// The format it was read as.
    pub format: Format,
    /// The sessions: the main one first, which is always there; one that another was cut from
    /// stands before it.
    pub sessions: Vec<SourceSession>,
    /// The lines that are no record of any session, because they can't be read.
    pub skipped: Vec<Skipped>,
    /// The lines that are kept, but did not fit where they say they belong.
    pub notices: Vec<Notice>,
    /// The line that is the [`ENVELOPE`] of the main session, if one is.
    pub head: Option<u64>,
    /// How many lines the file has that are not blank; of a file that is one object, how many items
    /// its list of messages has.
    pub lines: u64,
}

/// A line that could not be read.
///
/// # Examples
/// ```
/// use sessile_interchange::{Format, Skipped, parse};
///
/// let file = "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"cont";
/// let source = parse(Format::Jsonl, file.into())?;
/// let Skipped { line, reason, .. } = &source.skipped[0];
/// assert_eq!((*line, reason.as_str()), (2, "torn last line"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its number, from 1.
    pub line: u64,
    /// Why, in words that never quote it.
    pub reason: String,
}

/// A line that is kept, although something about it is wrong.
///
/// # Examples
/// ```
/// use sessile_interchange::{Format, Notice, parse};
///
/// let file = r#"{"type":"user","uuid":"u1","parentUuid":"u0","message":{"content":"Hello?"}}"#;
/// let source = parse(Format::ClaudeCode, file.into())?;
/// // It is kept, although the record that it follows is not there.
/// assert_eq!(source.sessions[0].records.len(), 1);
/// let Notice { line, reason, .. } = &source.notices[0];
/// assert_eq!(*line, 1);
/// assert!(reason.starts_with("its parent is not in the file"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong and what was made of it, in words that never quote it.
    pub reason: String,
}

/// One conversation of a file.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_interchange::{Format, SourceSession, parse};
///
/// let file = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0b3e","cwd":"/srv",
/// "message":{"content":"Find the bug"}}"#.replace('\n', "");
/// let source = parse(Format::ClaudeCode, file.into())?;
/// let session: &SourceSession = &source.sessions[0];
/// // What a listing shows of it is the file's own word, or made of its first prompt.
/// assert_eq!(session.title.as_deref(), Some("Find the bug"));
/// assert_eq!(session.source_id.as_deref(), Some("0b3e"));
/// assert_eq!((session.dialect, session.cwd.as_deref()), (Dialect::ClaudeCode, Some("/srv")));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[non_exhaustive]
pub struct SourceSession {
    /// The name of a further branch or a sub-agent, made of the letters of an id; none for the
    /// main session. It stays the same while the file grows at its end and the branch stays one.
    pub branch: Option<String>,
    /// Where in [`Source::sessions`] the session stands that this one was cut from, or that
    /// started this sub-agent.
    pub parent_branch: Option<usize>,
    /// How many of its records are the first ones of the session that it was cut from; none
    /// where it was not cut from another.
    pub forked_after: Option<usize>,
    /// The id that the file's program gave the session; all sessions of a file have the same.
    pub source_id: Option<String>,
    /// The id that the file's program gave the session, in another file, that started this one or
    /// that it goes on from.
    pub source_parent: Option<String>,
    /// How its messages are to be read.
    pub dialect: Dialect,
    /// When the source says that it began.
    pub created_at: Option<UnixMillis>,
    /// Its title: what the source calls it, else made from its first prompt.
    pub title: Option<String>,
    /// The folder that it began in.
    pub cwd: Option<String>,
    /// The model that it used last.
    pub model: Option<String>,
    /// Whose it is and where it belongs.
    pub belonging: Belonging,
    /// What the source says of the session that none of its records holds: an object.
    pub rest: Option<Payload>,
    /// The digest of all that the source says of the session, where that is said at once and does
    /// not grow: another digest is another source.
    pub whole: Option<Digest>,
    /// Its records, in the order of the file.
    pub records: Records,
}

/// Whose a session is and where it belongs, as far as its source says it.
///
/// # Examples
/// ```
/// use sessile_interchange::{Belonging, ENVELOPE, Format, parse};
///
/// let file = r#"{"working_dir":"/srv","description":"Plums","message_count":1}
/// {"role":"user","created":1,"content":[{"type":"text","text":"hi"}]}"#;
/// let source = parse(Format::Goose, file.into())?;
/// let belonging: &Belonging = &source.sessions[0].belonging;
/// // The first line of goose's files is written anew whenever they grow: it may change, and has a
/// // place of its own. Whose the session is the file does not say.
/// assert!(belonging.meta[ENVELOPE].as_str().contains("Plums"));
/// assert_eq!((belonging.owner, belonging.project.as_deref()), (None, None));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Belonging {
    /// The fingerprint of the authority that owns it.
    pub owner: Option<Digest>,
    /// The project.
    pub project: Option<String>,
    /// What tells the project from another of the same name.
    pub project_identity: Option<String>,
    /// Further values that never change, by name.
    pub host: BTreeMap<String, Payload>,
    /// Further values that may change, by name.
    pub meta: BTreeMap<String, Payload>,
}

/// The name among [`Belonging::meta`] of what a file says around its messages, where that is no
/// line of its own or is written anew whenever the file grows: an object.
pub const ENVELOPE: &str = "source_envelope";

impl Source {
    /// How many lines are accounted for: those that are some session's own records or its
    /// [`ENVELOPE`], and those that were skipped. It equals [`lines`](Self::lines), always.
    pub fn accounted(&self) -> u64 {
        let own = self.sessions.iter().flat_map(|it| it.records.own());
        // A line may hold several messages, and is a record beside them.
        let lines: BTreeSet<u64> = own.map(|record| record.line).chain(self.head).collect();
        u64::try_from(lines.len() + self.skipped.len()).unwrap_or(u64::MAX)
    }
}

impl fmt::Debug for Belonging {
    /// Leaves out everything but the owner, which is a digest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Belonging").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl fmt::Debug for SourceSession {
    /// Leaves out what was taken from payloads: they never reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceSession")
            .field("branch", &self.branch)
            .field("parent_branch", &self.parent_branch)
            .field("forked_after", &self.forked_after)
            .field("source_id", &self.source_id)
            .field("source_parent", &self.source_parent)
            .field("dialect", &self.dialect)
            .field("records", &self.records.len())
            .finish_non_exhaustive()
    }
}
