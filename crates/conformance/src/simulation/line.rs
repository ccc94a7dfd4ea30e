//! A bad line to a place.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use futures_util::StreamExt as _;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Collection, Commits, DocKey, Document, Expected, Gist, Head,
    NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile_core::{
    Commit, Error, ErrorKind, Name, Revision, Seq, SessionId, SessionKey, Space, Tip,
};

use super::chance::Chance;
use super::defect::Defect;

/// The longest that anything is under way, but for what arrives late.
const DELAY: u64 = 60;

/// The longest that what arrives late is under way.
const LATE: u64 = 8_000;

/// One in so many calls goes wrong.
const WRONG: u64 = 6;

/// How a change goes over the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// It arrives, and so does its answer.
    Well,
    /// It never arrives.
    Lost,
    /// It arrives, and its answer does not.
    Unanswered,
    /// It arrives long after its sender has given it up.
    Late,
    /// It arrives, is answered, and arrives once more.
    Twice,
}

/// A backend with a bad line to it.
#[derive(Clone)]
pub(super) struct Line {
    backend: Arc<dyn Backend>,
    chance: Chance,
    defect: Option<Defect>,
    /// How much went wrong so far, over all lines.
    faults: Arc<AtomicU64>,
}

impl Line {
    pub(super) fn to(
        backend: Arc<dyn Backend>,
        chance: Chance,
        defect: Option<Defect>,
        faults: &Arc<AtomicU64>,
    ) -> Self {
        Self { backend, chance, defect, faults: Arc::clone(faults) }
    }

    fn goes_wrong(&self) -> bool {
        let wrong = self.chance.one_in(WRONG);
        self.faults.fetch_add(u64::from(wrong), Ordering::Relaxed);
        wrong
    }

    fn way(&self) -> Way {
        let bad = [Way::Lost, Way::Unanswered, Way::Late, Way::Twice];
        let chosen = self.goes_wrong().then(|| self.chance.pick(&bad).copied()).flatten();
        chosen.unwrap_or(Way::Well)
    }

    /// Sends a change over the line.
    async fn change<T, F>(&self, change: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
        T: Send + 'static,
    {
        let way = self.way();
        self.chance.wait(DELAY).await;
        if matches!(way, Way::Late | Way::Twice) {
            let (late, wait) = (change(), self.chance.clone());
            tokio::spawn(async move {
                wait.wait(LATE).await;
                // Nobody waits for the answer.
                drop(late.await);
            });
        }
        let answer = match way {
            Way::Well | Way::Unanswered | Way::Twice => Some(change().await),
            Way::Lost | Way::Late => None,
        };
        self.chance.wait(DELAY).await;
        match answer {
            // While it is under way once more, what could not be done for the moment may be done.
            Some(Err(error)) if way == Way::Twice && error.may_retry() => {
                Err(error.outcome_unknown())
            }
            Some(answer) if way != Way::Unanswered => answer,
            _ => Err(Error::new(ErrorKind::Unavailable, "no answer came")
                .retryable()
                .outcome_unknown()),
        }
    }

    /// Asks something over the line.
    async fn ask(&self) -> Result<&dyn Backend, Error> {
        let wrong = self.goes_wrong();
        self.chance.wait(DELAY).await;
        if wrong {
            return Err(Error::new(ErrorKind::Unavailable, "no answer came").retryable());
        }
        Ok(&*self.backend)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("backend", &self.backend).finish_non_exhaustive()
    }
}

#[async_trait]
impl Backend for Line {
    fn name(&self) -> &'static str {
        self.backend.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.backend.capabilities()
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        if let (Some(Defect::DropsWhatItTold), Expected::At(tip)) = (self.defect, expected)
            && tip != Tip::ABSENT
            && self.chance.one_in(8)
        {
            return Defect::told(tip, &commits);
        }
        self.change(|| {
            let (backend, defect) = (Arc::clone(&self.backend), self.defect);
            let (key, commits) = (key.clone(), commits.clone());
            async move {
                let expected = match defect {
                    Some(defect) => defect.misplaced(&*backend, &key, expected, &commits).await,
                    None => expected,
                };
                backend.append(&key, expected, commits).await
            }
        })
        .await
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.change(|| {
            let (backend, key) = (Arc::clone(&self.backend), key.clone());
            let tombstone = tombstone.clone();
            async move { backend.remove(&key, expected, tombstone).await }
        })
        .await
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        let commits = self.ask().await?.read(key, span).await?;
        let Some(defect) = self.defect else { return Ok(commits) };
        Ok(commits.map(move |commit| commit.map(|commit| defect.served(commit))).boxed())
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        self.ask().await?.head(key).await
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.ask().await?.set_aside(key).await
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        self.ask().await?.rewrite(key, expected, commits).await
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.change(|| {
            let (backend, key, seqs) = (Arc::clone(&self.backend), key.clone(), seqs.clone());
            async move { backend.mask(&key, expected, seqs).await }
        })
        .await
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.ask().await?.purge(key).await
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        self.ask().await?.journals(space, after, limit).await
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        self.ask().await?.recent(space, scope, after, limit).await
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.backend.note(key, gist);
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        self.ask().await?.spaces(after, limit).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        self.ask().await?.get(key).await
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        self.change(|| {
            let (backend, key) = (Arc::clone(&self.backend), key.clone());
            let (document, swaps_anything) =
                (document.clone(), self.defect == Some(Defect::SwapsAnything));
            async move {
                let precondition = match backend.get(&key).await {
                    Ok(held) if swaps_anything => Precondition::Revision(held.revision),
                    _ => precondition,
                };
                backend.put(&key, document, precondition).await
            }
        })
        .await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.change(|| {
            let (backend, key) = (Arc::clone(&self.backend), key.clone());
            async move { backend.delete(&key, revision).await }
        })
        .await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        self.ask().await?.documents(collection, after, limit).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.backend.close().await
    }
}
