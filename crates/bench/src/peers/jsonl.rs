//! One file a session, a title in the first line, opened for each append.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::peer::{Peer, Sync};
use crate::messages::{Message, parse};

/// What most programs write first: no lock, no check, no index.
#[derive(Clone)]
pub(super) struct Jsonl {
    folder: PathBuf,
}

impl Jsonl {
    pub(super) fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn path(&self, session: u64) -> PathBuf {
        self.folder.join(format!("{session}.jsonl"))
    }

    /// Puts other lines in the place of a session's, durably.
    fn replace(&self, session: u64, lines: &[String]) -> Result<()> {
        let mut text = lines.join("\n");
        text.push('\n');
        replace(&self.folder, &self.path(session), text.as_bytes())
    }

    fn lines(&self, session: u64) -> Result<Vec<String>> {
        let file = BufReader::new(File::open(self.path(session))?);
        Ok(file.lines().collect::<Result<_, _>>()?)
    }
}

/// A temporary file, a sync, a rename and a sync of the folder.
pub(super) fn replace(folder: &Path, path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    rustix::fs::rename(&temporary, path)?;
    Ok(File::open(folder)?.sync_all()?)
}

impl Peer for Jsonl {
    fn fill(&mut self, sessions: Range<u64>, messages: &[Message]) -> Result<()> {
        let messages: Vec<&Message> = messages.iter().collect();
        for session in sessions {
            self.append(session, &messages, Sync::Buffered)?;
        }
        Ok(())
    }

    fn append(&mut self, session: u64, messages: &[&Message], sync: Sync) -> Result<()> {
        let path = self.path(session);
        let mut text = Vec::new();
        let mut file = match OpenOptions::new().append(true).open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                text.extend_from_slice(b"{\"title\":\"session\"}\n");
                OpenOptions::new().append(true).create(true).open(&path)?
            }
            opened => opened?,
        };
        for message in messages {
            serde_json::to_writer(&mut text, message)?;
            text.push(b'\n');
        }
        file.write_all(&text)?;
        if sync == Sync::Durable {
            file.sync_data()?;
        }
        Ok(())
    }

    fn load(&mut self, session: u64) -> Result<Vec<Message>> {
        let file = BufReader::new(File::open(self.path(session))?);
        file.lines().skip(1).map(|line| parse(&line?)).collect()
    }

    fn last(&mut self, session: u64, count: usize) -> Result<Vec<Message>> {
        let mut messages = self.load(session)?;
        Ok(messages.split_off(messages.len().saturating_sub(count)))
    }

    fn rename(&mut self, session: u64, title: &str) -> Result<()> {
        let mut lines = self.lines(session)?;
        *lines.first_mut().context("the file is empty")? =
            serde_json::json!({ "title": title }).to_string();
        self.replace(session, &lines)
    }

    fn swap(&mut self, _: u64, body: &[u8]) -> Result<()> {
        replace(&self.folder, &self.folder.join("document"), body)
    }

    fn compact(&mut self, session: u64, keep: usize, summary: &Message) -> Result<()> {
        let mut lines = self.lines(session)?;
        let kept = lines.split_off(lines.len().saturating_sub(keep));
        lines.truncate(1);
        lines.push(serde_json::to_string(summary)?);
        lines.extend(kept);
        self.replace(session, &lines)
    }
}

/// The size of a session's file, for those that compare memory with it.
pub(super) fn size(folder: &Path, session: u64) -> Result<u64> {
    Ok(fs::metadata(folder.join(format!("{session}.jsonl")))?.len())
}
