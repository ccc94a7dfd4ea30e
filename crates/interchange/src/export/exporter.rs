//! From the entries of a session to the bytes of a file, one by one.

use sessile_core::entry::shape::Dialect;
use sessile_core::{EntryType, Error, Payload};

use crate::export::form::ExportFormat;
use crate::export::markdown;
use crate::format::Format;

/// Writes a session as a file: bytes that begin it, then what each entry adds to it.
///
/// It holds nothing of what it has written, and never fails once it was begun.
///
/// - In the format of the session's own dialect every message and event is a source line; the file
///   is their concatenation.
/// - `jsonl` has one message a line, whatever the dialect. Of events only those are lines that an
///   import of such a file brought.
/// - `markdown` is for people, and shows messages only.
///
/// An entry whose data is kept elsewhere is left out.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::{EntryType, Payload};
/// use sessile_interchange::{ExportFormat, Exporter, Origin};
///
/// let exporter = Exporter::new(ExportFormat::Markdown, Dialect::Plain)?;
/// let mut page = exporter.head(Some("Greetings"));
/// let message = Payload::parse(r#"{"role":"user","content":"Hello"}"#)?;
/// exporter.entry(&mut page, &EntryType::Message, &message, Origin::Own);
/// assert_eq!(page, "# Greetings\n\n## user\n\nHello\n");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exporter {
    form: ExportFormat,
    dialect: Dialect,
}

/// Where an entry of a session came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An import brought it.
    Imported,
    /// It was appended to the session.
    Own,
}

impl Exporter {
    /// Begins to write a session of a dialect.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](sessile_core::ErrorKind::Unsupported) where that would take a
    /// conversion between dialects: none of ours would be without loss.
    pub fn new(form: ExportFormat, dialect: Dialect) -> Result<Self, Error> {
        form.takes(dialect)?;
        Ok(Self { form, dialect })
    }

    /// What the file begins with.
    pub fn head(self, title: Option<&str>) -> String {
        let mut head = String::new();
        if self.form == ExportFormat::Markdown {
            markdown::write_head(&mut head, title);
        }
        head
    }

    /// Adds what an entry says to the file.
    pub fn entry(self, out: &mut String, entry_type: &EntryType, data: &Payload, origin: Origin) {
        if data.is_absent() || !self.shows(entry_type, origin) {
            return;
        }
        if self.form == ExportFormat::Markdown {
            return markdown::write_message(out, self.dialect, data);
        }
        out.push_str(data.as_str());
        out.push('\n');
    }

    fn shows(self, entry_type: &EntryType, origin: Origin) -> bool {
        match (entry_type, self.form) {
            (EntryType::Event, ExportFormat::File(Format::Jsonl)) => {
                origin == Origin::Imported && self.dialect == Dialect::Plain
            }
            (EntryType::Event, form) => form != ExportFormat::Markdown,
            (entry_type, _) => *entry_type == EntryType::Message,
        }
    }
}
