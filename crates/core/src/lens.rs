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
mod codex;
mod pi;
mod gemini;
mod goose;
mod opencode;
mod kerness;
mod title;
mod pairing;

pub use pairing::{Finding, Findings, Pairing, PairingReport};
pub use reading::{Call, CallResult, Reading};
pub use title::{UNTITLED, title_from_prompt};
pub use view::{Items, Members, View};

use crate::entry::shape::Dialect;
use crate::payload::Payload;

/// Reads a message through the lens of a dialect; through one that is not known everything reads
/// as nothing.
pub fn read(dialect: Dialect, data: &Payload) -> Reading<'_> {
    let message = View::of(data);
    match dialect {
        Dialect::Plain => plain::read(message),
        Dialect::Openai => openai::read(message),
        Dialect::Anthropic => anthropic::read(message),
        Dialect::ClaudeCode => claude_code::read(message),
        Dialect::Codex => codex::read(message),
        Dialect::Pi => pi::read(message),
        Dialect::Gemini => gemini::read(message),
        Dialect::Goose => goose::read(message),
        Dialect::Opencode => opencode::read(message),
        Dialect::Kerness => kerness::read(message),
        Dialect::Unknown => Reading::default(),
    }
}

#[cfg(test)]
mod tests;
