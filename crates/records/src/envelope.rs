//! What a snapshot is kept in: one of the two envelopes of [`sessile_interchange::snapshot`].

use sessile_core::{Error, ErrorKind, Revision};
use sessile_interchange::json::{Object, Value};
use sessile_interchange::snapshot::{Contents, Identity, OwnSnapshot, Snapshot};

mod sealed {
    /// Nothing else is an envelope.
    #[expect(unnameable_types, reason = "so that nobody else implements it")]
    pub trait Sealed {}
}

impl sealed::Sealed for Snapshot {}
impl sealed::Sealed for OwnSnapshot {}

/// An envelope that snapshots are kept in: [`Snapshot`], or [`OwnSnapshot`] with an identity of the
/// caller's own. Neither is read as the other.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::Space;
/// # use sessile_interchange::{json::Object, snapshot::OwnSnapshot};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_core::{Error, Name};
/// use sessile_records::{Envelope, Snapshots};
///
/// /// Goes on from a snapshot of either envelope, or begins with one.
/// async fn begun<S: Envelope>(
///     snapshots: &Snapshots,
///     name: &Name,
///     terms: &S::Identity,
///     first: S,
/// ) -> Result<S, Error> {
///     if let Some(kept) = snapshots.resume::<S>(name, terms).await? {
///         return Ok(kept.snapshot);
///     }
///     snapshots.save(name, &first, None).await?;
///     Ok(first)
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let snapshots = Snapshots::on(Arc::new(memory.clone()), Space::default());
/// # let name = "run-7".parse()?;
/// let terms = Object::default().with("model", "large");
/// for state in [1_u64, 2] {
///     let first = OwnSnapshot::of(terms.clone(), state)?;
///     assert_eq!(*begun(&snapshots, &name, &terms, first).await?.state(), 1_u64.into());
/// }
/// # Ok(())
/// # }
/// ```
pub trait Envelope: sealed::Sealed + Clone + Send + Sync + Sized + 'static {
    /// What a run must agree with to go on from it.
    type Identity: Clone + Send + Sync;

    /// Reads one, as strictly as one is made.
    ///
    /// # Errors
    /// *corrupt* that names the part that is wrong, *unknown version*.
    fn decode(bytes: &[u8]) -> Result<Self, Error>;

    /// Writes it.
    fn encode(&self) -> String;

    /// Refuses a run of another identity.
    ///
    /// # Errors
    /// *mismatch* that names the first place that differs and both values.
    fn check(&self, current: &Self::Identity) -> Result<(), Error>;

    /// The same under another identity.
    ///
    /// # Errors
    /// *refused* for an identity that could not be read back.
    fn under(self, identity: &Self::Identity) -> Result<Self, Error>;

    /// The identity as a JSON object.
    fn told(identity: &Self::Identity) -> Object;

    /// Its own identity as a JSON object.
    fn own_told(&self) -> Object;
}

impl Envelope for Snapshot {
    type Identity = Identity;

    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        Self::decode(bytes)
    }

    fn encode(&self) -> String {
        self.encode()
    }

    fn check(&self, current: &Identity) -> Result<(), Error> {
        self.contents().identity.check(current)
    }

    fn under(self, identity: &Identity) -> Result<Self, Error> {
        Self::of(Contents { identity: identity.clone(), ..self.into_contents() })
    }

    fn told(identity: &Identity) -> Object {
        let participants = identity.participants.iter().cloned().map(Value::from).collect();
        Object::default()
            .with("gameplan", identity.gameplan.clone())
            .with("topic", identity.topic.clone())
            .with("orchestrator", identity.orchestrator.clone())
            .with("participants", Value::Array(participants))
    }

    fn own_told(&self) -> Object {
        Self::told(&self.contents().identity)
    }
}

impl Envelope for OwnSnapshot {
    type Identity = Object;

    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        Self::decode(bytes)
    }

    fn encode(&self) -> String {
        self.encode()
    }

    fn check(&self, current: &Object) -> Result<(), Error> {
        self.check(current)
    }

    fn under(self, identity: &Object) -> Result<Self, Error> {
        Self::of(identity.clone(), self.state().clone())
    }

    fn told(identity: &Object) -> Object {
        identity.clone()
    }

    fn own_told(&self) -> Object {
        self.identity().clone()
    }
}

/// Refuses bytes that are a snapshot in neither envelope.
pub(crate) fn check_either(bytes: &[u8]) -> Result<(), Error> {
    match (Snapshot::decode(bytes), OwnSnapshot::decode(bytes)) {
        (Ok(_), _) | (_, Ok(_)) => Ok(()),
        (Err(_), Err(own)) if own.kind() == ErrorKind::UnknownVersion => Err(own),
        (Err(run), Err(_)) => Err(run),
    }
}

/// The error about a document whose value is no snapshot: damage carries the revision by which it
/// is given up.
pub(crate) fn with_revision(error: Error, revision: Revision) -> Error {
    if error.kind() != ErrorKind::Corrupt {
        return error;
    }
    let hint = error.hint().map(str::to_owned);
    let corrupt = Error::corrupt_value(error.clause(), revision);
    match hint {
        Some(hint) => corrupt.with_hint(hint),
        None => corrupt,
    }
}
