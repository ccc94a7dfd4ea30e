//! The board as a `state` holds it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sessile_core::digest::Digest;

use super::message::Message;
use super::state::{Board, Delivery};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    revision: u64,
    floor: u64,
    posted: u64,
    #[serde(default)]
    incomplete: bool,
    messages: Vec<(u64, Cow<'a, Message>)>,
    deliveries: BTreeMap<Digest, Cow<'a, Delivery>>,
}

impl Board {
    /// The board as JSON, from which [`restore`](Self::restore) makes it again.
    pub fn save(&self) -> String {
        let saved = Saved {
            revision: self.revision,
            floor: self.floor,
            posted: self.posted,
            incomplete: self.incomplete,
            messages: self.messages.iter().map(|(at, it)| (*at, Cow::Borrowed(it))).collect(),
            deliveries: self.deliveries.iter().map(|(key, it)| (*key, Cow::Borrowed(it))).collect(),
        };
        // Only maps with keys that are no texts have no JSON form.
        serde_json::to_string(&saved).unwrap_or_default()
    }

    /// Makes a board of what [`save`](Self::save) gave; none of anything else.
    pub fn restore(saved: &str) -> Option<Self> {
        let saved: Saved<'_> = serde_json::from_str(saved).ok()?;
        let Saved { revision, floor, posted, incomplete, messages, deliveries } = saved;
        let mut board = Self { revision, floor, posted, incomplete, ..Self::default() };
        for (place, message) in messages {
            let message = message.into_owned();
            let fits = place < posted && message.revision <= revision;
            let is_new = board.places.insert(message.id.clone(), place).is_none();
            if !fits || !is_new || board.messages.insert(place, message).is_some() {
                return None;
            }
        }
        board.deliveries = deliveries.into_iter().map(|(key, it)| (key, it.into_owned())).collect();
        (floor <= revision).then_some(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_saved_by_a_board_is_none() {
        let empty = Board::default().save();
        assert_eq!(Board::restore(&empty), Some(Board::default()));
        for text in [
            "",
            "{}",
            "null",
            r#"{"revision":1,"floor":2,"posted":0,"messages":[],"deliveries":{}}"#,
        ] {
            assert_eq!(Board::restore(text), None, "{text}");
        }
    }
}
