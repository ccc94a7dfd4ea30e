//! Side effects of a turn: leave for them, and what became of them.

use serde::Serialize;
use sessile_core::admission::{self, Hand, Held, Request};
use sessile_core::entry::shape::Completion;
use sessile_core::fold::{Asked, SessionState};
use sessile_core::{Error, ErrorKind, Name, Payload};

use super::action::{Action, Approval, FreshIntent, Indeterminate, Intent};
use super::handle::Turn;
use super::progress::TurnEvent;
use crate::admission::Came;
use crate::resident::Resident;

impl Turn {
    /// Asks for leave to do something, under an id of the caller's; anybody may decide, in any
    /// process, also when this one has ended. Asking the same again tells what was decided.
    ///
    /// Leave is for this one call, its name and its exact arguments, and for once.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more; *conflict* when the id stands for another
    /// call; *invalid id*, *closed*, *deleted*, *unavailable*, *deadline*, *permission*.
    pub async fn ask(&self, approval: &str, action: &Action) -> Result<Approval, Error> {
        let question = action.question(approval)?;
        let id = question.id.clone();
        let ask = move |state: &SessionState, held: Held<'_>| {
            admission::decide(state, &Request::Ask { held, approval: &question })
        };
        match self.holding.rule(ask).await? {
            Came::Appended { .. } => {
                self.holding.teller.tell(TurnEvent::Asked { approval: id });
                Ok(Approval::Pending)
            }
            Came::Stood(_) => self.decided(&*self.holding.seat.admit().await?, &id),
            _ => Err(self.holding.unexpected()),
        }
    }

    /// Looks whether leave was given that was asked for.
    ///
    /// # Errors
    /// *missing* when it was not asked for; *fenced* when the claim does not stand any more;
    /// *unavailable*, *deadline*, *permission*.
    pub async fn approval(&self, approval: &str) -> Result<Approval, Error> {
        let id = approval.parse()?;
        let resident = self.holding.seat.admit().await?;
        resident.catch_up().await?;
        self.decided(&resident, &id)
    }

    fn decided(&self, resident: &Resident, id: &Name) -> Result<Approval, Error> {
        let asked =
            self.holding.look(resident, |active| active.approvals.get(id).map(approval_of))?;
        asked.ok_or_else(|| {
            Error::new(ErrorKind::Missing, format!("leave {id} was not asked for"))
                .about(self.holding.seat.key())
        })
    }

    /// Records that a side effect is about to happen, durably, before it does; or tells what came
    /// of it before.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more: nothing may be done then; *conflict* when
    /// the id stands for another call; *stale approval* when the leave that it names does not cover
    /// it, or when leave was asked for and it names none; *invalid id*, *closed*, *deleted*, *unavailable*, *deadline*, *permission*. After any
    /// error nothing may be done.
    pub async fn intend(&self, action: Action) -> Result<Intent, Error> {
        let intent = action.intent()?;
        let action = intent.action.clone();
        let ask = move |state: &SessionState, held: Held<'_>| {
            admission::decide(state, &Request::Intend { held, intent: &intent })
        };
        match self.holding.rule(ask).await? {
            Came::Appended { first, .. } => {
                self.holding.teller.tell(TurnEvent::Intended { action: action.clone() });
                let holding = self.holding.clone();
                Ok(Intent::Fresh(FreshIntent { holding, action, seq: first }))
            }
            Came::Done(seq) => {
                let completion: Completion =
                    self.holding.seat.admit().await?.entry(seq).await?.data.decode()?;
                let output = completion.output.ok_or_else(|| self.holding.unexpected())?;
                Ok(Intent::Done(output))
            }
            Came::Indeterminate(intended) => {
                Ok(Intent::Indeterminate(Indeterminate::of(action, *intended)))
            }
            _ => Err(self.holding.unexpected()),
        }
    }

    /// Says what came of a side effect of which nobody knew: its output.
    ///
    /// # Errors
    /// *mismatch* when no such action was intended, or something else was called; *conflict* when
    /// something else came of it, as somebody said; *fenced*, *refused*, *unavailable*,
    /// *deadline*, *permission*.
    pub async fn reconcile<T: Serialize + ?Sized>(
        &self,
        unknown: &Indeterminate,
        output: &T,
    ) -> Result<(), Error> {
        self.settle(unknown, Some(Payload::of(output)?)).await
    }

    /// Says that a side effect of which nobody knew did not happen: it may be intended again.
    ///
    /// Say so only if whoever was to carry it out is known to have stopped.
    ///
    /// # Errors
    /// Those of [`reconcile`](Self::reconcile).
    pub async fn reconcile_unexecuted(&self, unknown: &Indeterminate) -> Result<(), Error> {
        self.settle(unknown, None).await
    }

    async fn settle(&self, unknown: &Indeterminate, output: Option<Payload>) -> Result<(), Error> {
        let (action, name) = (unknown.action.clone(), unknown.name.clone());
        let ask = move |state: &SessionState, held: Held<'_>| {
            let (hand, action, name) = (Hand::Holder, &action, &name);
            let output = output.as_ref();
            admission::decide(state, &Request::Reconcile { held, hand, action, name, output })
        };
        match self.holding.rule(ask).await? {
            Came::Appended { .. } => {
                let action = unknown.action.clone();
                self.holding.teller.tell(TurnEvent::Completed { action });
                Ok(())
            }
            Came::Stood(_) => Ok(()),
            _ => Err(self.holding.unexpected()),
        }
    }
}

fn approval_of(asked: &Asked) -> Approval {
    match (asked.used_by, asked.decided) {
        (Some(_), _) => Approval::Used,
        (None, None) => Approval::Pending,
        (None, Some(decided)) if decided.allow => Approval::Allowed,
        (None, Some(_)) => Approval::Denied,
    }
}
