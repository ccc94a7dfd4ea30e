//! A session that was read.

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, title_from_prompt};
use sessile_core::{EntryType, Payload};

use crate::format::Format;
use crate::records::{Record, Records, Strand};
use crate::session_files::header::Header;
use crate::session_files::transcript::{FileNotice, FileRecord, FileSkipped, Transcript};
use crate::source::{Belonging, Notice, Skipped, Source, SourceSession};

/// Under which name an imported session keeps the members of its header that are not known.
pub const OTHERS: &str = "source_members";

/// A session of all its files: what is known of it, its history, and what was lost or mended.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Content, Part, SessionFiles, Whole};
///
/// let mut files = SessionFiles::new("ses_1");
/// files.add(Part::Lines, Content::of("{\"role\":\"user\",\"content\":\"Find the bug\"}\n"));
/// let whole: Whole = files.read()?;
/// // Without a header its first prompt is its title.
/// assert_eq!((whole.header.is_none(), whole.title().as_str()), (true, "Find the bug"));
/// let source = whole.to_source();
/// assert_eq!(source.sessions[0].source_id.as_deref(), Some("ses_1"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Whole {
    /// Its id, by the names of its files.
    pub id: String,
    /// What is known of it; none where only messages are there.
    pub header: Option<Header>,
    /// Its records, the oldest first: each line whole, the header line too.
    pub records: Vec<FileRecord>,
    /// The lines that are no record, because they can't be read.
    pub skipped: Vec<FileSkipped>,
    /// The lines that are kept, but are not what they should be.
    pub notices: Vec<FileNotice>,
    /// How many records of older files are left out, since a newer file repeats them.
    pub repeated: u64,
}

impl Whole {
    pub(super) fn of(
        id: &str,
        header: Option<Header>,
        transcript: Transcript,
        repeated: u64,
    ) -> Self {
        let Transcript { records, skipped, notices, .. } = transcript;
        Self { id: id.to_owned(), header, records, skipped, notices, repeated }
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = &Payload> {
        let records = self.records.iter().map(|it| &it.record);
        records.filter(|it| it.entry_type == EntryType::Message).map(|it| &it.data)
    }

    /// Its title: what its header says, else made from its first prompt; `New session` without
    /// one.
    pub fn title(&self) -> String {
        let told = self.header.as_ref().and_then(|header| header.title.clone());
        told.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| {
            let prompt = self.messages().find_map(|message| {
                let reading = lens::read(Dialect::Openai, message);
                let is_prompt = reading.role.as_deref() == Some("user");
                is_prompt.then(|| reading.text.unwrap_or_default().into_owned())
            });
            title_from_prompt(&prompt.unwrap_or_default())
        })
    }

    /// The session as the source of an import; what is told of a line names its file.
    pub fn to_source(&self) -> Source {
        let skipped = self.skipped.iter().map(|it| Skipped {
            line: it.skipped.line,
            reason: format!("{}: {}", it.part.path(&self.id), it.skipped.reason),
        });
        let notices = self.notices.iter().map(|it| Notice {
            line: it.notice.line,
            reason: format!("{}: {}", it.part.path(&self.id), it.notice.reason),
        });
        let lines = self.records.len() + self.skipped.len();
        Source {
            format: Format::Legacy,
            sessions: vec![self.to_session()],
            skipped: skipped.collect(),
            notices: notices.collect(),
            head: None,
            lines: u64::try_from(lines).unwrap_or(u64::MAX),
        }
    }

    /// The session as an import takes it. The numbers of its records' lines count them from 1,
    /// since they come of several files.
    pub fn to_session(&self) -> SourceSession {
        let records = (1..).zip(&self.records);
        let own = records.map(|(line, it)| Record { line, ..it.record.clone() }).collect();
        let others = self.header.as_ref().and_then(Header::others);
        let host = others.map(|it| (OTHERS.to_owned(), it)).into_iter().collect();
        let strand = Strand { shared: None, own };
        let header = self.header.as_ref();
        let text = |of: fn(&Header) -> &Option<String>| header.and_then(|it| of(it).clone());
        let mut records = Records::of_strands(vec![strand]);
        SourceSession {
            branch: None,
            parent_branch: None,
            forked_after: None,
            source_id: Some(self.id.clone()),
            source_parent: text(|it| &it.parent_id),
            dialect: Dialect::Openai,
            created_at: header.map(|it| it.created_at),
            title: Some(self.title()),
            cwd: text(|it| &it.cwd),
            model: text(|it| &it.model),
            belonging: Belonging { host, ..Belonging::default() },
            rest: None,
            whole: None,
            records: records.remove(0),
        }
    }
}
