//! Plain messages: objects with `role` and `content`.
//!
//! Nothing is known of who wrote them, so calls and results are read in the shapes of both great
//! interfaces, which do not overlap.

use crate::lens::anthropic::add_content;
use crate::lens::openai::add_calls;
use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a message.
pub(super) fn read(message: View<'_>) -> Reading<'_> {
    let [role, content, id, parent] = message.pick(["role", "content", "id", "parent"]);
    let mut reading = Reading {
        role: role.and_then(View::text),
        id: id.and_then(View::text),
        parent: parent.and_then(View::text),
        ..Reading::default()
    };
    if let Some(content) = content {
        add_content(&mut reading, content);
    }
    add_calls(&mut reading, message);
    reading
}
