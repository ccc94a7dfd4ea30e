//! Making sure of what was read before it is told as done.

use futures_util::StreamExt as _;
use sessile_core::backend::Span;
use sessile_core::commit::Tip;
use sessile_core::{
    Commit, Error, ErrorKind, Limits, NewEntry, Position, Seq, SessionKey, StoredCommit, header,
};

use super::attempt::Attempt;
use crate::delivery;
use crate::opened::Opened;

impl Attempt {
    /// Makes sure that everything before a position is durable. False when the journal has
    /// changed meanwhile: it was read anew then.
    ///
    /// A commit that another process wrote and never synced looks like any other. To answer that
    /// it is done is an acknowledgement, so the last commit is sent once more as it stands, under
    /// its own token: the backend finds it there, and what it answers is durable.
    ///
    /// # Errors
    /// Those of reading and of the backend's append.
    pub(super) async fn is_durable(&mut self, position: Position) -> Result<bool, Error> {
        let tip = self.tip();
        if self.resident().folded().is_proven(position) {
            return Ok(true);
        }
        let (opened, key) = (self.resident().opened(), self.resident().key());
        let proof = self.deadline().bound(Box::pin(last_commit(opened, key, tip))).await;
        let proved = match proof.flatten()? {
            Some((at, commit)) => {
                delivery::deliver(opened, key, at, &commit, self.deadline()).await
            }
            None => Err(Error::conflict(tip.position, tip.position)),
        };
        match proved {
            Ok(appended) => {
                self.resident().folded_mut().prove(appended.tip.position);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {
                self.catch_up().await?;
                self.wait_after(error).await?;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// The commit that ends at a tip, to be sent again, and the tip that it was appended at; none if
/// the journal does not hold that tip any more.
async fn last_commit(
    opened: &Opened,
    key: &SessionKey,
    tip: Tip,
) -> Result<Option<(Tip, Commit)>, Error> {
    let last = commit_before(opened, key, tip.position).await?;
    if last.tip() != tip {
        return Ok(None);
    }
    let at = match Position::new(last.first_seq().number()) {
        Some(before) if last.first_seq() > Seq::FIRST => {
            commit_before(opened, key, before).await?.tip()
        }
        _ => Tip::ABSENT,
    };
    // It was within the limits of whoever appended it.
    let mut limits = Limits::default();
    (limits.entry_bytes, limits.commit_bytes, limits.nesting) =
        (usize::MAX, usize::MAX, usize::MAX);
    let entries = last.entries.into_iter().map(NewEntry::from).collect();
    Ok(Some((at, Commit::new(last.id, last.token, entries, &limits)?)))
}

/// The last commit that ends at or before a position.
async fn commit_before(
    opened: &Opened,
    key: &SessionKey,
    before: Position,
) -> Result<StoredCommit, Error> {
    let span = Span::Back { before, max_bytes: 0 };
    let commits: Vec<_> = opened.read(key, span).await?.collect().await;
    let last = commits.into_iter().next_back();
    last.unwrap_or_else(|| Err(header::corrupt("it has no entries")))
        .map_err(|error| error.about(key))
}
