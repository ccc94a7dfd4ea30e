//! Turns of kerness's snapshots, and the lines of its transcripts.
//!
//! A turn has a role beside the name of its speaker; a line of a transcript has only a sender.

use crate::lens::reading::Reading;
use crate::lens::view::View;

/// Reads a turn.
pub(super) fn read(turn: View<'_>) -> Reading<'_> {
    let [role, sender, content] = turn.pick(["role", "sender", "content"]);
    let text = content.and_then(View::text);
    Reading {
        role: role.or(sender).and_then(View::text),
        text: text.filter(|text| !text.is_empty()),
        ..Reading::default()
    }
}
