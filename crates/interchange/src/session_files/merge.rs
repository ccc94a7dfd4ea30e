//! One history out of files of several ages.

use sessile_core::Payload;

use crate::json::{self, Object, Value};
use crate::session_files::part::Part;
use crate::session_files::transcript::{FileNotice, Transcript};
use crate::source::Notice;

/// Puts a newer file's records after those of the older ones.
///
/// A newer file that begins with all older messages was made from them, and stands for them; how
/// many records that leaves out is told. One that does not was begun beside them: they come first,
/// so that none gets lost.
pub(super) fn join(older: Transcript, mut newer: Transcript, part: Part) -> (Transcript, u64) {
    let mut ahead = newer.messages().map(plain);
    let repeats_all = older.messages().map(plain).all(|old| ahead.next() == Some(old));
    drop(ahead);
    let has_message = older.messages().next().is_some();
    let stands_for_all = repeats_all && (has_message || older.records.is_empty());
    let mut joined = older;
    let mut repeated = 0;
    if stands_for_all {
        repeated = u64::try_from(joined.records.len()).unwrap_or(u64::MAX);
        joined.records.clear();
        joined.notices.clear();
    } else if newer.header.is_some() && has_message {
        let reason =
            "the messages do not begin with those of the older file, which stand before them";
        newer
            .notices
            .push(FileNotice { part, notice: Notice { line: 1, reason: reason.to_owned() } });
    }
    joined.records.append(&mut newer.records);
    joined.skipped.append(&mut newer.skipped);
    joined.notices.append(&mut newer.notices);
    joined.header = newer.header.or(joined.header);
    (joined, repeated)
}

/// A message as it is compared: without its `type` and what is `null`, whatever the order of its
/// members. One that nests too deep is compared as it stands.
fn plain(message: &Payload) -> String {
    let Ok(value) = json::parse(message.as_str()) else { return message.as_str().to_owned() };
    let Some(object) = value.as_object() else { return json::compact(&value) };
    let mut members: Vec<_> = object
        .iter()
        .filter(|(name, value)| **name != "type" && **value != Value::Null)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    Object::of(members).map_or_else(String::new, |object| json::compact(&object.into()))
}
