//! The contract, with faults in its way.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{
    Appended, Capabilities, Capability, Collection, Commits, DocKey, Document, Expected, Gist,
    Head, NewDocument, Precondition, Recency, Recent, Scope, Seen, SetAside, Span,
};
use sessile_core::error::DamagePlace;
use sessile_core::{
    Backend, Commit, Error, ErrorKind, Name, Position, Revision, Seq, SessionId, SessionKey, Space,
    StoredCommit, Tip,
};

use super::{Damaged, Faulty, lock};

fn is_within(commit: &StoredCommit, damaged: &Damaged) -> bool {
    commit.entries.iter().any(|entry| (damaged.from..damaged.to).contains(&entry.seq))
}

#[async_trait]
impl Backend for Faulty {
    fn name(&self) -> &'static str {
        self.memory().name()
    }

    fn capabilities(&self) -> Capabilities {
        let sound = self.memory().capabilities();
        let lacks = |it: &Capability| *it == Capability::Mask && *lock(&self.maskless);
        let has = |it: &Capability| sound.has(*it) && !lacks(it);
        Capabilities::of(Capability::ALL.iter().copied().filter(has))
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
        self.calls.fetch_add(1, Ordering::Relaxed);
        // One by one, so that any of them may be the first that fails.
        let mut appended = Vec::new();
        for commit in commits {
            let done = self.send(key, at, commit).await;
            // Of a group of which some is there it can't be said that nothing is. Who is forbidden the
            // rest gives up, and is not told of it: that is how a copy is cut short.
            let done = match done {
                Err(error) if !appended.is_empty() && error.may_retry() => {
                    return Err(error.outcome_unknown());
                }
                done => done?,
            };
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
        let (mut damaged, unsynced) = (lock(&self.damaged).clone(), *lock(&self.unsynced));
        damaged.retain(|damaged| damaged.is_in(key));
        let mut items = Vec::new();
        let mut told = None;
        while let Some(item) = commits.next().await {
            let mut commit = item?;
            if unsynced {
                commit.synced = Position::START;
            }
            if let Some(damaged) = damaged.iter().find(|damaged| is_within(&commit, damaged)) {
                let seq = damaged.from;
                if told.replace(seq) != Some(seq) {
                    items.push(Err(Error::corrupt(DamagePlace { seq, offset: 77 }, "zeros")));
                }
                continue;
            }
            items.push(Ok(commit));
        }
        let bytes_read = Arc::clone(&self.bytes_read);
        Ok(Box::pin(stream::iter(items).inspect(move |item| {
            let entries = item.iter().flat_map(|commit: &StoredCommit| &commit.entries);
            let bytes = entries.map(|entry| entry.data.len()).sum();
            bytes_read.fetch_add(bytes, Ordering::Relaxed);
        })))
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        let mut head = self.reach()?.head(key).await?;
        let mut damaged = lock(&self.damaged).clone();
        damaged.retain(|damaged| damaged.is_in(key));
        if !damaged.is_empty() {
            // Damage at the end stays there: the journal ends behind it, after what can be read.
            let mut commits = self.memory().read(key, Span::ALL).await?;
            while let Some(commit) = commits.next().await.transpose()? {
                if !damaged.iter().any(|damaged| is_within(&commit, damaged)) {
                    head.tip.token = Some(commit.token);
                }
            }
        }
        Ok(Head { tail: lock(&self.tail).clone(), ..head })
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.reach()?.set_aside(key).await
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
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
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        let mut rows = self.reach()?.recent(space, scope, after, limit).await?;
        // A session whose header is damaged.
        if lock(&self.damaged).iter().any(|damaged| damaged.from == Seq::FIRST) {
            for row in &mut rows {
                row.seen = Err(sessile_core::header::corrupt("zeros"));
            }
        }
        // What was noted before the damage is not good for it.
        for row in &mut rows {
            let key = SessionKey { space: space.clone(), id: row.recency.id.clone() };
            let is_damaged = lock(&self.damaged).iter().any(|damaged| damaged.is_in(&key));
            if is_damaged && row.seen.is_ok() {
                row.seen = self.head(&key).await.map(Seen::from);
            }
        }
        Ok(rows)
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.memory().note(key, gist);
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
