//! Messages and parts of opencode's store.
//!
//! opencode keeps a message apart from its parts, each in a file of its own: a message says who
//! speaks, a part what is said, naming the message. Read are both, and the two put together as
//! `info` and `parts`. A tool's part is its call, and its result once it has ended.

use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a message, a part, or both together.
pub(super) fn read(record: View<'_>) -> Reading<'_> {
    let [info, parts, role, id, parent, message] =
        record.pick(["info", "parts", "role", "id", "parentID", "messageID"]);
    let mut reading = Reading::default();
    if let Some(info) = info {
        let [role, id, parent] = info.pick(["role", "id", "parentID"]);
        reading.role = role.and_then(View::text);
        reading.id = id.and_then(View::text);
        reading.parent = parent.and_then(View::text);
    } else {
        reading.role = role.and_then(View::text);
        reading.id = id.and_then(View::text);
        reading.parent = parent.or(message).and_then(View::text);
        add_part(&mut reading, record);
    }
    for part in parts.into_iter().flat_map(View::items) {
        add_part(&mut reading, part);
    }
    reading
}

fn add_part<'a>(reading: &mut Reading<'a>, part: View<'a>) {
    let [kind, text, tool, id, call, state] =
        part.pick(["type", "text", "tool", "id", "callID", "state"]);
    match kind.and_then(View::text).as_deref() {
        Some("text") => reading.say(text.and_then(View::text)),
        Some("tool") => {
            let [status, input, output, error] =
                state.map_or([None; 4], |state| state.pick(["status", "input", "output", "error"]));
            let id = call.or(id);
            reading.call(id, tool, input);
            if matches!(status.and_then(View::text).as_deref(), Some("completed" | "error")) {
                let said = output.or(error).and_then(View::text);
                reading.result(id, said.filter(|text| !text.is_empty()));
            }
        }
        _ => {}
    }
}
