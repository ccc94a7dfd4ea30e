//! An operation, from when it is asked for to what its caller is told.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind};
use tokio::sync::oneshot;

use super::book::Book;
use super::line::{Line, Told};
use super::writer::Behind;
use crate::append::Committed;
use crate::decision::{Decision, Sought};
use crate::generation::Generation;
use crate::lagging;
use crate::mutation::{self, Mutation};
use crate::perform::{Answered, Operation, Perform, Performed};
use crate::recall;
use crate::resident::Resident;

/// What an operation comes to on what is known here.
enum Step<O: Operation> {
    /// It waits to be written.
    Waits(Generation, oneshot::Receiver<Told>),
    /// It is done, or refused.
    Answered(Answered<O>),
    /// What was decided is to be decided on what the journal says.
    LookAgain,
    /// To find out what became of this.
    Recall(Sought),
    /// It rests on what must be durable before it is told.
    Prove,
}

impl Behind {
    /// Does what an operation decides on what is known here, and has it wait to be written; one that
    /// is a barrier is answered once it is.
    ///
    /// # Errors
    /// Those of the operation and of the store. Of a barrier: why writing it failed, with an unknown
    /// outcome, since it still waits; *superseded*.
    pub(crate) async fn perform<O: Operation>(
        self: &Arc<Self>,
        resident: &Arc<Resident>,
        operation: O,
    ) -> Answered<O> {
        let about = |error: Error| error.about(resident.key());
        let perform = Arc::new(Perform::since_now(resident.opened(), operation)?);
        let deadline = resident.opened().deadline();
        deadline.bound(lagging::make_up(resident)).await.flatten().map_err(about)?;
        let mut fresh = false;
        loop {
            match self.step(resident, &perform, fresh) {
                Step::Answered(answered) => return answered,
                Step::Waits(generation, told) if perform.is_barrier() => {
                    return self.barrier(resident, &perform, generation, told).await;
                }
                Step::Waits(generation, _) => {
                    let answer = perform.answer()?;
                    return Ok(Performed { answer, committed: None, waits: Some(generation) });
                }
                Step::LookAgain => {
                    let looking = async {
                        self.at_rest(resident.key()).await;
                        resident.catch_up().await?;
                        lagging::make_up(resident).await
                    };
                    deadline.bound(looking).await.flatten().map_err(about)?;
                    self.look_again(resident);
                    fresh = true;
                }
                Step::Recall(sought) => {
                    self.at_rest(resident.key()).await;
                    let recalling = async {
                        match &sought {
                            Sought::Commit(id) => recall::recall(resident, id).await.map(drop),
                            Sought::Request(id) => {
                                recall::recall_request(resident, id).await.map(drop)
                            }
                        }
                    };
                    deadline.bound(recalling).await.flatten().map_err(about)?;
                    self.look_again(resident);
                }
                Step::Prove => {
                    self.drain(resident.key()).await.map_err(Error::outcome_unknown)?;
                    let perform = Arc::into_inner(perform).ok_or_else(stuck)?;
                    return mutation::carry_out(resident, perform).await?;
                }
            }
        }
    }

    /// Decides, and has what that takes wait.
    fn step<O: Operation>(
        self: &Arc<Self>,
        resident: &Arc<Resident>,
        perform: &Arc<Perform<O>>,
        fresh: bool,
    ) -> Step<O> {
        let mut book = self.lock();
        if let Err(closed) = book.refuse_closed() {
            return Step::Answered(Err(closed.into()));
        }
        let Book { lines, last, .. } = &mut *book;
        let mut new = None;
        let line = match lines.get_mut(resident.key()) {
            Some(line) => line,
            None => new.insert(Line::new(resident)),
        };
        let decided = Mutation::decide(&**perform, line.state());
        let commit = match decided {
            Ok(Decision::Stands(..)) if perform.is_barrier() || line.is_empty() => {
                return Step::Prove;
            }
            // What refuses it may be gone by now, and so may what made it done already.
            Err(_) | Ok(Decision::Stands(..) | Decision::Refuse(_)) if !fresh => {
                return Step::LookAgain;
            }
            Err(error) => {
                return Step::Answered(Err(error.about(resident.key()).into()));
            }
            Ok(Decision::Refuse(answered)) => return Step::Answered(answered),
            Ok(Decision::Stands(answered, _)) => {
                let waits = line.generations().next_back();
                return Step::Answered(answered.map(|it| Performed { waits, ..it }));
            }
            Ok(Decision::Recall(sought)) => return Step::Recall(sought),
            // None is what an operation takes.
            Ok(Decision::Plan(..) | Decision::Again) => return Step::LookAgain,
            Ok(Decision::Append(commit)) => commit,
        };
        let generation = last.next();
        let (asker, told) = oneshot::channel();
        let asker = perform.is_barrier().then_some(asker);
        let change: Arc<Perform<O>> = Arc::clone(perform);
        if !line.push(generation, change, commit, asker) {
            let full = Error::new(ErrorKind::Refused, "the journal has no numbers left");
            return Step::Answered(Err(full.about(resident.key()).into()));
        }
        resident.joint().reach(line.state().position());
        *last = generation;
        if let Some(line) = new {
            lines.insert(resident.key().clone(), line);
        }
        self.arm(&mut book);
        Step::Waits(generation, told)
    }

    /// Has what was made of a session's state made anew.
    pub(super) fn look_again(&self, resident: &Resident) {
        if let Some(line) = self.lock().lines.get_mut(resident.key()) {
            line.look_again();
        }
    }

    /// Waits until an operation is written.
    async fn barrier<O: Operation>(
        self: &Arc<Self>,
        resident: &Arc<Resident>,
        perform: &Arc<Perform<O>>,
        generation: Generation,
        mut told: oneshot::Receiver<Told>,
    ) -> Answered<O> {
        let key = resident.key();
        let written = self.written(|book| book.waits_of(key, generation)).await;
        written.map_err(Error::outcome_unknown)?;
        let appended = told.try_recv().map_err(|_| stuck())??;
        let committed = appended.map(|appended| Committed {
            first: appended.first,
            position: appended.tip.position,
            commit_id: perform.id().clone(),
            replayed: appended.replayed,
        });
        Ok(Performed { answer: perform.answer()?, committed, waits: None })
    }
}

/// What is answered where nobody knows what became of something.
fn stuck() -> Error {
    Error::new(ErrorKind::Unavailable, "what became of it was not told").outcome_unknown()
}
