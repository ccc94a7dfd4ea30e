//! The documents of one collection, swapped until it is known what became of the swap.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{Collection, DocKey, Document, NewDocument, Precondition};
use sessile_core::digest::Token;
use sessile_core::{Backend, Error, ErrorKind, Limits, Name, Outcome, Revision, SessionId, Space};
use sessile_engine::Options;

use crate::limit;
use crate::members::Unreadable;
use crate::patience::Patience;

/// A collection of a backend.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    backend: Arc<dyn Backend>,
    space: Space,
    name: &'static str,
    namespace: Option<Name>,
    options: Arc<Options>,
}

/// How many documents of a page are asked for at once.
const AT_ONCE: usize = 16;

/// A document of a page by its name, or why it can't be read.
pub(crate) type Row<T> = (Name, Result<T, Error>);

/// A value to put.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) bytes: Vec<u8>,
    pub(crate) session: Option<SessionId>,
}

impl Shelf {
    /// The collection of a name without a slash.
    pub(crate) fn of(
        backend: Arc<dyn Backend>,
        space: Space,
        name: &'static str,
        options: Options,
    ) -> Self {
        Self { backend, space, name, namespace: None, options: Arc::new(options) }
    }

    /// Another collection of the same space.
    pub(crate) fn beside(&self, name: &'static str) -> Self {
        Self { name, ..self.clone() }
    }

    /// The collection with a namespace behind its name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`] where both together are longer than a name may be.
    pub(crate) fn within(mut self, namespace: Name) -> Result<Self, Error> {
        self.namespace = Some(namespace);
        self.collection()?;
        Ok(self)
    }

    fn collection(&self) -> Result<Collection, Error> {
        let name = match &self.namespace {
            None => self.name.parse()?,
            Some(namespace) => format!("{}/{namespace}", self.name).parse()?,
        };
        Ok(Collection { space: self.space.clone(), name })
    }

    pub(crate) const fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    pub(crate) const fn space(&self) -> &Space {
        &self.space
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The patience of one call.
    pub(crate) fn patience(&self) -> Patience {
        Patience::of(self.options.deadline)
    }

    /// How a document is told in errors.
    fn told(&self, name: &Name) -> String {
        format!("document {}/{name}", self.name)
    }

    fn key(&self, name: &Name) -> Result<DocKey, Error> {
        Ok(DocKey { collection: self.collection()?, name: name.clone() })
    }

    /// The document of a name, if there is one.
    ///
    /// # Errors
    /// Those of [`Backend::get`] but *missing*, and *deadline*.
    pub(crate) async fn find(
        &self,
        name: &Name,
        patience: &Patience,
    ) -> Result<Option<Document>, Error> {
        let key = self.key(name)?;
        match patience.bound(self.backend.get(&key)).await.flatten() {
            Ok(document) => Ok(Some(document)),
            Err(error) if error.kind() == ErrorKind::Missing => Ok(None),
            Err(error) => Err(error.about(self.told(name))),
        }
    }

    /// The session that the document of a name goes with, if there is one that can be read.
    ///
    /// # Errors
    /// Those of [`find`](Self::find) but *corrupt*.
    pub(crate) async fn session_of(
        &self,
        name: &Name,
        patience: &Patience,
    ) -> Result<Option<SessionId>, Error> {
        match self.find(name, patience).await {
            Ok(held) => Ok(held.and_then(|held| held.session)),
            Err(error) if error.kind() == ErrorKind::Corrupt => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Puts a document where the precondition holds; answers its revision.
    ///
    /// While it is not known whether it was put it is put again, the same under the same revision:
    /// the backend recognises it.
    ///
    /// # Errors
    /// Those of [`Backend::put`] and *deadline*; *refused* for a value above the limit. After any
    /// with an unknown outcome it may be put, also later. A *conflict* says with its outcome whether
    /// it is known that it was not put before somebody else's was.
    pub(crate) async fn swap(
        &self,
        name: &Name,
        value: Value,
        precondition: Precondition,
        patience: &mut Patience,
    ) -> Result<Revision, Error> {
        limit::check_document(&value.bytes, self.limits())?;
        let revision = Revision::new(Token::from_random(self.options.entropy.draw()));
        let document = NewDocument { bytes: value.bytes.into(), revision, session: value.session };
        let key = self.key(name)?;
        let mut is_open = false;
        loop {
            let put = self.backend.put(&key, document.clone(), precondition);
            let error = match patience.bound(put).await {
                Ok(Ok(())) => return Ok(revision),
                Ok(Err(error)) => error,
                // What the backend was asked for it may still do.
                Err(deadline) => deadline.outcome_unknown(),
            };
            // An attempt that failed for certain says nothing of one before it.
            is_open |= error.outcome() == Outcome::Unknown;
            if is_open && error.kind() == ErrorKind::Conflict {
                return Err(self.settled(name, precondition, error, patience).await);
            }
            let again = is_open && (error.outcome() == Outcome::Unknown || error.may_retry());
            if !again || !patience.pause().await {
                let error = if is_open { error.outcome_unknown() } else { error };
                return Err(error.about(self.told(name)));
            }
        }
    }

    /// What a conflict says of attempts before it whose answers were lost.
    ///
    /// It was not put if what it was to replace is still among the last revisions: what is put on
    /// a revision stands right after it. Nor will it be, since no revision comes back.
    async fn settled(
        &self,
        name: &Name,
        precondition: Precondition,
        conflict: Error,
        patience: &Patience,
    ) -> Error {
        let conflict = conflict.about(self.told(name));
        let held = self.find(name, patience).await;
        match (precondition, held) {
            (Precondition::Revision(replaced), Ok(Some(held)))
                if held.recent.contains(&replaced) =>
            {
                conflict
            }
            _ => conflict.outcome_unknown(),
        }
    }

    /// Deletes a document that has a revision. Where an answer is lost and it is gone then, it is
    /// taken as deleted.
    ///
    /// # Errors
    /// Those of [`Backend::delete`], and *deadline*.
    pub(crate) async fn remove(
        &self,
        name: &Name,
        revision: Revision,
        patience: &mut Patience,
    ) -> Result<(), Error> {
        let key = self.key(name)?;
        let mut is_open = false;
        loop {
            let error = match patience.bound(self.backend.delete(&key, revision)).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(error)) if is_open && error.kind() == ErrorKind::Missing => return Ok(()),
                Ok(Err(error)) => error,
                Err(deadline) => deadline.outcome_unknown(),
            };
            is_open |= error.outcome() == Outcome::Unknown;
            let again = is_open && (error.outcome() == Outcome::Unknown || error.may_retry());
            if !again || !patience.pause().await {
                let error = if is_open { error.outcome_unknown() } else { error };
                return Err(error.about(self.told(name)));
            }
        }
    }

    /// Reads a page of documents, in the order of their names. Answers after which name the next one
    /// goes on, too; none where there is no further one.
    ///
    /// One that can't be read is answered as such, and one that is deleted meanwhile not at all.
    ///
    /// # Errors
    /// Those of [`Backend::documents`], *refused* for a page above the limit, *deadline*, and those
    /// of a place that does not answer.
    pub(crate) async fn page<T>(
        &self,
        after: Option<&Name>,
        rows: usize,
        read: impl Fn(&Name, &[u8]) -> Result<T, Unreadable>,
    ) -> Result<(Vec<Row<T>>, Option<Name>), Error> {
        Limits::check("page_rows", self.limits().page_rows, rows)?;
        let (patience, collection) = (self.patience(), self.collection()?);
        let names = self.backend.documents(&collection, after, rows);
        let names = patience.bound(names).await.flatten()?;
        let next = names.last().cloned();
        let looks = names.into_iter().map(|name| self.row(name, &read, &patience));
        let looked: Vec<_> = stream::iter(looks).buffered(AT_ONCE).collect().await;
        let mut rows = Vec::with_capacity(looked.len());
        for row in looked {
            rows.extend(row?);
        }
        Ok((rows, next))
    }

    async fn row<T>(
        &self,
        name: Name,
        read: &impl Fn(&Name, &[u8]) -> Result<T, Unreadable>,
        patience: &Patience,
    ) -> Result<Option<Row<T>>, Error> {
        let value = match self.find(&name, patience).await {
            Ok(None) => return Ok(None),
            Ok(Some(held)) => read(&name, &held.bytes).map_err(|why| why.into_error(held.revision)),
            Err(error)
                if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::UnknownVersion) =>
            {
                Err(error)
            }
            Err(error) => return Err(error),
        };
        Ok(Some((name, value)))
    }
}
