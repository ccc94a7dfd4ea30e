//! The trait that every backend implements.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::commit::{Commit, Tip};
use crate::error::Error;
use crate::id::{Name, SessionId, SessionKey, Space};
use crate::position::Seq;
use crate::revision::Revision;

use super::capabilities::Capabilities;
use super::document::{Collection, DocKey, Document, NewDocument, Precondition};
use super::gist::Gist;
use super::head::{Head, Recency, Recent, SetAside};
use super::scope::Scope;
use super::span::{Appended, Commits, Expected, Span};

/// A place that keeps journals and documents.
///
/// It is the minimum for those who implement it; what callers want beyond it is the engine's.
/// Nothing but the hint [`changed`](Self::changed) has a default, so that a wrapper can't miss a
/// method silently: it names all of them. Each promise is a [`Clause`](super::Clause); each method
/// names those that it must keep.
///
/// A handle may be used from any number of tasks at once. A mutation that was begun is carried
/// through even when its future is dropped. Errors are told apart by
/// [`kind`](Error::kind) and, of mutations, by [`outcome`](Error::outcome): after
/// [`NotApplied`](crate::Outcome::NotApplied) nothing will ever show of it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend, Span};
/// use sessile_core::{ErrorKind, SessionKey, Space};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
/// let store = Store::on(Arc::clone(&backend));
/// store.create_as("ses_42", NewSession::new()).await?;
/// // What the store keeps is a journal, here of its header alone.
/// let key = SessionKey { space: Space::default(), id: "ses_42".parse()? };
/// assert_eq!(backend.head(&key).await?.tip.position.number(), 1);
/// // What never was is missing, in every space by itself.
/// let elsewhere = SessionKey { space: "tenant-7".parse()?, ..key };
/// let error = backend.read(&elsewhere, Span::ALL).await.err().expect("nothing is there");
/// assert_eq!(error.kind(), ErrorKind::Missing);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Backend: fmt::Debug + Send + Sync {
    /// Its kind, for people and scripts: `memory`, `fs`. It is the same for every place and
    /// version, and a wrapper has that of what it wraps.
    fn name(&self) -> &'static str;

    /// What this backend can do beyond the least.
    fn capabilities(&self) -> Capabilities;

    /// Appends commits in order, if the journal ends where the writer thinks it does.
    ///
    /// Each commit is atomic; all are durable on return where the backend declares it. Answers
    /// one [`Appended`] for each commit; a list of none is refused. A commit that is sent again
    /// where it was sent first is answered with what it did, although others have appended since.
    ///
    /// # Contract
    /// `AppendIsConditional`, `CreateIsExclusive`, `CommitsAreAtomic`, `CommitsAreOrdered`,
    /// `RacesHaveOneWinner`, `OwnTokenIsReplayed`, `AppendsAreShared`, `AppendsAreDurable`,
    /// `PayloadsAreVerbatim`, `TombstonesHold`.
    ///
    /// # Errors
    /// *conflict* with the actual position, *missing*, *deleted*, *corrupt* when the header can't
    /// be read, *unavailable*, *deadline*, *permission*, *refused* when a first commit does not
    /// begin with a header. After an unknown outcome each commit is resolved by sending it again
    /// with its own token.
    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error>;

    /// Appends the tombstone, a commit with a `delete` entry.
    ///
    /// # Contract
    /// `TombstonesHold`, and what binds [`append`](Self::append).
    ///
    /// # Errors
    /// Those of [`append`](Self::append); *refused* without a `delete` entry.
    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error>;

    /// Reads commits.
    ///
    /// # Contract
    /// `ReadsAreExact`, `ReadsWriteNothing`, `CommitsAreAtomic`, `CommitsAreOrdered`,
    /// `PayloadsAreVerbatim`, `MissingIsMissing`.
    ///
    /// # Errors
    /// *missing*, *corrupt* when the header can't be read, *unavailable*, *permission*; damage
    /// further on is an item of the stream.
    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error>;

    /// Looks at a journal without reading its transcript.
    ///
    /// # Contract
    /// `HeadsAreTrue`, `ReadsWriteNothing`, `MissingIsMissing`.
    ///
    /// # Errors
    /// *missing*, *corrupt*, *unavailable*, *permission*.
    async fn head(&self, key: &SessionKey) -> Result<Head, Error>;

    /// Lists what was cut off a journal by repairs and is kept beside it, oldest first.
    ///
    /// # Contract
    /// `SetAsideIsTold`, `ReadsWriteNothing`, `MissingIsMissing`.
    ///
    /// # Errors
    /// *missing*, *unavailable*, *permission*.
    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error>;

    /// Replaces a journal physically and atomically by commits whose entries keep their numbers
    /// and whose last one is the journal's last one, so that the position stays.
    ///
    /// The commits come as a stream, which may read the very journal that they are to replace; a
    /// backend takes them as they come, and no more at once than it can hold of any journal.
    /// Nothing is replaced before the last one came: an error in the stream is answered as it is,
    /// and one that is dropped before its end leaves the journal as it was.
    ///
    /// # Contract
    /// `RewritesKeepNumbers`, `AppendIsConditional`, `CommitsAreAtomic`, `TombstonesHold`;
    /// `LacksAreRefused` without the capability.
    ///
    /// # Errors
    /// *unsupported*, those of [`append`](Self::append), and what the stream gives.
    async fn rewrite(&self, key: &SessionKey, expected: Tip, commits: Commits)
    -> Result<(), Error>;

    /// Removes the data of entries physically, and the members of theirs that no version knew; they
    /// keep number, type and time, their commit keeps its digest, and the journal ends where it
    /// did. Masking what is masked is answered as done.
    ///
    /// # Contract
    /// `MasksRemoveData`, `AppendIsConditional`, `AppendsAreShared`, `TombstonesHold`;
    /// `LacksAreRefused` without the capability.
    ///
    /// # Errors
    /// *unsupported*, and those of [`append`](Self::append).
    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error>;

    /// Removes a deleted journal and its documents but for the tombstone.
    ///
    /// What is left is read as a journal of two entries, the header alone of its first commit and
    /// the tombstone's commit, at the tip where it ended: so its head says that it is deleted, its
    /// id is listed and never free, and no undelete is taken any more. Purging it again is
    /// answered as done.
    ///
    /// # Contract
    /// `TombstonesHold`; `LacksAreRefused` without the capability.
    ///
    /// # Errors
    /// *unsupported*, *missing*, *conflict* when it is not deleted.
    async fn purge(&self, key: &SessionKey) -> Result<(), Error>;

    /// Lists journals in the order of ids, after one, at most so many. Here as in every list, a
    /// page of at most none is refused.
    ///
    /// # Contract
    /// `ListsAreComplete`, `SpacesAreApart`, `ReadsWriteNothing`.
    ///
    /// # Errors
    /// *unavailable*, *permission*; never an empty list in their place.
    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error>;

    /// Lists journals of a scope, newest first, after a place in that order, at most so many.
    ///
    /// # Contract
    /// `RecentIsNewestFirst`, `ScopesAreKept`, `GistsAreOfTheTip`, `SpacesAreApart`,
    /// `ReadsWriteNothing`; the order may be as stale as
    /// [`recency_lag`](Capabilities::recency_lag) says, but no journal is left out.
    ///
    /// # Errors
    /// *unavailable*, *permission*; a damaged journal is a row, not an error.
    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error>;

    /// Takes note of what a listing may show of a journal, as somebody found it at some tip.
    ///
    /// It is a hint: it makes no journal, waits for nothing and reads or writes nothing by itself. A
    /// backend may drop it, serve it from memory, or write it with what it writes anyway; and it
    /// drops it for good when data is removed from the journal physically.
    ///
    /// # Contract
    /// `GistsAreOfTheTip`.
    fn note(&self, key: &SessionKey, gist: Arc<Gist>);

    /// Lists the spaces that hold anything, in the order of names, after one, at most so many.
    ///
    /// # Contract
    /// `SpacesAreListed`, `ReadsWriteNothing`.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error>;

    /// Reads a document.
    ///
    /// # Contract
    /// `DocumentsAreWhole`, `DamagedDocumentsAreKept`, `MissingIsMissing`, `ReadsWriteNothing`.
    ///
    /// # Errors
    /// *missing*, *corrupt* with the [revision](Error::corrupt_document) of what is stored,
    /// *unknown version*, *unavailable*, *permission*.
    async fn get(&self, key: &DocKey) -> Result<Document, Error>;

    /// Puts a document if the precondition holds. Sent again with its own revision after it was
    /// applied, it is answered as done. One that is *corrupt* is replaced if the precondition names
    /// the revision that the error carries, and has no former revisions then.
    ///
    /// # Contract
    /// `DocumentsSwap`, `DocumentsAreWhole`, `DamagedDocumentsAreKept`, `RevisionsAreRemembered`,
    /// `RevisionsNeverReturn`, `RacesHaveOneWinner`.
    ///
    /// # Errors
    /// *conflict* with the actual revision, *corrupt* with the revision of what is stored whatever
    /// else was expected, *unknown version*, *unavailable*, *permission*.
    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error>;

    /// Deletes a document that has a revision, or that is *corrupt* with it.
    ///
    /// # Contract
    /// `DocumentsSwap`, `DamagedDocumentsAreKept`, `RevisionsNeverReturn`, `MissingIsMissing`.
    ///
    /// # Errors
    /// *missing*, *conflict* with the actual revision, *corrupt* with that of what is stored,
    /// *unknown version*, *unavailable*, *permission*.
    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error>;

    /// Lists the documents of a collection in the order of names, after one, at most so many.
    ///
    /// # Contract
    /// `DocumentListsAreComplete`, `SpacesAreApart`, `ReadsWriteNothing`.
    ///
    /// # Errors
    /// *unavailable*, *permission*; never an empty list in their place.
    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error>;

    /// Waits until a journal may have changed, where the place tells of what others do; without
    /// that it waits for ever, which is what it does unless a backend says otherwise.
    ///
    /// It is a hint: it may end where nothing has changed, and a change may go untold. Whoever
    /// waits looks again after a time of its own. Dropping it ends the waiting, and it writes
    /// nothing.
    async fn changed(&self, _key: &SessionKey) {
        std::future::pending::<()>().await;
    }

    /// Gives back what the handle holds; what it acknowledged stays. Later calls may open it anew.
    ///
    /// # Errors
    /// *unavailable* when something could not be given back; nothing is lost by it.
    async fn close(&self) -> Result<(), Error>;
}
