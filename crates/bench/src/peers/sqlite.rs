//! `SQLite`: a write-ahead log, `synchronous=FULL` where a change is durable.

use std::ops::Range;
use std::path::Path;

use anyhow::{Result, ensure};
use rusqlite::{Connection, Transaction, params};

use super::peer::{Peer, Row, Sync};
use crate::messages::{Message, parse, text};

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS sessions (
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, updated INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS recent ON sessions (updated DESC);
    CREATE TABLE IF NOT EXISTS messages (
        session INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (session, seq)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS documents (
        id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, body BLOB NOT NULL
    );
";

/// One connection, whose statements are prepared once.
pub(super) struct Sqlite {
    connection: Connection,
    sync: Sync,
    /// The time of the last change; a counter, so that each is newer than the one before.
    now: i64,
}

impl Sqlite {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let connection = Connection::open(folder.join("sessions.sqlite"))?;
        connection.execute_batch(SCHEMA)?;
        let now =
            connection
                .query_row("SELECT ifnull(max(updated), 0) FROM sessions", [], |row| row.get(0))?;
        Ok(Self { connection, sync: Sync::Durable, now })
    }

    fn set(&mut self, sync: Sync) -> Result<()> {
        if self.sync != sync {
            let level = if sync == Sync::Durable { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.sync = sync;
        }
        Ok(())
    }
}

fn add(
    transaction: &Transaction<'_>,
    session: i64,
    messages: &[&Message],
    now: i64,
    title: Option<&str>,
) -> Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO sessions VALUES (?1, ifnull(?3, 'session'), ?2)
             ON CONFLICT (id) DO UPDATE SET updated = ?2",
        )?
        .execute(params![session, now, title])?;
    let last: i64 = transaction
        .prepare_cached("SELECT ifnull(max(seq), 0) FROM messages WHERE session = ?1")?
        .query_row([session], |row| row.get(0))?;
    let mut insert = transaction.prepare_cached("INSERT INTO messages VALUES (?1, ?2, ?3)")?;
    for (seq, message) in (last + 1..).zip(messages) {
        insert.execute(params![session, seq, serde_json::to_string(message)?])?;
    }
    Ok(())
}

impl Peer for Sqlite {
    fn fill(&mut self, sessions: Range<u64>, messages: &[Message]) -> Result<()> {
        let messages: Vec<&Message> = messages.iter().collect();
        let transaction = self.connection.transaction()?;
        for session in sessions {
            self.now += 1;
            let (number, title) = (i64::try_from(session)?, format!("session {session}"));
            add(&transaction, number, &messages, self.now, Some(&title))?;
        }
        Ok(transaction.commit()?)
    }

    fn append(&mut self, session: u64, messages: &[&Message], sync: Sync) -> Result<()> {
        self.set(sync)?;
        self.now += 1;
        let transaction = self.connection.transaction()?;
        add(&transaction, i64::try_from(session)?, messages, self.now, None)?;
        Ok(transaction.commit()?)
    }

    fn append_group(&mut self, changes: &[(u64, &Message)]) -> Result<()> {
        self.set(Sync::Durable)?;
        let transaction = self.connection.transaction()?;
        for (session, message) in changes {
            self.now += 1;
            add(&transaction, i64::try_from(*session)?, &[message], self.now, None)?;
        }
        Ok(transaction.commit()?)
    }

    fn load(&mut self, session: u64) -> Result<Vec<Message>> {
        let mut select = self
            .connection
            .prepare_cached("SELECT body FROM messages WHERE session = ?1 ORDER BY seq")?;
        let mut rows = select.query([i64::try_from(session)?])?;
        let mut messages = Vec::new();
        while let Some(row) = rows.next()? {
            messages.push(parse(text(row.get_ref(0)?.as_bytes()?)?)?);
        }
        Ok(messages)
    }

    fn last(&mut self, session: u64, count: usize) -> Result<Vec<Message>> {
        let mut select = self.connection.prepare_cached(
            "SELECT body FROM messages WHERE session = ?1 ORDER BY seq DESC LIMIT ?2",
        )?;
        let mut rows = select.query(params![i64::try_from(session)?, i64::try_from(count)?])?;
        let mut messages = Vec::with_capacity(count);
        while let Some(row) = rows.next()? {
            messages.push(parse(text(row.get_ref(0)?.as_bytes()?)?)?);
        }
        messages.reverse();
        Ok(messages)
    }

    fn page(&mut self, count: usize) -> Result<Vec<Row>> {
        let mut select = self.connection.prepare_cached(
            "SELECT id, title, updated FROM sessions ORDER BY updated DESC LIMIT ?1",
        )?;
        let rows = select.query_map([i64::try_from(count)?], |row| {
            Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, i64>(2)?))
        })?;
        rows.map(|row| {
            let (session, title, updated) = row?;
            Ok(Row { session: session.try_into()?, title, updated: updated.try_into()? })
        })
        .collect()
    }

    fn rename(&mut self, session: u64, title: &str) -> Result<()> {
        self.set(Sync::Durable)?;
        self.connection
            .prepare_cached("UPDATE sessions SET title = ?2 WHERE id = ?1")?
            .execute(params![i64::try_from(session)?, title])?;
        Ok(())
    }

    fn swap(&mut self, revision: u64, body: &[u8]) -> Result<()> {
        self.set(Sync::Durable)?;
        let changed = self
            .connection
            .prepare_cached(
                "INSERT INTO documents VALUES (0, ?1 + 1, ?2)
                 ON CONFLICT (id) DO UPDATE SET revision = ?1 + 1, body = ?2 WHERE revision = ?1",
            )?
            .execute(params![i64::try_from(revision)?, body])?;
        ensure!(changed == 1, "the document has another revision");
        Ok(())
    }

    fn compact(&mut self, session: u64, keep: usize, summary: &Message) -> Result<()> {
        self.set(Sync::Durable)?;
        let session = i64::try_from(session)?;
        let transaction = self.connection.transaction()?;
        let first: i64 = transaction.query_row(
            "SELECT seq FROM messages WHERE session = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2",
            params![session, i64::try_from(keep)?],
            |row| row.get(0),
        )?;
        transaction.execute(
            "DELETE FROM messages WHERE session = ?1 AND seq <= ?2",
            params![session, first],
        )?;
        transaction.execute(
            "INSERT INTO messages VALUES (?1, ?2, ?3)",
            params![session, first, serde_json::to_string(summary)?],
        )?;
        Ok(transaction.commit()?)
    }
}
