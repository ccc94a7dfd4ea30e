//! What is known of a session: the first line of its log, or its record.

use std::borrow::Cow;
use std::fmt;

use sessile_core::lens::View;
use sessile_core::{Payload, UnixMillis};

const NAMES: [&str; 8] =
    ["type", "id", "title", "model", "cwd", "parent_id", "created_at", "updated_at"];

/// What is known of a session.
///
/// # Examples
/// ```
/// use sessile_core::{Payload, UnixMillis};
/// use sessile_interchange::session_files::Header;
///
/// let header = Header::new("ses_1", UnixMillis(7)).expect("an id");
/// // What there is not is left out.
/// let line = r#"{"type":"session","id":"ses_1","created_at":7,"updated_at":7}"#;
/// assert_eq!(header.encode(), line);
/// // Members of other programs stand behind its own.
/// let others = Payload::parse(r#"{"mood":"good"}"#)?;
/// assert!(header.with_others(&others).encode().ends_with(r#""updated_at":7,"mood":"good"}"#));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Its id, which is never empty.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// The model that it used last.
    pub model: Option<String>,
    /// The folder that it began in.
    pub cwd: Option<String>,
    /// The session that started this one as its sub-agent.
    pub parent_id: Option<String>,
    /// When it began.
    pub created_at: UnixMillis,
    /// When something was last done with it.
    pub updated_at: UnixMillis,
    /// Members that are not known, as they were found.
    unknown: Vec<(String, Payload)>,
}

impl Header {
    /// The header of a session that begins; none without an id.
    pub fn new(id: impl Into<String>, at: UnixMillis) -> Option<Self> {
        let id = id.into();
        (!id.is_empty()).then(|| Self {
            id,
            title: None,
            model: None,
            cwd: None,
            parent_id: None,
            created_at: at,
            updated_at: at,
            unknown: Vec::new(),
        })
    }

    /// Its members that are not known, as one object; none without any.
    pub fn others(&self) -> Option<Payload> {
        let mut object = String::new();
        for (name, value) in &self.unknown {
            push(&mut object, name, value.as_str());
        }
        let members = object.strip_prefix(',')?;
        Payload::parse(format!("{{{members}}}")).ok()
    }

    /// The header with the members of an object that are not known, in place of its own.
    #[must_use]
    pub fn with_others(mut self, others: &Payload) -> Self {
        self.unknown = unknown(View::of(others));
        self
    }

    /// Whether a line says that it is a header.
    pub(super) fn is_one(line: View<'_>) -> bool {
        line.member("type").and_then(View::text).as_deref() == Some("session")
    }

    /// Reads a header or a record, which has no `type`.
    ///
    /// # Errors
    /// What is wrong with it, in words that never quote it.
    pub(super) fn read(object: View<'_>) -> Result<Self, String> {
        if !object.is_object() {
            return Err("it is not an object".to_owned());
        }
        let times = |name: &str| object.members().filter(|(it, _)| it == name).count();
        if let Some(name) = NAMES.into_iter().find(|name| times(name) > 1) {
            return Err(format!("{name} stands twice"));
        }
        let text = |name: &str| {
            let value = object.member(name).filter(|value| value.as_json() != "null");
            let text = value.map(|it| it.text().map(Cow::into_owned));
            text.map(|text| text.ok_or_else(|| format!("{name} is not a string"))).transpose()
        };
        let time = |name: &str| {
            let value = object.member(name).ok_or_else(|| format!("{name} is missing"))?;
            let number = value.whole_number().map(UnixMillis);
            number.ok_or_else(|| format!("{name} is not an integer from 0 to 2^64 - 1"))
        };
        Ok(Self {
            id: id(object)?,
            title: text("title")?,
            model: text("model")?,
            cwd: text("cwd")?,
            parent_id: text("parent_id")?,
            created_at: time("created_at")?,
            updated_at: time("updated_at")?,
            unknown: unknown(object),
        })
    }

    /// Writes the header line of a log, without its line end. What there is not is left out.
    pub fn encode(&self) -> String {
        let mut line = r#"{"type":"session""#.to_owned();
        let texts = [
            ("id", Some(&self.id)),
            ("title", self.title.as_ref()),
            ("model", self.model.as_ref()),
            ("cwd", self.cwd.as_ref()),
            ("parent_id", self.parent_id.as_ref()),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                push(&mut line, name, &quoted(text));
            }
        }
        push(&mut line, "created_at", &self.created_at.millis().to_string());
        push(&mut line, "updated_at", &self.updated_at.millis().to_string());
        for (name, value) in &self.unknown {
            push(&mut line, name, value.as_str());
        }
        line.push('}');
        line
    }
}

fn unknown(object: View<'_>) -> Vec<(String, Payload)> {
    let unknown = object.members().filter(|(name, _)| !NAMES.contains(&&**name));
    let unknown = unknown.filter_map(|(name, value)| {
        Some((name.into_owned(), Payload::parse(value.as_json().to_owned()).ok()?))
    });
    unknown.collect()
}

/// An id with half a character in it would be read as another one.
fn id(object: View<'_>) -> Result<String, String> {
    let value = object.member("id").ok_or("id is missing")?;
    let id: Option<String> = serde_json::from_str(value.as_json()).ok();
    let id = id.ok_or("id is not a string of whole characters")?;
    if id.is_empty() { Err("id is empty".to_owned()) } else { Ok(id) }
}

fn push(line: &mut String, name: &str, value: &str) {
    line.extend([",", &*quoted(name), ":", value]);
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl fmt::Debug for Header {
    /// Leaves out everything that people wrote.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("id", &self.id)
            .field("parent_id", &self.parent_id)
            .field("created_at", &self.created_at)
            .field("updated_at", &self.updated_at)
            .finish_non_exhaustive()
    }
}
