//! The fields of a catalog's lines: a tab before each, numbers in hex.

use std::fmt::Write as _;
use std::str::FromStr;

/// Fields that are being written, a tab before each.
#[derive(Debug, Default)]
pub(crate) struct Fields(pub(crate) String);

impl Fields {
    /// What the line tells.
    pub(crate) fn kind(&mut self, kind: char) -> &mut Self {
        self.0.push('\t');
        self.0.push(kind);
        self
    }

    /// A number.
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        let _always_fits = write!(self.0, "\t{number:x}");
        self
    }

    /// A text in which nothing is that parts fields or lines.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push('\t');
        for sign in text.chars() {
            match sign {
                '\t' => self.0.push_str("\\t"),
                '\n' => self.0.push_str("\\n"),
                '\\' => self.0.push_str("\\\\"),
                other => self.0.push(other),
            }
        }
        self
    }

    /// A text that may be missing, which an empty one is not.
    pub(crate) fn optional(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => {
                self.text(text);
                self.0.push('.');
                self
            }
            None => self.text(""),
        }
    }
}

/// A number.
pub(crate) fn hex(field: &str) -> Option<u64> {
    let is_plain = field.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_plain.then(|| u64::from_str_radix(field, 16).ok()).flatten()
}

/// A text.
pub(crate) fn text(field: &str) -> Option<String> {
    let mut text = String::with_capacity(field.len());
    let mut rest = field;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let mut signs = after.chars();
        text.push(match signs.next()? {
            't' => '\t',
            'n' => '\n',
            '\\' => '\\',
            _ => return None,
        });
        rest = signs.as_str();
    }
    text.push_str(rest);
    Some(text)
}

/// A field that is none of ours.
#[derive(Debug)]
pub(crate) struct Foreign;

/// A text that may be missing.
pub(crate) fn optional(field: &str) -> Result<Option<String>, Foreign> {
    match field.strip_suffix('.') {
        Some(field) => text(field).map(Some).ok_or(Foreign),
        None if field.is_empty() => Ok(None),
        None => Err(Foreign),
    }
}

/// What a text is the spelling of.
pub(crate) fn parsed<T: FromStr>(field: &str) -> Option<T> {
    if field.contains('\\') { text(field)?.parse().ok() } else { field.parse().ok() }
}

/// The same, where none is an empty text.
pub(crate) fn parsed_if_any<T: FromStr>(field: &str) -> Result<Option<T>, Foreign> {
    if field.is_empty() { Ok(None) } else { parsed(field).map(Some).ok_or(Foreign) }
}
