//! Messages of the `OpenAI` chat interface.

use crate::lens::content::say_all;
use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a message.
pub(super) fn read(message: View<'_>) -> Reading<'_> {
    let [role, content, refusal, id] = message.pick(["role", "content", "refusal", "id"]);
    let mut reading = Reading {
        role: role.and_then(View::text),
        id: id.and_then(View::text),
        ..Reading::default()
    };
    for said in [content, refusal].into_iter().flatten() {
        say_all(&mut reading, said);
    }
    add_calls(&mut reading, message);
    reading
}

/// Adds the calls of an assistant's message, or the call that a tool's message answers.
pub(super) fn add_calls<'a>(reading: &mut Reading<'a>, message: View<'a>) {
    let [calls, answered] = message.pick(["tool_calls", "tool_call_id"]);
    for call in calls.into_iter().flat_map(View::items) {
        let [id, function, custom] = call.pick(["id", "function", "custom"]);
        let name = function.or(custom).and_then(|tool| tool.member("name"));
        reading.call(id.and_then(View::text), name.and_then(View::text));
    }
    reading.result(answered.and_then(View::text));
}
