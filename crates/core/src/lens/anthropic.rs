//! Messages of the Anthropic interface.

use crate::lens::content::{say_all, text_of_block};
use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a message.
pub(super) fn read(message: View<'_>) -> Reading<'_> {
    let [role, content, id] = message.pick(["role", "content", "id"]);
    let mut reading = Reading {
        role: role.and_then(View::text),
        id: id.and_then(View::text),
        ..Reading::default()
    };
    if let Some(content) = content {
        add_content(&mut reading, content);
    }
    reading
}

/// Adds text, calls and results of a content.
///
/// Besides `tool_use` and `tool_result` there are those of the server's own tools, whose types
/// end alike (`server_tool_use`, `web_search_tool_result`).
pub(super) fn add_content<'a>(reading: &mut Reading<'a>, content: View<'a>) {
    if let Some(text) = content.text() {
        reading.say(text);
    }
    for block in content.items() {
        let [kind, id, name, call, inner] =
            block.pick(["type", "id", "name", "tool_use_id", "content"]);
        let kind = kind.and_then(View::text).unwrap_or_default();
        if kind.ends_with("tool_use") {
            reading.call(id.and_then(View::text), name.and_then(View::text));
        } else if kind.ends_with("tool_result") {
            reading.result(call.and_then(View::text));
            if let Some(inner) = inner {
                say_all(reading, inner);
            }
        } else if let Some(text) = text_of_block(block) {
            reading.say(text);
        }
    }
}
