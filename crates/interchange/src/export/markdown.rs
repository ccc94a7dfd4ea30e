//! A session as a page of Markdown.

use sessile_core::Payload;
use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, Call, CallResult, UNTITLED, View};

use crate::export::escape::{write_code, write_inline, write_name, write_text};

/// The most letters of a title, and of the name of a speaker or a tool.
const MAX_TITLE: usize = 240;
const MAX_NAME: usize = 80;

/// Writes the head of the page.
pub(super) fn write_head(out: &mut String, title: Option<&str>) {
    out.push_str("# ");
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    write_inline(out, title.unwrap_or(UNTITLED), MAX_TITLE);
    out.push('\n');
}

/// Writes a message: who speaks as a heading, and below it what is said, called and answered.
///
/// A message that says nothing of these, a thought on the way for example, is left out; one that
/// can't be read at all is shown as it stands.
pub(super) fn write_message(out: &mut String, dialect: Dialect, data: &Payload) {
    let reading = lens::read(dialect, data);
    let is_silent =
        reading.text.is_none() && reading.calls.is_empty() && reading.results.is_empty();
    let is_unread = is_silent && reading.role.is_none();
    if is_silent && !is_unread {
        return;
    }
    out.push_str("\n## ");
    write_inline(out, reading.role.as_deref().unwrap_or("message"), MAX_NAME);
    out.push_str("\n\n");
    if is_unread {
        write_code(out, "json", data.as_str());
    }
    if let Some(text) = &reading.text {
        write_text(out, text);
    }
    reading.calls.iter().for_each(|call| write_call(out, call));
    reading.results.iter().for_each(|result| write_result(out, result));
    // One line end, whatever came last.
    let length = out.trim_end_matches('\n').len();
    out.truncate(length);
    out.push('\n');
}

fn write_call(out: &mut String, call: &Call<'_>) {
    begin_part(out);
    out.push_str("Calls ");
    let name = if call.name.is_empty() { "a tool" } else { &call.name };
    write_name(out, name, MAX_NAME);
    write_id(out, &call.id);
    match call.input.map(|input| (input.text(), input)) {
        Some((Some(text), _)) => {
            // Some programs keep the JSON of the input as text.
            let language = if View::parse(&text).is_some() { "json" } else { "" };
            write_code(out, language, &text);
        }
        Some((None, input)) => write_code(out, "json", input.as_json()),
        None => {}
    }
}

fn write_result(out: &mut String, result: &CallResult<'_>) {
    begin_part(out);
    out.push_str("Result");
    write_id(out, &result.call_id);
    if let Some(text) = &result.text {
        write_code(out, "", text);
    }
}

/// Parts what follows from the text before it.
fn begin_part(out: &mut String) {
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
}

fn write_id(out: &mut String, id: &str) {
    if !id.is_empty() {
        out.push_str(" (");
        write_name(out, id, MAX_NAME);
        out.push(')');
    }
    out.push_str(":\n\n");
}
