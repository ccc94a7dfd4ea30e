//! By what a session of a source is known again.

use sessile_core::digest::Digest;
use sessile_core::entry::shape::Import;
use sessile_core::{Error, SessionId};
use sessile_interchange::{Format, SourceSession};

/// How many hex digits of a digest an id that is derived has.
const DERIVED_DIGITS: usize = 32;

/// How many sources without an id may begin alike.
const MOST_ALIKE: u64 = 1_000;

/// Which session of which source it is.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    format: Format,
    source_id: Option<String>,
    branch: Option<String>,
    first: Digest,
}

impl Identity {
    pub(super) fn of(format: Format, session: &SourceSession) -> Self {
        let first = session.records.iter().next().map(|record| record.data.as_str());
        Self {
            format,
            source_id: session.source_id.clone(),
            branch: session.branch.clone(),
            first: Digest::of(first.unwrap_or_default().as_bytes()),
        }
    }

    /// What an `import` entry says after so many records with a digest.
    pub(super) fn entry(&self, records: u64, records_digest: Digest) -> Import {
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
    pub(super) fn is_of(&self, import: &Import) -> bool {
        import.format == self.format.name()
            && import.branch == self.branch
            && import.source_id == self.source_id
            && (self.source_id.is_some() || import.first == self.first)
    }

    /// Whether the source names itself; if not, only its records tell it from others.
    pub(super) const fn is_named(&self) -> bool {
        self.source_id.is_some()
    }

    /// The ids under which the session may be found or put, the most wanted first.
    ///
    /// A chosen id is for the main session alone. Without one the source's own id comes first,
    /// where it can be a session's. Sources without an id may begin alike, so that there are
    /// several ids for those.
    pub(super) fn ids(
        &self,
        chosen: Option<&SessionId>,
    ) -> impl Iterator<Item = Result<SessionId, Error>> {
        let is_main = self.branch.is_none();
        let own = || self.source_id.as_ref()?.parse().ok();
        let first: Option<SessionId> = chosen.cloned().or_else(own).filter(|_| is_main);
        let derived = match (chosen, self.is_named()) {
            (Some(_), _) if is_main => 0,
            (_, true) => 1,
            (_, false) => MOST_ALIKE,
        };
        let derived = (0..derived).map(move |number| self.derived_id(number, chosen));
        first.into_iter().map(Ok).chain(derived)
    }

    /// An id that is made from what the session is known by, so that every import derives the
    /// same; the number tells sources apart that begin alike and have no id, and the chosen id
    /// those that were imported under one.
    fn derived_id(&self, number: u64, chosen: Option<&SessionId>) -> Result<SessionId, Error> {
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
        format!("imp_{digits}").parse()
    }
}
