//! Random steps of requests on one session, each taken in the product and in the book.

use sessile_core::ErrorKind;
use sessile_core::admission::Recovery;
use sessile_core::backend::Capability;
use sessile_core::entry::shape::OutcomeStatus;
use sessile_engine::{Action, Intent, NewSession, Options, Session, Store, Turn};

use super::asked::{
    ACTIONS, IDS, STEPS, Step, admit, end_of, is_busy, is_current, is_told, messages, terms,
};
use super::book::{Book, End, Known};
use super::dice::Dice;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;

/// How many turns are kept, those that were taken over from among them.
const MOST_TURNS: usize = 5;

/// Takes so many steps, the same for each seed, and fails where the product shows anything else
/// than the book says.
pub(crate) async fn drive_requests(
    place: &dyn Place,
    seed: u64,
    steps: usize,
) -> Result<(), Failed> {
    let mut run = Run::begin(place, seed).await?;
    let mut taken = Vec::new();
    for number in 0..steps {
        let step = *run.dice.pick(STEPS).unwrap_or(&Step::Admit);
        taken.push(format!("{step:?}"));
        let done = match Box::pin(run.take(step)).await {
            Ok(()) => run.compare().await,
            failed => failed,
        };
        done.map_err(|failed| {
            let path = taken.join("; ");
            Failed::new(format!("seed {seed}, step {number}: {failed}; the steps were: {path}"))
        })?;
    }
    Ok(())
}

struct Run {
    dice: Dice,
    /// Two processes, and a handle of each.
    stores: [Store; 2],
    handles: [Session; 2],
    turns: Vec<Turn>,
    book: Book,
    texts: u64,
    can_rewrite: bool,
    id: String,
}

impl Run {
    async fn begin(place: &dyn Place, seed: u64) -> Result<Self, Failed> {
        let mut dice = Dice::of(seed);
        let entries = *dice.pick(&[2, 7, 2_000]).unwrap_or(&2_000);
        let options = Options::default().state_every(entries, 1 << 20);
        let can_rewrite = place.handle().await?.capabilities().has(Capability::Rewrite);
        let open = |backend| Store::with(backend, options.clone());
        let stores = [open(place.handle().await?), open(place.handle().await?)];
        let [one, other] = &stores;
        let id = format!("requests-{seed}");
        let session = one.create_as(id.as_str(), NewSession::new()).await?;
        let handles = [session, other.open_session(id.as_str()).await?];
        let (turns, book) = (Vec::new(), Book::default());
        Ok(Self { dice, stores, handles, turns, book, texts: 0, can_rewrite, id })
    }

    fn text(&mut self) -> String {
        self.texts += 1;
        self.texts.to_string()
    }

    fn handle(&mut self) -> Session {
        let [one, other] = &self.handles;
        if self.dice.one_in(2) { one.clone() } else { other.clone() }
    }

    fn keep(&mut self, turn: Turn) {
        if self.turns.len() >= MOST_TURNS {
            self.turns.remove(0);
        }
        self.turns.push(turn);
    }

    /// A turn, mostly the last one.
    fn turn(&mut self) -> Option<usize> {
        let last = self.turns.len().checked_sub(1)?;
        Some(if self.dice.one_in(4) { self.dice.below(self.turns.len()) } else { last })
    }

    async fn take(&mut self, step: Step) -> Result<(), Failed> {
        match step {
            Step::Admit => self.admit().await,
            Step::AdmitOtherwise => self.admit_otherwise().await,
            Step::Push | Step::Checkpoint | Step::Act => self.work(step).await,
            Step::Commit | Step::Fail | Step::Cancel => self.end(step).await,
            Step::Recover => self.recover().await,
            Step::RecoverLate => self.recover_late().await,
            Step::EndOther => self.end_other().await,
            Step::Release => self.release().await,
            Step::Append => self.append().await,
            Step::Note => {
                self.handle().append_events([1]).await?;
                self.book.events += 1;
                Ok(())
            }
            Step::Fork => self.fork().await,
            Step::Vacuum => self.vacuum().await,
            Step::DeleteAndBack => self.delete_and_back().await,
            Step::Reopen => {
                let [one, other] = &self.stores;
                let opened = [one.open_session(self.id.as_str()).await?, {
                    other.open_session(self.id.as_str()).await?
                }];
                self.handles = opened;
                Ok(())
            }
        }
    }

    async fn admit(&mut self) -> Result<(), Failed> {
        let id = *self.dice.pick(IDS).unwrap_or(&"r0");
        let answer = self.handle().admit_with(admit(id)?).await;
        if let Some(end) = self.book.ended.get(id) {
            return is_told(answer?, end);
        }
        let turn = match &mut self.book.held {
            Some(held) if held.id == id && held.released => {
                let turn = answer?.started()?;
                // What was written under the claims before it is evidence.
                held.recover(turn.claim(), Recovery::Restart);
                turn
            }
            Some(_) => return is_busy(answer, &self.book),
            None => {
                let turn = answer?.started()?;
                self.book.begin(id, turn.claim());
                turn
            }
        };
        self.keep(turn);
        Ok(())
    }

    async fn admit_otherwise(&mut self) -> Result<(), Failed> {
        let held = self.book.held.as_ref().map(|held| held.id.clone());
        let known: Vec<String> = self.book.ended.keys().cloned().chain(held).collect();
        let Some(id) = self.dice.pick(&known) else { return Ok(()) };
        let answer = self.handle().admit(&id.parse()?, "something else", &terms()?).await;
        fails("another input", answer, ErrorKind::Mismatch).map(drop)
    }

    async fn work(&mut self, step: Step) -> Result<(), Failed> {
        let Some(index) = self.turn() else { return Ok(()) };
        let (text, in_flight) = (self.text(), self.dice.one_in(2));
        let action = (*self.dice.pick(ACTIONS).unwrap_or(&"a")).to_owned();
        let what = self.dice.below(3);
        let Some(turn) = self.turns.get_mut(index) else { return Ok(()) };
        let Some(held) = self.book.held_under(turn.claim()) else {
            let fenced = ErrorKind::Fenced;
            return match step {
                Step::Push => fails("late", turn.push(&text).await, fenced).map(drop),
                Step::Checkpoint => {
                    fails("late", turn.checkpoint("k", 1, &text).await, fenced).map(drop)
                }
                _ => {
                    let action = Action::new(action, "tool", "x");
                    fails("late", turn.intend(action).await, fenced).map(drop)
                }
            };
        };
        match step {
            Step::Push => {
                turn.push(&text).await?;
                held.pending.push(format!("\"{text}\""));
            }
            Step::Checkpoint => {
                let next = held.checkpoint.map_or(0, |(last, _)| last + 1);
                let checkpoint = turn.checkpoint("k", 1, &text);
                let checkpoint = if in_flight { checkpoint.in_flight() } else { checkpoint };
                same("its number", checkpoint.await?, next)?;
                held.checkpoint = Some((next, in_flight));
            }
            _ => {
                let known = held.actions.get(&action).copied();
                let is_fresh = matches!(known, None | Some(Known::NotExecuted));
                match turn.intend(Action::new(action.as_str(), "tool", "x")).await? {
                    Intent::Fresh(fresh) if is_fresh => {
                        held.actions.insert(action.clone(), Known::Nothing);
                        if what > 0 {
                            fresh.complete(&action).await?;
                            held.actions.insert(action, Known::Done);
                        }
                    }
                    Intent::Done(output) if known == Some(Known::Done) => {
                        same("its output", output.decode::<String>()?, action)?;
                    }
                    Intent::Indeterminate(unknown) if known == Some(Known::Nothing) => {
                        let known = match what {
                            0 => Known::Nothing,
                            1 => {
                                turn.reconcile(&unknown, &action).await?;
                                Known::Done
                            }
                            _ => {
                                turn.reconcile_unexecuted(&unknown).await?;
                                Known::NotExecuted
                            }
                        };
                        held.actions.insert(action, known);
                    }
                    other => {
                        return Err(Failed::new(format!(
                            "{known:?} of it is known, not {other:?}"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    async fn end(&mut self, step: Step) -> Result<(), Failed> {
        let Some(index) = self.turn() else { return Ok(()) };
        let text = self.text();
        let Some(turn) = self.turns.get(index) else { return Ok(()) };
        let (answer, status, result) = match step {
            Step::Commit => (turn.commit(&text).await, OutcomeStatus::Completed, Some(&text)),
            Step::Fail => (turn.fail(&text, true).await, OutcomeStatus::Failed, Some(&text)),
            _ => (turn.cancel(text.as_str()).await, OutcomeStatus::Cancelled, None),
        };
        let result = result.map(|text| format!("\"{text}\""));
        let (claim, id) = (turn.claim(), turn.request().to_string());
        let Some(held) = self.book.held_under(claim) else {
            return match self.book.ended_by(&id, claim) {
                Some(end) => same("its end", &end_of(&answer?), end),
                None => fails("late", answer, ErrorKind::Fenced).map(drop),
            };
        };
        if status == OutcomeStatus::Completed && held.is_unclear() {
            return fails("nobody knows", answer, ErrorKind::Ambiguous).map(drop);
        }
        let done = answer?;
        ensure!(!done.replayed, "it ends the first time");
        same("its end", end_of(&done), End { status, result, claim, seq: done.seq })?;
        self.book.end(end_of(&done));
        Ok(())
    }

    async fn recover(&mut self) -> Result<(), Failed> {
        let ways = [Recovery::Reject, Recovery::Restart, Recovery::Resume];
        let recovery = *self.dice.pick(&ways).unwrap_or(&Recovery::Reject);
        let handle = self.handle();
        let Some(held) = &mut self.book.held else { return Ok(()) };
        let answer = handle.recover_with(held.claim, admit(&held.id)?, recovery).await;
        if held.is_undecided(recovery) {
            return fails("undecided", answer, ErrorKind::Ambiguous).map(drop);
        }
        let turn = answer?.started()?;
        held.recover(turn.claim(), recovery);
        self.keep(turn);
        Ok(())
    }

    /// Recovers by a claim that may have been taken over since, of a request that may have ended.
    async fn recover_late(&mut self) -> Result<(), Failed> {
        let Some(index) = self.turn() else { return Ok(()) };
        let handle = self.handle();
        let named = self.turns.get(index).map(|turn| (turn.request().to_string(), turn.claim()));
        let Some((id, claim)) = named else { return Ok(()) };
        if self.book.held.as_ref().is_some_and(|held| held.claim == claim) {
            return Ok(());
        }
        let answer = handle.recover_with(claim, admit(&id)?, Recovery::Restart).await;
        match self.book.ended.get(&id) {
            Some(end) => is_told(answer?, end),
            None => is_busy(answer, &self.book),
        }
    }

    async fn end_other(&mut self) -> Result<(), Failed> {
        let (handle, cancels) = (self.handle(), self.dice.one_in(2));
        let Some(active) = handle.refresh().await?.active else { return Ok(()) };
        let (done, status) = if cancels {
            (handle.cancel(&active, "x", None).await?, OutcomeStatus::Cancelled)
        } else {
            (handle.abandon(&active, "x", None).await?, OutcomeStatus::Abandoned)
        };
        ensure!(done.claim > active.claim, "whoever ends it fences its holder");
        let end = End { status, result: None, claim: done.claim, seq: done.seq };
        same("its end", end_of(&done), end)?;
        self.book.end(end_of(&done));
        Ok(())
    }

    async fn release(&mut self) -> Result<(), Failed> {
        let handle = self.handle();
        let Some(active) = handle.refresh().await?.active else { return Ok(()) };
        let released = handle.release(&active, None).await?;
        let Some(held) = &mut self.book.held else {
            return Err(Failed::new("nobody holds it"));
        };
        same("whether it was before", held.released, released.claim == held.claim)?;
        held.claim = released.claim;
        held.released = true;
        Ok(())
    }

    async fn append(&mut self) -> Result<(), Failed> {
        let text = self.text();
        let answer = self.handle().append([&text]).await;
        if self.book.held.is_some() {
            return is_busy(answer, &self.book);
        }
        answer?;
        self.book.messages.push(format!("\"{text}\""));
        Ok(())
    }

    async fn fork(&mut self) -> Result<(), Failed> {
        let fork = self.handle().fork(None).await?;
        same("a fork's messages", messages(&fork).await?, self.book.messages.clone())?;
        ensure!(fork.info().active.is_none(), "nothing is active in a fork");
        let id = *self.dice.pick(IDS).unwrap_or(&"r0");
        // Whatever became of it here, it is new there.
        fork.admit_with(admit(id)?).await?.started()?.commit("there").await?;
        Ok(())
    }

    async fn vacuum(&mut self) -> Result<(), Failed> {
        let [one, _] = &self.stores;
        if self.can_rewrite {
            one.vacuum(self.id.as_str()).await?;
        }
        Ok(())
    }

    async fn delete_and_back(&mut self) -> Result<(), Failed> {
        self.handle().delete().await?;
        for turn in &self.turns {
            fails("deleted", turn.push("x").await, ErrorKind::Deleted)?;
        }
        self.handle().undelete().await?;
        if let Some(claim) = self.book.held.as_ref().map(|held| held.claim) {
            let (status, result) = (OutcomeStatus::Abandoned, None);
            self.book.end(End { status, result, claim, seq: claim });
        }
        Ok(())
    }

    /// Compares what is shown with the book.
    async fn compare(&mut self) -> Result<(), Failed> {
        let handle = self.handle();
        let info = handle.refresh().await?;
        let held = self.book.held.as_ref();
        let shown = info.active.as_ref().map(|it| (it.request.to_string(), it.claim, it.released));
        let expected = held.map(|held| (held.id.clone(), held.claim, held.released));
        same("who holds it", shown, expected)?;
        let last = info.active.as_ref().and_then(|it| it.checkpoint.as_ref());
        let last = last.map(|last| (last.number, last.in_flight));
        same("its checkpoint", last, held.and_then(|held| held.checkpoint))?;
        let open = info.active.as_ref().map_or(0, |active| active.indeterminate().count());
        let unclear = held.map_or(0, |held| {
            held.actions.values().filter(|known| **known == Known::Nothing).count()
        });
        same("what nobody knows", open, unclear)?;
        same("how many messages", info.messages, u64::try_from(self.book.messages.len())?)?;
        same("how many events", info.events, self.book.events)?;
        same("the messages", messages(&handle).await?, self.book.messages.clone())?;
        ensure!(info.strays.is_none(), "nothing was written past a fence");
        let ended: Vec<(&String, &End)> = self.book.ended.iter().collect();
        if let Some((id, end)) = self.dice.pick(&ended) {
            is_told(handle.admit_with(admit(id)?).await?, end)?;
        }
        let Some(turn) = self.turns.last().filter(|turn| is_current(&self.book, turn.claim()))
        else {
            return Ok(());
        };
        let view = turn.view(sessile_engine::Window::last(4_096)).await?;
        let seen = view.messages().map(|data| data.as_str().to_owned()).collect();
        let pending = held.map(|held| held.pending.as_slice()).unwrap_or_default();
        same("what its turn sees", seen, [&self.book.messages, pending].concat())
    }
}
