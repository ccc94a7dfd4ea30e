//! The journal that is made of the files of a session.

use std::collections::BTreeMap;

use serde::Serialize;
use sessile_core::backend::{ChangeToken, Head, Span};
use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::{Digest, Parts, Salt, Token};
use sessile_core::entry::shape::{Header, Import};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionId, SessionKey};
use sessile_core::journal::LastWord;
use sessile_core::limits::Limits;
use sessile_core::payload::Payload;
use sessile_core::position::Position;
use sessile_core::time::UnixMillis;
use sessile_interchange::session_files::Whole;
use sessile_interchange::{Format, SourceIdentity, SourceSession};

use super::folder::OldSession;
use super::marker::{self, Marker, Sizes};

/// How many bytes of records a commit has before the next one begins, so that reading a part of a
/// long session reads little more.
const PIECE_BYTES: usize = 1 << 20;

/// How many lines that were left out are told one by one.
const LINES_TOLD: usize = 100;

/// The journal of a session of older files.
#[derive(Debug)]
pub(super) struct OldJournal {
    commits: Vec<(Commit, StoredCommit)>,
    sizes: Sizes,
}

/// An `import` entry, and what could not be taken over of the files.
#[derive(Serialize)]
struct Taken {
    #[serde(flatten)]
    import: Import,
    /// Lines that can't be read, with their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
    /// Lines that are kept although something about them is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl OldJournal {
    /// Makes the journal that the session has under a name.
    ///
    /// # Errors
    /// *refused* where a line nests deeper than an entry may.
    pub(super) fn of(key: &SessionKey, old: &OldSession) -> Result<Self, Error> {
        let OldSession { whole, sizes } = old;
        let session = whole.to_session();
        let told = whole.header.as_ref();
        let created_at = told.map(|header| header.created_at).unwrap_or_default();
        let updated_at = told.map(|header| header.updated_at).unwrap_or_default();
        let (pieces, records) = pieces(whole, &session, updated_at)?;
        // What is told of its last change stands above any other time, as where it is listed.
        let begun_at = created_at.min(updated_at);
        let meta = meta(&session)?.map(|meta| NewEntry::new(begun_at, EntryType::Meta, meta));
        let entries = 1 + usize::from(meta.is_some()) + pieces.iter().map(Vec::len).sum::<usize>();
        let marker = Marker {
            id: whole.id.clone(),
            end: u64::try_from(entries).unwrap_or(u64::MAX),
            files: sizes.clone(),
            messages: marker::messages(whole),
        };
        let header = header(key, &session, created_at, &marker, records)?;
        let mut first = vec![NewEntry::new(begun_at, EntryType::Session, header)];
        first.extend(meta);
        let mut pieces = pieces.into_iter();
        first.extend(pieces.next().unwrap_or_default());
        let mut commits: Vec<(Commit, StoredCommit)> = Vec::new();
        for entries in std::iter::once(first).chain(pieces) {
            let tip = commits.last().map_or(Tip::ABSENT, |(_, stored)| stored.tip());
            let commit = commit(tip, entries)?;
            let stored = commit.stored_at(tip, Position::START)?;
            commits.push((commit, stored));
        }
        Ok(Self { commits, sizes: sizes.clone() })
    }

    /// Where it ends.
    pub(super) fn tip(&self) -> Tip {
        self.commits.last().map_or(Tip::ABSENT, |(_, last)| last.tip())
    }

    /// The journal seen from outside.
    ///
    /// # Errors
    /// None: it has a first entry.
    pub(super) fn head(&self) -> Result<Head, Error> {
        let first = self.commits.first().and_then(|(_, first)| first.entries.first());
        let header = first.ok_or_else(|| Error::new(ErrorKind::Corrupt, "it has no entries"))?;
        let words = self.commits.iter().rev().filter_map(|(_, commit)| LastWord::of(commit));
        let token = self.tip().token.map(|token| token.to_string()).unwrap_or_default();
        Ok(Head {
            tip: self.tip(),
            header: header.clone(),
            change: ChangeToken(format!("legacy-{token}")),
            bytes: self.sizes.values().sum(),
            updated_at: words.map(|word| word.updated_at).max().unwrap_or_default(),
            deleted: false,
            tail: None,
        })
    }

    /// The commits of a span.
    pub(super) fn span(self, span: Span) -> Vec<StoredCommit> {
        let commits = self.commits.into_iter().map(|(_, stored)| stored);
        match span {
            Span::From(seq) => {
                commits.filter(|commit| commit.tip().position.number() > seq.number()).collect()
            }
            Span::Back { before, max_bytes } => {
                let mut ending: Vec<_> =
                    commits.filter(|commit| commit.tip().position <= before).collect();
                let mut bytes = 0_u64;
                let fits = |commit: &&StoredCommit| {
                    bytes = bytes.saturating_add(commit.span_bytes());
                    bytes <= max_bytes
                };
                let fitting = ending.iter().rev().take_while(fits).count().max(1);
                ending.split_off(ending.len().saturating_sub(fitting))
            }
        }
    }

    /// The commits that are left to be written where a journal of it ends at a tip; none where no
    /// journal of it ends there.
    pub(super) fn left_at(&self, tip: Tip) -> Option<Vec<Commit>> {
        let done = match tip {
            Tip::ABSENT => 0,
            tip => 1 + self.commits.iter().position(|(_, stored)| stored.tip() == tip)?,
        };
        Some(self.commits.iter().skip(done).map(|(commit, _)| commit.clone()).collect())
    }
}

/// The entries of each commit but for the header, and the digest of all records. They are those of
/// an import of the same files, so that one knows the other.
fn pieces(
    whole: &Whole,
    session: &SourceSession,
    at: UnixMillis,
) -> Result<(Vec<Vec<NewEntry>>, Digest), Error> {
    let identity = SourceIdentity::of(Format::Legacy, session);
    let (mut taken, mut digest) = (0_u64, Parts::default());
    let mut records = session.records.iter().peekable();
    let mut pieces: Vec<Vec<NewEntry>> = Vec::new();
    while pieces.is_empty() || records.peek().is_some() {
        let (mut entries, mut bytes) = (Vec::new(), 0_usize);
        while let Some(record) = records.next_if(|_| bytes < PIECE_BYTES) {
            bytes = bytes.saturating_add(record.data.len());
            digest.push(record.data.as_str().as_bytes());
            taken += 1;
            entries.push(NewEntry::new(at, record.entry_type.clone(), record.data.clone()));
        }
        let import = identity.entry(taken, digest.digest());
        let (skipped, notices) = if pieces.is_empty() { told(whole) } else { Default::default() };
        let import = Payload::of(&Taken { import, skipped, notices })?;
        entries.insert(0, NewEntry::new(at, EntryType::Import, import));
        pieces.push(entries);
    }
    Ok((pieces, digest.digest()))
}

/// What could not be taken over, and what is kept although it is wrong, in words.
fn told(whole: &Whole) -> (Vec<String>, Vec<String>) {
    fn first(all: impl Iterator<Item = String>) -> Vec<String> {
        let mut all = all.peekable();
        let mut told: Vec<String> = all.by_ref().take(LINES_TOLD).collect();
        let more = all.count();
        told.extend((more > 0).then(|| format!("and {more} more")));
        told
    }
    let told = |part: sessile_interchange::session_files::Part, line: u64, reason: &str| {
        format!("{} line {line}: {reason}", part.path(&whole.id))
    };
    let skipped = whole.skipped.iter().map(|it| told(it.part, it.skipped.line, &it.skipped.reason));
    let notices = whole.notices.iter().map(|it| told(it.part, it.notice.line, &it.notice.reason));
    (first(skipped), first(notices))
}

/// What the files say of the session that may change.
fn meta(session: &SourceSession) -> Result<Option<Payload>, Error> {
    let members = [("title", &session.title), ("cwd", &session.cwd), ("model", &session.model)];
    let told = members.iter().filter_map(|(name, value)| Some((*name, value.as_ref()?)));
    let told: BTreeMap<&str, &String> = told.collect();
    if told.is_empty() { Ok(None) } else { Payload::of(&told).map(Some) }
}

fn header(
    key: &SessionKey,
    session: &SourceSession,
    created_at: UnixMillis,
    marker: &Marker,
    records: Digest,
) -> Result<Payload, Error> {
    let told = Payload::of(marker)?;
    let mut host = session.belonging.host.clone();
    host.insert(marker::MEMBER.to_owned(), told.clone());
    if let Some(parent) = &session.source_parent {
        host.insert("source_parent".to_owned(), Payload::of(parent)?);
    }
    let seed = |of: &str| {
        let records = records.to_string();
        let parts = [of, key.space.as_str(), key.id.as_str(), told.as_str(), &records];
        Digest::of_parts(parts.map(str::as_bytes))
    };
    let [a, b, c, d, ..] = *seed("sessile legacy salt").as_bytes();
    let parent: Option<SessionId> = session.source_parent.as_ref().and_then(|id| id.parse().ok());
    Payload::of(&Header {
        format: Header::FORMAT,
        id: key.id.clone(),
        space: key.space.clone(),
        created_at,
        crc: Header::CRC.to_owned(),
        salt: Salt::from_random([a, b, c, d]),
        file: Token::from_digest(seed("sessile legacy file")),
        dialect: session.dialect,
        project: None,
        project_identity: None,
        owner: None,
        parent_id: parent,
        forked_from: None,
        copied_to: None,
        identity: None,
        host,
    })
}

/// The commit of entries that follows a tip; its token and id are made of all that it holds and
/// follows.
fn commit(tip: Tip, entries: Vec<NewEntry>) -> Result<Commit, Error> {
    let mut parts = Parts::default();
    parts.push(b"sessile legacy commit");
    parts.push(tip.token.map(|token| token.to_string()).unwrap_or_default().as_bytes());
    for entry in &entries {
        parts.push(entry.entry_type.as_str().as_bytes());
        parts.push(&entry.at.millis().to_le_bytes());
        parts.push(entry.data.as_str().as_bytes());
    }
    let token = Token::from_digest(parts.digest());
    // A line of theirs is taken as long as it is: it is there already.
    let mut limits = Limits::default();
    (limits.entry_bytes, limits.commit_bytes) = (usize::MAX, usize::MAX);
    Commit::new(format!("legacy-{token}").parse()?, token, entries, &limits)
}
