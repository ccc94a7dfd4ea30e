//! Metadata: what `meta` entries have set, merged key by key.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::entry::shape::AcceptedIdentity;
use crate::error::{Error, ErrorKind};
use crate::payload::Payload;

/// The metadata of a session as its last `meta` entries left it.
///
/// Known keys are `title`, `model`, `cwd`, `tags` and [`Self::ACCEPTED_IDENTITY`]; every other is the
/// host's. Values are kept verbatim.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::Meta;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let session = store.create_as("ses_42", NewSession::new().title("Plums")).await?;
/// session.set_meta([("priority", 2)]).await?;
/// let meta: Meta = session.info().meta;
/// assert_eq!(meta.title().as_deref(), Some("Plums"));
/// assert_eq!(meta.value("priority").map(|value| value.as_str()), Some("2"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meta(BTreeMap<String, Payload>);

impl Meta {
    /// The key under which the identity stands that was accepted last. It is no caller's: only who
    /// accepts a difference sets it.
    pub const ACCEPTED_IDENTITY: &str = "accepted-identity";

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&Payload> {
        self.0.get(key)
    }

    /// All keys and values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Payload)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The title, if it is text.
    pub fn title(&self) -> Option<String> {
        self.read("title")
    }

    /// The model, if it is text.
    pub fn model(&self) -> Option<String> {
        self.read("model")
    }

    /// The working directory, if it is text.
    pub fn cwd(&self) -> Option<String> {
        self.read("cwd")
    }

    /// The tags, if they are a list of texts.
    pub fn tags(&self) -> Vec<String> {
        self.read("tags").unwrap_or_default()
    }

    /// The identity that was accepted last, if one was.
    ///
    /// # Errors
    /// *corrupt* where something else stands in its place: what the identity is then can't be told.
    pub fn accepted_identity(&self) -> Result<Option<AcceptedIdentity>, Error> {
        let read = |value: &Payload| {
            value.decode().map_err(|_| {
                let clause = "the record of the identity that was accepted can't be read";
                Error::new(ErrorKind::Corrupt, clause)
            })
        };
        self.0.get(Self::ACCEPTED_IDENTITY).map(read).transpose()
    }

    fn read<'a, T: Deserialize<'a>>(&'a self, key: &str) -> Option<T> {
        self.0.get(key)?.decode().ok()
    }

    /// Merges the data of a `meta` entry: a value replaces, `null` removes; answers whether the
    /// data was an object at all.
    pub(super) fn merge(&mut self, data: &Payload) -> bool {
        let Ok(changes) = data.decode::<BTreeMap<String, Payload>>() else {
            return false;
        };
        for (key, value) in changes {
            if value.as_str() == "null" {
                self.0.remove(&key);
            } else {
                self.0.insert(key, value);
            }
        }
        true
    }
}

impl fmt::Debug for Meta {
    /// Tells how many keys there are: neither they nor their values are for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Meta({} keys)", self.0.len())
    }
}
