//! The content of a message: text, or a list of blocks of which some are text.

use std::borrow::Cow;

use crate::lens::reading::{Reading, add_piece};
use crate::lens::view::View;

/// The types of blocks that are nothing but text; parts of some programs have no type.
const TEXT: &[&str] = &["", "text", "input_text", "output_text"];

/// The text of one block, if that is what it is.
pub(super) fn text_of_block(block: View<'_>) -> Option<Cow<'_, str>> {
    if let Some(bare) = block.text() {
        return Some(bare);
    }
    let [kind, text] = block.pick(["type", "text"]);
    let kind = kind.and_then(View::text).unwrap_or_default();
    TEXT.contains(&&*kind).then_some(text?.text()).flatten()
}

/// Every text of a content, pieces parted by line ends.
pub(super) fn text_of(content: View<'_>) -> Option<Cow<'_, str>> {
    let mut text = None;
    for piece in content.text().into_iter().chain(content.items().filter_map(text_of_block)) {
        add_piece(&mut text, piece);
    }
    text
}

/// Adds every text of a content to what a message says.
pub(super) fn say_all<'a>(reading: &mut Reading<'a>, content: View<'a>) {
    reading.say(text_of(content));
}
