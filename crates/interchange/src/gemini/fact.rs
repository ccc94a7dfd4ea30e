//! What matters of one record.

use std::borrow::Cow;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, View, title_from_prompt};
use sessile_core::{Payload, UnixMillis};

use crate::member::{name, time};

/// What matters of one record; of a value that is no record, nothing.
#[derive(Default)]
pub(super) struct Fact<'a> {
    /// The id of a message.
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) at: Option<UnixMillis>,
    /// Whether it is a message of the conversation, and none of the program to its user.
    pub(super) is_spoken: bool,
    /// The message that is taken back, with all after it.
    pub(super) rewind_to: Option<Cow<'a, str>>,
    pub(super) patch: Option<Patch<'a>>,
    /// The title that it makes, if it is a prompt.
    pub(super) prompt: Option<String>,
    pub(super) model: Option<Cow<'a, str>>,
}

/// What is said of the whole session.
pub(super) struct Patch<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) start: Option<UnixMillis>,
    pub(super) summary: Option<Cow<'a, str>>,
    /// The first of its folders.
    pub(super) folder: Option<Cow<'a, str>>,
}

/// The id of a record that is a message.
pub(super) fn message_id(record: View<'_>) -> Option<Cow<'_, str>> {
    let [id, kind] = record.pick(["id", "type"]);
    kind.and_then(View::text)?;
    name(id)
}

/// The messages that a record gives anew.
pub(super) fn given_anew(record: View<'_>) -> impl Iterator<Item = View<'_>> {
    let of_header = || record.member("sessionId").and_then(|_| record.member("messages"));
    let list = match record.member("$set") {
        Some(set) => set.member("messages"),
        None => of_header(),
    };
    list.into_iter().flat_map(View::items)
}

impl<'a> Fact<'a> {
    pub(super) fn of(data: &'a Payload) -> Self {
        let record = View::of(data);
        let [set, rewind, at, kind, model] =
            record.pick(["$set", "$rewindTo", "timestamp", "type", "model"]);
        let mut fact = Self { at: at.and_then(time), ..Self::default() };
        if let Some(set) = set {
            fact.patch = Some(Patch::of(set));
        } else if rewind.is_some() {
            fact.rewind_to = name(rewind);
        } else if let Some(id) = message_id(record) {
            let kind = kind.and_then(View::text);
            fact.is_spoken = matches!(kind.as_deref(), Some("user" | "gemini"));
            fact.id = Some(id);
            fact.model = name(model);
            fact.prompt = (kind.as_deref() == Some("user")).then(|| prompt(data)).flatten();
        } else if record.member("sessionId").is_some() {
            fact.patch = Some(Patch::of(record));
        }
        fact
    }
}

impl<'a> Patch<'a> {
    pub(super) fn of(said: View<'a>) -> Self {
        let [id, start, summary, folders] =
            said.pick(["sessionId", "startTime", "summary", "directories"]);
        Self {
            id: name(id),
            start: start.and_then(time),
            summary: name(summary),
            folder: name(folders.and_then(|list| list.items().next())),
        }
    }
}

/// The title that a message of the user's makes, unless it is a command to the program.
fn prompt(data: &Payload) -> Option<String> {
    let reading = lens::read(Dialect::Gemini, data);
    let text = reading.text.as_deref().filter(|text| !text.starts_with(['/', '?']))?;
    Some(title_from_prompt(text))
}
