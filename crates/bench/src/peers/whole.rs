//! One JSON document a session, written anew with every change.

use std::fs::{self, File};
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::jsonl;
use super::peer::{Peer, Sync};
use crate::messages::{Message, text};

/// The session that is open is kept in memory, so that a change only has to write.
pub(super) struct Whole {
    folder: PathBuf,
    open: Option<(u64, Document)>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    title: String,
    messages: Vec<Message>,
}

impl Whole {
    pub(super) fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), open: None }
    }

    fn path(&self, session: u64) -> PathBuf {
        self.folder.join(format!("{session}.json"))
    }

    fn read(&self, session: u64) -> Result<Document> {
        match fs::read(self.path(session)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Document::default()),
            bytes => Ok(serde_json::from_str(text(&bytes?)?)?),
        }
    }

    fn change(
        &mut self,
        session: u64,
        sync: Sync,
        change: impl FnOnce(&mut Document),
    ) -> Result<()> {
        let mut document = match self.open.take() {
            Some((number, document)) if number == session => document,
            _ => self.read(session)?,
        };
        change(&mut document);
        let (path, bytes) = (self.path(session), serde_json::to_vec(&document)?);
        self.open = Some((session, document));
        if sync == Sync::Durable {
            return jsonl::replace(&self.folder, &path, &bytes);
        }
        let mut file = File::options().write(true).create(true).truncate(true).open(path)?;
        Ok(file.write_all(&bytes)?)
    }
}

impl Peer for Whole {
    fn fill(&mut self, sessions: Range<u64>, messages: &[Message]) -> Result<()> {
        let messages: Vec<&Message> = messages.iter().collect();
        for session in sessions {
            self.append(session, &messages, Sync::Buffered)?;
        }
        Ok(())
    }

    fn append(&mut self, session: u64, messages: &[&Message], sync: Sync) -> Result<()> {
        self.change(session, sync, |document| {
            document.messages.extend(messages.iter().map(|message| (*message).clone()));
        })
    }

    fn load(&mut self, session: u64) -> Result<Vec<Message>> {
        Ok(self.read(session)?.messages)
    }

    fn last(&mut self, session: u64, count: usize) -> Result<Vec<Message>> {
        let mut messages = self.load(session)?;
        Ok(messages.split_off(messages.len().saturating_sub(count)))
    }

    fn rename(&mut self, session: u64, title: &str) -> Result<()> {
        self.change(session, Sync::Durable, |document| title.clone_into(&mut document.title))
    }

    fn compact(&mut self, session: u64, keep: usize, summary: &Message) -> Result<()> {
        self.change(session, Sync::Durable, |document| {
            let from = document.messages.len().saturating_sub(keep);
            document.messages.splice(..from, [summary.clone()]);
        })
    }
}
