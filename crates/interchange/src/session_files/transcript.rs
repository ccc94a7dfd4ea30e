//! The messages of one file.

use bytes::Bytes;
use bytestring::ByteString;
use sessile_core::lens::View;
use sessile_core::{EntryType, Payload};

use crate::lines::{self, Lines};
use crate::records::Record;
use crate::session_files::header::Header;
use crate::session_files::part::Part;
use crate::source::{Notice, Skipped};

/// A record, and the file that it stands in.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, FileRecord, Part, SessionFiles};
///
/// let mut files = SessionFiles::new("ses_1");
/// files.add(Part::Array, Content::of(r#"[{"role":"user","content":"Old."}]"#));
/// files.add(Part::Log, Content::of(r#"{"type":"message","role":"user","content":"New."}"#));
/// let whole = files.read()?;
/// // The first of the array and the first line of the log.
/// let places = whole.records.iter().map(|FileRecord { part, record }| (*part, record.line));
/// assert!(places.eq([(Part::Array, 1), (Part::Log, 1)]));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// The file.
    pub part: Part,
    /// The record: `line` counts the lines of the file from 1, or the items of an array.
    pub record: Record,
}

/// A line that could not be read, and the file that it stands in.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, FileSkipped, Part, SessionFiles};
///
/// let mut files = SessionFiles::new("ses_1");
/// // A line that broke off, and a message that was written onto it.
/// let glued = "{\"role\":\"user\",\"con{\"role\":\"user\",\"content\":\"hi\"}\n";
/// files.add(Part::Lines, Content::of(glued));
/// let whole = files.read()?;
/// let FileSkipped { part, skipped } = &whole.skipped[0];
/// assert_eq!((*part, skipped.line), (Part::Lines, 1));
/// assert_eq!(skipped.reason, "torn; the message that was written onto it was kept");
/// assert_eq!(whole.messages().count(), 1);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSkipped {
    /// The file.
    pub part: Part,
    /// The line, and why.
    pub skipped: Skipped,
}

/// A line that is kept although something about it is wrong, and the file that it stands in.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, FileNotice, Part, SessionFiles};
///
/// let mut files = SessionFiles::new("ses_1");
/// files.add(Part::Lines, Content::of("{\"role\":\"user\"}\n{\"note\":1}\n"));
/// let whole = files.read()?;
/// let FileNotice { part, notice } = &whole.notices[0];
/// assert_eq!((*part, notice.line), (Part::Lines, 2));
/// assert_eq!(notice.reason, "it is no message; it was kept as an event");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNotice {
    /// The file.
    pub part: Part,
    /// The line, and what is wrong.
    pub notice: Notice,
}

/// What one file holds.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) records: Vec<FileRecord>,
    pub(super) skipped: Vec<FileSkipped>,
    pub(super) notices: Vec<FileNotice>,
    /// Its first line, if it is one that says it is a header.
    pub(super) header: Option<Payload>,
}

/// Reads the lines of a log, or of messages. Lines end at LF before they are taken as text, so
/// that one which breaks off within a character spoils no other.
pub(super) fn of_lines(part: Part, bytes: &Bytes) -> Transcript {
    let Lines { readable, skipped, .. } = lines::read(bytes);
    let skipped = skipped.into_iter().map(|skipped| FileSkipped { part, skipped });
    let mut found = Transcript { skipped: skipped.collect(), ..Transcript::default() };
    let first_skipped = found.skipped.first().map(|it| it.skipped.line);
    for (index, line) in readable.into_iter().enumerate() {
        let is_first = index == 0 && first_skipped.is_none_or(|skipped| skipped > line.number);
        let is_header = part == Part::Log && is_first && Header::is_one(View::of(&line.data));
        found.header = found.header.or_else(|| is_header.then(|| line.data.clone()));
        found.add(part, line.number, line.data, is_header);
    }
    found.unglue(part, bytes);
    found
}

/// Reads the array of messages of the oldest form.
///
/// # Errors
/// What is wrong with it, in words that never quote it.
pub(super) fn of_array(bytes: &Bytes) -> Result<Transcript, String> {
    let text = str::from_utf8(bytes)
        .map_err(|error| format!("not text in UTF-8: fails at byte {}", error.valid_up_to()))?;
    let array = Payload::parse(text.to_owned())
        .map_err(|error| error.clause().replace("not one JSON value", "not JSON"))?;
    if !array.as_str().starts_with('[') {
        return Err("not an array".to_owned());
    }
    let mut found = Transcript::default();
    for (number, item) in (1..).zip(View::of(&array).items()) {
        let data = Payload::parse(item.as_json().to_owned()).map_err(|error| error.to_string())?;
        found.add(Part::Array, number, data, false);
    }
    Ok(found)
}

impl Transcript {
    fn add(&mut self, part: Part, line: u64, data: Payload, is_header: bool) {
        let is_message = is_message(part, View::of(&data));
        if !is_message && !is_header {
            let reason = "it is no message; it was kept as an event".to_owned();
            self.notices.push(FileNotice { part, notice: Notice { line, reason } });
        }
        let entry_type = if is_message { EntryType::Message } else { EntryType::Event };
        let record = Record { line, entry_type, data, at: None };
        self.records.push(FileRecord { part, record });
    }

    /// Takes the messages that were written onto lines that break off, as whoever appended to a
    /// torn file did.
    fn unglue(&mut self, part: Part, bytes: &Bytes) {
        let mut bad = self.skipped.iter_mut().peekable();
        for (number, line) in lines::split(bytes) {
            let Some(FileSkipped { skipped, .. }) = bad.next_if(|it| it.skipped.line == number)
            else {
                continue;
            };
            let Some(data) = glued(part, bytes, line) else { continue };
            "torn; the message that was written onto it was kept".clone_into(&mut skipped.reason);
            let record = Record { line: number, entry_type: EntryType::Message, data, at: None };
            self.records.push(FileRecord { part, record });
        }
        self.records.sort_by_key(|it| it.record.line);
    }

    /// The messages, in order.
    pub(super) fn messages(&self) -> impl Iterator<Item = &Payload> {
        let messages = self.records.iter().map(|it| &it.record);
        messages.filter(|it| it.entry_type == EntryType::Message).map(|it| &it.data)
    }
}

/// How many places are tried at which a message may begin: text may hold what looks like one.
const MAX_TRIES: usize = 8;

/// The whole message that ends a line which can't be read.
fn glued(part: Part, bytes: &Bytes, line: &[u8]) -> Option<Payload> {
    let beginning: &[u8] = if part == Part::Log { b"{\"type\":" } else { b"{\"role\":" };
    let places = (1..line.len()).rev().filter_map(|at| line.get(at..));
    let mut ends = places.filter(|end| end.starts_with(beginning)).take(MAX_TRIES);
    ends.find_map(|end| {
        let text = ByteString::try_from(bytes.slice_ref(end)).ok()?;
        Payload::parse(text).ok().filter(|data| is_message(part, View::of(data)))
    })
}

/// Whether a value is a message: it has a role, and in a log its `type` says so too.
fn is_message(part: Part, value: View<'_>) -> bool {
    let [kind, role] = value.pick(["type", "role"]);
    let has_role = role.and_then(View::text).is_some();
    has_role && (part != Part::Log || kind.and_then(View::text).as_deref() == Some("message"))
}
