//! Records of Claude Code's session files.
//!
//! A record of type `user` or `assistant` wraps a message of the Anthropic interface; `uuid` and
//! `parentUuid` make the tree. Of other records id and parent are read, and what they say in
//! `content` or `summary`.

use crate::lens::anthropic::add_content;
use crate::lens::content::say_all;
use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a record.
pub(super) fn read(record: View<'_>) -> Reading<'_> {
    let [kind, id, parent, message, content, summary] =
        record.pick(["type", "uuid", "parentUuid", "message", "content", "summary"]);
    let mut reading = Reading {
        id: id.and_then(View::text),
        parent: parent.and_then(View::text),
        ..Reading::default()
    };
    let kind = kind.and_then(View::text).unwrap_or_default();
    if matches!(&*kind, "user" | "assistant") {
        let [role, content] = message.map_or([None; 2], |it| it.pick(["role", "content"]));
        // Old files leave the role out; an error may stand in place of the message.
        reading.role = role.and_then(View::text).or(Some(kind));
        if let Some(content) = content.or(message) {
            add_content(&mut reading, content);
        }
    } else {
        for said in [content, summary].into_iter().flatten() {
            say_all(&mut reading, said);
        }
    }
    reading
}
