//! The sessions of a root.

use std::cmp::Reverse;

use sessile_core::UnixMillis;
use sessile_core::lens::View;

use crate::lines;
use crate::session_files::files::SessionFiles;
use crate::session_files::header::Header;
use crate::session_files::part::Part;

/// The sessions of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Those that can be read, the one that was updated last first; those without a time last;
    /// of equal times by id.
    pub sessions: Vec<Listed>,
    /// Those whose header is damaged, by id.
    pub damaged: Vec<Damaged>,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id, by the names of its files.
    pub id: String,
    /// What is known of it; none where only messages are there.
    pub header: Option<Header>,
    /// Its files, the oldest form first.
    pub parts: Vec<Part>,
}

/// A session whose header can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Its id, by the names of its files.
    pub id: String,
    /// The file.
    pub part: Part,
    /// Why, in words that never quote it.
    pub reason: String,
}

impl Listed {
    /// When something was last done with it.
    pub fn updated_at(&self) -> Option<UnixMillis> {
        self.header.as_ref().map(|header| header.updated_at)
    }
}

/// Lists sessions, each once, whatever files it has. Of a log only the first line is read, and of
/// messages nothing.
///
/// What is known of a session is the header of its log, else its record.
pub fn list<'a>(sessions: impl IntoIterator<Item = &'a SessionFiles>) -> Listing {
    let mut listing = Listing::default();
    for files in sessions {
        match header(files) {
            Ok(header) => listing.sessions.push(Listed {
                id: files.id.clone(),
                header,
                parts: files.parts.keys().copied().collect(),
            }),
            Err((part, reason)) => {
                listing.damaged.push(Damaged { id: files.id.clone(), part, reason });
            }
        }
    }
    listing.sessions.sort_by(|one, other| {
        let key = |it: &Listed| Reverse(it.updated_at());
        key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id))
    });
    listing.damaged.sort_by(|one, other| one.id.cmp(&other.id));
    listing
}

/// What is known of a session, or which file is damaged and why.
fn header(files: &SessionFiles) -> Result<Option<Header>, (Part, String)> {
    let of_log = |reason: String| (Part::Log, reason);
    if let Some(content) = files.parts.get(&Part::Log) {
        let bytes = content.bytes().map_err(of_log)?;
        if let Some((_, line)) = lines::split(bytes).next() {
            let line = str::from_utf8(line).ok().and_then(View::parse);
            let line = line.ok_or_else(|| of_log("its first line is not JSON".to_owned()))?;
            if Header::is_one(line) {
                let header = Header::read(line).and_then(|it| files.own(it));
                return header.map(Some).map_err(of_log);
            }
        }
    }
    files.record().map_err(|reason| (Part::Record, reason))
}
