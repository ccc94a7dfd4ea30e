//! What a session is created with.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Dialect, ForkedFrom, Header};
use sessile_core::{
    EntryType, Error, ErrorKind, Name, NewEntry, Payload, SessionId, SessionKey, Text,
};
use sessile_interchange::json;

use crate::opened::Opened;

/// What a session is created with: what it is, for ever, and the metadata that it begins with.
///
/// What is refused (a bad name, a value without JSON form) is told when the session is created.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_engine::NewSession;
///
/// let new = NewSession::new()
///     .project("shop")
///     .dialect(Dialect::Openai)
///     .title("An order that never came")
///     .meta("priority", &3);
/// # let _ = new;
/// ```
#[derive(Default)]
#[must_use = "nothing is created before it is given to a store"]
pub struct NewSession {
    dialect: Option<Dialect>,
    project: Option<Name>,
    project_identity: Option<Text>,
    owner: Option<Digest>,
    parent: Option<SessionId>,
    forked_from: Option<ForkedFrom>,
    identity: Option<Payload>,
    host: BTreeMap<String, Payload>,
    meta: BTreeMap<String, Payload>,
    refused: Option<Error>,
}

impl NewSession {
    /// A session of the plain dialect that says nothing about itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says how its messages are to be read.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// Names the project that it belongs to.
    pub fn project(mut self, name: impl TryInto<Name, Error: Into<Error>>) -> Self {
        self.project = self.checked(name.try_into());
        self
    }

    /// Says what tells its project from another of the same name.
    pub fn project_identity(mut self, identity: impl Into<String>) -> Self {
        self.project_identity = Some(Text::from(identity.into()));
        self
    }

    /// Names the authority that owns it by a label, of which only the SHA-256 is kept.
    pub fn owner(self, label: impl AsRef<[u8]>) -> Self {
        self.owner_fingerprint(Digest::of(label.as_ref()))
    }

    /// Names the authority that owns it by its fingerprint.
    pub fn owner_fingerprint(mut self, fingerprint: Digest) -> Self {
        self.owner = Some(fingerprint);
        self
    }

    /// Names the session that starts this one.
    pub fn parent(mut self, id: impl TryInto<SessionId, Error: Into<Error>>) -> Self {
        self.parent = self.checked(id.try_into());
        self
    }

    /// Says what must be equal before its state is applied to a run.
    pub fn identity<T: Serialize + ?Sized>(mut self, identity: &T) -> Self {
        self.identity = self.checked(Payload::of(identity));
        self
    }

    /// Keeps a value of the host's with it, which never changes.
    pub fn host<T: Serialize + ?Sized>(mut self, key: impl Into<String>, value: &T) -> Self {
        if let Some(value) = self.checked(Payload::of(value)) {
            self.host.insert(key.into(), value);
        }
        self
    }

    /// Sets the title that it begins with.
    pub fn title(self, title: impl AsRef<str>) -> Self {
        self.meta("title", title.as_ref())
    }

    /// Sets the tags that it begins with.
    pub fn tags<T: AsRef<str>>(self, tags: impl IntoIterator<Item = T>) -> Self {
        let tags: Vec<String> = tags.into_iter().map(|tag| tag.as_ref().to_owned()).collect();
        self.meta("tags", &tags)
    }

    /// Sets the model that it begins with.
    pub fn model(self, model: impl AsRef<str>) -> Self {
        self.meta("model", model.as_ref())
    }

    /// Sets the working directory that it begins with.
    pub fn cwd(self, cwd: impl AsRef<str>) -> Self {
        self.meta("cwd", cwd.as_ref())
    }

    /// Sets a value of the metadata that it begins with; unlike a host value it may change.
    pub fn meta<T: Serialize + ?Sized>(mut self, key: impl Into<String>, value: &T) -> Self {
        if let Some(value) = self.checked(Payload::of(value)) {
            self.meta.insert(key.into(), value);
        }
        self
    }

    /// Says where it was cut from another.
    pub(crate) fn forked_from(mut self, place: ForkedFrom) -> Self {
        self.forked_from = Some(place);
        self
    }

    /// Keeps the first refusal: a builder has no answer of its own.
    fn checked<T, E: Into<Error>>(&mut self, value: Result<T, E>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(error) => {
                self.refused.get_or_insert_with(|| error.into());
                None
            }
        }
    }

    /// Tells what was refused when it was built.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        self.refused.take().map_or(Ok(()), Err)
    }

    /// The entries that create the session: the header, and its first metadata if there is any.
    pub(crate) fn entries(
        &self,
        key: &SessionKey,
        opened: &Opened,
    ) -> Result<Vec<NewEntry>, Error> {
        let at = opened.now();
        let header = Header {
            format: Header::FORMAT,
            id: key.id.clone(),
            space: key.space.clone(),
            created_at: at,
            crc: Header::CRC.to_owned(),
            salt: opened.salt(),
            file: opened.token(),
            dialect: self.dialect.unwrap_or_default(),
            project: self.project.clone(),
            project_identity: self.project_identity.clone(),
            owner: self.owner,
            parent_id: self.parent.clone(),
            forked_from: self.forked_from.clone(),
            identity: self.identity.clone(),
            host: self.host.clone(),
        };
        let mut entries = vec![NewEntry::new(at, EntryType::Session, Payload::of(&header)?)];
        if !self.meta.is_empty() {
            entries.push(NewEntry::new(at, EntryType::Meta, Payload::of(&self.meta)?));
        }
        Ok(entries)
    }

    /// Refuses an existing session that is another than asked for; what was not asked for is not
    /// compared, and neither is metadata.
    ///
    /// # Errors
    /// *mismatch* naming the first difference; of identities, which are there to be compared, its
    /// innermost place and both values, and of nothing else a value.
    pub(crate) fn agrees_with(&self, header: &Header) -> Result<(), Error> {
        fn differs<T: PartialEq>(asked: Option<&T>, is: Option<&T>) -> bool {
            asked.is_some() && asked != is
        }
        let differences = [
            ("dialect", differs(self.dialect.as_ref(), Some(&header.dialect))),
            ("project", differs(self.project.as_ref(), header.project.as_ref())),
            (
                "project_identity",
                differs(self.project_identity.as_ref(), header.project_identity.as_ref()),
            ),
            ("owner", differs(self.owner.as_ref(), header.owner.as_ref())),
            ("parent_id", differs(self.parent.as_ref(), header.parent_id.as_ref())),
        ];
        let mut named = differences.iter().filter(|(_, differs)| *differs);
        let another = |name: &str| format!("it exists with another {name} than asked for");
        let identity = || {
            let told = identity_differs(header.identity.as_ref(), self.identity.as_ref()?)?;
            Some(format!("{}: {told}", another("identity")))
        };
        let host = || {
            let mut host = self.host.iter();
            let differs = host.any(|(key, value)| header.host.get(key) != Some(value));
            differs.then(|| another("host"))
        };
        match named.next().map(|(name, _)| another(name)).or_else(identity).or_else(host) {
            None => Ok(()),
            Some(clause) => Err(Error::new(ErrorKind::Mismatch, clause)
                .with_hint("leave out what need not match, or choose another id")),
        }
    }
}

/// How the identity that a session has differs from the one that is asked for, if it does: the
/// innermost place, and both values. The order of the members of an object makes no difference,
/// that of lists does.
fn identity_differs(is: Option<&Payload>, asked: &Payload) -> Option<String> {
    if is == Some(asked) {
        return None;
    }
    let told = || -> Result<_, Error> {
        let value = |value: &Payload| json::parse(value.as_str());
        let wrapped = |value: Option<json::Value>| {
            let object = json::Object::default();
            json::Value::from(match value {
                Some(value) => object.with("identity", value),
                None => object,
            })
        };
        let (is, asked) = (is.map(value).transpose()?, value(asked)?);
        Ok(json::difference(&wrapped(is), &wrapped(Some(asked))))
    };
    // What is no value of JSON as others read it, as a number beyond their range, is compared whole.
    let told = told().map(|difference| difference.map(|difference| difference.to_string()));
    told.unwrap_or_else(|_| Some("identity differs".to_owned()))
}

impl fmt::Debug for NewSession {
    /// Tells no value: what a host keeps with a session is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewSession")
            .field("dialect", &self.dialect)
            .field("host", &self.host.len())
            .field("meta", &self.meta.len())
            .finish_non_exhaustive()
    }
}
