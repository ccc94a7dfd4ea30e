//! The content of a message: text, or a list of blocks of which some are text.

use std::borrow::Cow;

use crate::lens::reading::Reading;
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

/// Adds every text of a content.
pub(super) fn say_all<'a>(reading: &mut Reading<'a>, content: View<'a>) {
    if let Some(text) = content.text() {
        reading.say(text);
    }
    content.items().filter_map(text_of_block).for_each(|text| reading.say(text));
}
