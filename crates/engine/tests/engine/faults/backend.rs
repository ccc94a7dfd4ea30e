//! The contract, with faults in its way.

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{
    Appended, Capabilities, Collection, Commits, DocKey, Document, Expected, Head, NewDocument,
    Precondition, Recency, Recent, SetAside, Span,
};
use sessile_core::error::DamagePlace;
use sessile_core::{
    Backend, Commit, Error, ErrorKind, Name, Position, Revision, Seq, SessionId, SessionKey, Space,
    StoredCommit, Tip,
};

use super::{Faulty, lock};

fn is_within(commit: &StoredCommit, (from, to): (Seq, Seq)) -> bool {
    commit.entries.iter().any(|entry| (from..to).contains(&entry.seq))
}

#[async_trait]
impl Backend for Faulty {
    fn capabilities(&self) -> Capabilities {
        self.memory().capabilities()
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        let Expected::At(mut at) = expected else {
            return self.memory().append(key, expected, commits).await;
        };
        // One by one, so that any of them may be the first that fails.
        let mut appended = Vec::new();
        for commit in commits {
            let done = self.send(key, at, commit).await?;
            at = done.tip;
            appended.push(done);
        }
        Ok(appended)
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.send(key, expected, tombstone).await
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        let mut commits = self.reach()?.read(key, span).await?;
        let (damaged, unsynced) = (*lock(&self.damaged), *lock(&self.unsynced));
        let mut items = Vec::new();
        let mut told = false;
        while let Some(item) = commits.next().await {
            let mut commit = item?;
            if unsynced {
                commit.synced = Position::START;
            }
            if let Some((seq, _)) = damaged.filter(|range| is_within(&commit, *range)) {
                if !told {
                    items.push(Err(Error::corrupt(DamagePlace { seq, offset: 77 }, "zeros")));
                }
                told = true;
                continue;
            }
            let bytes = commit.entries.iter().map(|entry| entry.data.len()).sum();
            self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
            items.push(Ok(commit));
        }
        Ok(Box::pin(stream::iter(items)))
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        let head = self.reach()?.head(key).await?;
        Ok(Head { tail: lock(&self.tail).clone(), ..head })
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.reach()?.set_aside(key).await
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Vec<StoredCommit>,
    ) -> Result<(), Error> {
        self.memory().rewrite(key, expected, commits).await
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        if *lock(&self.unmaskable) {
            return Err(Error::new(ErrorKind::Permission, "it is refused"));
        }
        self.memory().mask(key, expected, seqs).await
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.memory().purge(key).await
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        self.reach()?.journals(space, after, limit).await
    }

    async fn recent(
        &self,
        space: &Space,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        let mut rows = self.reach()?.recent(space, after, limit).await?;
        // A session whose header is damaged.
        if lock(&self.damaged).is_some_and(|(from, _)| from == Seq::FIRST) {
            for row in &mut rows {
                row.head = Err(sessile_core::header::corrupt("zeros"));
            }
        }
        Ok(rows)
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        self.reach()?.spaces(after, limit).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        self.reach()?.get(key).await
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        self.reach()?.put(key, document, precondition).await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.reach()?.delete(key, revision).await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        self.reach()?.documents(collection, after, limit).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.memory().close().await
    }
}
