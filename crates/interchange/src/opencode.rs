//! opencode's sessions: a folder of small files, or one object.
//!
//! opencode keeps a file for each session, message and part of a message, and exports a session as
//! one object: `info` and `messages`, of which each has its `info` and `parts`. What is read and
//! written here is that object; [`assemble`] makes it of what the small files hold, and
//! [`take_apart`] gives the small files back.

mod folder;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, View, title_from_prompt};

pub use folder::{Message, SmallFile, assemble, take_apart};

use crate::document::Document;
use crate::member::{name, time};
use crate::sessions::{About, Assembled, Sorted, Whole};
use crate::{lines::Line, sessions};

/// Whether a document is of this format.
pub(crate) fn recognises(whole: View<'_>) -> bool {
    let [info, messages] = whole.pick(["info", "messages"]);
    let mut items = messages.into_iter().flat_map(View::items);
    let has_id = info.is_some_and(|info| info.member("id").and_then(View::text).is_some());
    info.is_some_and(View::is_object)
        && (has_id || items.any(|item| item.member("info").is_some_and(View::is_object)))
}

/// Reads a document.
pub(crate) fn read(document: &Document) -> Assembled {
    let lines = &document.items;
    let sorted: Vec<Sorted<'_>> = lines.iter().map(sorted).collect();
    let info = View::of(&document.envelope).member("info");
    let said = |member| info.and_then(|info| info.member(member));
    let text = |member| name(said(member)).map(std::borrow::Cow::into_owned);
    let whole = Whole {
        dialect: Dialect::Opencode,
        source_id: text("id"),
        source_parent: text("parentID"),
    };
    let assembled = sessions::assemble(lines, &sorted, &whole, |_| About {
        created_at: said("time").and_then(|times| times.member("created")).and_then(time),
        title: text("title").or_else(|| lines.iter().find_map(prompt)),
        cwd: text("directory"),
        model: lines.iter().rev().find_map(model),
    });
    assembled.with_envelope(document.envelope.clone(), None)
}

fn sorted(line: &Line) -> Sorted<'_> {
    let info = View::of(&line.data).member("info");
    let [role, times] = info.map_or([None; 2], |info| info.pick(["role", "time"]));
    Sorted {
        is_message: role.and_then(View::text).is_some(),
        at: times.and_then(|times| times.member("created")).and_then(time),
        ..Sorted::default()
    }
}

fn model(line: &Line) -> Option<String> {
    let info = View::of(&line.data).member("info")?;
    name(info.member("modelID")).map(std::borrow::Cow::into_owned)
}

/// The title that a message makes, if it is a prompt.
fn prompt(line: &Line) -> Option<String> {
    let reading = lens::read(Dialect::Opencode, &line.data);
    let is_prompt = reading.role.as_deref() == Some("user");
    is_prompt.then(|| reading.text.as_deref().map(title_from_prompt))?
}
