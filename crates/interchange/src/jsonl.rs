//! Plain JSON Lines: one message a line.
//!
//! A message is an object with a `role`; any other value is carried as an event.

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, View, title_from_prompt};

use crate::lines::Line;
use crate::member::time;
use crate::sessions::{About, Assembled, Sorted, Whole, assemble};

/// Whether the file is of this format: every line that can be read is a message.
pub(crate) fn recognises<'a>(mut readable: impl Iterator<Item = View<'a>>) -> bool {
    readable.next().is_some_and(is_message) && readable.all(is_message)
}

/// Reads a file.
pub(crate) fn read(lines: &[Line]) -> Assembled {
    let sorted: Vec<Sorted<'_>> = lines
        .iter()
        .map(|line| {
            let value = View::of(&line.data);
            Sorted {
                is_message: is_message(value),
                at: value.member("timestamp").and_then(time),
                ..Sorted::default()
            }
        })
        .collect();
    let whole = Whole { dialect: Dialect::Plain, ..Whole::default() };
    assemble(lines, &sorted, &whole, |_| About {
        title: lines.iter().find_map(prompt),
        ..About::default()
    })
}

fn is_message(value: View<'_>) -> bool {
    value.member("role").and_then(View::text).is_some()
}

/// The title that a line makes, if it is a prompt.
fn prompt(line: &Line) -> Option<String> {
    let reading = lens::read(Dialect::Plain, &line.data);
    let is_prompt = reading.role.as_deref() == Some("user") && reading.results.is_empty();
    is_prompt.then(|| reading.text.as_deref().map(title_from_prompt))?
}
