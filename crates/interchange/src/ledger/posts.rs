//! The messages of a row as entries of a board.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Ack, Body, Complete, Post, Replace, Resolve, Withdraw};
use sessile_core::lens::View;
use sessile_core::{EntryType, Error, Payload, Text};

use crate::ledger::member::maybe;

/// The member of an entry that holds the message as it stands in the ledger.
const SOURCE: &str = "source";

/// A message, as far as entries are made of it.
struct Message<'a> {
    whole: View<'a>,
    id: String,
    kind: String,
    text: String,
    tags: Vec<String>,
    reply_to: Option<String>,
}

/// The entries that leave a board as the messages are: each is posted in its place, as the answer
/// or the replacement that it is, and then dealt with as it was. `fences` are, by task, digests of
/// what tasks were completed against.
pub(super) fn entries(
    messages: &[Payload],
    fences: &BTreeMap<String, String>,
) -> Result<Vec<(EntryType, Payload)>, Error> {
    let messages: Vec<Message<'_>> = messages.iter().map(|it| Message::of(View::of(it))).collect();
    let mut before: BTreeMap<&str, &Message<'_>> = BTreeMap::new();
    let mut entries = Vec::new();
    // Messages that another has closed by being there.
    let mut closed: Vec<&str> = Vec::new();
    for message in &messages {
        let of = |name: &str| before.get(message.text_of(name)?.as_str()).copied();
        let replaced = of("supersedes_message_id").filter(|it| message.replaces(it));
        let task = of("reply_to").filter(|it| message.completes(it));
        let entry = match (replaced, task) {
            (Some(replaced), _) => {
                closed.push(&replaced.id);
                (EntryType::Replace, message.as_replacement(&replaced.id)?)
            }
            (None, Some(task)) => match task.completion() {
                Some(completion) => {
                    closed.push(&task.id);
                    let fence = fences.get(&task.id).and_then(|fence| fence.parse().ok());
                    (EntryType::Complete, message.as_answer(&task.id, completion, fence)?)
                }
                None => (EntryType::Post, message.as_post()?),
            },
            (None, None) => (EntryType::Post, message.as_post()?),
        };
        entries.push(entry);
        if message.is_true("requires_ack") && message.has("first_ack_observed_at") {
            let ack = Ack { id: message.id.clone(), by: None };
            entries.push((EntryType::Ack, Payload::of(&ack)?));
        }
        before.insert(&message.id, message);
    }
    let is_left = |message: &&Message<'_>| {
        message.text_of("status").as_deref() == Some("resolved")
            && !closed.contains(&message.id.as_str())
    };
    for message in messages.iter().filter(is_left) {
        entries.push(message.as_closed()?);
    }
    Ok(entries)
}

impl<'a> Message<'a> {
    fn of(whole: View<'a>) -> Self {
        let text = |name: &str| maybe(whole, name).and_then(View::text).map(Cow::into_owned);
        let tags = maybe(whole, "tags").into_iter().flat_map(View::items);
        Self {
            whole,
            id: text("message_id").or_else(|| text("id")).unwrap_or_default(),
            kind: text("kind").unwrap_or_else(|| "note".to_owned()),
            text: text("message").or_else(|| text("text")).unwrap_or_default(),
            tags: tags.filter_map(View::text).map(Cow::into_owned).collect(),
            reply_to: text("reply_to"),
        }
    }

    fn text_of(&self, name: &str) -> Option<String> {
        maybe(self.whole, name)?.text().map(Cow::into_owned)
    }

    fn has(&self, name: &str) -> bool {
        maybe(self.whole, name).is_some()
    }

    fn is_true(&self, name: &str) -> bool {
        maybe(self.whole, name).is_some_and(View::is_true)
    }

    /// Whether it came in place of another and is that one but for its text: then the one entry
    /// says both.
    fn replaces(&self, other: &Self) -> bool {
        let alike = ["priority", "requires_ack", "author_session_id"].iter().all(|name| {
            let json = |it: &Self| maybe(it.whole, name).map(|value| value.as_json().to_owned());
            json(self) == json(other)
        });
        other.text_of("superseded_by_message_id").as_deref() == Some(self.id.as_str())
            && (&self.kind, &self.tags, &self.reply_to)
                == (&other.kind, &other.tags, &other.reply_to)
            && alike
    }

    /// Whether it is the answer by which a task was done, and nothing else.
    fn completes(&self, task: &Self) -> bool {
        self.kind == "answer"
            && !self.is_true("requires_ack")
            && task.kind == "todo"
            && task.text_of("resolved_by_message_id").as_deref() == Some(self.id.as_str())
    }

    fn completion(&self) -> Option<Digest> {
        self.text_of("completion_id")?.parse().ok()
    }

    fn body(&self) -> Body {
        let tags = self.tags.iter().map(|tag| Text::from(tag.clone())).collect();
        Body { text: Text::from(self.text.clone()), tags }
    }

    fn priority(&self) -> Option<String> {
        self.text_of("priority").filter(|priority| priority != "normal")
    }

    fn from(&self) -> Option<Text> {
        self.text_of("author_session_id").map(Text::from)
    }

    fn as_post(&self) -> Result<Payload, Error> {
        let body = self.body();
        self.with_source(&Payload::of(&Post {
            id: self.id.clone(),
            key: None,
            kind: self.kind.clone(),
            priority: self.priority(),
            reply_to: self.reply_to.clone(),
            from: self.from(),
            requires_ack: self.is_true("requires_ack"),
            content: content(&body),
            evicts: Vec::new(),
            body: Some(body),
        })?)
    }

    /// It takes over all but its text.
    fn as_replacement(&self, replaced: &str) -> Result<Payload, Error> {
        let body = Body { tags: Vec::new(), ..self.body() };
        self.with_source(&Payload::of(&Replace {
            id: replaced.to_owned(),
            by: self.id.clone(),
            content: content(&body),
            evicts: Vec::new(),
            body: Some(body),
        })?)
    }

    fn as_answer(
        &self,
        task: &str,
        completion: Digest,
        fence: Option<Digest>,
    ) -> Result<Payload, Error> {
        let body = self.body();
        self.with_source(&Payload::of(&Complete {
            id: task.to_owned(),
            answer: self.id.clone(),
            completion,
            fence,
            from: self.from(),
            priority: self.priority(),
            content: content(&body),
            evicts: Vec::new(),
            body: Some(body),
        })?)
    }

    /// The entry that closes it.
    fn as_closed(&self) -> Result<(EntryType, Payload), Error> {
        let id = self.id.clone();
        if self.text_of("closure_kind").as_deref() == Some("withdrawn") {
            return Ok((EntryType::Withdraw, Payload::of(&Withdraw { id })?));
        }
        let said = self.text_of("resolution").filter(|text| !text.is_empty());
        let body = said.map(|text| Body { text: Text::from(text), tags: Vec::new() });
        let content = body.as_ref().map(content);
        Ok((EntryType::Resolve, Payload::of(&Resolve { id, content, body })?))
    }

    /// An entry's data with the message as it stands, so that nothing of it is lost.
    fn with_source(&self, data: &Payload) -> Result<Payload, Error> {
        with_member(data, SOURCE, self.whole.as_json())
    }
}

/// The digest of what a body says.
fn content(body: &Body) -> Digest {
    let tags = body.tags.iter().map(|tag| tag.as_bytes());
    Digest::of_parts([body.text.as_bytes()].into_iter().chain(tags))
}

/// An object with one more member, which stands last.
pub(super) fn with_member(object: &Payload, name: &str, json: &str) -> Result<Payload, Error> {
    let open = object.as_str().trim_end().strip_suffix('}').unwrap_or("{");
    let separator = if View::of(object).members().next().is_some() { "," } else { "" };
    Payload::parse(format!("{open}{separator}\"{name}\":{json}}}"))
}
