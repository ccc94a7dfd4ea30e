//! What a run expects.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sessile_core::digest::Digest;
use sessile_core::{Error, ErrorKind, Name, Payload, Text};

use super::differences::Differences;
use super::field::{DIGESTS, MODEL, PROJECT, PROJECT_IDENTITY, ROSTER, WORKSPACE};
use super::recorded::Fields;

/// What a run expects a session to belong to, to be compared before the run goes on with it.
///
/// What is given is compared, each field whole; what is left out is not, unless the identity is
/// said to be [`exactly`](Self::exactly) this one. The order is that of the methods here: project,
/// what tells it from others, workspace, model, digests, roster, then other fields by name. Digests
/// are compared by name, the roster is a set, every other list has an order.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::ErrorKind;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Expected;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let run = Expected::new().project("shop").model("large").part("tools", &["search"]);
/// store.open_or_create("ses_42", NewSession::new().expecting(&run)).await?;
/// store.open_with("ses_42", &run).await?;
///
/// let other = Expected::new().project("shop").model("small");
/// let error = store.open_with("ses_42", &other).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Mismatch);
/// assert_eq!(
///     error.clause(),
///     r#"identity.model differs: saved is "large", current is "small""#
/// );
///
/// let session = store.open_session("ses_42").await?;
/// let differences = session.differences(&other).await?;
/// session.accept(&differences, Some("ann".into())).await?;
/// store.open_with("ses_42", &other).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use = "nothing is compared before it is given to a store"]
pub struct Expected {
    fields: Fields,
    digests: BTreeMap<String, Digest>,
    exactly: bool,
    refused: Option<Error>,
}

/// What a header says of an identity.
pub(crate) struct InHeader {
    pub(crate) project: Option<Name>,
    pub(crate) project_identity: Option<Text>,
    /// Every other field.
    pub(crate) block: Option<Payload>,
}

impl Expected {
    /// Nothing in particular.
    pub fn new() -> Self {
        Self::default()
    }

    /// The project that the session belongs to.
    pub fn project(self, name: impl AsRef<str>) -> Self {
        self.field(PROJECT, name.as_ref())
    }

    /// What tells the project from another of the same name.
    pub fn project_identity(self, identity: impl AsRef<str>) -> Self {
        self.field(PROJECT_IDENTITY, identity.as_ref())
    }

    /// Where it works, as the caller names that place.
    pub fn workspace(self, place: impl AsRef<str>) -> Self {
        self.field(WORKSPACE, place.as_ref())
    }

    /// The model that answers.
    pub fn model(self, model: impl AsRef<str>) -> Self {
        self.field(MODEL, model.as_ref())
    }

    /// A named part of its configuration: the digest of the exact bytes of its JSON.
    pub fn part<T: Serialize + ?Sized>(mut self, name: impl Into<String>, value: &T) -> Self {
        match Payload::of(value) {
            Ok(value) => self.digest(name, Digest::of(value.as_str().as_bytes())),
            Err(error) => {
                self.refused.get_or_insert(error);
                self
            }
        }
    }

    /// A named part of its configuration of which only the digest is at hand.
    pub fn digest(mut self, name: impl Into<String>, digest: Digest) -> Self {
        self.digests.insert(name.into(), digest);
        let digests = std::mem::take(&mut self.digests);
        let mut expected = self.field(DIGESTS, &digests);
        expected.digests = digests;
        expected
    }

    /// Who takes part, in any order.
    pub fn roster<T: AsRef<str>>(self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        self.field(ROSTER, &names)
    }

    /// A field of the caller's own, any JSON value, or one of those above as the value that it has
    /// in the identity: of one name the last one counts.
    pub fn field<T: Serialize + ?Sized>(mut self, name: impl Into<String>, value: &T) -> Self {
        match Payload::of(value) {
            Ok(value) => {
                self.fields.insert(name.into(), value);
            }
            Err(error) => {
                self.refused.get_or_insert(error);
            }
        }
        self
    }

    /// Says that the session is expected to have no field but those that are given.
    pub const fn exactly(mut self) -> Self {
        self.exactly = true;
        self
    }

    /// Compares an identity with this one.
    ///
    /// # Errors
    /// *refused* for what this can't be made of.
    pub(crate) fn differences(&self, saved: &Fields) -> Result<Differences, Error> {
        self.check()?;
        Ok(Differences::between(saved, &self.fields, |_| self.exactly))
    }

    /// Whether fields that were not given are expected not to be there.
    pub(crate) const fn is_exact(&self) -> bool {
        self.exactly
    }

    /// What a header says of this identity.
    ///
    /// # Errors
    /// *refused* or *invalid id* for what it can't be made of.
    pub(crate) fn in_header(&self) -> Result<InHeader, Error> {
        self.check()?;
        let mut fields = self.fields.clone();
        let text = |name: &str, value: Payload| {
            value.decode::<String>().map_err(|_| {
                Error::new(ErrorKind::Refused, format!("identity.{name} is not a text"))
            })
        };
        let project = fields.remove(PROJECT).map(|value| text(PROJECT, value)).transpose()?;
        let identity = fields.remove(PROJECT_IDENTITY);
        let identity = identity.map(|value| text(PROJECT_IDENTITY, value)).transpose()?;
        Ok(InHeader {
            project: project.map(Name::try_from).transpose()?,
            project_identity: identity.map(Text::from),
            block: if fields.is_empty() { None } else { Some(Payload::of(&fields)?) },
        })
    }

    /// Tells what was refused when it was built.
    fn check(&self) -> Result<(), Error> {
        self.refused.clone().map_or(Ok(()), Err)
    }
}

impl fmt::Debug for Expected {
    /// Tells names only: what a session belongs to is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expected")
            .field("fields", &self.fields.keys())
            .field("exactly", &self.exactly)
            .finish_non_exhaustive()
    }
}
