//! Messages of Gemini CLI's session files.
//!
//! A message has a `type` instead of a role; a call and its result stand together in the message
//! of the model that called. Contents of the Gemini interface, with `role` and `parts`, are read
//! as well.

use std::borrow::Cow;

use crate::lens::reading::{Reading, add_piece};
use crate::lens::view::View;

/// Reads a message.
pub(super) fn read(message: View<'_>) -> Reading<'_> {
    let [role, kind, id, content, parts, calls] =
        message.pick(["role", "type", "id", "content", "parts", "toolCalls"]);
    let mut reading = Reading {
        role: role.or(kind).and_then(View::text),
        id: id.and_then(View::text),
        ..Reading::default()
    };
    if let Some(content) = content.or(parts) {
        each_part(content, |part| add_part(&mut reading, part));
    }
    for call in calls.into_iter().flat_map(View::items) {
        let [id, name, args, result, shown] =
            call.pick(["id", "name", "args", "result", "resultDisplay"]);
        reading.call(id, name, args);
        // A call that was cut short has none, or null.
        if let Some(result) = result.filter(|result| result.as_json() != "null") {
            let mut text = None;
            each_part(result, |part| say_part(&mut text, part));
            reading.result(id, text.or_else(|| shown?.text().filter(|text| !text.is_empty())));
        }
    }
    reading
}

/// The parts of a content, which may be one part or a list.
fn each_part<'a>(content: View<'a>, mut take: impl FnMut(View<'a>)) {
    let mut items = content.items().peekable();
    if items.peek().is_none() {
        take(content);
    }
    items.for_each(take);
}

fn add_part<'a>(reading: &mut Reading<'a>, part: View<'a>) {
    let [call, result] = part.pick(["functionCall", "functionResponse"]);
    if let Some(call) = call {
        let [id, name, args] = call.pick(["id", "name", "args"]);
        reading.call(id, name, args);
    } else if let Some(response) = result {
        let mut text = None;
        say_part(&mut text, part);
        reading.result(response.member("id"), text);
    } else {
        say_part(&mut reading.text, part);
    }
}

/// Adds what a part says; thoughts are not said.
fn say_part<'a>(text: &mut Option<Cow<'a, str>>, part: View<'a>) {
    let [said, thought, response] = part.pick(["text", "thought", "functionResponse"]);
    let said = part.text().or_else(|| said?.text());
    if let Some(said) = said.filter(|_| !thought.is_some_and(View::is_true)) {
        add_piece(text, said);
    }
    let answer = response.and_then(|response| response.member("response"));
    let answers = answer.map_or([None; 2], |answer| answer.pick(["output", "error"]));
    answers.into_iter().flatten().filter_map(View::text).for_each(|piece| add_piece(text, piece));
}
