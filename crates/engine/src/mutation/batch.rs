//! Writing what waits to be written of a session: each decided anew on the state that those before
//! it leave, and as many as possible in one append.

use std::collections::VecDeque;
use std::sync::Arc;

use sessile_core::backend::Appended;
use sessile_core::commit::Tip;
use sessile_core::fold::SessionState;
use sessile_core::{Commit, Error, ErrorKind};

use super::attempt::Attempt;
use crate::decision::Decision;
use crate::folded;
use crate::lagging;
use crate::resident::Resident;

/// How many are written with one append at most.
const MOST: usize = 256;

/// How many bytes of payload they have together at most, unless it is one alone.
const MOST_BYTES: usize = 4 << 20;

/// A change that waits to be written.
pub(crate) trait Waiting: Send + Sync {
    /// Says what it takes on this state; asked again whenever the state has changed.
    ///
    /// # Errors
    /// Why the state does not allow it.
    fn decide(&self, state: &SessionState) -> Result<Decision<()>, Error>;

    /// Notes that it may have been appended, so that from now on its commit id is looked for first.
    fn may_be_there(&self);
}

/// What became of a change that waited.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    /// It was appended.
    Appended(Appended),
    /// It was there already, durably.
    Stands,
    /// What was there by then does not allow it.
    Superseded(Error),
}

/// Writes changes in their order. Answers what became of the first so many, and why the others
/// still wait if any do.
pub(crate) async fn write_all(
    resident: &Arc<Resident>,
    waiting: Vec<Arc<dyn Waiting>>,
) -> (Vec<Fate>, Option<Error>) {
    let course = async {
        let mut attempt = Attempt::begin(resident).await?;
        let running = async move {
            let mut batch = Batch { waiting: waiting.into(), fates: Vec::new(), fresh: false };
            let ended = batch.run(&mut attempt).await;
            Ok((batch.fates, ended.err()))
        };
        resident.opened().carry(running).await
    };
    let (fates, why) = course.await.unwrap_or_else(|error: Error| (Vec::new(), Some(error)));
    (fates, why.map(|error| error.about(resident.key())))
}

/// Those that are written in one turn.
struct Batch {
    waiting: VecDeque<Arc<dyn Waiting>>,
    fates: Vec<Fate>,
    /// Whether the state was read since it was last in doubt.
    fresh: bool,
}

impl Batch {
    /// Goes on until none waits any more.
    ///
    /// # Errors
    /// What stands in the way of the next one.
    async fn run(&mut self, attempt: &mut Attempt) -> Result<(), Error> {
        attempt.settle().await?;
        while let Some(first) = self.waiting.front().cloned() {
            attempt.deadline().bound(lagging::make_up(attempt.resident())).await.flatten()?;
            let (at, active, decided) =
                attempt.on_state(|state| (state.tip(), state.updated_at(), first.decide(state)));
            match decided {
                // What refuses it may be gone by now, and so may what made it done already.
                Err(_) | Ok(Decision::Stands(..) | Decision::Refuse(())) if !self.fresh => {
                    attempt.catch_up().await?;
                }
                // Damage hides whether it is there already.
                Err(error) if error.kind() == ErrorKind::Corrupt => return Err(error),
                Err(error) => self.end(Fate::Superseded(superseded().with_source(error))),
                Ok(Decision::Refuse(())) => self.end(Fate::Superseded(superseded())),
                Ok(Decision::Stands((), position)) => {
                    if attempt.is_durable(position).await? {
                        self.end(Fate::Stands);
                    }
                }
                Ok(Decision::Recall(sought)) => match attempt.recall(&sought).await {
                    Ok(()) => continue,
                    Err(_) if !self.fresh => attempt.catch_up().await?,
                    Err(error) => return Err(error),
                },
                // None is what a waiting change takes.
                Ok(Decision::Plan(..) | Decision::Again) => attempt.catch_up().await?,
                Ok(Decision::Append(commit)) => {
                    // A token belongs to one attempt at one place.
                    let commit = commit.with_token(attempt.resident().opened().token());
                    let commit = attempt.with_state(at, commit.not_before(active)).await?;
                    self.append(attempt, at, commit).await?;
                }
            }
            self.fresh = true;
        }
        Ok(())
    }

    fn end(&mut self, fate: Fate) {
        self.waiting.pop_front();
        self.fates.push(fate);
    }

    /// Appends the first one's commit and those that may follow it.
    async fn append(&mut self, attempt: &mut Attempt, at: Tip, first: Commit) -> Result<(), Error> {
        let commits = self.followed(attempt, at, first);
        let appended = match attempt.append_all(at, &commits).await {
            Ok(appended) => appended,
            Err(error) => {
                // Whatever is said of them, some may be there when they are decided again.
                self.waiting.iter().take(commits.len()).for_each(|it| it.may_be_there());
                return Err(error);
            }
        };
        for appended in appended {
            match appended {
                Some(appended) => self.end(Fate::Appended(appended)),
                // Somebody else was faster: it is decided anew, and so is what follows it.
                None => break,
            }
        }
        Ok(())
    }

    /// The first one's commit and those of the next ones, as long as they take no more than to be
    /// appended to what those before them leave.
    fn followed(&self, attempt: &Attempt, at: Tip, first: Commit) -> Vec<Commit> {
        let opened = attempt.resident().opened();
        let mut commits = vec![first];
        if self.waiting.len() == 1 {
            return commits;
        }
        let Some(mut left) = attempt.on_state(|state| (state.tip() == at).then(|| state.clone()))
        else {
            return commits;
        };
        let mut bytes: usize = 0;
        for waiting in self.waiting.iter().skip(1).take(MOST - 1) {
            let last = commits.last();
            bytes = bytes.saturating_add(last.map_or(0, size));
            let Some(stored) = last.and_then(|last| folded::stored(left.tip(), last)) else {
                break;
            };
            left.apply(&stored);
            match waiting.decide(&left) {
                Ok(Decision::Append(commit)) if bytes + size(&commit) <= MOST_BYTES => {
                    let commit = commit.with_token(opened.token());
                    let commit = commit.not_before(left.updated_at());
                    commits.push(attempt.with_state_of(&left, commit));
                }
                _ => break,
            }
        }
        commits
    }
}

fn size(commit: &Commit) -> usize {
    commit.entries().iter().map(|entry| entry.data.len()).sum()
}

fn superseded() -> Error {
    Error::new(ErrorKind::Superseded, "what others have written meanwhile does not allow it")
        .with_hint("look at the session as it is, and decide again")
}
