//! What the cases see of a place.

use futures_util::{TryStreamExt as _, stream};
use sessile_core::backend::{
    Appended, Backend, Collection, Commits, DocKey, Document, NewDocument, Recency, Recent, Scope,
    Span,
};
use sessile_core::id::Name;
use sessile_core::{
    Commit, EntryType, Error, ErrorKind, Seq, SessionId, SessionKey, Space, StoredCommit, Tip,
};

use crate::failed::{Failed, ensure, same};

/// No listing of a case is longer: a walk that goes on is going in circles.
const LONGEST_LISTING: usize = 10_000;

/// The commits of a span; damage is a failure.
pub(crate) async fn read(
    backend: &dyn Backend,
    key: &SessionKey,
    span: Span,
) -> Result<Vec<StoredCommit>, Failed> {
    Ok(backend.read(key, span).await?.try_collect().await?)
}

/// A stream of commits.
pub(crate) fn served(commits: Vec<StoredCommit>) -> Commits {
    Box::pin(stream::iter(commits.into_iter().map(Ok)))
}

/// The texts of the messages of a whole journal.
pub(crate) async fn texts(backend: &dyn Backend, key: &SessionKey) -> Result<Vec<String>, Failed> {
    texts_of(&read(backend, key, Span::ALL).await?)
}

/// The texts of the messages of commits.
pub(crate) fn texts_of(commits: &[StoredCommit]) -> Result<Vec<String>, Failed> {
    let entries = commits.iter().flat_map(|commit| &commit.entries);
    let messages = entries.filter(|entry| entry.entry_type == EntryType::Message);
    Ok(messages.map(|entry| entry.data.decode()).collect::<Result<_, _>>()?)
}

/// Fails unless a commit stands in a journal as it was given, where its append said.
pub(crate) fn stands(
    commits: &[StoredCommit],
    commit: &Commit,
    appended: &Appended,
) -> Result<(), Failed> {
    let stored = commits.iter().find(|stored| stored.token == commit.token());
    let stored = stored.ok_or_else(|| Failed::new(format!("{} is not served", commit.id())))?;
    same("the commit's id", &stored.id, commit.id())?;
    same("the commit's digest", stored.digest, commit.digest())?;
    same("the commit's tip", stored.tip(), appended.tip)?;
    same("the commit's first number", stored.first_seq(), appended.first)?;
    same("the tip's token", appended.tip.token, Some(commit.token()))?;
    let mut next = Some(appended.first);
    same("how many entries", stored.entries.len(), commit.entries().len())?;
    for (entry, given) in stored.entries.iter().zip(commit.entries()) {
        let seq = given.seq.or(next);
        same("the entry's number", Some(entry.seq), seq)?;
        ensure!(
            *entry == given.clone().numbered(entry.seq),
            "entry {} is not what was given",
            entry.seq
        );
        next = entry.seq.next();
    }
    Ok(())
}

/// What tells whether a journal was changed.
#[derive(PartialEq)]
pub(crate) struct Seen {
    head: (Tip, String, u64, bool),
    commits: Vec<StoredCommit>,
}

impl Seen {
    /// The texts of the messages.
    pub(crate) fn texts(&self) -> Result<Vec<String>, Failed> {
        texts_of(&self.commits)
    }

    /// Whether a word stands in any payload.
    pub(crate) fn holds(&self, word: &str) -> bool {
        let mut entries = self.commits.iter().flat_map(|commit| &commit.entries);
        entries.any(|entry| entry.data.as_str().contains(word))
    }
}

/// Looks at a journal, to compare later.
pub(crate) async fn seen(backend: &dyn Backend, key: &SessionKey) -> Result<Seen, Failed> {
    let head = backend.head(key).await?;
    Ok(Seen {
        head: (head.tip, head.change.0, head.bytes, head.deleted),
        commits: read(backend, key, Span::ALL).await?,
    })
}

/// Fails unless a journal is what it was.
pub(crate) async fn unchanged(
    backend: &dyn Backend,
    key: &SessionKey,
    before: &Seen,
) -> Result<(), Failed> {
    let now = seen(backend, key).await?;
    ensure!(
        now.commits == before.commits,
        "the journal {key} has changed: {} commits were there, now {}",
        before.commits.len(),
        now.commits.len()
    );
    same("the head of what did not change", now.head, before.head.clone())
}

/// Fails unless there is no such session, however one asks.
pub(crate) async fn no_session(backend: &dyn Backend, key: &SessionKey) -> Result<(), Failed> {
    let head = backend.head(key).await.err().map(|error| error.kind());
    same("the head of no session", head, Some(ErrorKind::Missing))?;
    let read = backend.read(key, Span::ALL).await;
    let read = read.err().map(|error| error.kind());
    same("reading no session", read, Some(ErrorKind::Missing))?;
    let listed = backend.journals(&key.space, None, LONGEST_LISTING).await?;
    ensure!(!listed.contains(&key.id), "{key} is listed");
    Ok(())
}

/// Fails unless a document is exactly this value with its revision.
pub(crate) fn is_value(document: &Document, value: &NewDocument) -> Result<(), Failed> {
    same("the revision", document.revision, value.revision)?;
    ensure!(
        document.bytes == value.bytes,
        "the value has {} bytes that are not the {} bytes put",
        document.bytes.len(),
        value.bytes.len()
    );
    same("the session", &document.session, &value.session)
}

/// Every session of a space, by pages of a size.
pub(crate) async fn journals(
    backend: &dyn Backend,
    space: &Space,
    limit: usize,
) -> Result<Vec<SessionId>, Failed> {
    let mut listed: Vec<SessionId> = Vec::new();
    loop {
        let page = backend.journals(space, listed.last(), limit).await?;
        if !take_page(&mut listed, page, limit)? {
            return Ok(listed);
        }
    }
}

/// Every head of a space, by pages of a size.
pub(crate) async fn recent(
    backend: &dyn Backend,
    space: &Space,
    limit: usize,
) -> Result<Vec<Recent>, Failed> {
    let mut listed: Vec<Recent> = Vec::new();
    loop {
        let after: Option<&Recency> = listed.last().map(|row| &row.recency);
        let page = backend.recent(space, &Scope::ALL, after, limit).await?;
        if !take_page(&mut listed, page, limit)? {
            return Ok(listed);
        }
    }
}

/// The ids of a space as `recent` lists them, by pages of a size.
pub(crate) async fn recent_ids(
    backend: &dyn Backend,
    space: &Space,
    limit: usize,
) -> Result<Vec<SessionId>, Failed> {
    let rows = recent(backend, space, limit).await?;
    Ok(rows.into_iter().map(|row| row.recency.id).collect())
}

/// Every document of a collection, by pages of a size.
pub(crate) async fn documents(
    backend: &dyn Backend,
    collection: &Collection,
    limit: usize,
) -> Result<Vec<Name>, Failed> {
    let mut listed: Vec<Name> = Vec::new();
    loop {
        let page = backend.documents(collection, listed.last(), limit).await?;
        if !take_page(&mut listed, page, limit)? {
            return Ok(listed);
        }
    }
}

/// Every space, by pages of a size.
pub(crate) async fn spaces(backend: &dyn Backend, limit: usize) -> Result<Vec<Space>, Failed> {
    let mut listed: Vec<Space> = Vec::new();
    loop {
        let page = backend.spaces(listed.last(), limit).await?;
        if !take_page(&mut listed, page, limit)? {
            return Ok(listed);
        }
    }
}

/// Adds a page to a listing; whether another may follow.
fn take_page<T>(listed: &mut Vec<T>, page: Vec<T>, limit: usize) -> Result<bool, Failed> {
    let rows = page.len();
    ensure!(rows <= limit, "a page of at most {limit} has {rows} rows");
    listed.extend(page);
    ensure!(listed.len() <= LONGEST_LISTING, "the pages do not end: {} rows so far", listed.len());
    // Only an empty page is the end: nothing promises that those before it are full.
    Ok(rows > 0)
}

/// The kind of error that asking for a document is answered with; none if it is there.
pub(crate) async fn refusal(backend: &dyn Backend, key: &DocKey) -> Option<ErrorKind> {
    backend.get(key).await.err().map(|error: Error| error.kind())
}

/// The seq of a number; the cases use small ones.
pub(crate) fn seq(number: u64) -> Result<Seq, Failed> {
    Seq::new(number).ok_or_else(|| Failed::new(format!("{number} is no sequence number")))
}
