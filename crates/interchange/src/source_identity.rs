//! By what a session of a source is known again.

use sessile_core::digest::Digest;
use sessile_core::entry::shape::Import;
use sessile_core::{Error, SessionId};

use crate::format::Format;
use crate::source::SourceSession;

/// What an id that is derived begins with.
const DERIVED: &str = "imp_";

/// How many hex digits of a digest an id that is derived has.
const DERIVED_DIGITS: usize = 32;

/// How many sources without an id may begin alike.
const MOST_ALIKE: u64 = 1_000;

/// Which session of which source it is: every import of it says so alike, and so does whoever reads
/// it in place.
///
/// # Examples
/// ```
/// use sessile_core::SessionId;
/// use sessile_core::digest::Digest;
/// use sessile_interchange::{Format, SourceIdentity, parse};
///
/// let file = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0b3e"}"#;
/// let source = parse(Format::ClaudeCode, file.into())?;
/// let identity = SourceIdentity::of(source.format, &source.sessions[0]);
/// // It is wanted under its own id, else under one that every import derives alike.
/// let ids: Vec<SessionId> = identity.ids(None).collect::<Result<_, _>>()?;
/// assert_eq!((ids.len(), ids[0].as_str()), (2, "0b3e"));
/// assert!(SourceIdentity::is_derived(&ids[1]));
/// // By what an import has recorded it is known again, however far it has grown.
/// assert!(identity.is_of(&identity.entry(1, Digest::of(b"records"))));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SourceIdentity {
    format: Format,
    source_id: Option<String>,
    branch: Option<String>,
    first: Digest,
    is_whole: bool,
}

impl SourceIdentity {
    /// That of one session of a source.
    pub fn of(format: Format, session: &SourceSession) -> Self {
        let first = session.records.iter().next().map(|record| record.data.as_str());
        Self {
            format,
            source_id: session.source_id.clone(),
            branch: session.branch.clone(),
            first: session
                .whole
                .unwrap_or_else(|| Digest::of(first.unwrap_or_default().as_bytes())),
            is_whole: session.whole.is_some(),
        }
    }

    /// That of a session of which only the name is known: it has the ids of the one that is whole.
    pub fn of_name(format: Format, source_id: impl Into<String>) -> Self {
        let (source_id, first) = (Some(source_id.into()), Digest::of(b""));
        Self { format, source_id, branch: None, first, is_whole: false }
    }

    /// What an `import` entry says after so many records with a digest.
    pub fn entry(&self, records: u64, records_digest: Digest) -> Import {
        Import {
            format: self.format.name().to_owned(),
            source_id: self.source_id.clone(),
            first: self.first,
            records_digest,
            records,
            branch: self.branch.clone(),
        }
    }

    /// Whether an `import` entry is of this session, as far as that can be told without its
    /// records.
    pub fn is_of(&self, import: &Import) -> bool {
        import.format == self.format.name()
            && import.branch == self.branch
            && import.source_id == self.source_id
            && (self.source_id.is_some() || import.first == self.first)
    }

    /// Whether an `import` entry of this session is of a source that does not grow and said
    /// something else.
    pub fn has_changed(&self, import: &Import) -> bool {
        self.is_whole && import.first != self.first
    }

    /// Whether the source names itself; if not, only its records tell it from others.
    pub const fn is_named(&self) -> bool {
        self.source_id.is_some()
    }

    /// The ids under which the session may be found or put, the most wanted first.
    ///
    /// A chosen id is for the main session alone. Without one the source's own id comes first,
    /// where it can be a session's. Sources without an id may begin alike, so that there are
    /// several ids for those.
    pub fn ids(
        &self,
        chosen: Option<&SessionId>,
    ) -> impl Iterator<Item = Result<SessionId, Error>> {
        let is_main = self.branch.is_none();
        let first = chosen.cloned().filter(|_| is_main).or_else(|| self.own_id());
        let derived = match (chosen, self.is_named()) {
            (Some(_), _) if is_main => 0,
            (_, true) => 1,
            (_, false) => MOST_ALIKE,
        };
        let derived = (0..derived).map(move |number| self.derived_id(number, chosen));
        first.into_iter().map(Ok).chain(derived)
    }

    /// The source's own id, where it is the main session's and can be one here.
    pub fn own_id(&self) -> Option<SessionId> {
        let own = self.source_id.as_ref().filter(|_| self.branch.is_none());
        own.and_then(|id| id.parse().ok())
    }

    /// An id that is made from what the session is known by, so that every import derives the
    /// same; the number tells sources apart that begin alike and have no id, and the chosen id
    /// those that were imported under one.
    ///
    /// # Errors
    /// None: what is derived is an id.
    pub fn derived_id(&self, number: u64, chosen: Option<&SessionId>) -> Result<SessionId, Error> {
        let first = self.first.to_string();
        let number = number.to_string();
        let (kind, name) = match &self.source_id {
            Some(id) => ("id", id.as_str()),
            None => ("first", first.as_str()),
        };
        let parts = [
            "sessile import",
            self.format.name(),
            kind,
            name,
            self.branch.as_deref().unwrap_or_default(),
            &number,
            chosen.map_or("", SessionId::as_str),
        ];
        let digest = Digest::of_parts(parts.map(str::as_bytes)).to_string();
        let digits = digest.get(..DERIVED_DIGITS).unwrap_or(&digest);
        format!("{DERIVED}{digits}").parse()
    }

    /// Whether an id may be a derived one.
    pub fn is_derived(id: &SessionId) -> bool {
        id.as_str().starts_with(DERIVED)
    }
}
