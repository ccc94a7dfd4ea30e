//! The documents of effects and of the owners of keys, and the only ways in which they change.

use std::sync::Arc;

use sessile_core::backend::Precondition;
use sessile_core::{Backend, Error, ErrorKind, Name, Revision, SessionId, Space};
use sessile_engine::Options;

use crate::effect::{EffectRecord, Request};
use crate::effect_document;
use crate::members::Members;
use crate::owner;
use crate::patience::Patience;
use crate::shelf::{Row, Shelf, Value};
use crate::state::State;

/// The effects of a space.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    effects: Shelf,
    owners: Shelf,
    session: Option<SessionId>,
}

/// An effect as it is stored.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) record: EffectRecord,
    unknown: Members,
    revision: Revision,
    session: Option<SessionId>,
}

/// Who does the work of a key.
struct Owner {
    request: Request,
    revision: Revision,
    session: Option<SessionId>,
}

impl Ledger {
    pub(crate) fn of(backend: Arc<dyn Backend>, space: Space, options: Options) -> Self {
        let (beside, within) = (Arc::clone(&backend), space.clone());
        Self {
            effects: Shelf::of(backend, space, "effects", options.clone()),
            owners: Shelf::of(beside, within, "effect-owners", options),
            session: None,
        }
    }

    pub(crate) fn within(self, namespace: Name) -> Result<Self, Error> {
        let owners = self.owners.within(namespace.clone())?;
        Ok(Self { effects: self.effects.within(namespace)?, owners, ..self })
    }

    /// From here on what is made goes with a session.
    pub(crate) fn of_session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    pub(crate) fn options(&self) -> &Options {
        self.effects.options()
    }

    pub(crate) fn patience(&self) -> Patience {
        self.effects.patience()
    }

    /// The effect of an id.
    pub(crate) async fn find(&self, id: &Name, patience: &Patience) -> Result<Option<Held>, Error> {
        let Some(document) = self.effects.find(id, patience).await? else {
            return Ok(None);
        };
        let revision = document.revision;
        let read = effect_document::read(id, &document.bytes);
        let (record, unknown) = read.map_err(|why| about(why.into_error(revision), id))?;
        Ok(Some(Held { record, unknown, revision, session: document.session }))
    }

    /// A page of effects, and after which id the next one goes on.
    pub(crate) async fn page(
        &self,
        after: Option<&Name>,
        rows: usize,
    ) -> Result<(Vec<Row<EffectRecord>>, Option<Name>), Error> {
        let read = |id: &Name, bytes: &[u8]| effect_document::read(id, bytes).map(|(it, _)| it);
        self.effects.page(after, rows, read).await
    }

    /// The effect that does the work of a key; one that was not recorded yet is *prepared*.
    pub(crate) async fn find_by_key(
        &self,
        capability: &Name,
        key: &Name,
        patience: &Patience,
    ) -> Result<Option<EffectRecord>, Error> {
        let Some(owner) = self.owner(capability, key, patience).await? else {
            return Ok(None);
        };
        match self.find(&owner.request.id, patience).await? {
            None => Ok(Some(EffectRecord::prepared(owner.request, self.now()))),
            Some(held) if is_of(&owner.request, &held) => Ok(Some(held.record)),
            Some(_) => Ok(None),
        }
    }

    /// The effect that does the work of a request, which is recorded by now.
    ///
    /// # Errors
    /// *conflict* where the id or the key is of other work; those of documents.
    pub(crate) async fn resolve(
        &self,
        request: &Request,
        patience: &mut Patience,
    ) -> Result<Held, Error> {
        loop {
            match self.step(request, patience).await {
                Ok(Some(held)) => return Ok(held),
                Err(error) if !is_overtaken(&error) || !patience.pause().await => {
                    return Err(error);
                }
                Ok(None) | Err(_) => {}
            }
        }
    }

    /// One attempt to find the effect or to make it; none where it is to be looked for anew.
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve), and *conflict* with an actual revision where somebody
    /// else was faster.
    async fn step(
        &self,
        request: &Request,
        patience: &mut Patience,
    ) -> Result<Option<Held>, Error> {
        if let Some(held) = self.find(&request.id, patience).await? {
            let same = request.check_same_work(&held.record.request);
            return same.map(|()| Some(held)).map_err(|error| about(error, &request.id));
        }
        let Some(key) = &request.key else {
            return self.create(request.clone(), self.session.clone(), patience).await.map(Some);
        };
        let Some(owner) = self.owner(&request.capability, key, patience).await? else {
            self.own(request, Precondition::Absent, patience).await?;
            return self.create(request.clone(), self.session.clone(), patience).await.map(Some);
        };
        let held = self.find(&owner.request.id, patience).await?;
        match held {
            Some(held) if !is_of(&owner.request, &held) => {
                // Its id is of other work for good, so that it never did and never will do this.
                if owner.request.id != request.id {
                    self.own(request, Precondition::Revision(owner.revision), patience).await?;
                }
                Ok(None)
            }
            held => {
                let same = request.check_same_work(&owner.request);
                same.map_err(|error| about(error, &owner.request.id))?;
                match held {
                    Some(held) => Ok(Some(held)),
                    None => self.create(owner.request, owner.session, patience).await.map(Some),
                }
            }
        }
    }

    async fn owner(
        &self,
        capability: &Name,
        key: &Name,
        patience: &Patience,
    ) -> Result<Option<Owner>, Error> {
        let name = owner::name(capability, key)?;
        let Some(document) = self.owners.find(&name, patience).await? else {
            return Ok(None);
        };
        let revision = document.revision;
        let read = owner::read(capability, key, &document.bytes);
        let request = read.map_err(|why| {
            why.into_error(revision).about(format_args!("the owner of a key of {capability}"))
        })?;
        Ok(Some(Owner { request, revision, session: document.session }))
    }

    /// Makes a request the owner of its key.
    async fn own(
        &self,
        request: &Request,
        precondition: Precondition,
        patience: &mut Patience,
    ) -> Result<(), Error> {
        let Some(key) = &request.key else {
            return Ok(());
        };
        let name = owner::name(&request.capability, key)?;
        let value = Value { bytes: owner::write(request)?, session: self.session.clone() };
        self.owners.swap(&name, value, precondition, patience).await.map(drop)
    }

    async fn create(
        &self,
        request: Request,
        session: Option<SessionId>,
        patience: &mut Patience,
    ) -> Result<Held, Error> {
        let record = EffectRecord::prepared(request, self.now());
        let bytes = effect_document::write(&record, &Members::default())?;
        let value = Value { bytes, session: session.clone() };
        let absent = Precondition::Absent;
        let revision = self.effects.swap(&record.request.id, value, absent, patience).await?;
        Ok(Held { record, unknown: Members::default(), revision, session })
    }

    /// Moves an effect on, if it is as it was held.
    ///
    /// # Errors
    /// *conflict* where it is not, and for a state that can't follow; *refused* for what is above a
    /// limit; those of documents.
    pub(crate) async fn advance(
        &self,
        held: &Held,
        state: State,
        patience: &mut Patience,
    ) -> Result<Held, Error> {
        let id = &held.record.request.id;
        let next = held.record.becoming(state, self.now()).map_err(|error| about(error, id))?;
        let bytes = effect_document::write(&next, &held.unknown)?;
        let session = held.session.clone();
        let value = Value { bytes, session: session.clone() };
        let over = Precondition::Revision(held.revision);
        let revision = self.effects.swap(id, value, over, patience).await?;
        Ok(Held { record: next, unknown: held.unknown.clone(), revision, session })
    }

    fn now(&self) -> sessile_core::UnixMillis {
        self.options().clock.now()
    }
}

/// Whether an effect does the work of an owner.
fn is_of(owner: &Request, held: &Held) -> bool {
    owner.check_same_work(&held.record.request).is_ok()
}

/// Whether an error says that somebody else was faster, and not that the work is another or that
/// nothing can follow.
pub(crate) fn is_overtaken(error: &Error) -> bool {
    error.kind() == ErrorKind::Conflict && error.actual_revision().is_some()
}

pub(crate) fn about(error: Error, id: &Name) -> Error {
    error.about(format_args!("effect {id}"))
}
