//! Records of pi's session files.
//!
//! A record of type `message` wraps a message; `id` and `parentId` make the tree, which the first
//! version did not have. A tool's result is a message of its own.

use crate::lens::content::{say_all, text_of_block};
use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a record.
pub(super) fn read(record: View<'_>) -> Reading<'_> {
    let [kind, id, parent, message, content, summary] =
        record.pick(["type", "id", "parentId", "message", "content", "summary"]);
    let mut reading = Reading {
        id: id.and_then(View::text),
        parent: parent.and_then(View::text),
        ..Reading::default()
    };
    match kind.and_then(View::text).as_deref() {
        Some("message") => {
            if let Some(message) = message {
                add_message(&mut reading, message);
            }
        }
        // What an extension put into the context; pi shows it under this role.
        Some("custom_message") => {
            reading.role = Some("custom".into());
            if let Some(content) = content {
                say_all(&mut reading, content);
            }
        }
        Some("compaction" | "branch_summary") => {
            if let Some(summary) = summary {
                say_all(&mut reading, summary);
            }
        }
        _ => {}
    }
    reading
}

fn add_message<'a>(reading: &mut Reading<'a>, message: View<'a>) {
    let [role, content, answered, command, output, summary] =
        message.pick(["role", "content", "toolCallId", "command", "output", "summary"]);
    reading.role = role.and_then(View::text);
    if let Some(content) = content {
        add_content(reading, content);
    }
    if answered.is_some() {
        let text = reading.text.take();
        reading.result(answered, text);
    }
    // A command that the user ran has these instead, and so has a summary as a message.
    for said in [command, output, summary].into_iter().flatten() {
        say_all(reading, said);
    }
}

fn add_content<'a>(reading: &mut Reading<'a>, content: View<'a>) {
    reading.say(content.text());
    for block in content.items() {
        let [kind, id, name, arguments] = block.pick(["type", "id", "name", "arguments"]);
        if kind.and_then(View::text).as_deref() == Some("toolCall") {
            reading.call(id, name, arguments);
        } else {
            reading.say(text_of_block(block));
        }
    }
}
