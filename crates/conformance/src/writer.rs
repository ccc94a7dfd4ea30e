//! A writer that follows the tip of one journal.

use std::sync::Arc;

use sessile_core::backend::{Appended, Expected};
use sessile_core::{Backend, Commit, SessionKey, Tip};

use crate::failed::{Failed, only};
use crate::sample;

/// One handle on one journal, and where it ends as far as this writer knows.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) key: SessionKey,
    pub(crate) tip: Tip,
}

impl Writer {
    /// Creates a journal that has only its header.
    pub(crate) async fn create(
        backend: &Arc<dyn Backend>,
        key: &SessionKey,
    ) -> Result<Self, Failed> {
        let mut writer = Self::at(backend, key, Tip::ABSENT);
        writer.append(&sample::creation(key)?).await?;
        Ok(writer)
    }

    /// Creates a journal of the default space with its header and some messages, a commit each.
    pub(crate) async fn saying(
        backend: &Arc<dyn Backend>,
        id: &str,
        texts: &[&str],
    ) -> Result<Self, Failed> {
        let mut writer = Self::create(backend, &sample::key(id)?).await?;
        for text in texts {
            writer.say(text).await?;
        }
        Ok(writer)
    }

    /// A writer that knows the tip already.
    pub(crate) fn at(backend: &Arc<dyn Backend>, key: &SessionKey, tip: Tip) -> Self {
        Self { backend: Arc::clone(backend), key: key.clone(), tip }
    }

    /// The same writer on another handle.
    pub(crate) fn on(&self, backend: &Arc<dyn Backend>) -> Self {
        Self::at(backend, &self.key, self.tip)
    }

    /// Appends one commit at the tip and follows it.
    pub(crate) async fn append(&mut self, commit: &Commit) -> Result<Appended, Failed> {
        let commits = vec![commit.clone()];
        let expected = Expected::At(self.tip);
        let appended = self.backend.append(&self.key, expected, commits).await?;
        let appended = only("the answer to one commit", appended)?;
        self.tip = appended.tip;
        Ok(appended)
    }

    /// Appends one message at the tip.
    pub(crate) async fn say(&mut self, text: &str) -> Result<Appended, Failed> {
        self.append(&sample::saying(text)?).await
    }

    /// Appends the tombstone at the tip.
    pub(crate) async fn remove(&mut self) -> Result<Appended, Failed> {
        let tombstone = sample::tombstone()?;
        let appended = self.backend.remove(&self.key, self.tip, tombstone).await?;
        self.tip = appended.tip;
        Ok(appended)
    }
}
