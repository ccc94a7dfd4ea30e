//! Where things lie in a place: `[a-z0-9._~-]` and `/` only, segments up to 200 bytes.

use object_store::path::Path;
use sessile_core::backend::{Collection, DocKey};
use sessile_core::digest::Digest;
use sessile_core::id::{SessionId, SessionKey, Space};
use sessile_core::spelling::{self, Told};
use sessile_core::{Error, ErrorKind};

/// The digits of a log object's number: names sort as their numbers do.
const DIGITS: usize = 20;

/// A place's own prefix and what lies below it.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: String,
}

/// Where the objects of one session lie.
#[derive(Clone, Debug)]
pub(crate) struct SessionKeys {
    folder: String,
}

impl Keys {
    /// What lies below a prefix.
    pub(crate) fn below(prefix: &Path) -> Self {
        let prefix = prefix.as_ref();
        let slash = if prefix.is_empty() { "" } else { "/" };
        Self { prefix: format!("{prefix}{slash}") }
    }

    /// What says that a store is here, and what its probe found.
    pub(crate) fn marker(&self) -> Path {
        path(format!("{}sessile-store.json", self.prefix))
    }

    /// Where a probe leaves its objects, under a name of its own.
    pub(crate) fn probe(&self, own: &str) -> String {
        format!("{}probe/{own}", self.prefix)
    }

    /// Where the spaces lie.
    pub(crate) fn spaces(&self) -> Path {
        path(format!("{}spaces", self.prefix))
    }

    /// The space whose folder a path below the spaces' lies in.
    pub(crate) fn space_of(&self, path: &Path) -> Option<Space> {
        let below = path.as_ref().strip_prefix(self.spaces().as_ref())?.strip_prefix('/')?;
        spelling::to_space(undotted(below.split('/').next()?))
    }

    fn space(&self, space: &Space) -> String {
        format!("{}spaces/{}", self.prefix, dotted(spelling::of_space(space)))
    }

    /// Where the sessions of a space lie.
    pub(crate) fn sessions(&self, space: &Space) -> Path {
        path(format!("{}/sessions", self.space(space)))
    }

    /// The session whose folder a path below the sessions' is or lies in.
    pub(crate) fn session_of(&self, space: &Space, path: &Path) -> Option<SessionId> {
        let below = path.as_ref().strip_prefix(self.sessions(space).as_ref())?.strip_prefix('/')?;
        spelling::to_session(undotted(below.split('/').next()?))
    }

    /// Where a session lies.
    pub(crate) fn session(&self, key: &SessionKey) -> SessionKeys {
        let id = dotted(spelling::of_session(&key.id));
        SessionKeys { folder: format!("{}/sessions/{id}", self.space(&key.space)) }
    }

    /// Where the collections of a space lie.
    pub(crate) fn collections(&self, space: &Space) -> Path {
        path(format!("{}/documents", self.space(space)))
    }

    /// Where the documents of a collection lie.
    pub(crate) fn collection(&self, collection: &Collection) -> Path {
        let name = spelling::of_name(&collection.name);
        path(format!("{}/documents/{name}", self.space(&collection.space)))
    }

    /// Where a document lies.
    pub(crate) fn document(&self, key: &DocKey) -> Path {
        let collection = self.collection(&key.collection);
        path(format!("{collection}/{}", spelling::of_name(&key.name)))
    }

    /// The name of a document by its path; `Inside` where only its body has it.
    pub(crate) fn name_of(document: &Path) -> Told {
        document.filename().map_or(Told::Nothing, spelling::to_name)
    }

    /// Where it is noted which documents are purged with a session: beside the sessions, since a
    /// note on one is no session, and may be of one that never was.
    pub(crate) fn belongings(&self, session: &SessionKey) -> Path {
        let id = dotted(spelling::of_session(&session.id));
        path(format!("{}/belongings/{id}", self.space(&session.space)))
    }

    /// The note that a document is purged with a session.
    pub(crate) fn belonging(&self, session: &SessionKey, document: &DocKey) -> Path {
        let Collection { space, name } = &document.collection;
        let parts = [space.as_str(), name.as_str(), document.name.as_str()];
        let digest = Digest::of_parts(parts.map(str::as_bytes));
        path(format!("{}/{digest}", self.belongings(session)))
    }

    /// Where the catalog of a space lies.
    pub(crate) fn catalog(&self, space: &Space) -> Path {
        path(format!("{}catalog/{}", self.prefix, dotted(spelling::of_space(space))))
    }

    /// Where the notes of a session in the catalog lie.
    pub(crate) fn notes(&self, key: &SessionKey) -> Path {
        let id = dotted(spelling::of_session(&key.id));
        path(format!("{}/{id}", self.catalog(&key.space)))
    }

    /// Where the catalog notes that a session was last active at a time.
    pub(crate) fn note(&self, key: &SessionKey, millis: u64) -> Path {
        path(format!("{}/{millis}", self.notes(key)))
    }

    /// The session and the time that a note of a space's catalog tells.
    pub(crate) fn noted(&self, space: &Space, note: &Path) -> Option<(SessionId, u64)> {
        let below = note.as_ref().strip_prefix(self.catalog(space).as_ref())?.strip_prefix('/')?;
        let (id, millis) = below.split_once('/')?;
        Some((spelling::to_session(undotted(id))?, millis.parse().ok()?))
    }
}

impl SessionKeys {
    /// All objects of the session.
    pub(crate) fn folder(&self) -> Path {
        path(self.folder.clone())
    }

    /// A log object.
    pub(crate) fn log(&self, number: u64) -> Path {
        path(format!("{}/log/{number:0DIGITS$}", self.folder))
    }

    /// The number of a log object.
    pub(crate) fn number_of(&self, object: &Path) -> Option<u64> {
        let digits = object.as_ref().strip_prefix(&*self.folder)?.strip_prefix("/log/")?;
        let number = (digits.len() == DIGITS).then(|| digits.parse().ok()).flatten();
        // One more may always follow.
        number.filter(|number| *number < u64::MAX)
    }

    /// Where its merged ranges lie.
    pub(crate) fn ranges(&self) -> Path {
        path(format!("{}/base", self.folder))
    }

    /// A merged range.
    pub(crate) fn range(&self, from: u64, to: u64, hash: &str) -> Path {
        path(format!("{}/base/{from:0DIGITS$}-{to:0DIGITS$}-{hash}", self.folder))
    }

    /// The numbers and the hash that the name of a merged range tells.
    pub(crate) fn range_of(&self, object: &Path) -> Option<(u64, u64, String)> {
        let name = object.as_ref().strip_prefix(&*self.folder)?.strip_prefix("/base/")?;
        let mut parts = name.split('-');
        let (from, to) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let hash = parts.next().filter(|hash| hash.len() == 16)?;
        (from <= to && to < u64::MAX && parts.next().is_none()).then(|| (from, to, hash.to_owned()))
    }

    /// What says that data of its log objects was removed, and for which time.
    pub(crate) fn masked(&self) -> Path {
        path(format!("{}/masked", self.folder))
    }

    /// An object that is written to learn what time it is at the place; sorts behind all others.
    pub(crate) fn moment(&self, own: &str) -> Path {
        path(format!("{}/moment-{own}", self.folder))
    }
}

/// Checks a prefix that a caller gives.
///
/// # Errors
/// *invalid place* where it is above the length that leaves room for our names, or has segments
/// that a place would change.
pub(crate) fn prefix(text: &str) -> Result<Path, Error> {
    const LONGEST: usize = 180;
    let invalid = |clause: String| Error::new(ErrorKind::InvalidPlace, clause);
    let path = Path::parse(text)
        .map_err(|error| invalid("the prefix is no path of an object".into()).with_source(error))?;
    if path.as_ref().len() > LONGEST {
        return Err(invalid(format!("the prefix is longer than {LONGEST} bytes")));
    }
    Ok(path)
}

/// A segment that no cloud refuses: some do so where it ends in a dot.
fn dotted(mut segment: String) -> String {
    if segment.ends_with('.') {
        segment.push('~');
    }
    segment
}

fn undotted(segment: &str) -> &str {
    segment.strip_suffix('~').unwrap_or(segment)
}

/// A path of our own signs, which are those that nobody encodes.
pub(crate) fn path(text: String) -> Path {
    Path::parse(&text).unwrap_or_else(|_| Path::from(text))
}
