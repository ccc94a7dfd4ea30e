//! Sending commits until it is known what became of them.

use std::slice;

use sessile_core::backend::{Appended, Expected};
use sessile_core::commit::Tip;
use sessile_core::{Commit, EntryType, Error, ErrorKind, Outcome, SessionKey};

use crate::deadline::{Backoff, Deadline, Patience};
use crate::opened::Opened;

/// Appends a commit at a tip.
///
/// # Errors
/// Those of [`deliver_all`].
pub(crate) async fn deliver(
    opened: &Opened,
    key: &SessionKey,
    at: Tip,
    commit: &Commit,
    deadline: Deadline,
) -> Result<Appended, Error> {
    let appended = deliver_all(opened, key, at, slice::from_ref(commit), deadline).await?;
    appended.into_iter().next().ok_or_else(unanswered)
}

/// Appends commits at a tip, one after the other, and sends them again, the same under the same
/// tokens, while their outcome is unknown: the backend recognises them. Answers one for each.
///
/// # Errors
/// Those of [`append`](sessile_core::Backend::append). *Conflict* and *deleted* say that the
/// journal has left the tip, so that each commit is in it already or never will be; with an unknown
/// outcome, that only reading can tell which. After any other error with an unknown outcome they
/// may still be applied.
pub(crate) async fn deliver_all(
    opened: &Opened,
    key: &SessionKey,
    at: Tip,
    commits: &[Commit],
    deadline: Deadline,
) -> Result<Vec<Appended>, Error> {
    let mut backoff = Backoff::new();
    let mut ambiguous = false;
    loop {
        let error = match deadline.bound(send(opened, key, at, commits)).await {
            Ok(Ok(appended)) => return Ok(appended),
            Ok(Err(error)) => error,
            // What the backend was asked for it may still do.
            Err(deadline) => deadline.outcome_unknown(),
        };
        let unknown = error.outcome() == Outcome::Unknown;
        // An attempt that failed for certain says nothing of one before it.
        ambiguous |= unknown;
        let again = unknown || ambiguous && error.may_retry();
        if has_left(&error) || !again || !backoff.wait(opened.entropy(), deadline).await {
            let error = if ambiguous { error.outcome_unknown() } else { error };
            return Err(error.about(key));
        }
    }
}

/// Asks for something that done twice is done once, again and again while its outcome is unknown.
///
/// # Errors
/// What it is answered for certain; with an unknown outcome what was answered last.
pub(crate) async fn repeat<F: Future<Output = Result<(), Error>>>(
    opened: &Opened,
    patience: &Patience,
    ask: impl Fn() -> F,
) -> Result<(), Error> {
    let mut backoff = Backoff::new();
    loop {
        let error = match patience.bound(ask()).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error,
            Err(deadline) => deadline.outcome_unknown(),
        };
        let again = error.outcome() == Outcome::Unknown && error.kind() != ErrorKind::Deadline;
        if !again || !backoff.wait(opened.entropy(), patience.deadline()).await {
            return Err(error);
        }
    }
}

/// Whether an error says that the journal does not end any more where a commit was sent.
pub(crate) fn has_left(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Deleted | ErrorKind::Exists)
}

/// Sends them once.
async fn send(
    opened: &Opened,
    key: &SessionKey,
    at: Tip,
    commits: &[Commit],
) -> Result<Vec<Appended>, Error> {
    let backend = opened.backend();
    if let [commit] = commits
        && commit.has(&EntryType::Delete)
    {
        return Ok(vec![backend.remove(key, at, commit.clone()).await?]);
    }
    let appended = backend.append(key, Expected::At(at), commits.to_vec()).await?;
    if appended.len() == commits.len() { Ok(appended) } else { Err(unanswered()) }
}

/// A backend that appends without saying so leaves the outcome open.
fn unanswered() -> Error {
    let clause = "the backend did not answer what it appended";
    Error::new(ErrorKind::Unsupported, clause).outcome_unknown()
}
