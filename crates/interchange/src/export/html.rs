//! A session as a page for browsers.
//!
//! The page is one file that needs nothing but itself. Whatever was said in a session stays text:
//! each letter that HTML acts upon is written as a reference, and a policy in the page forbids all
//! but its own style and script, by their digests, whatever else should ever get into it.

use std::fmt::Write as _;

use sessile_core::Payload;
use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, Call, CallResult, UNTITLED, View};

use crate::export::escape::{Block, blocks, visible};

const STYLE: &str = include_str!("html/style.css");
#[cfg(test)]
const SCRIPT: &str = include_str!("html/script.js");

/// The SHA-256 of both, as the policy names them.
const STYLE_DIGEST: &str = "/pHPreXsxYGQ+2FrMeNjKGfQ/8aLftnJ/so53vXbX7U=";
const SCRIPT_DIGEST: &str = "Lw8tDJtv8/yhdA3czzbuCQHHxA5F+5bw9+6qMt1/VqQ=";

/// The most letters of a title, and of the name of a speaker or a tool.
const MAX_TITLE: usize = 240;
const MAX_NAME: usize = 80;

/// What a tool was called with or answered is folded from so many lines or bytes on.
const LONG_LINES: usize = 12;
const LONG_BYTES: usize = 2_000;

/// What the page ends with.
pub(super) const TAIL: &str = concat!(
    "</main>\n<footer>Written by sessile.</footer>\n<script>",
    include_str!("html/script.js"),
    "</script>\n</body>\n</html>\n"
);

/// Writes the head of the page.
pub(super) fn write_head(out: &mut String, title: Option<&str>) {
    let title = title.map(str::trim).filter(|title| !title.is_empty()).unwrap_or(UNTITLED);
    let mut escaped = String::new();
    write_inline(&mut escaped, title, MAX_TITLE);
    let _infallible = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{STYLE_DIGEST}'; script-src 'sha256-{SCRIPT_DIGEST}'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"robots\" content=\"noindex\">\n\
         <title>{escaped}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1 dir=\"auto\">{escaped}</h1>\n<div class=\"tools\">\
         <input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\" \
         autocomplete=\"off\" spellcheck=\"false\">\
         <output id=\"found\" for=\"search\"></output>\
         <button id=\"theme\" type=\"button\">Light or dark</button></div>\n</header>\n<main>\n"
    );
}

/// Writes a message: who speaks as a heading, and below it what is said, called and answered.
///
/// A message that says nothing of these, a thought on the way for example, is left out; one that
/// can't be read at all is shown as it stands.
pub(super) fn write_message(
    out: &mut String,
    dialect: Dialect,
    data: &Payload,
    number: u64,
) -> bool {
    let reading = lens::read(dialect, data);
    let is_silent =
        reading.text.is_none() && reading.calls.is_empty() && reading.results.is_empty();
    let is_unread = is_silent && reading.role.is_none();
    if is_silent && !is_unread {
        return false;
    }
    let role = reading.role.as_deref().unwrap_or("message");
    let _infallible = write!(out, "<article class=\"{}\" id=\"m{number}\">\n<h2>", class(role));
    write_inline(out, role, MAX_NAME);
    let _infallible = writeln!(out, " <a href=\"#m{number}\">{number}</a></h2>");
    if is_unread {
        write_pre(out, data.as_str());
    }
    for block in blocks(reading.text.as_deref().unwrap_or_default()) {
        match block {
            Block::Words(lines) => {
                // The page sets blocks apart by itself.
                let lines = without_blank_ends(&lines);
                if !lines.is_empty() {
                    out.push_str("<div class=\"words\" dir=\"auto\">");
                    write_lines(out, lines);
                    out.push_str("</div>\n");
                }
            }
            Block::Code(lines) => {
                out.push_str("<pre>");
                write_lines(out, &lines);
                out.push_str("</pre>\n");
            }
        }
    }
    reading.calls.iter().for_each(|call| write_call(out, call));
    reading.results.iter().for_each(|result| write_result(out, result));
    out.push_str("</article>\n");
    true
}

/// The lines from the first to the last that says something.
fn without_blank_ends<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    let says = |line: &&str| !line.trim().is_empty();
    let (first, last) = (lines.iter().position(says), lines.iter().rposition(says));
    first.zip(last).and_then(|(first, last)| lines.get(first..=last)).unwrap_or_default()
}

/// By what a speaker's messages are told apart; none of the words of a session.
fn class(role: &str) -> &'static str {
    match role {
        "user" | "human" => "user",
        "assistant" | "model" | "gemini" => "assistant",
        "tool" | "toolResult" | "function" => "tool",
        "system" | "developer" => "system",
        _ => "other",
    }
}

fn write_call(out: &mut String, call: &Call<'_>) {
    let name = if call.name.is_empty() { "a tool" } else { &call.name };
    let text = match call.input {
        Some(input) => input.text().unwrap_or_else(|| View::as_json(input).into()),
        None => "".into(),
    };
    write_folded(out, "calls", name, &call.id, &text);
}

fn write_result(out: &mut String, result: &CallResult<'_>) {
    write_folded(out, "result", "", &result.call_id, result.text.as_deref().unwrap_or_default());
}

/// Writes what a tool was given or gave, folded where it is long.
fn write_folded(out: &mut String, kind: &str, name: &str, id: &str, text: &str) {
    let count = text.lines().count();
    let is_open = count <= LONG_LINES && text.len() <= LONG_BYTES;
    let open = if is_open { " open" } else { "" };
    let _infallible = write!(out, "<details class=\"{kind}\"{open}><summary>{kind} <b>");
    write_inline(out, name, MAX_NAME);
    out.push_str("</b> <span>");
    write_inline(out, id, MAX_NAME);
    if !is_open {
        let _infallible = write!(out, ", {count} lines");
    }
    out.push_str("</span></summary>\n");
    if !text.is_empty() {
        write_pre(out, text);
    }
    out.push_str("</details>\n");
}

fn write_pre(out: &mut String, text: &str) {
    out.push_str("<pre>");
    write_lines(out, &text.split('\n').map(|line| line.trim_end_matches('\r')).collect::<Vec<_>>());
    out.push_str("</pre>\n");
}

fn write_lines(out: &mut String, lines: &[&str]) {
    for (index, line) in lines.iter().enumerate() {
        // The first line end within a `pre` is dropped; this one is there to be.
        if index > 0 || line.is_empty() {
            out.push('\n');
        }
        line.chars().for_each(|letter| push(out, letter));
    }
}

/// Writes text on one line, and cuts what is too long.
fn write_inline(out: &mut String, text: &str, max: usize) {
    let mut letters = text.chars();
    for letter in letters.by_ref().take(max) {
        push(out, if matches!(letter, '\n' | '\r' | '\t') { ' ' } else { letter });
    }
    if letters.next().is_some() {
        out.push('\u{2026}');
    }
}

/// Writes a letter so that nothing of it is markup, wherever it stands.
fn push(out: &mut String, letter: char) {
    match letter {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        letter => out.push(visible(letter)),
    }
}

#[cfg(test)]
mod tests;
