//! Additions that wait at the same time are appended together, in one write.
//!
//! Whoever gets the turn takes along all that wait. Each is decided on the state that those before
//! it leave, so that what one expects and does not find fails that one only; and each is answered
//! for itself.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{self, Either};
use sessile_core::backend::Appended;
use sessile_core::commit::Tip;
use sessile_core::{Commit, Error};
use tokio::sync::oneshot::error::TryRecvError;

use super::attempt::Attempt;
use crate::addition::Addition;
use crate::append::Committed;
use crate::decision::Decision;
use crate::folded;
use crate::opened::stopped;
use crate::queue::{Answer, Waiting};
use crate::resident::Resident;

/// How many additions are appended together at most.
const MOST: usize = 256;

/// How many bytes of payload they have together at most, unless it is one alone.
const MOST_BYTES: usize = 1 << 20;

/// How often one turn looks who waits, before it is somebody else's who waits for the turn.
const LOOKS: usize = 16;

/// Appends what a caller gave, together with what others of the same handle wait to append.
///
/// # Errors
/// Those of the decision and of the backend; *deadline* when the answer did not come in time, with
/// an unknown outcome if it may have been sent.
pub(crate) async fn join(resident: &Arc<Resident>, addition: Addition) -> Answer {
    let deadline = resident.opened().deadline();
    let (place, mut answered) = resident.queue().enter(addition, deadline);
    let waiting = pin!(async {
        // Before the turn, in which nobody may be kept waiting.
        let _approach = resident.opened().gate().approach().await;
        let turn = match future::select(&mut answered, pin!(resident.turn())).await {
            Either::Left((answer, _)) => return answer.unwrap_or_else(|_| Err(stopped())),
            Either::Right((turn, _)) => turn,
        };
        match answered.try_recv() {
            Ok(answer) => return answer,
            Err(TryRecvError::Closed) => return Err(stopped()),
            Err(TryRecvError::Empty) => {}
        }
        deadline.check()?;
        let attempt = Attempt::with_turn(resident, turn, deadline);
        // Its own answer is among those that this leads to. Boxed before it is part of another
        // future, which would have room for it twice.
        let leading = Box::pin(Group::default().lead(attempt));
        resident.opened().begin(leading, tell).await?;
        answered.await.unwrap_or_else(|_| Err(stopped()))
    });
    let answer = match deadline.bound(waiting).await {
        Ok(answer) => answer,
        // What nobody has taken nobody will send.
        Err(error) if place.leave() => Err(error),
        Err(error) => Err(error.outcome_unknown()),
    };
    answer.map_err(|error| error.about(resident.key()))
}

/// What callers are to be told.
type Told = Vec<(Waiting, Answer)>;

fn tell(told: Told) {
    for (waiting, answer) in told {
        waiting.answer(answer);
    }
}

/// Those that one turn takes along.
#[derive(Debug, Default)]
struct Group {
    waiting: VecDeque<Waiting>,
    /// Those that have their answer.
    told: Told,
    /// How often it has looked who waits.
    looks: usize,
    /// Whether the state was read since it was last in doubt.
    fresh: bool,
}

impl Group {
    /// Carries through what waits, and what comes to wait meanwhile. Gives the last answers
    /// on: whoever has one may want the next turn at once, which is over by then.
    async fn lead(mut self, mut attempt: Attempt) -> Told {
        loop {
            if self.waiting.is_empty() {
                self.take_along(&mut attempt);
            }
            if self.waiting.is_empty() {
                return self.told;
            }
            tell(std::mem::take(&mut self.told));
            // An error that is none of the first one's own is everybody's.
            if let Err(error) = self.round(&mut attempt).await {
                let failed = self.waiting.drain(..).map(|it| (it, Err(error.clone())));
                self.told.extend(failed);
            }
        }
    }

    /// Takes those that wait, unless the turn has lasted long enough.
    fn take_along(&mut self, attempt: &mut Attempt) {
        if self.looks == LOOKS {
            return;
        }
        self.looks += 1;
        let mut more = attempt.resident().queue().take();
        for waiting in &more {
            attempt.wait_until(waiting.deadline);
        }
        if self.waiting.is_empty() {
            self.waiting = more;
        } else {
            self.waiting.append(&mut more);
        }
    }

    /// Does what the first one takes, together with those after it that take as little.
    ///
    /// # Errors
    /// What stands in the way of all of them; nothing of those that wait was sent.
    async fn round(&mut self, attempt: &mut Attempt) -> Result<(), Error> {
        attempt.settle().await?;
        let Some(first) = self.waiting.front() else {
            return Ok(());
        };
        let (at, active, decided) = attempt
            .on_state(|state| (state.tip(), state.updated_at(), first.addition.decide(state)));
        match decided {
            // What refuses it may be gone by now, and so may what made it done already.
            Err(_) | Ok(Decision::Stands(..)) if !self.fresh => attempt.catch_up().await?,
            Err(error) => self.answer_first(Err(error)),
            Ok(Decision::Stands(done, position)) => {
                if attempt.is_durable(position).await? {
                    self.answer_first(Ok(done));
                }
            }
            Ok(Decision::Recall(sought)) => match attempt.recall(&sought).await {
                Ok(()) => return Ok(()),
                // What is not where it was read may have been purged since then.
                Err(_) if !self.fresh => attempt.catch_up().await?,
                Err(error) => self.answer_first(Err(error)),
            },
            // None is what an addition takes.
            Ok(Decision::Plan(..) | Decision::Refuse(_) | Decision::Again) => {
                attempt.catch_up().await?;
            }
            Ok(Decision::Append(commit)) => {
                // A token belongs to one attempt at one place.
                let commit = commit.with_token(attempt.resident().opened().token());
                let commit = attempt.with_state(at, commit.not_before(active)).await?;
                self.append(attempt, at, commit).await;
            }
        }
        self.fresh = true;
        Ok(())
    }

    fn answer_first(&mut self, answer: Result<Committed, Error>) {
        let first = self.waiting.pop_front();
        self.told.extend(first.map(|first| (first, answer)));
    }

    /// Appends the first one's commit and those that may follow it.
    async fn append(&mut self, attempt: &mut Attempt, at: Tip, first: Commit) {
        self.take_along(attempt);
        let commits = self.followed(attempt, at, first);
        let answers: Vec<Option<Result<Appended, Error>>> =
            match attempt.append_all(at, &commits).await {
                Ok(appended) => appended.into_iter().map(|it| it.map(Ok)).collect(),
                Err(error) => {
                    // Whoever comes next sees for itself whether there is time left for another.
                    self.looks = LOOKS;
                    commits.iter().map(|_| Some(Err(error.clone()))).collect()
                }
            };
        let rest = self.waiting.split_off(commits.len().min(self.waiting.len()));
        let sent = std::mem::replace(&mut self.waiting, rest);
        let mut again = VecDeque::new();
        for (waiting, answer) in sent.into_iter().zip(answers) {
            match answer {
                Some(answer) => {
                    let answer = answer.map(|appended| waiting.addition.appended(appended));
                    self.told.push((waiting, answer));
                }
                // Somebody else was faster: it is decided anew.
                None => again.push_back(waiting),
            }
        }
        again.append(&mut self.waiting);
        self.waiting = again;
    }

    /// The first one's commit and those of the next ones, as long as they take no more than to be
    /// appended to what those before them leave.
    fn followed(&self, attempt: &Attempt, at: Tip, first: Commit) -> Vec<Commit> {
        let opened = attempt.resident().opened();
        let mut bytes: usize = first.entries().iter().map(|entry| entry.data.len()).sum();
        let mut commits = vec![first];
        if self.waiting.len() == 1 {
            return commits;
        }
        let Some(mut left) = attempt.on_state(|state| (state.tip() == at).then(|| state.clone()))
        else {
            return commits;
        };
        for waiting in self.waiting.iter().skip(1).take(MOST - 1) {
            let stored = commits.last().and_then(|last| folded::stored(left.tip(), last));
            let Some(stored) = stored else { break };
            left.apply(&stored);
            bytes += waiting.addition.bytes();
            match waiting.addition.decide(&left) {
                Ok(Decision::Append(commit)) if bytes <= MOST_BYTES => {
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
