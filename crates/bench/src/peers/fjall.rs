//! fjall: a log-structured merge tree, `PersistMode::SyncAll` where a change is durable.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode};

use super::peer::{Peer, Row, Sync};
use crate::messages::{Message, parse, text};

pub(super) struct Fjall {
    database: Database,
    sessions: Keyspace,
    recent: Keyspace,
    messages: Keyspace,
    documents: Keyspace,
    /// The time of the last change; a counter.
    now: u64,
}

/// Numbers whose order is that of their bytes.
fn pair(first: u64, second: u64) -> [u8; 16] {
    let mut key = [0; 16];
    let (left, right) = key.split_at_mut(8);
    left.copy_from_slice(&first.to_be_bytes());
    right.copy_from_slice(&second.to_be_bytes());
    key
}

/// The number at the beginning, and what stands behind it.
fn number(bytes: &[u8]) -> Result<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk().context("a value is too short")?;
    Ok((u64::from_be_bytes(*number), rest))
}

/// A number with bytes behind it.
fn numbered(number: u64, bytes: &[u8]) -> Vec<u8> {
    [&number.to_be_bytes(), bytes].concat()
}

impl Fjall {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let database = Database::builder(folder.join("sessions.fjall")).open()?;
        let keyspace = |name| database.keyspace(name, KeyspaceCreateOptions::default);
        let (sessions, recent) = (keyspace("sessions")?, keyspace("recent")?);
        let (messages, documents) = (keyspace("messages")?, keyspace("documents")?);
        let newest = recent.last_key_value().map(fjall::Guard::key).transpose()?;
        let now = newest.map(|key| Ok::<_, anyhow::Error>(number(&key)?.0)).transpose()?;
        Ok(Self { database, sessions, recent, messages, documents, now: now.unwrap_or(0) })
    }

    fn begin(&mut self, sync: Sync) -> OwnedWriteBatch {
        self.now += 1;
        let mode = if sync == Sync::Durable { PersistMode::SyncAll } else { PersistMode::Buffer };
        self.database.batch().durability(Some(mode))
    }

    fn add(
        &self,
        batch: &mut OwnedWriteBatch,
        session: u64,
        messages: &[&Message],
        title: Option<&str>,
    ) -> Result<()> {
        let id = session.to_be_bytes();
        let known = self.sessions.get(id)?;
        let known = known.as_deref().map(number).transpose()?;
        if let Some((updated, _)) = known {
            batch.remove(&self.recent, pair(updated, session));
        }
        let title = title.map(str::as_bytes).or_else(|| known.map(|(_, title)| title));
        let row = numbered(self.now, title.unwrap_or(b"session"));
        batch.insert(&self.sessions, id, row);
        batch.insert(&self.recent, pair(self.now, session), []);
        let last = self.messages.prefix(id).next_back().map(fjall::Guard::key).transpose()?;
        let last = match last.as_deref() {
            Some(key) => number(number(key)?.1)?.0,
            None => 0,
        };
        for (seq, message) in (last + 1..).zip(messages) {
            batch.insert(&self.messages, pair(session, seq), serde_json::to_vec(message)?);
        }
        Ok(())
    }
}

impl Peer for Fjall {
    fn fill(&mut self, sessions: Range<u64>, messages: &[Message]) -> Result<()> {
        let messages: Vec<&Message> = messages.iter().collect();
        for session in sessions {
            let mut batch = self.begin(Sync::Buffered);
            self.add(&mut batch, session, &messages, Some(&format!("session {session}")))?;
            batch.commit()?;
        }
        Ok(self.database.persist(PersistMode::SyncAll)?)
    }

    fn append(&mut self, session: u64, messages: &[&Message], sync: Sync) -> Result<()> {
        let mut batch = self.begin(sync);
        self.add(&mut batch, session, messages, None)?;
        Ok(batch.commit()?)
    }

    fn load(&mut self, session: u64) -> Result<Vec<Message>> {
        let rows = self.messages.prefix(session.to_be_bytes());
        rows.map(|row| parse(text(&row.value()?)?)).collect()
    }

    fn last(&mut self, session: u64, count: usize) -> Result<Vec<Message>> {
        let rows = self.messages.prefix(session.to_be_bytes()).rev().take(count);
        let mut messages: Vec<Message> =
            rows.map(|row| parse(text(&row.value()?)?)).collect::<Result<_>>()?;
        messages.reverse();
        Ok(messages)
    }

    fn page(&mut self, count: usize) -> Result<Vec<Row>> {
        let rows = self.recent.iter().rev().take(count);
        rows.map(|row| {
            let key = row.key()?;
            let (updated, rest) = number(&key)?;
            let session = number(rest)?.0;
            let found = self.sessions.get(rest)?.context("a session is missing")?;
            let title = text(number(&found)?.1)?.to_owned();
            Ok(Row { session, title, updated })
        })
        .collect()
    }

    fn rename(&mut self, session: u64, title: &str) -> Result<()> {
        let id = session.to_be_bytes();
        let found = self.sessions.get(id)?.context("a session is missing")?;
        let row = numbered(number(&found)?.0, title.as_bytes());
        let mut batch = self.begin(Sync::Durable);
        batch.insert(&self.sessions, id, row);
        Ok(batch.commit()?)
    }

    fn swap(&mut self, revision: u64, body: &[u8]) -> Result<()> {
        let found = self.documents.get([0])?;
        let found = found.as_deref().map(number).transpose()?.map_or(0, |(found, _)| found);
        ensure!(found == revision, "the document has another revision");
        let mut batch = self.begin(Sync::Durable);
        batch.insert(&self.documents, [0], numbered(revision + 1, body));
        Ok(batch.commit()?)
    }

    fn compact(&mut self, session: u64, keep: usize, summary: &Message) -> Result<()> {
        let mut batch = self.begin(Sync::Durable);
        let mut first = None;
        for row in self.messages.prefix(session.to_be_bytes()).rev().skip(keep) {
            let key = row.key()?;
            first = first.or_else(|| Some(key.clone()));
            batch.remove(&self.messages, key);
        }
        let first = first.context("there is nothing to compact")?;
        batch.insert(&self.messages, first, serde_json::to_vec(summary)?);
        Ok(batch.commit()?)
    }
}
