//! Messages of the Anthropic interface.

use crate::lens::content::{text_of, text_of_block};
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
    reading.say(content.text());
    for block in content.items() {
        let [kind, id, name, input, call, inner] =
            block.pick(["type", "id", "name", "input", "tool_use_id", "content"]);
        let kind = kind.and_then(View::text).unwrap_or_default();
        if kind.ends_with("tool_use") {
            reading.call(id, name, input);
        } else if kind.ends_with("tool_result") {
            reading.result(call, inner.and_then(text_of));
        } else {
            reading.say(text_of_block(block));
        }
    }
}
