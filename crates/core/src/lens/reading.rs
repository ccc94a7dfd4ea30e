//! What a lens reads.

use std::borrow::Cow;
use std::fmt;

use crate::lens::view::View;

/// What sessile knows of one message; each part is missing where the message does not say it.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::lens::{self, Reading};
///
/// let record = r#"{"type":"user","uuid":"u2","parentUuid":"u1","message":{"content":"Hello?"}}"#;
/// let record = Payload::parse(record)?;
/// let reading: Reading<'_> = lens::read(Dialect::ClaudeCode, &record);
/// assert_eq!((reading.role.as_deref(), reading.text.as_deref()), (Some("user"), Some("Hello?")));
/// assert_eq!((reading.id.as_deref(), reading.parent.as_deref()), (Some("u2"), Some("u1")));
/// // What no lens understands reads as nothing, and is kept all the same.
/// assert!(lens::read(Dialect::ClaudeCode, &Payload::of(&7)?).is_empty());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading<'a> {
    /// Who speaks, in the words of the dialect: `user`, `assistant`, `tool`, `toolResult`...
    pub role: Option<Cow<'a, str>>,
    /// What the message itself says to a person, pieces parted by line ends; what the results say
    /// that it carries stands with those. Never empty.
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
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::lens::{self, Call, View};
///
/// let content = r#"[{"type":"tool_use","id":"t1","name":"ls","input":{"in": "/"}}]"#;
/// let message = Payload::parse(format!(r#"{{"role":"assistant","content":{content}}}"#))?;
/// let reading = lens::read(Dialect::Anthropic, &message);
/// let call: &Call<'_> = &reading.calls[0];
/// assert_eq!((&*call.id, &*call.name), ("t1", "ls"));
/// // Its input is not parsed, but shown where it stands.
/// assert_eq!(call.input.map(View::as_json), Some(r#"{"in": "/"}"#));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The id by which a result names it.
    pub id: Cow<'a, str>,
    /// The tool's name; empty where the message gives none.
    pub name: Cow<'a, str>,
    /// What the tool is called with, in the shape of the dialect.
    pub input: Option<View<'a>>,
}

/// The result of a call.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::lens::{self, CallResult};
///
/// let message = Payload::parse(r#"{"role":"tool","tool_call_id":"c1","content":"3 files"}"#)?;
/// let reading = lens::read(Dialect::Openai, &message);
/// let result: &CallResult<'_> = &reading.results[0];
/// assert_eq!((&*result.call_id, result.text.as_deref()), ("c1", Some("3 files")));
/// // What a tool has said is not what the message itself says.
/// assert_eq!(reading.text, None);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallResult<'a> {
    /// The id of the call.
    pub call_id: Cow<'a, str>,
    /// What it says to a person, pieces parted by line ends. Never empty.
    pub text: Option<Cow<'a, str>>,
}

impl<'a> Reading<'a> {
    /// Whether nothing at all was read.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a piece of text, if there is one.
    pub(super) fn say(&mut self, piece: impl Into<Option<Cow<'a, str>>>) {
        if let Some(piece) = piece.into() {
            add_piece(&mut self.text, piece);
        }
    }

    /// Adds a call; without an id nothing could answer it, and it is none.
    pub(super) fn call(
        &mut self,
        id: Option<View<'a>>,
        name: Option<View<'a>>,
        input: Option<View<'a>>,
    ) {
        if let Some(id) = id.and_then(View::text) {
            let name = name.and_then(View::text).unwrap_or_default();
            self.calls.push(Call { id, name, input });
        }
    }

    /// Adds a result with what it says; without the id of its call what it says is the message's.
    pub(super) fn result(&mut self, call_id: Option<View<'a>>, text: Option<Cow<'a, str>>) {
        match call_id.and_then(View::text) {
            Some(call_id) => self.results.push(CallResult { call_id, text }),
            None => self.say(text),
        }
    }
}

/// Adds a piece to a text.
pub(super) fn add_piece<'a>(text: &mut Option<Cow<'a, str>>, piece: Cow<'a, str>) {
    if piece.is_empty() {
        return;
    }
    *text = Some(match text.take() {
        None => piece,
        Some(before) => {
            let mut joined = before.into_owned();
            joined.push('\n');
            joined.push_str(&piece);
            Cow::Owned(joined)
        }
    });
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

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("input", &self.input).finish_non_exhaustive()
    }
}

impl fmt::Debug for CallResult<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.text.as_ref().map(|text| text.len());
        f.debug_struct("CallResult").field("text_bytes", &bytes).finish_non_exhaustive()
    }
}
