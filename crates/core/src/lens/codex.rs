//! Records of Codex's rollout files.
//!
//! What the model is told stands in records of type `response_item`: messages, reasoning, calls
//! and their outputs, each an item of the `OpenAI` responses interface. The first files had the
//! items bare. Of other records what they say is read.

use crate::lens::content::{say_all, text_of};
use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Who speaks where the item does not say it: everything but a message comes from the model, but
/// for what its calls give back.
const MODEL: &str = "assistant";
const TOOL: &str = "tool";

/// Reads a record.
pub(super) fn read(record: View<'_>) -> Reading<'_> {
    let mut reading = Reading::default();
    let [kind, payload] = record.pick(["type", "payload"]);
    match (kind.and_then(View::text).as_deref(), payload) {
        (Some("response_item"), Some(item)) => add_item(&mut reading, item),
        (Some(_), None) => add_item(&mut reading, record),
        (Some(_), Some(payload)) => {
            // The text of an event, and what stands for the history after it was compacted.
            for said in payload.pick(["message", "text"]).into_iter().flatten() {
                say_all(&mut reading, said);
            }
        }
        (None, _) => {}
    }
    reading
}

fn add_item<'a>(reading: &mut Reading<'a>, item: View<'a>) {
    let [kind, id, call, role, content] = item.pick(["type", "id", "call_id", "role", "content"]);
    let kind = kind.and_then(View::text).unwrap_or_default();
    if kind == "message" || kind.is_empty() {
        reading.role = role.and_then(View::text);
        reading.id = id.and_then(View::text);
        if let Some(content) = content {
            say_all(reading, content);
        }
    } else if kind.ends_with("_output") {
        reading.role = Some(TOOL.into());
        let [output, tools] = item.pick(["output", "tools"]);
        // Once it was an object that held the content.
        let content = output.map(|output| output.member("content").unwrap_or(output));
        reading.result(call, content.and_then(text_of).or_else(|| Some(tools?.as_json().into())));
    } else if kind.ends_with("_call") {
        reading.role = Some(MODEL.into());
        let [name, arguments, input, action] = item.pick(["name", "arguments", "input", "action"]);
        // Only a call that is answered in a record of its own has a `call_id`; the first shell
        // calls had it as `id`.
        let id = if kind == "local_shell_call" { call.or(id) } else { call };
        reading.call(id, name, arguments.or(input).or(action));
        if let Some(call) = reading.calls.last_mut()
            && call.name.is_empty()
        {
            call.name = kind.trim_end_matches("_call").to_owned().into();
        }
    } else if kind == "reasoning" {
        reading.role = Some(MODEL.into());
    }
}
