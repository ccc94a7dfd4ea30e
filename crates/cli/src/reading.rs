//! How times, messages and lists are written for people.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sessile::lens;
use sessile::{Dialect, Payload, UnixMillis};

/// How many letters of a title a row has room for.
const TITLE: usize = 200;

/// A time in the reader's time zone, to the minute.
pub(crate) fn time(at: UnixMillis) -> String {
    let millis = i64::try_from(at.millis()).unwrap_or(i64::MAX);
    match Timestamp::from_millisecond(millis) {
        Ok(time) => {
            time.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
        }
        // Beyond what a calendar has.
        Err(_) => format!("{} ms", at.millis()),
    }
}

/// A message as a heading and an indented body.
pub(crate) fn message(place: &str, at: UnixMillis, dialect: Dialect, data: &Payload) -> String {
    let reading = lens::read(dialect, data);
    let role = reading.role.as_deref().unwrap_or("message");
    let mut lines = vec![format!("{place} {role}  {}", time(at))];
    match reading.text.as_deref() {
        Some(text) => lines.extend(text.lines().map(|line| format!("    {}", visible(line)))),
        None if reading.calls.is_empty() && reading.results.is_empty() => {
            lines.push(format!("    {}", visible(data.as_str())));
        }
        None => {}
    }
    lines.extend(reading.calls.iter().map(|call| {
        let name = named(&call.name, "a tool");
        let id = named(&call.id, "no id");
        format!("    -> calls {} ({})", visible(name), visible(id))
    }));
    for result in &reading.results {
        let id = named(&result.call_id, "no id");
        lines.push(format!("    <- result of {}", visible(id)));
        let text = result.text.as_deref().unwrap_or_default();
        lines.extend(text.lines().map(|line| format!("       {}", visible(line))));
    }
    lines.join("\n")
}

/// A name, or what to say where there is none.
fn named<'a>(name: &'a str, without: &'a str) -> &'a str {
    if name.is_empty() { without } else { name }
}

/// Text without what a terminal would act upon.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|letter| if is_hidden(letter) { '\u{FFFD}' } else { letter }).collect()
}

/// The beginning of a title that may be of any length, for one of many rows.
pub(crate) fn title(text: &str) -> String {
    let mut letters = text.chars();
    let beginning: String = letters.by_ref().take(TITLE).collect();
    visible(&beginning) + if letters.next().is_some() { "..." } else { "" }
}

/// The same of text of several lines.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

/// So many of a thing, by its name in the singular and in the plural.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// Control characters, and those that turn the direction of the text around them.
fn is_hidden(letter: char) -> bool {
    (letter.is_control() && letter != '\t')
        || matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_message_reaches_the_terminal_as_a_command() {
        let data = Payload::parse(r#"{"role":"user","content":"a\u001b[2J\u202eb\nc"}"#).unwrap();
        let text = message("#1", UnixMillis(0), Dialect::Plain, &data);
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
        assert!(text.ends_with("    c"), "{text}");
    }

    #[test]
    fn times_beyond_the_calendar_are_still_told() {
        assert_eq!(time(UnixMillis(u64::MAX)), format!("{} ms", u64::MAX));
    }
}
