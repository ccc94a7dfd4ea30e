//! Sessions written as logs.

use sessile_core::Payload;
use sessile_core::lens::View;

use crate::session_files::header::Header;

/// A log, and which messages it can't hold.
///
/// # Examples
/// ```
/// use sessile_core::{Payload, UnixMillis};
/// use sessile_interchange::session_files::{Header, Written, write};
///
/// let header = Header::new("ses_1", UnixMillis(7)).expect("an id");
/// let messages = [Payload::parse(r#"{"role":"user","content":"hi"}"#)?, Payload::of("words")?];
/// let Written { bytes, left_out } = write(&header, &messages);
/// assert!(bytes.ends_with("{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}\n"));
/// // What has no role the layout can't hold, and that is told.
/// assert_eq!(left_out, [1]);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Written {
    /// The bytes of `sessions/<id>.jsonl`.
    pub bytes: String,
    /// The messages that are left out, counted from 0: they have no role, or a `type` of their own
    /// that says what else they are.
    pub left_out: Vec<usize>,
}

/// Writes a session as a log of the current layout: its header, then each message.
///
/// A message that says already that it is one is written as it is, so that what was read of a log
/// is written byte for byte; any other gets `"type":"message"` before its own members.
pub fn write<'a>(header: &Header, messages: impl IntoIterator<Item = &'a Payload>) -> Written {
    let mut written = Written { bytes: header.encode(), left_out: Vec::new() };
    written.bytes.push('\n');
    for (index, message) in messages.into_iter().enumerate() {
        let [kind, role] = View::of(message).pick(["type", "role"]);
        let has_role = role.and_then(View::text).is_some();
        let inside = message.as_str().strip_prefix('{').map(str::trim_start);
        match (kind.map(View::text), inside) {
            (Some(Some(kind)), Some(_)) if has_role && kind == "message" => {
                written.bytes.push_str(message.as_str());
            }
            (None, Some(inside)) if has_role => {
                written.bytes.extend([r#"{"type":"message","#, inside]);
            }
            _ => {
                written.left_out.push(index);
                continue;
            }
        }
        written.bytes.push('\n');
    }
    written
}

impl std::fmt::Debug for Written {
    /// Tells the size only.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Written")
            .field("bytes", &self.bytes.len())
            .field("left_out", &self.left_out)
            .finish()
    }
}
