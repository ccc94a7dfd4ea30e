//! What a session is created with.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Dialect, ForkedFrom, Header};
use sessile_core::{
    EntryType, Error, ErrorKind, Name, NewEntry, Payload, SessionId, SessionKey, Text,
};

use crate::identity::{self, Differences, Expected};
use crate::info::Info;
use crate::opened::Opened;

/// What a session is created with: what it is, for ever, and the metadata that it begins with.
///
/// What is refused (a bad name, a value without JSON form) is told when the session is created.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::Store;
/// use sessile_core::{ErrorKind, entry::shape::Dialect};
/// use sessile_engine::NewSession;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let new = NewSession::new()
///     .project("shop")
///     .dialect(Dialect::Openai)
///     .title("An order that never came")
///     .meta("priority", &3);
/// let info = store.create(new).await?.info();
/// assert_eq!(info.header.dialect, Dialect::Openai);
/// assert_eq!(info.meta.title().as_deref(), Some("An order that never came"));
///
/// // What is wrong with it is told here, and nothing is created.
/// let refused = store.create(NewSession::new().project("")).await.unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::InvalidId);
/// # Ok(())
/// # }
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
    others: Others,
    /// Whether project and identity were said as what a run expects.
    is_expecting: bool,
    host: BTreeMap<String, Payload>,
    meta: BTreeMap<String, Payload>,
    entries: Vec<(EntryType, Payload)>,
    refused: Option<Error>,
}

/// Which fields an existing identity may have beside those that are asked for.
#[derive(Clone, Copy, Default)]
enum Others {
    /// Any.
    #[default]
    Any,
    /// Its project, where the header names it.
    NoneInTheBlock,
    /// None.
    None,
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

    /// Says what must be equal before its state is applied to a run: any value, of which all is
    /// compared.
    pub fn identity<T: Serialize + ?Sized>(mut self, identity: &T) -> Self {
        self.identity = self.checked(Payload::of(identity));
        self.others = if self.identity.is_some() { Others::NoneInTheBlock } else { Others::Any };
        self
    }

    /// Says what it belongs to as a run expects it: project and identity, in place of what was said
    /// of these before. An existing session is compared as by
    /// [`open_with`](crate::Store::open_with).
    pub fn expecting(mut self, expected: &Expected) -> Self {
        if let Some(said) = self.checked(expected.in_header()) {
            self.project = said.project;
            self.project_identity = said.project_identity;
            self.identity = said.block;
            self.is_expecting = true;
            self.others = if expected.is_exact() { Others::None } else { Others::Any };
        }
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

    /// Appends an event, an instruction or a context in the commit that creates it, after its
    /// metadata. Any other type is refused: it has its own way.
    pub fn entry<T: Serialize + ?Sized>(mut self, entry_type: EntryType, data: &T) -> Self {
        let is_taken =
            matches!(entry_type, EntryType::Event | EntryType::Instruct | EntryType::Context);
        let refused = || {
            let clause = format!("a session is not created with a {entry_type} entry");
            Error::new(ErrorKind::Refused, clause)
        };
        let data = if is_taken { Payload::of(data) } else { Err(refused()) };
        if let Some(data) = self.checked(data) {
            self.entries.push((entry_type, data));
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
        self.refused.take().map_or(Ok(()), Err)?;
        identity::refuse_by_hand(self.meta.keys())
    }

    /// The entries that create the session: the header, its first metadata, and what comes with it.
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
            copied_to: None,
            identity: self.identity.clone(),
            host: self.host.clone(),
        };
        let mut entries = vec![NewEntry::new(at, EntryType::Session, Payload::of(&header)?)];
        if !self.meta.is_empty() {
            entries.push(NewEntry::new(at, EntryType::Meta, Payload::of(&self.meta)?));
        }
        let more = self.entries.iter().cloned();
        entries.extend(more.map(|(entry_type, data)| NewEntry::new(at, entry_type, data)));
        Ok(entries)
    }

    /// Refuses an existing session that is another than asked for; what was not asked for is not
    /// compared, and neither is metadata but for the identity that was accepted.
    ///
    /// # Errors
    /// *mismatch* naming the first difference; of identities, which are there to be compared, and of
    /// what a run expects its innermost place and both values, and of nothing else a value; *corrupt* where the record of
    /// what was accepted can't be read.
    pub(crate) fn agrees_with(&self, info: &Info) -> Result<(), Error> {
        fn differs<T: PartialEq>(asked: Option<&T>, is: Option<&T>) -> bool {
            asked.is_some() && asked != is
        }
        let another = |name: &str| format!("it exists with another {name} than asked for");
        let header = &info.header;
        let mismatch = |clause: String| {
            Error::new(ErrorKind::Mismatch, clause)
                .with_hint("leave out what need not match, or choose another id")
        };
        if differs(self.dialect.as_ref(), Some(&header.dialect)) {
            return Err(mismatch(another("dialect")));
        }
        let differences = self.differences(info)?;
        if let Some(first) = differences.iter().next() {
            let name = first.field.as_str();
            let is_of_project = matches!(name, "project" | "project_identity");
            let clause = another(if is_of_project { name } else { "identity" });
            // The name of a project that is only asked for is told no more than any other text.
            let is_told = self.is_expecting || !is_of_project;
            let told = if is_told { format!("{clause}: {differences}") } else { clause };
            return Err(mismatch(told).with_hint(format!(
                "leave out what need not match, choose another id, or accept difference {}",
                differences.digest()
            )));
        }
        let mut host = self.host.iter();
        let first = [
            ("owner", differs(self.owner.as_ref(), header.owner.as_ref())),
            ("parent_id", differs(self.parent.as_ref(), header.parent_id.as_ref())),
            ("host", host.any(|(key, value)| header.host.get(key) != Some(value))),
        ];
        let named = first.iter().find(|(_, differs)| *differs);
        named.map_or(Ok(()), |(name, _)| Err(mismatch(another(name))))
    }

    /// In what the identity of an existing session is another than asked for.
    fn differences(&self, info: &Info) -> Result<Differences, Error> {
        let header = &info.header;
        let project = self.project.as_ref().map(Payload::of).transpose()?;
        let of_project = self.project_identity.as_ref().map(Payload::of).transpose()?;
        let asked = identity::created_with(project, of_project, self.identity.as_ref());
        let is_of_header = |name: &str| match name {
            "project" => header.project.is_some(),
            "project_identity" => header.project_identity.is_some(),
            _ => false,
        };
        let others = |name: &str| match self.others {
            Others::Any => false,
            Others::NoneInTheBlock => !is_of_header(name),
            Others::None => true,
        };
        Ok(Differences::between(&info.identity()?, &asked, others))
    }
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
