//! What matters of one record.

use std::borrow::Cow;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, View, title_from_prompt};
use sessile_core::{Payload, UnixMillis};

use crate::member::{name, time};

/// What matters of one record; of a value that is no record, nothing.
#[derive(Default)]
pub(super) struct Fact<'a> {
    pub(super) at: Option<UnixMillis>,
    pub(super) is_message: bool,
    /// Whether it is a message that says something, and no reasoning or tool work.
    pub(super) speaks: bool,
    /// Whether a person's words begin a turn with it.
    pub(super) begins_turn: bool,
    /// How many turns the user took back.
    pub(super) taken_back: Option<u64>,
    pub(super) header: Option<Header<'a>>,
    /// The name that the user gave the session.
    pub(super) name: Option<Cow<'a, str>>,
    /// The title that the event makes which repeats what a person typed.
    pub(super) typed: Option<String>,
    /// The title that the message makes, if a person wrote it.
    pub(super) prompt: Option<String>,
    /// The folder that the first files name only to the model.
    pub(super) cwd: Option<String>,
    pub(super) model: Option<Cow<'a, str>>,
}

/// What the header says.
pub(super) struct Header<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    /// The session that started this one, or that it goes on from.
    pub(super) parent: Option<Cow<'a, str>>,
    pub(super) at: Option<UnixMillis>,
    pub(super) cwd: Option<Cow<'a, str>>,
}

/// How texts begin that the program tells the model in the user's name.
const NO_PROMPT: &[&str] = &["<", "# AGENTS.md instructions for ", "You are `/root`"];

/// What an editor puts before the words of its user, after words of its own.
const REQUEST: &str = "## My request for Codex:";

impl<'a> Fact<'a> {
    pub(super) fn of(data: &'a Payload) -> Self {
        let record = View::of(data);
        let [kind, at, payload] = record.pick(["type", "timestamp", "payload"]);
        let kind = kind.and_then(View::text).unwrap_or_default();
        let mut fact = Self { at: at.and_then(time), ..Self::default() };
        match (&*kind, payload) {
            ("session_meta", Some(payload)) => fact.header = Some(Header::of(payload)),
            ("turn_context", Some(payload)) => fact.model = name(payload.member("model")),
            ("response_item", Some(_)) => fact.take_message(data),
            ("event_msg", Some(payload)) => fact.take_event(payload),
            ("", None) if record.member("instructions").is_some() => {
                fact.header = Some(Header::of(record));
            }
            (kind, None) if is_item(kind) => fact.take_message(data),
            _ => {}
        }
        fact
    }

    fn take_message(&mut self, data: &Payload) {
        let reading = lens::read(Dialect::Codex, data);
        let text = reading.text.as_deref();
        self.is_message = true;
        let is_users = reading.role.as_deref() == Some("user");
        let is_words = reading.calls.is_empty() && reading.results.is_empty();
        let is_told = text.is_some_and(|text| NO_PROMPT.iter().any(|no| text.starts_with(no)));
        // An image alone is a prompt too.
        self.begins_turn = is_users && is_words && !is_told;
        self.speaks = self.begins_turn
            || is_words && text.is_some() && reading.role.as_deref() == Some("assistant");
        if self.begins_turn {
            self.prompt = text.map(title);
        } else {
            self.cwd = text.filter(|_| is_users).and_then(folder);
        }
    }

    fn take_event(&mut self, event: View<'a>) {
        let [kind, message, thread_name, turns] =
            event.pick(["type", "message", "thread_name", "num_turns"]);
        match kind.and_then(View::text).as_deref() {
            Some("user_message") => {
                self.typed = name(message).as_deref().map(title);
            }
            Some("thread_name_updated") => self.name = name(thread_name),
            Some("thread_rolled_back") => self.taken_back = turns.and_then(View::whole_number),
            _ => {}
        }
    }
}

impl<'a> Header<'a> {
    fn of(meta: View<'a>) -> Self {
        let [id, at, cwd, parent, forked, source] =
            meta.pick(["id", "timestamp", "cwd", "parent_thread_id", "forked_from_id", "source"]);
        let spawn = ["subagent", "thread_spawn", "parent_thread_id"];
        let spawned_by = spawn.iter().try_fold(source, |at, name| Some(at?.member(name))).flatten();
        Self {
            id: name(id),
            parent: name(parent).or_else(|| name(spawned_by)).or_else(|| name(forked)),
            at: at.and_then(time),
            cwd: name(cwd),
        }
    }
}

/// Whether a record without a payload is an item as the first files had them.
fn is_item(kind: &str) -> bool {
    matches!(kind, "message" | "reasoning")
        || kind.ends_with("_call")
        || kind.ends_with("_call_output")
}

/// The title that a prompt makes.
fn title(prompt: &str) -> String {
    let words = prompt.split_once(REQUEST).map_or(prompt, |(_, words)| words);
    title_from_prompt(words)
}

/// The folder that the model is told.
fn folder(text: &str) -> Option<String> {
    let (_, after) = text.split_once("<cwd>")?;
    let (folder, _) = after.split_once("</cwd>")?;
    let folder = folder.trim();
    (!folder.is_empty()).then(|| folder.to_owned())
}
