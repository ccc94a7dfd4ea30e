//! Changes whose entry is worked out on what stands in the journal.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sessile_core::backend::{Appended, Span};
use sessile_core::commit::Tip;
use sessile_core::fold::SessionState;
use sessile_core::{EntryType, Error, NewEntry, Payload, Seq};

use crate::addition::{Addition, other_content};
use crate::append::{Append, Committed};
use crate::decision::Decision;
use crate::mutation::Mutation;
use crate::reading::Seen;
use crate::recall;
use crate::resident::Resident;

/// What a caller wants, of which the journal says what it comes to.
pub(super) trait Plan: Sized + Send + Sync + 'static {
    /// The data of the entry.
    type Shape: Serialize + DeserializeOwned + Send + Sync;
    /// What the caller is told beside where the entry stands.
    type Told: Clone + Send + Sync + 'static;

    /// The type of the entry.
    const TYPE: EntryType;

    /// Works the entry out; none if nothing is left to be done.
    ///
    /// # Errors
    /// Those of reading, and why it can't be done on what stands there.
    fn work_out(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> impl Future<Output = Result<WorkedOut<Self>, Error>> + Send;

    /// What the caller was told when an entry was made; none if that was made for something
    /// else.
    ///
    /// # Errors
    /// Those of reading.
    fn recall(
        &self,
        resident: &Resident,
        seq: Seq,
        shape: &Self::Shape,
    ) -> impl Future<Output = Result<Option<Self::Told>, Error>> + Send;

    /// Does what is left to do once the entry stands in the journal.
    ///
    /// # Errors
    /// Those of the backend.
    fn finish(&self, _: &Resident) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }
}

/// The data of an entry and what the caller is told of it; none if nothing is left to be done.
pub(super) type WorkedOut<P> = Option<(<P as Plan>::Shape, <P as Plan>::Told)>;

/// A plan that is carried out where, and under which commit id, the caller says.
pub(super) struct Planned<P: Plan> {
    plan: P,
    append: Append,
    prepared: Option<Prepared<P::Told>>,
}

/// What a plan comes to while the journal ends at a tip.
struct Prepared<T> {
    tip: Tip,
    /// None if nothing is left to be done.
    worked_out: Option<(Addition, T)>,
}

impl<P: Plan> Planned<P> {
    /// Wants it done.
    pub(super) const fn new(append: Append, plan: P) -> Self {
        Self { plan, append, prepared: None }
    }

    async fn work_out(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> Result<Option<(Payload, P::Told)>, Error> {
        if let Some(made) = self.made_before(resident).await? {
            return Ok(Some(made));
        }
        {
            let folded = resident.folded();
            folded.state().accepts(&P::TYPE)?;
            self.append.check(folded.state())?;
        }
        let worked_out = self.plan.work_out(resident, seen).await?;
        worked_out.map(|(shape, told)| Ok((Payload::of(&shape)?, told))).transpose()
    }

    /// The entry that was made under the commit id that the caller names: what it came to then
    /// it would not come to now.
    async fn made_before(&self, resident: &Resident) -> Result<Option<(Payload, P::Told)>, Error> {
        let Some(id) = self.append.given() else {
            return Ok(None);
        };
        let Some(recorded) = recall::recall(resident, id).await? else {
            return Ok(None);
        };
        let opened = resident.opened();
        let mut commits = opened.read(resident.key(), Span::From(recorded.first)).await?;
        let commit = opened.next(&mut commits).await.transpose()?;
        let entries = commit.into_iter().flat_map(|commit| commit.entries);
        let made = entries.filter(|entry| entry.entry_type == P::TYPE);
        for entry in made.filter(|entry| entry.seq == recorded.first) {
            if let Ok(shape) = entry.data.decode()
                && let Some(told) = self.plan.recall(resident, entry.seq, &shape).await?
            {
                return Ok(Some((entry.data.clone(), told)));
            }
        }
        Err(other_content(id))
    }
}

impl<P: Plan> Planned<P> {
    async fn prepare_on(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> Result<Prepared<P::Told>, Error> {
        resident.refuse_deleted()?;
        let opened = resident.opened();
        let worked_out = match self.work_out(resident, seen).await? {
            None => None,
            Some((data, told)) => {
                let entry = NewEntry::new(opened.now(), P::TYPE, data);
                Some((Addition::new(opened, self.append.clone(), vec![entry])?, told))
            }
        };
        Ok(Prepared { tip: seen.tip(), worked_out })
    }
}

impl<P: Plan> Mutation for Planned<P> {
    type Answer = Option<(Committed, P::Told)>;

    /// What is known of the journal will do the first time: where it does not end there any more,
    /// the append finds that out, and what it does not allow is asked of what stands there.
    async fn prepare(&mut self, resident: &Resident) -> Result<(), Error> {
        if self.prepared.is_none() {
            self.prepared = self.prepare_on(resident, &Seen::at_hand(resident)).await.ok();
        } else {
            self.prepared = None;
        }
        if self.prepared.is_none() {
            let seen = Seen::now(resident).await?;
            self.prepared = Some(self.prepare_on(resident, &seen).await?);
        }
        Ok(())
    }

    fn decide(&self, state: &SessionState) -> Result<Decision<Self::Answer>, Error> {
        let Some(prepared) = self.prepared.as_ref().filter(|it| it.tip == state.tip()) else {
            return Ok(Decision::Again);
        };
        let Some((addition, told)) = &prepared.worked_out else {
            return Ok(Decision::Stands(None, state.position()));
        };
        Ok(match addition.decide(state)? {
            Decision::Append(commit) => Decision::Append(commit),
            Decision::Stands(done, position) => {
                Decision::Stands(Some((done, told.clone())), position)
            }
            Decision::Plan(id, plan) => Decision::Plan(id, plan),
            Decision::Refuse(done) => Decision::Refuse(Some((done, told.clone()))),
            Decision::Recall(sought) => Decision::Recall(sought),
            Decision::Again => Decision::Again,
        })
    }

    async fn finish(&self, resident: &Resident) -> Result<(), Error> {
        self.plan.finish(resident).await
    }

    fn appended(&self, appended: Appended) -> Self::Answer {
        let (addition, told) = self.prepared.as_ref()?.worked_out.as_ref()?;
        Some((addition.appended(appended), told.clone()))
    }
}
