//! Lenses: what sessile must know of a message, read from its verbatim JSON.
//!
//! A message is any JSON value and is kept as it came. Titles, search, open calls, trees and
//! pages for people need a little of what it says; a lens reads that little, and which lens it
//! is, the session's [`Dialect`] says. No lens fails, panics or recurses: what it does not
//! understand reads as nothing, and never keeps a message from being appended.

mod escape;
mod view;
mod reading;
mod content;
mod openai;
mod anthropic;
mod plain;
mod claude_code;
mod pi;
mod title;

pub use reading::{Call, CallResult, Reading};
pub use title::{UNTITLED, title_from_prompt};
pub use view::{Items, Members, View};

use crate::entry::shape::Dialect;
use crate::payload::Payload;

/// Reads a message through the lens of a dialect.
///
/// Plain, `OpenAI`, Anthropic, Claude Code and pi have one; through any other dialect everything
/// reads as nothing.
pub fn read(dialect: Dialect, data: &Payload) -> Reading<'_> {
    let message = View::of(data);
    match dialect {
        Dialect::Plain => plain::read(message),
        Dialect::Openai => openai::read(message),
        Dialect::Anthropic => anthropic::read(message),
        Dialect::ClaudeCode => claude_code::read(message),
        Dialect::Pi => pi::read(message),
        Dialect::Codex
        | Dialect::Gemini
        | Dialect::Goose
        | Dialect::Opencode
        | Dialect::Kerness
        | Dialect::Unknown => Reading::default(),
    }
}

#[cfg(test)]
mod tests;
