//! What an earlier call has copied already.

use sessile_core::backend::Span;
use sessile_core::entry::shape::Lost;
use sessile_core::{CommitId, Error, Position, Seq, SessionKey};

use crate::opened::Opened;

/// The part of a copy that is there already.
pub(super) struct Prefix<'a> {
    pub(super) opened: &'a Opened,
    pub(super) key: &'a SessionKey,
    /// Where it ends.
    pub(super) end: Position,
}

impl Prefix<'_> {
    /// Whether a commit that ends at a position stands in it.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) async fn has(&self, end: Position, id: &CommitId) -> Result<bool, Error> {
        let last = Seq::new(end.number().saturating_sub(1)).unwrap_or(Seq::FIRST);
        let mut commits = self.opened.read(self.key, Span::From(last)).await?;
        let commit = self.opened.next(&mut commits).await.transpose()?;
        Ok(commit.is_some_and(|commit| commit.tip().position == end && commit.id == *id))
    }

    /// What of a stretch that can't be read in the source is not in it either: it may have been
    /// copied before it was damaged.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) async fn lacks(&self, lost: Lost) -> Result<Vec<Lost>, Error> {
        if lost.from.number() >= self.end.number() {
            return Ok(vec![lost]);
        }
        let mut lacking = Vec::new();
        let mut from = lost.from;
        let mut commits = self.opened.read(self.key, Span::From(from)).await?;
        while let Some(item) = self.opened.next(&mut commits).await {
            let commit = item?;
            let (first, end) = (commit.first_seq(), commit.tip().position);
            if first > lost.to {
                break;
            }
            if let Some(to) = first.number().checked_sub(1).and_then(Seq::new)
                && to >= from
            {
                lacking.push(Lost { from, to });
            }
            from = end.seq().map_or(from, |next| next.max(from));
        }
        if from <= lost.to {
            lacking.push(Lost { from, to: lost.to });
        }
        Ok(lacking)
    }
}
