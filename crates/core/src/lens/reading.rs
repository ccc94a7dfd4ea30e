//! What a lens reads.

use std::borrow::Cow;
use std::fmt;

/// What sessile knows of one message; each part is missing where the message does not say it.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading<'a> {
    /// Who speaks, in the words of the dialect: `user`, `assistant`, `tool`, `toolResult`...
    pub role: Option<Cow<'a, str>>,
    /// What a person would read: the text of the message and of the results it carries, pieces
    /// parted by line ends. Never empty.
    pub text: Option<Cow<'a, str>>,
    /// The tools it calls.
    pub calls: Vec<Call<'a>>,
    /// The calls whose results it carries.
    pub results: Vec<CallResult<'a>>,
    /// The id that it has in its own program.
    pub id: Option<Cow<'a, str>>,
    /// The id of the message or record that it follows.
    pub parent: Option<Cow<'a, str>>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The id by which a result names it.
    pub id: Cow<'a, str>,
    /// The tool's name; empty where the message gives none.
    pub name: Cow<'a, str>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallResult<'a> {
    /// The id of the call.
    pub call_id: Cow<'a, str>,
}

impl<'a> Reading<'a> {
    /// Whether nothing at all was read.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a piece of text.
    pub(super) fn say(&mut self, piece: Cow<'a, str>) {
        if piece.is_empty() {
            return;
        }
        self.text = Some(match self.text.take() {
            None => piece,
            Some(before) => {
                let mut text = before.into_owned();
                text.push('\n');
                text.push_str(&piece);
                Cow::Owned(text)
            }
        });
    }

    /// Adds a call; without an id nothing could answer it, and it is none.
    pub(super) fn call(&mut self, id: Option<Cow<'a, str>>, name: Option<Cow<'a, str>>) {
        self.calls.extend(id.map(|id| Call { id, name: name.unwrap_or_default() }));
    }

    /// Adds a result.
    pub(super) fn result(&mut self, call_id: Option<Cow<'a, str>>) {
        self.results.extend(call_id.map(|call_id| CallResult { call_id }));
    }
}

impl fmt::Debug for Reading<'_> {
    /// Tells sizes only: payloads never reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("text_bytes", &self.text.as_ref().map(|text| text.len()))
            .field("calls", &self.calls.len())
            .field("results", &self.results.len())
            .finish_non_exhaustive()
    }
}
