//! goose's session files.
//!
//! The first line says what the session is, and goose writes it anew with every message; the others
//! are messages, one after another. Newer versions keep sessions in a database.

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, View, title_from_prompt};

use crate::lines::Line;
use crate::member::{name, time};
use crate::sessions::{About, Assembled, Sorted, Whole, assemble};

/// Whether the file is of this format, by its first records.
pub(crate) fn recognises(first: &[View<'_>]) -> bool {
    first.iter().copied().any(|record| is_header(record) || is_message(record))
}

/// Whether a record says what the session is.
fn is_header(record: View<'_>) -> bool {
    let [role, folder, words, count] =
        record.pick(["role", "working_dir", "description", "message_count"]);
    role.is_none() && folder.and_then(View::text).is_some() && (words.is_some() || count.is_some())
}

/// Whether a record is a message: who speaks, when as a number, and typed pieces of content.
fn is_message(record: View<'_>) -> bool {
    let [role, created, content] = record.pick(["role", "created", "content"]);
    role.and_then(View::text).is_some()
        && created.and_then(View::whole_number).is_some()
        && content.is_some_and(|list| list.items().any(|item| item.member("type").is_some()))
}

/// Reads a file.
pub(crate) fn read(lines: &[Line]) -> Assembled {
    let head = lines.first().filter(|line| is_header(View::of(&line.data)));
    let lines = lines.get(usize::from(head.is_some())..).unwrap_or_default();
    let sorted: Vec<Sorted<'_>> = lines
        .iter()
        .map(|line| {
            let record = View::of(&line.data);
            let [role, created] = record.pick(["role", "created"]);
            Sorted {
                is_message: role.and_then(View::text).is_some(),
                at: created.and_then(time),
                ..Sorted::default()
            }
        })
        .collect();
    let said = |member| head.and_then(|line| View::of(&line.data).member(member));
    let text = |member| name(said(member)).map(std::borrow::Cow::into_owned);
    let whole = Whole { dialect: Dialect::Goose, source_id: text("id"), source_parent: None };
    let assembled = assemble(lines, &sorted, &whole, |_| About {
        created_at: said("created_at").and_then(time),
        title: text("description").or_else(|| lines.iter().find_map(prompt)),
        cwd: text("working_dir"),
        model: None,
    });
    match head {
        Some(line) => assembled.with_envelope(line.data.clone(), Some(line.number)),
        None => assembled,
    }
}

/// The title that a line makes, if it is a prompt.
fn prompt(line: &Line) -> Option<String> {
    let reading = lens::read(Dialect::Goose, &line.data);
    let is_prompt = reading.role.as_deref() == Some("user") && reading.results.is_empty();
    is_prompt.then(|| reading.text.as_deref().map(title_from_prompt))?
}
