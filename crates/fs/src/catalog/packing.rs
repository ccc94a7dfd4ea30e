//! Writing the block of a catalog.

use std::collections::HashMap;

use sessile_core::id::SessionId;

use super::label::Label;
use super::line::{Line, More};
use super::packed::BEFORE_ALL;
use super::row::Row;
use crate::note::Noted;

/// A block that is being written.
#[derive(Debug)]
pub(crate) struct Packing {
    rows: u64,
    numbers: Vec<u8>,
    texts: String,
    shared: String,
    /// Where in those a text begins.
    places: HashMap<String, usize>,
    /// The time and the inode of the last row.
    before: (u64, u64),
}

impl Packing {
    /// One that has nothing yet.
    pub(crate) fn begin() -> Self {
        let (numbers, texts, shared) = (Vec::new(), String::new(), String::new());
        Self { rows: 0, numbers, texts, shared, places: HashMap::new(), before: BEFORE_ALL }
    }

    /// Adds the next session in the order of recency; answers whether that can be: of one without
    /// a gist nothing can be shown.
    pub(crate) fn add(&mut self, id: &SessionId, noted: &Noted, is_sure: bool) -> bool {
        let is_next = noted.note.updated_at.millis() <= self.before.0;
        let Some(gist) = noted.gist.as_ref().filter(|_| is_next) else { return false };
        let more = More::encode(gist).map(|text| {
            let length = text.len();
            let at = *self.places.entry(text).or_insert_with_key(|text| {
                let at = self.shared.len();
                self.shared.push_str(text);
                at
            });
            (at, length)
        });
        let row = Row::of((&noted.note, is_sure), gist, id.as_str().len(), more);
        row.write(&mut self.numbers, self.before);
        self.before = (row.note.updated_at.millis(), row.note.inode);
        self.texts.push_str(id.as_str());
        self.texts.push_str(gist.title.as_deref().unwrap_or_default());
        self.rows += 1;
        true
    }

    /// The block after its line; nothing where it has no rows.
    pub(crate) fn encode(self, to: &mut Vec<u8>) {
        if self.rows == 0 {
            return;
        }
        let length = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        let block = [&*self.numbers, self.texts.as_bytes(), self.shared.as_bytes()].concat();
        let label = Label {
            rows: self.rows,
            numbers: length(self.numbers.len()),
            texts: length(self.texts.len()),
            shared: length(self.shared.len()),
            sum: crc32c::crc32c(&block),
        };
        let mut line = String::new();
        Line::Block(label).encode(&mut line);
        to.extend(line.as_bytes());
        to.extend(block);
    }
}
