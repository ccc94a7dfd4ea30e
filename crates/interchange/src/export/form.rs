//! The forms in which a session is written.

use std::fmt;
use std::str::FromStr;

use sessile_core::entry::shape::Dialect;
use sessile_core::{Error, ErrorKind};

use crate::format::Format;

/// The form in which a session is written.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_core::entry::shape::Dialect;
/// use sessile_interchange::{ExportFormat, Exporter, Format};
///
/// let form: ExportFormat = "html".parse()?;
/// assert!(form.is_page() && form.extension() == "html");
/// // Its own format holds what it says, and no other does without a loss.
/// assert_eq!(ExportFormat::of(Dialect::Codex), Format::Codex.into());
/// let error = Exporter::new(Format::Pi.into(), Dialect::Codex).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unsupported);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ExportFormat {
    /// A format that is read too.
    File(Format),
    /// A page for people: title, roles, texts, calls and results.
    Markdown,
    /// The same as a page for browsers, which needs nothing but itself.
    Html,
}

impl ExportFormat {
    /// Every form.
    pub const ALL: &'static [Self] = &[
        Self::File(Format::Jsonl),
        Self::File(Format::ClaudeCode),
        Self::File(Format::Codex),
        Self::File(Format::Pi),
        Self::File(Format::Gemini),
        Self::File(Format::Goose),
        Self::File(Format::Opencode),
        Self::Markdown,
        Self::Html,
    ];

    /// The form in which messages of a dialect are written as they are.
    pub const fn of(dialect: Dialect) -> Self {
        Self::File(match dialect {
            Dialect::ClaudeCode => Format::ClaudeCode,
            Dialect::Codex => Format::Codex,
            Dialect::Pi => Format::Pi,
            Dialect::Gemini => Format::Gemini,
            Dialect::Goose => Format::Goose,
            Dialect::Opencode => Format::Opencode,
            _ => Format::Jsonl,
        })
    }

    /// The name of the form on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File(format) => format.name(),
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// What the name of a file of this form ends with, after a dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::File(Format::Opencode) => "json",
            Self::File(_) => "jsonl",
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }

    /// Whether it is a page for people, which nothing reads back.
    pub const fn is_page(self) -> bool {
        matches!(self, Self::Markdown | Self::Html)
    }

    /// Refuses to write messages of a dialect in this form, if that would take a conversion.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`], naming the forms that would do.
    pub(super) fn takes(self, dialect: Dialect) -> Result<(), Error> {
        let takes_any = self.is_page() || self == Self::File(Format::Jsonl);
        if takes_any || self == Self::of(dialect) {
            return Ok(());
        }
        let named = Dialect::NAMED.iter().find(|(_, other)| *other == dialect);
        let clause = format!(
            "its messages are of the dialect {}, which {self} can't hold",
            named.map_or("of a newer version", |(name, _)| name)
        );
        let own = Self::of(dialect);
        let hint = match own {
            Self::File(Format::Jsonl) => "export it as jsonl, markdown or html".to_owned(),
            _ => format!("export it as {own}, jsonl, markdown or html"),
        };
        Err(Error::new(ErrorKind::Unsupported, clause).with_hint(hint))
    }
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        Self::File(format)
    }
}

impl FromStr for ExportFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Self::ALL.iter().find(|form| form.name() == name);
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|form| form.name()).collect();
            let clause = format!("unknown format: choose one of {}", names.join(", "));
            Error::new(ErrorKind::Refused, clause)
        })
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_found_by_its_name_and_every_format_is_one() {
        for form in ExportFormat::ALL {
            assert_eq!(form.name().parse::<ExportFormat>().unwrap(), *form);
        }
        // Session files are written whole, since what stands first in them is known last; nobody
        // reads ledgers any more.
        let others = [Format::Legacy, Format::Ledger];
        for format in Format::ALL.iter().filter(|format| !others.contains(format)) {
            assert!(ExportFormat::ALL.contains(&ExportFormat::from(*format)), "{format}");
        }
        let error = "pdf".parse::<ExportFormat>().unwrap_err();
        assert!(
            error.to_string().contains("codex, pi, gemini, goose, opencode, markdown, html"),
            "{error}"
        );
    }

    #[test]
    fn every_dialect_has_a_form_and_none_is_converted() {
        for (_, dialect) in Dialect::NAMED.iter().chain(&[("", Dialect::Unknown)]) {
            ExportFormat::of(*dialect).takes(*dialect).unwrap();
            ExportFormat::Markdown.takes(*dialect).unwrap();
            ExportFormat::Html.takes(*dialect).unwrap();
            ExportFormat::File(Format::Jsonl).takes(*dialect).unwrap();
        }
        let error = ExportFormat::File(Format::Pi).takes(Dialect::Codex).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("dialect codex, which pi can't hold"), "{error}");
        assert_eq!(error.hint(), Some("export it as codex, jsonl, markdown or html"));
    }
}
