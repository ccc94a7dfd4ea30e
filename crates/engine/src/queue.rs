//! What waits to be appended to a session, so that whoever has the turn takes all of it along.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sessile_core::Error;
use tokio::sync::oneshot;

use crate::addition::Addition;
use crate::append::Committed;
use crate::deadline::Deadline;

/// The additions that wait, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Queue(Mutex<Line>);

#[derive(Debug, Default)]
struct Line {
    /// The number of the next one.
    next: u64,
    waiting: VecDeque<Waiting>,
}

/// An addition whose caller waits for its answer.
#[derive(Debug)]
pub(crate) struct Waiting {
    number: u64,
    pub(crate) addition: Addition,
    /// Its caller does not wait longer.
    pub(crate) deadline: Deadline,
    answer: oneshot::Sender<Answer>,
}

/// What a caller is told.
pub(crate) type Answer = Result<Committed, Error>;

impl Waiting {
    /// Tells its caller what became of it.
    pub(crate) fn answer(self, answer: Answer) {
        // Nobody hears it who does not wait any more.
        drop(self.answer.send(answer));
    }
}

impl Queue {
    /// Puts an addition at the end; its place is given up with what this answers.
    pub(crate) fn enter(
        &self,
        addition: Addition,
        deadline: Deadline,
    ) -> (Place<'_>, oneshot::Receiver<Answer>) {
        let (answer, answered) = oneshot::channel();
        let mut line = self.lock();
        let number = line.next;
        line.next += 1;
        line.waiting.push_back(Waiting { number, addition, deadline, answer });
        (Place { queue: self, number }, answered)
    }

    /// Takes all that wait: what becomes of them is the taker's to find out.
    pub(crate) fn take(&self) -> VecDeque<Waiting> {
        std::mem::take(&mut self.lock().waiting)
    }

    /// What is changed under the lock is changed at once, so a holder that panicked leaves it
    /// whole.
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among those that wait.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    queue: &'a Queue,
    number: u64,
}

impl Place<'_> {
    /// Gives the place up; false where the addition was taken before, so that it may be appended.
    pub(crate) fn leave(&self) -> bool {
        let mut line = self.queue.lock();
        let before = line.waiting.len();
        line.waiting.retain(|waiting| waiting.number != self.number);
        line.waiting.len() < before
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
