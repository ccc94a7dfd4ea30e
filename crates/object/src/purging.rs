//! Purging: what is left of a deleted journal is its tombstone, for ever.
//!
//! It begins with the tombstone's own record at the next free number, which an undelete would
//! need too: one of both gets it. Only then are the other objects deleted, whose names are free
//! by that; so it waits until no writer can be left that still means to write there.

use std::time::Duration;

use bytes::Bytes;
use sessile_core::commit::StoredCommit;
use sessile_core::entry::{EntryType, Member};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::journal::PURGED;
use sessile_core::{Payload, header, line};

use crate::catalog::Catalog;
use crate::client::{Object, Only};
use crate::documents;
use crate::entropy;
use crate::known::Known;
use crate::look::{Session, missing};
use crate::mark;
use crate::piece::{self, Piece};
use crate::settle::{Settled, Whose, settle};

impl Session {
    /// Removes a deleted journal and its documents but for the tombstone.
    ///
    /// # Errors
    /// Those of [`purge`](sessile_core::Backend::purge); *unavailable*, to be tried again later,
    /// where it was deleted too short a while ago.
    pub(crate) async fn purge(&self, catalog: &Catalog) -> Result<(), Error> {
        let _turn = self.journal.turn.lock().await;
        self.journal.forget();
        loop {
            let known = self.look_at_existing().await?;
            if known.first > 0 {
                return self.sweep(catalog, known.last).await;
            }
            if !known.word.deleted {
                return Err(not_deleted());
            }
            self.check_old(&known).await?;
            let number = known.taken + 1;
            let body = self.left_over_of(&known).await?;
            let whose = |object: &Object| {
                let is_ours = piece::is_left_over(&object.bytes, &self.key);
                if is_ours { Whose::Ours } else { Whose::Others }
            };
            let path = self.keys.log(number);
            let sent = settle(self.client(), &path, &body, &Only::IfAbsent, whose).await?;
            self.journal.forget();
            if matches!(sent, Settled::Ours(_)) {
                return self.sweep(catalog, number).await;
            }
            // An undelete may have been first, or what is not of the journal.
        }
    }

    /// Deletes everything but the tombstone's record and the mark, which tells where that is.
    async fn sweep(&self, catalog: &Catalog, number: u64) -> Result<(), Error> {
        let (client, keys) = (self.client(), &self.keys);
        // Before the first object's name is free, so that no list is needed to see that it is not.
        mark::swap(client, keys, mark::of_purged(number)).await?;
        // A note of an earlier end would hold again once the object behind that is gone.
        catalog.scrub(&self.key).await?;
        // As often as it takes: a call that failed half-way is completed by the next.
        documents::purge_belongings(&self.place, &self.key).await?;
        let listed = client.list_all(&keys.folder(), None).await?;
        let kept = [keys.log(number), keys.masked()];
        let paths = listed.into_iter().map(|object| object.path).filter(|it| !kept.contains(it));
        client.delete(paths.collect()).await
    }

    /// Refuses while a writer may be left that has not seen the tombstone, by the place's times.
    async fn check_old(&self, known: &Known) -> Result<(), Error> {
        let after = self.client().options().waits_to_purge();
        if after.is_zero() {
            return Ok(());
        }
        let now = self.keys.moment(&entropy::token().to_string());
        let sent = self.client().send(&now, Bytes::new(), &Only::IfAbsent).await;
        let before = known.last.checked_sub(1).map(|before| self.keys.log(before));
        let listed = self.client().list_all(&self.keys.folder(), before.as_ref()).await;
        if sent.is_ok() {
            self.client().delete(vec![now.clone()]).await?;
        }
        let listed = listed?;
        let written = |path| listed.iter().find(|it| it.path == path).map(|it| it.written);
        let (Some(deleted), Some(now)) = (written(self.keys.log(known.last)), written(now)) else {
            let clause = "the place does not tell how long ago it was deleted";
            return Err(Error::new(ErrorKind::Unavailable, clause).retryable());
        };
        let age = Duration::from_millis(u64::try_from(now - deleted).unwrap_or(0));
        let Some(left) = after.checked_sub(age).filter(|left| !left.is_zero()) else {
            return Ok(());
        };
        let minutes = left.as_secs().div_ceil(60);
        let clause = format!("it was deleted too short a while ago to be purged, {minutes} min");
        Err(Error::new(ErrorKind::Unavailable, clause)
            .with_hint(format!("purge it in {minutes} minutes; until then a writer may be left"))
            .retryable())
    }

    /// The last tombstone of a journal that is deleted; what is behind it is damaged.
    async fn tombstone(&self, known: &Known) -> Result<StoredCommit, Error> {
        for number in (0..=known.last).rev() {
            let object = self.client().get(&self.keys.log(number)).await?;
            let piece = object.map(|it| Piece::read(it.bytes, known.begun.salt, None));
            let mut commits = piece.iter().flat_map(Piece::commits);
            if let Some(commit) = commits.rfind(|commit| commit.has(&EntryType::Delete)) {
                return Ok(commit.clone());
            }
        }
        Err(Error::new(ErrorKind::Conflict, "its tombstone is gone"))
    }

    /// What is left of a journal: its header alone, and its tombstone.
    async fn left_over_of(&self, known: &Known) -> Result<Bytes, Error> {
        let salt = known.begun.salt;
        let first = self.client().get(&self.keys.log(0)).await?.ok_or_else(missing)?;
        let first = Piece::read(first.bytes, salt, None);
        let mut header = first
            .commits()
            .next()
            .cloned()
            .ok_or_else(|| header::corrupt("its first commit is not whole"))?;
        header.entries.truncate(1);
        let mut tombstone = self.tombstone(known).await?;
        tombstone.prev = Some(header.token);
        let deletes = |entry: &&mut sessile_core::Entry| entry.entry_type == EntryType::Delete;
        if let Some(entry) = tombstone.entries.iter_mut().find(deletes) {
            entry.extra.retain(|member| &*member.name != PURGED);
            entry.extra.push(Member { name: PURGED.into(), value: Payload::parse("true")? });
        }
        let mut body = Vec::new();
        for commit in [header, tombstone] {
            line::encode_commit(&mut body, &commit, salt);
        }
        Ok(body.into())
    }
}

fn not_deleted() -> Error {
    Error::new(ErrorKind::Conflict, "it is not deleted").with_hint("delete it first")
}
