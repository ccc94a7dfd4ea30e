//! The sessions of a root.

use std::cmp::Reverse;

use sessile_core::UnixMillis;
use sessile_core::lens::View;

use crate::lines;
use crate::session_files::files::SessionFiles;
use crate::session_files::header::Header;
use crate::session_files::part::Part;

/// The sessions of a root.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, Listing, Part, SessionFiles, list};
///
/// let files = |id: &str, record: String| {
///     let mut files = SessionFiles::new(id);
///     files.add(Part::Record, Content::of(record));
///     files
/// };
/// let record = |id: &str, at| format!(r#"{{"id":"{id}","created_at":1,"updated_at":{at}}}"#);
/// let found = [
///     files("ses_1", record("ses_1", 7)),
///     files("ses_2", record("ses_2", 9)),
///     files("ses_3", "{".into()),
/// ];
/// let Listing { sessions, damaged } = list(&found);
/// // The one that was updated last first, and the damaged ones by themselves.
/// assert!(sessions.iter().map(|it| it.id.as_str()).eq(["ses_2", "ses_1"]));
/// assert_eq!(damaged[0].id, "ses_3");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Those that can be read, the one that was updated last first; those without a time last;
    /// of equal times by id.
    pub sessions: Vec<Listed>,
    /// Those whose header is damaged, by id.
    pub damaged: Vec<Damaged>,
}

/// A session.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, Listed, Part, SessionFiles, list};
///
/// let mut files = SessionFiles::new("ses_1");
/// files.add(Part::Lines, Content::Unread);
/// let listing = list([&files]);
/// // Messages alone are a session too, of which nothing else is known.
/// let listed: &Listed = &listing.sessions[0];
/// assert_eq!((listed.header.is_none(), listed.updated_at()), (true, None));
/// assert_eq!(listed.parts, [Part::Lines]);
/// ```
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
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, Damaged, Part, SessionFiles, list};
///
/// let mut files = SessionFiles::new("ses_1");
/// files.add(Part::Log, Content::of(r#"{"type":"session","id":"ses_2"}"#));
/// // Which file it is, and why it can't be taken for what its name says.
/// let listing = list([&files]);
/// let Damaged { part, reason, .. } = &listing.damaged[0];
/// assert_eq!((*part, reason.as_str()), (Part::Log, "created_at is missing"));
/// ```
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
