//! redb: a B-tree, `Durability::Immediate` where a change is durable.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use redb::{
    Database, Durability, ReadableDatabase as _, ReadableTable as _, TableDefinition,
    WriteTransaction,
};

use super::peer::{Peer, Row, Sync};
use crate::messages::{Message, parse, text};

/// By session: when it was updated, and its title.
const SESSIONS: TableDefinition<'_, u64, (u64, &str)> = TableDefinition::new("sessions");
/// By the time of the update and the session.
const RECENT: TableDefinition<'_, (u64, u64), ()> = TableDefinition::new("recent");
/// By session and number.
const MESSAGES: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("messages");
const DOCUMENTS: TableDefinition<'_, u64, (u64, &[u8])> = TableDefinition::new("documents");

pub(super) struct Redb {
    database: Database,
    /// The time of the last change; a counter.
    now: u64,
}

impl Redb {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let database = Database::create(folder.join("sessions.redb"))?;
        let begun = database.begin_write()?;
        begun.open_table(SESSIONS)?;
        begun.open_table(MESSAGES)?;
        begun.open_table(DOCUMENTS)?;
        let now = begun.open_table(RECENT)?.last()?.map_or(0, |(key, _)| key.value().0);
        begun.commit()?;
        Ok(Self { database, now })
    }

    fn begin(&mut self, sync: Sync) -> Result<WriteTransaction> {
        self.now += 1;
        let mut begun = self.database.begin_write()?;
        let durability =
            if sync == Sync::Durable { Durability::Immediate } else { Durability::None };
        begun.set_durability(durability)?;
        Ok(begun)
    }
}

fn add(
    begun: &WriteTransaction,
    session: u64,
    messages: &[&Message],
    now: u64,
    title: Option<&str>,
) -> Result<()> {
    let mut sessions = begun.open_table(SESSIONS)?;
    let mut recent = begun.open_table(RECENT)?;
    let known = sessions.get(session)?.map(|row| {
        let (updated, title) = row.value();
        (updated, title.to_owned())
    });
    if let Some((updated, _)) = &known {
        recent.remove((*updated, session))?;
    }
    let title =
        title.or_else(|| known.as_ref().map(|(_, title)| title.as_str())).unwrap_or("session");
    sessions.insert(session, (now, title))?;
    recent.insert((now, session), ())?;
    let mut table = begun.open_table(MESSAGES)?;
    let last = table.range((session, 0)..=(session, u64::MAX))?.next_back().transpose()?;
    let last = last.map_or(0, |(key, _)| key.value().1);
    for (seq, message) in (last + 1..).zip(messages) {
        table.insert((session, seq), serde_json::to_vec(message)?.as_slice())?;
    }
    Ok(())
}

impl Peer for Redb {
    fn fill(&mut self, sessions: Range<u64>, messages: &[Message]) -> Result<()> {
        let messages: Vec<&Message> = messages.iter().collect();
        let begun = self.begin(Sync::Durable)?;
        for session in sessions {
            self.now += 1;
            add(&begun, session, &messages, self.now, Some(&format!("session {session}")))?;
        }
        Ok(begun.commit()?)
    }

    fn append(&mut self, session: u64, messages: &[&Message], sync: Sync) -> Result<()> {
        let begun = self.begin(sync)?;
        add(&begun, session, messages, self.now, None)?;
        Ok(begun.commit()?)
    }

    fn load(&mut self, session: u64) -> Result<Vec<Message>> {
        let begun = self.database.begin_read()?;
        let table = begun.open_table(MESSAGES)?;
        let rows = table.range((session, 0)..=(session, u64::MAX))?;
        rows.map(|row| parse(text(row?.1.value())?)).collect()
    }

    fn last(&mut self, session: u64, count: usize) -> Result<Vec<Message>> {
        let begun = self.database.begin_read()?;
        let table = begun.open_table(MESSAGES)?;
        let rows = table.range((session, 0)..=(session, u64::MAX))?.rev().take(count);
        let mut messages: Vec<Message> =
            rows.map(|row| parse(text(row?.1.value())?)).collect::<Result<_>>()?;
        messages.reverse();
        Ok(messages)
    }

    fn page(&mut self, count: usize) -> Result<Vec<Row>> {
        let begun = self.database.begin_read()?;
        let (sessions, recent) = (begun.open_table(SESSIONS)?, begun.open_table(RECENT)?);
        let rows = recent.iter()?.rev().take(count);
        rows.map(|row| {
            let (updated, session) = row?.0.value();
            let found = sessions.get(session)?.context("a session is missing")?;
            Ok(Row { session, title: found.value().1.to_owned(), updated })
        })
        .collect()
    }

    fn rename(&mut self, session: u64, title: &str) -> Result<()> {
        let begun = self.begin(Sync::Durable)?;
        {
            let mut sessions = begun.open_table(SESSIONS)?;
            let updated = sessions.get(session)?.context("a session is missing")?.value().0;
            sessions.insert(session, (updated, title))?;
        }
        Ok(begun.commit()?)
    }

    fn swap(&mut self, revision: u64, body: &[u8]) -> Result<()> {
        let begun = self.begin(Sync::Durable)?;
        {
            let mut documents = begun.open_table(DOCUMENTS)?;
            let found = documents.get(0)?.map_or(0, |row| row.value().0);
            ensure!(found == revision, "the document has another revision");
            documents.insert(0, (revision + 1, body))?;
        }
        Ok(begun.commit()?)
    }

    fn compact(&mut self, session: u64, keep: usize, summary: &Message) -> Result<()> {
        let begun = self.begin(Sync::Durable)?;
        {
            let mut table = begun.open_table(MESSAGES)?;
            let first = table.range((session, 0)..=(session, u64::MAX))?.rev().nth(keep);
            let first = first.transpose()?.context("there is nothing to compact")?.0.value().1;
            table.retain_in((session, 0)..=(session, first), |_, _| false)?;
            table.insert((session, first), serde_json::to_vec(summary)?.as_slice())?;
        }
        Ok(begun.commit()?)
    }
}
