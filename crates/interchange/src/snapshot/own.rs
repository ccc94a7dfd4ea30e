//! An envelope for runs that are identified by fields of the caller's own.

use std::fmt;

use sessile_core::{Error, ErrorKind};

use crate::json::{self, Difference, MAX_DEPTH, Object, Value, difference};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names, count};
use crate::snapshot::identity::mismatch;

/// What the `type` of these envelopes is, so that neither kind is ever read as the other.
const TYPE: &str = "sessile.snapshot";

const KEYS: [&str; 4] = ["type", "version", "identity", "state"];

/// A snapshot with exactly four keys: `type`, `version` (1), `identity` and `state`.
///
/// The identity is an object of the caller's own fields (a project, a model, digests of a
/// configuration, a roster) with at least one. It is compared to its innermost value: the order of
/// members and white space make no difference, everything else does. Lists are ordered; what is a
/// set is given sorted.
///
/// # Examples
/// ```
/// use sessile_interchange::json::{Object, parse};
/// use sessile_interchange::snapshot::OwnSnapshot;
///
/// let identity = parse(r#"{"project":"shop","model":{"name":"small"}}"#)?;
/// let identity: &Object = identity.as_object().expect("an object");
/// let snapshot = OwnSnapshot::of(identity.clone(), "where it was")?;
/// let read = OwnSnapshot::decode(snapshot.encode().as_bytes())?;
/// read.check(identity)?;
/// // The state is of use to a run of the same identity only, to its innermost value.
/// let current = identity.clone().with("model", Object::default().with("name", "large"));
/// let error = read.check(&current).unwrap_err();
/// assert!(error.to_string().starts_with("identity.model.name differs"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct OwnSnapshot {
    identity: Object,
    state: Value,
    document: Value,
}

impl OwnSnapshot {
    /// Makes a snapshot.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when the identity has no field, or when it all has more than
    /// [`MAX_DEPTH`] levels.
    pub fn of(identity: Object, state: impl Into<Value>) -> Result<Self, Error> {
        let document = Object::default()
            .with("type", TYPE)
            .with("version", 1_u64)
            .with("identity", identity)
            .with("state", state);
        Self::checked(document.into()).map_err(Fault::when_written)
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    /// - [`ErrorKind::Corrupt`] that names the part that is wrong, and the two ways out.
    /// - [`ErrorKind::UnknownVersion`] that names the version and the one that can be read.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let document =
            json::parse_bytes(bytes).map_err(|error| Fault::new(error.clause()).when_read())?;
        Self::checked(document).map_err(Fault::when_read)
    }

    /// Writes it: the form of Python's `json.dumps(value, indent=2)`, and a line end.
    pub fn encode(&self) -> String {
        let mut text = json::pretty(&self.document);
        text.push('\n');
        text
    }

    /// The caller's own fields.
    pub fn identity(&self) -> &Object {
        &self.identity
    }

    /// What the run goes on with.
    pub fn state(&self) -> &Value {
        &self.state
    }

    /// Finds the first place at which a run's identity differs from the saved one, to its
    /// innermost value.
    pub fn difference(&self, current: &Object) -> Option<Difference> {
        let wrapped = |identity: &Object| Object::default().with("identity", identity.clone());
        difference(&wrapped(&self.identity).into(), &wrapped(current).into())
    }

    /// Refuses a run whose identity differs from the saved one.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] that names the first place that differs and both values.
    pub fn check(&self, current: &Object) -> Result<(), Error> {
        match self.difference(current) {
            Some(difference) => Err(mismatch(&difference)),
            None => Ok(()),
        }
    }

    fn checked(document: Value) -> Result<Self, Fault> {
        if document.depth() > MAX_DEPTH {
            return Err(Fault::new(format!("it has more than {MAX_DEPTH} levels")));
        }
        let object =
            document.as_object().ok_or_else(|| Fault::new("the snapshot is not an object"))?;
        let kind = object.get("type").ok_or_else(|| Fault::new("type is missing"))?;
        if kind.as_text().is_none_or(|text| text != TYPE) {
            return Err(Fault::new(format!("type is not {TYPE}")));
        }
        version(object)?;
        let fields = Fields::of(&document, "", Names { required: &KEYS, optional: &[] })?;
        let identity = fields.value("identity")?.as_object();
        let identity = identity.ok_or_else(|| Fault::new("identity is not an object"))?.clone();
        if identity.is_empty() {
            return Err(Fault::new("identity has no field"));
        }
        let state = fields.value("state")?.clone();
        Ok(Self { identity, state, document })
    }
}

fn version(object: &Object) -> Result<(), Fault> {
    let value = object.get("version").ok_or_else(|| Fault::new("version is missing"))?;
    match count(value) {
        Some(1) => Ok(()),
        Some(other) => Err(Fault::of_kind(
            ErrorKind::UnknownVersion,
            format!("it is of version {other}, and version 1 is read"),
        )),
        None => Err(Fault::new("version is not an integer from 0 to 2^63 - 1")),
    }
}

impl fmt::Debug for OwnSnapshot {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnSnapshot").field("identity", &self.identity).finish_non_exhaustive()
    }
}
