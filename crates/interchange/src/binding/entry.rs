//! The file of a context.

use std::fmt;

use sessile_core::lens::View;
use sessile_core::{Error, ErrorKind, Payload, UnixMillis};

/// What the `type` of the file is; any other says that it is another tool's.
const TYPE: &str = "murmur.harness-session";

const NAMES: [&str; 6] = ["type", "session_id", "harness", "driver", "created_ms", "updated_ms"];

/// What a file of this name holds.
///
/// # Examples
/// ```
/// use sessile_core::UnixMillis;
/// use sessile_interchange::binding::{Binding, Entry};
///
/// let binding = Binding::new("0198-a", "claude", "claude-code", UnixMillis(7)).expect("an id");
/// let file = binding.encode();
/// assert_eq!(Entry::decode(file.as_bytes())?, Entry::Bound(binding));
/// // A file of that name may be another tool's.
/// assert_eq!(Entry::decode(br#"{"type":"other.tool"}"#)?, Entry::Foreign);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A binding.
    Bound(Binding),
    /// A binding to the empty id, which binds nothing.
    Unbound,
    /// Something of another tool, by its `type`.
    Foreign,
}

/// A context's session of a harness.
///
/// # Examples
/// ```
/// use sessile_core::UnixMillis;
/// use sessile_interchange::binding::{Binding, Entry};
///
/// let written = Binding::new("0198-a", "claude", "claude-code", UnixMillis(7)).expect("an id");
/// // What a newer program has added is written again as it was.
/// let file = written.encode().replace('}', r#","mood":1.0}"#);
/// let Entry::Bound(read) = Entry::decode(file.as_bytes())? else { panic!("it binds one") };
/// assert_eq!((read.session_id.as_str(), read.encode()), ("0198-a", file));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Binding {
    /// The harness's own id of the session, which is never empty and never taken apart.
    pub session_id: String,
    /// The harness; for people only.
    pub harness: String,
    /// What drives the harness; for people only.
    pub driver: String,
    /// When the context first got a session.
    pub created_at: UnixMillis,
    /// When it was written last.
    pub updated_at: UnixMillis,
    /// Members that are not known, as they were found.
    unknown: Vec<(String, Payload)>,
}

impl Entry {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when it is not one JSON object, a member is missing or of another
    /// type, or one that is known stands twice.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let text = str::from_utf8(bytes).map_err(|error| {
            corrupt(format!("not text in UTF-8: fails at byte {}", error.valid_up_to()))
        })?;
        let payload = Payload::parse(text.to_owned())
            .map_err(|error| corrupt(error.clause().replace("not one JSON value", "not JSON")))?;
        let object = View::of(&payload);
        if !object.is_object() {
            return Err(corrupt("not an object"));
        }
        let times = |name: &str| object.members().filter(|(it, _)| it == name).count();
        if let Some(name) = NAMES.into_iter().find(|name| times(name) > 1) {
            return Err(corrupt(format!("{name} stands twice")));
        }
        if string(object, "type")? != TYPE {
            return Ok(Self::Foreign);
        }
        let binding = Binding::read(object)?;
        Ok(if binding.session_id.is_empty() { Self::Unbound } else { Self::Bound(binding) })
    }
}

impl Binding {
    /// A binding without members that are not known; none for an empty id.
    pub fn new(
        session_id: impl Into<String>,
        harness: impl Into<String>,
        driver: impl Into<String>,
        at: UnixMillis,
    ) -> Option<Self> {
        let session_id = session_id.into();
        (!session_id.is_empty()).then(|| Self {
            session_id,
            harness: harness.into(),
            driver: driver.into(),
            created_at: at,
            updated_at: at,
            unknown: Vec::new(),
        })
    }

    /// Writes the file: one compact object, the known members first, without a line end.
    pub fn encode(&self) -> String {
        let mut text = format!("{{\"type\":{}", quoted(TYPE));
        let texts = [
            ("session_id", &self.session_id),
            ("harness", &self.harness),
            ("driver", &self.driver),
        ];
        for (name, value) in texts {
            push(&mut text, name, &quoted(value));
        }
        push(&mut text, "created_ms", &self.created_at.millis().to_string());
        push(&mut text, "updated_ms", &self.updated_at.millis().to_string());
        for (name, value) in &self.unknown {
            push(&mut text, name, value.as_str());
        }
        text.push('}');
        text
    }

    /// The binding that follows this one: it keeps when the context first got a session, and its
    /// last write never falls, whatever the clock says.
    pub(super) fn followed_by(&self, mut next: Self) -> Self {
        next.created_at = self.created_at;
        next.updated_at = next.updated_at.max(self.updated_at);
        next.unknown.clone_from(&self.unknown);
        next
    }

    fn read(object: View<'_>) -> Result<Self, Error> {
        let unknown = object.members().filter(|(name, _)| !NAMES.contains(&&**name));
        let unknown = unknown.map(|(name, value)| {
            Ok((name.into_owned(), Payload::parse(value.as_json().to_owned())?))
        });
        Ok(Self {
            session_id: string(object, "session_id")?,
            harness: string(object, "harness")?,
            driver: string(object, "driver")?,
            created_at: millis(object, "created_ms")?,
            updated_at: millis(object, "updated_ms")?,
            unknown: unknown.collect::<Result<_, Error>>()?,
        })
    }
}

fn corrupt(reason: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Corrupt, format!("the binding can't be read: {reason}"))
        .with_hint("the file is kept; delete it to begin a new session")
}

fn member<'a>(object: View<'a>, name: &str) -> Result<View<'a>, Error> {
    object.member(name).ok_or_else(|| corrupt(format!("{name} is missing")))
}

fn string(object: View<'_>, name: &str) -> Result<String, Error> {
    // Half a character would be read as another one, and the id be another.
    let text = serde_json::from_str(member(object, name)?.as_json());
    text.map_err(|_| corrupt(format!("{name} is not a string of whole characters")))
}

fn millis(object: View<'_>, name: &str) -> Result<UnixMillis, Error> {
    let number = member(object, name)?.whole_number().map(UnixMillis);
    number.ok_or_else(|| corrupt(format!("{name} is not an integer from 0 to 2^64 - 1")))
}

fn push(text: &mut String, name: &str, value: &str) {
    text.extend([",", &*quoted(name), ":", value]);
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl fmt::Debug for Binding {
    /// Leaves out everything that a file may hold but the id.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binding")
            .field("session_id", &self.session_id)
            .field("created_at", &self.created_at)
            .field("updated_at", &self.updated_at)
            .finish_non_exhaustive()
    }
}
