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

/// Adds the calls of an assistant's message, or makes of a tool's message the result that it is.
pub(super) fn add_calls<'a>(reading: &mut Reading<'a>, message: View<'a>) {
    let [calls, answered] = message.pick(["tool_calls", "tool_call_id"]);
    for call in calls.into_iter().flat_map(View::items) {
        let [id, function, custom] = call.pick(["id", "function", "custom"]);
        let [name, arguments, input] =
            function.or(custom).map_or([None; 3], |tool| tool.pick(["name", "arguments", "input"]));
        reading.call(id, name, arguments.or(input));
    }
    if answered.is_some() {
        let text = reading.text.take();
        reading.result(answered, text);
    }
}
