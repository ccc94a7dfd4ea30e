//! From the entries of a session to the bytes of a file, one by one.

use std::collections::VecDeque;

use sessile_core::entry::shape::Dialect;
use sessile_core::{EntryType, Error, Payload};

use crate::export::form::ExportFormat;
use crate::export::{html, markdown};
use crate::format::Format;
use crate::{codex, document, gemini};

/// Writes a session as a file: bytes that begin it, then what each entry adds to it.
///
/// It holds next to nothing of what it has written, and never fails once it was begun.
///
/// - In the format of the session's own dialect every message and event is a source line; the file
///   is their concatenation. `opencode`, and `gemini` where the session came of such a file, are one
///   object with what stood around the messages when they were imported. Lines that take turns back
///   (`codex`, `gemini`) are left out: those turns are a session of their own.
/// - `jsonl` has one message a line, whatever the dialect. Of events only those are lines that an
///   import of such a file brought.
/// - `markdown` and `html` are for people, and show messages only.
///
/// An entry whose data is kept elsewhere is left out.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::{EntryType, Payload};
/// use sessile_interchange::{ExportFormat, Exporter, Origin};
///
/// let mut exporter = Exporter::new(ExportFormat::Markdown, Dialect::Plain)?;
/// let mut page = exporter.head(Some("Greetings"));
/// let message = Payload::parse(r#"{"role":"user","content":"Hello"}"#)?;
/// exporter.entry(&mut page, &EntryType::Message, &message, Origin::Own);
/// page.push_str(exporter.tail());
/// assert_eq!(page, "# Greetings\n\n## user\n\nHello\n");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exporter {
    form: ExportFormat,
    dialect: Dialect,
    /// What stood around the messages in the file that the session was imported from.
    envelope: Option<Payload>,
    /// What the line that was written last has said already, and is not written again.
    told: VecDeque<String>,
    /// How many entries were written.
    written: u64,
}

/// Where an entry of a session came from.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::{EntryType, Payload};
/// use sessile_interchange::{Exporter, Format, Origin};
///
/// let event = Payload::parse(r#"{"note":1}"#)?;
/// let mut exporter = Exporter::new(Format::Jsonl.into(), Dialect::Plain)?;
/// let mut file = exporter.head(None);
/// // What an import has brought is a line of the file again, whatever it is; what happened here
/// // outside the transcript is none.
/// exporter.entry(&mut file, &EntryType::Event, &event, Origin::Imported);
/// exporter.entry(&mut file, &EntryType::Event, &event, Origin::Own);
/// assert_eq!(file, "{\"note\":1}\n");
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
        Ok(Self { form, dialect, envelope: None, told: VecDeque::new(), written: 0 })
    }

    /// Says what stood around the messages in the file that the session was imported from: the
    /// session's metadata has it under [`ENVELOPE`](crate::ENVELOPE).
    #[must_use]
    pub fn envelope(mut self, envelope: Payload) -> Self {
        self.envelope = Some(envelope);
        self
    }

    /// What the file begins with.
    pub fn head(&self, title: Option<&str>) -> String {
        let mut head = String::new();
        match (self.form, &self.envelope) {
            (ExportFormat::Markdown, _) => markdown::write_head(&mut head, title),
            (ExportFormat::Html, _) => html::write_head(&mut head, title),
            (ExportFormat::File(Format::Goose), Some(envelope)) => {
                head.push_str(envelope.as_str());
                head.push('\n');
            }
            (ExportFormat::File(Format::Opencode), None) => {
                head.push_str("{\"info\":{},\"messages\":[");
            }
            (_, Some(envelope)) if self.is_document() => head = document::head(envelope),
            _ => {}
        }
        head
    }

    /// Adds what an entry says to the file.
    pub fn entry(
        &mut self,
        out: &mut String,
        entry_type: &EntryType,
        data: &Payload,
        origin: Origin,
    ) {
        if data.is_absent()
            || !self.shows(entry_type, origin)
            || self.takes_back(data, origin)
            || self.was_told(data, origin)
        {
            return;
        }
        match self.form {
            ExportFormat::Markdown => markdown::write_message(out, self.dialect, data),
            ExportFormat::Html => {
                if !html::write_message(out, self.dialect, data, self.written + 1) {
                    return;
                }
            }
            ExportFormat::File(_) if self.is_document() => {
                out.push_str(if self.written == 0 { "\n" } else { ",\n" });
                out.push_str(data.as_str());
            }
            ExportFormat::File(_) => {
                out.push_str(data.as_str());
                out.push('\n');
            }
        }
        self.written += 1;
    }

    /// What the file ends with.
    pub fn tail(&self) -> &'static str {
        match self.form {
            ExportFormat::Html => html::TAIL,
            _ if self.is_document() => document::TAIL,
            _ => "",
        }
    }

    /// Whether the file is one object.
    fn is_document(&self) -> bool {
        match self.form {
            ExportFormat::File(Format::Opencode) => true,
            ExportFormat::File(Format::Gemini) => self.envelope.is_some(),
            _ => false,
        }
    }

    /// Whether it takes back what an import has made a session of its own.
    fn takes_back(&self, data: &Payload, origin: Origin) -> bool {
        origin == Origin::Imported
            && match self.form {
                ExportFormat::File(Format::Codex) => codex::takes_back(data),
                ExportFormat::File(Format::Gemini) => gemini::takes_back(data),
                _ => false,
            }
    }

    /// Whether the line before has said it: Gemini gives its list of messages anew in one line, of
    /// which an import makes the messages that no other line has.
    fn was_told(&mut self, data: &Payload, origin: Origin) -> bool {
        if self.form != ExportFormat::File(Format::Gemini) || self.is_document() {
            return false;
        }
        let place = self.told.iter().position(|told| told == data.as_str());
        if origin == Origin::Imported
            && let Some(place) = place
        {
            self.told.drain(..=place);
            return true;
        }
        self.told = gemini::told_by(data);
        false
    }

    fn shows(&self, entry_type: &EntryType, origin: Origin) -> bool {
        match (entry_type, self.form) {
            (EntryType::Event, ExportFormat::File(Format::Jsonl)) => {
                origin == Origin::Imported && self.dialect == Dialect::Plain
            }
            (EntryType::Event, form) => !form.is_page(),
            (entry_type, _) => *entry_type == EntryType::Message,
        }
    }
}
