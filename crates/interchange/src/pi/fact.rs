//! What matters of one record.

use std::borrow::Cow;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, View, title_from_prompt};
use sessile_core::{Payload, UnixMillis};

use crate::member::{name, time};
use crate::sessions::Sorted;
use crate::tree::{Lane, Node};

/// What matters of one record; of a value that is no record, nothing.
#[derive(Default)]
pub(super) struct Fact<'a> {
    id: Option<Cow<'a, str>>,
    parent: Option<Cow<'a, str>>,
    at: Option<UnixMillis>,
    is_message: bool,
    pub(super) header: Option<Header<'a>>,
    /// The name that the user gave the session.
    pub(super) name: Option<Cow<'a, str>>,
    /// The title that it makes, if it is a prompt.
    pub(super) prompt: Option<String>,
    pub(super) model: Option<Cow<'a, str>>,
}

/// What the header says; its id is the session's, and it is no part of the tree.
pub(super) struct Header<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) at: Option<UnixMillis>,
    pub(super) cwd: Option<Cow<'a, str>>,
    /// Forks of pi write one.
    pub(super) title: Option<Cow<'a, str>>,
}

impl<'a> Fact<'a> {
    pub(super) fn of(data: &'a Payload) -> Self {
        let record = View::of(data);
        let [kind, id, parent, at] = record.pick(["type", "id", "parentId", "timestamp"]);
        let [message, model_id, model] = record.pick(["message", "modelId", "model"]);
        let mut fact =
            Self { id: name(id), parent: name(parent), at: at.and_then(time), ..Self::default() };
        match kind.and_then(View::text).as_deref() {
            Some("session") => {
                let [cwd, title] = record.pick(["cwd", "title"]);
                fact.header = Some(Header {
                    id: fact.id.take(),
                    at: fact.at,
                    cwd: name(cwd),
                    title: name(title),
                });
                fact.parent = None;
                fact.model = name(model_id);
            }
            Some("message") => {
                fact.is_message = true;
                fact.model = name(message.and_then(|it| it.member("model")));
                fact.prompt = prompt(data);
            }
            Some("custom_message") => fact.is_message = true,
            Some("model_change") => fact.model = name(model_id).or_else(|| name(model)),
            Some("session_info") => fact.name = name(record.member("name")),
            _ => {}
        }
        fact
    }

    /// Its place among the others. pi writes every record after the one that was current, so
    /// every fork is one that its user made.
    pub(super) fn sorted(&self) -> Sorted<'a> {
        Sorted {
            is_message: self.is_message,
            at: self.at,
            node: Node {
                id: self.id.clone(),
                parent: self.parent.clone(),
                may_dangle: false,
                speaks: self.is_message,
                lane: Lane::Main,
            },
        }
    }
}

fn prompt(data: &Payload) -> Option<String> {
    let reading = lens::read(Dialect::Pi, data);
    let is_prompt = reading.role.as_deref() == Some("user");
    is_prompt.then(|| reading.text.as_deref().map(title_from_prompt))?
}
