//! Messages of goose's session files.
//!
//! Calls and results are blocks of a content. What they hold is wrapped: `Ok` or `value` around
//! what went well, `Err` or `error` around what did not; older files write names with
//! underscores.

use std::borrow::Cow;

use crate::lens::content::{text_of, text_of_block};
use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a message.
pub(super) fn read(message: View<'_>) -> Reading<'_> {
    let [role, id, content] = message.pick(["role", "id", "content"]);
    let mut reading = Reading {
        role: role.and_then(View::text),
        id: id.and_then(View::text),
        ..Reading::default()
    };
    let Some(content) = content else { return reading };
    reading.say(content.text());
    for block in content.items() {
        let [kind, id, call, old_call, result, old_result] =
            block.pick(["type", "id", "toolCall", "tool_call", "toolResult", "tool_result"]);
        match kind.and_then(View::text).as_deref() {
            Some("toolRequest" | "frontendToolRequest") => {
                let call = call.or(old_call).map(unwrapped);
                let [name, arguments] =
                    call.map_or([None; 2], |call| call.pick(["name", "arguments"]));
                reading.call(id, name, arguments);
            }
            Some("toolResponse") => reading.result(id, result.or(old_result).and_then(said)),
            _ => reading.say(text_of_block(block)),
        }
    }
    reading
}

/// What is inside, however it went.
fn unwrapped(wrapped: View<'_>) -> View<'_> {
    let inside = wrapped.pick(["value", "Ok", "error", "Err"]);
    inside.into_iter().flatten().next().unwrap_or(wrapped)
}

fn said(result: View<'_>) -> Option<Cow<'_, str>> {
    let inside = unwrapped(result);
    text_of(inside.member("content").unwrap_or(inside))
}
