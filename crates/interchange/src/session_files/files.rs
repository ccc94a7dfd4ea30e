//! The files of one session, as they were found.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use sessile_core::lens::View;
use sessile_core::{Error, ErrorKind};

use crate::session_files::header::Header;
use crate::session_files::merge;
use crate::session_files::part::Part;
use crate::session_files::transcript::{self, Transcript};
use crate::session_files::whole::Whole;

/// What was found under the name of a file.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, Part, SessionFiles, list};
///
/// let mut files = SessionFiles::new("ses_1");
/// files.add(Part::Record, Content::of(r#"{"id":"ses_1","created_at":7,"updated_at":9}"#));
/// // To list a session its messages need not be read; to read it they must be.
/// files.add(Part::Lines, Content::Unread);
/// assert_eq!(list([&files]).sessions.len(), 1);
/// assert!(files.read().is_err());
/// // What can't be read is damaged, and never absent.
/// files.add(Part::Record, Content::Unreadable("permission denied".into()));
/// assert_eq!(list([&files]).damaged[0].reason, "permission denied");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Content {
    /// Its bytes; to list a session, those of its first line are enough.
    Bytes(Bytes),
    /// It is there and was not read: enough to list a session, for messages.
    Unread,
    /// It can't be read, or is no file; why, in words.
    Unreadable(String),
}

/// The files of one session.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, Part, SessionFiles};
///
/// let mut files = SessionFiles::new("ses_1");
/// files.add(Part::Log, Content::of(r#"{"type":"message","role":"user","content":"New."}"#));
/// files.add(Part::Array, Content::of(r#"[{"role":"user","content":"Old."}]"#));
/// // Files of two layouts are one session, the older messages first.
/// let whole = files.read()?;
/// let first = whole.messages().next().expect("there are two");
/// assert!(first.as_str().contains("Old.") && whole.messages().count() == 2);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SessionFiles {
    pub(super) id: String,
    pub(super) parts: BTreeMap<Part, Content>,
}

impl Content {
    /// Bytes.
    pub fn of(bytes: impl Into<Bytes>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// The bytes, or why there are none.
    pub(super) fn bytes(&self) -> Result<&Bytes, String> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Unread => Err("it was not read".to_owned()),
            Self::Unreadable(reason) => Err(reason.clone()),
        }
    }
}

impl SessionFiles {
    /// No files so far of a session: the id is what the names of its files say.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), parts: BTreeMap::new() }
    }

    /// Adds a file.
    pub fn add(&mut self, part: Part, content: Content) {
        self.parts.insert(part, content);
    }

    /// Whether there is a file.
    pub fn has(&self, part: Part) -> bool {
        self.parts.contains_key(&part)
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Reads the session whole: all older messages stand before the newer ones.
    ///
    /// Lines that can't be read are named and passed over, and spoil no others.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`], about the path of the file, when one can't be read at all, when what
    /// is known of the session is damaged, or when it is of another session. None is taken for
    /// absent because it can't be read.
    pub fn read(&self) -> Result<Whole, Error> {
        let (mut all, mut repeated) = (Transcript::default(), 0);
        for (part, content) in &self.parts {
            let corrupt = |reason: String| self.corrupt(*part, &reason);
            let found = match part {
                Part::Record => continue,
                Part::Array => content.bytes().and_then(transcript::of_array).map_err(corrupt)?,
                Part::Lines | Part::Log => {
                    transcript::of_lines(*part, content.bytes().map_err(corrupt)?)
                }
            };
            let (joined, left_out) = merge::join(all, found, *part);
            (all, repeated) = (joined, repeated + left_out);
        }
        let header = match &all.header {
            Some(line) => {
                let header = Header::read(View::of(line)).and_then(|it| self.own(it));
                Some(header.map_err(|reason| self.corrupt(Part::Log, &reason))?)
            }
            None => self.record().map_err(|reason| self.corrupt(Part::Record, &reason))?,
        };
        Ok(Whole::of(&self.id, header, all, repeated))
    }

    /// What the record says, if there is one; or why it can't be read.
    pub(super) fn record(&self) -> Result<Option<Header>, String> {
        let Some(content) = self.parts.get(&Part::Record) else { return Ok(None) };
        let text = str::from_utf8(content.bytes()?).map_err(|_| "it is not UTF-8".to_owned())?;
        let value = View::parse(text).ok_or("it is not JSON")?;
        Header::read(value).and_then(|header| self.own(header)).map(Some)
    }

    /// Refuses a header that names another session.
    pub(super) fn own(&self, header: Header) -> Result<Header, String> {
        if header.id == self.id { Ok(header) } else { Err("it names another session".to_owned()) }
    }

    fn corrupt(&self, part: Part, reason: &str) -> Error {
        let clause = format!("the session can't be read: {reason}");
        Error::new(ErrorKind::Corrupt, clause)
            .about(part.path(&self.id))
            .with_hint("the file is kept as it is; mend it, or move it away")
    }
}

impl fmt::Debug for Content {
    /// Tells the size only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Unread => f.write_str("Unread"),
            Self::Unreadable(reason) => write!(f, "Unreadable({reason})"),
        }
    }
}
