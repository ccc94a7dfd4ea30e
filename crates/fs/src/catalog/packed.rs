//! The block of a catalog: the sessions that were sure when it was folded, newest first.
//!
//! It is two stretches, numbers and texts, that one checksum stands for. Where it begins nothing is
//! taken apart but what tells where each session stands; a row is made of it when it is shown, and
//! its title is a part of the texts. What is told of a session after the block makes it one of those
//! that are known one by one.

use std::cell::OnceCell;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
use sessile_core::backend::{Gist, Recency};
use sessile_core::id::SessionId;
use sessile_core::time::UnixMillis;

use super::by_id::ById;
use super::label::Label;
use super::line::More;
use super::numbers::Numbers;
use super::row::Row;
use crate::note::Noted;

/// How many of the newest are kept as they are shown: they are asked for again and again.
const KEPT: usize = 256;

/// The time and the inode that the first row is told by.
pub(crate) const BEFORE_ALL: (u64, u64) = (u64::MAX, 0);

/// Where a session stands, and where what is told of it is.
#[derive(Clone, Copy, Debug)]
struct Spot {
    updated_at: u64,
    inode: u64,
    numbers: u32,
    texts: u32,
    /// How long its id is, which its texts begin with.
    id: u32,
    /// Whether it is none of these any more.
    is_taken: bool,
    /// Whether it was told within an earlier boot.
    is_former: bool,
}

/// A session of a block, as it is shown.
type Shown = (SessionId, Arc<Gist>);

/// The sessions that only a block tells of.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    numbers: Bytes,
    texts: ByteString,
    /// Where those texts begin that several may share.
    shared: usize,
    spots: Vec<Spot>,
    /// How many of them are still these.
    left: usize,
    newest: Vec<OnceCell<Shown>>,
    by_id: OnceCell<ById>,
}

impl Packed {
    /// Reads a block; none where it is not what its label says.
    pub(crate) fn read(label: &Label, block: &Bytes) -> Option<Self> {
        let (numbers, shared) =
            (usize::try_from(label.numbers).ok()?, usize::try_from(label.texts).ok()?);
        let is_whole = u64::try_from(block.len()).ok()? == label.bytes();
        if !is_whole || crc32c::crc32c(block) != label.sum {
            return None;
        }
        let texts = ByteString::try_from(block.slice(numbers..)).ok()?;
        let numbers = block.slice(..numbers);
        let mut packed = Self { numbers, texts, shared, ..Self::default() };
        packed.find_spots(usize::try_from(label.rows).ok()?)?;
        packed.left = packed.spots.len();
        packed.newest.resize_with(packed.left.min(KEPT), OnceCell::new);
        Some(packed)
    }

    /// Finds out where each row is, and that each is one, in their order.
    fn find_spots(&mut self, rows: usize) -> Option<()> {
        // No row is shorter: a label that tells of too many takes no memory for them.
        let mut spots = Vec::with_capacity(rows.min(self.numbers.len() / 16));
        let mut numbers = Numbers(&self.numbers);
        let (mut before, mut id_before, mut more_before) = (BEFORE_ALL, "", None);
        let mut texts = 0_usize;
        for _ in 0..rows {
            let at = self.numbers.len().checked_sub(numbers.0.len())?;
            let row = Row::read(&mut numbers, before)?;
            let (updated_at, inode) = (row.note.updated_at.millis(), row.note.inode);
            let title = texts.checked_add(row.id)?;
            let id = self.texts.get(texts..title)?;
            let end = title.checked_add(row.title.unwrap_or(0))?;
            self.texts.get(title..end)?;
            let is_next = updated_at < before.0 || id > id_before;
            if !is_next || !SessionId::is_one(id) {
                return None;
            }
            if row.more.is_some() && row.more != more_before {
                self.more(&row)?;
                more_before = row.more;
            }
            spots.push(Spot {
                updated_at,
                inode,
                numbers: u32::try_from(at).ok()?,
                texts: u32::try_from(texts).ok()?,
                id: u32::try_from(row.id).ok()?,
                is_taken: false,
                is_former: row.is_former(),
            });
            (before, id_before, texts) = ((updated_at, inode), id, end);
        }
        self.spots = spots;
        (numbers.0.is_empty() && texts == self.shared).then_some(())
    }

    fn more(&self, row: &Row) -> Option<More> {
        let Some((at, length)) = row.more else { return Some(More::default()) };
        let from = self.shared.checked_add(at)?;
        More::decode(self.texts.get(from..from.checked_add(length)?)?)
    }

    /// How many there are that nothing else was told of.
    pub(crate) const fn len(&self) -> usize {
        self.left
    }

    fn id_at(&self, spot: &Spot) -> &str {
        let from = usize::try_from(spot.texts).unwrap_or(usize::MAX);
        let to = usize::try_from(spot.id).unwrap_or(usize::MAX).saturating_add(from);
        self.texts.get(from..to).unwrap_or_default()
    }

    fn row(&self, at: usize) -> Option<(SessionId, Noted)> {
        let spot = self.spots.get(at)?;
        let before = at.checked_sub(1).and_then(|before| self.spots.get(before));
        let before = before.map_or(BEFORE_ALL, |before| (before.updated_at, before.inode));
        let from = usize::try_from(spot.numbers).ok()?;
        let row = Row::read(&mut Numbers(self.numbers.get(from..)?), before)?;
        let more = self.more(&row)?;
        let from = usize::try_from(spot.texts).ok()?.checked_add(row.id)?;
        let title = self.texts.get(from..from.checked_add(row.title.unwrap_or(0))?)?;
        let gist = Gist {
            tip: row.note.tip,
            project: more.project,
            owner: more.owner,
            parent: more.parent,
            created_at: row.created_at,
            updated_at: row.updated_at,
            title: row.title.map(|_| self.texts.slice_ref(title)),
            tags: more.tags,
            lifecycle: row.lifecycle(),
            damaged: row.is_damaged(),
            incomplete: row.is_incomplete(),
            messages: row.messages,
            occupant: more.occupant,
        };
        let id = self.id_at(spot).parse().ok()?;
        Some((id, Noted { note: row.note, gist: Some(Arc::new(gist)) }))
    }

    /// What is shown of one of them.
    pub(crate) fn shown(&self, at: usize) -> Option<Shown> {
        let make = || self.row(at).and_then(|(id, noted)| Some((id, noted.gist?)));
        match self.newest.get(at) {
            Some(kept) => match kept.get() {
                Some(shown) => Some(shown.clone()),
                None => make().inspect(|shown| {
                    let _was_empty = kept.set(shown.clone());
                }),
            },
            None => make(),
        }
    }

    /// Where one of them stands: by its time, then by its id.
    pub(crate) fn place(&self, at: usize) -> Option<(UnixMillis, &str)> {
        let spot = self.spots.get(at)?;
        Some((UnixMillis(spot.updated_at), self.id_at(spot)))
    }

    /// Those after a place, in their order.
    pub(crate) fn after(&self, after: Option<&Recency>) -> impl Iterator<Item = usize> {
        let is_before = |spot: &Spot, after: &Recency| {
            let at = after.updated_at.millis();
            spot.updated_at > at || spot.updated_at == at && self.id_at(spot) <= after.id.as_str()
        };
        let from =
            after.map_or(0, |after| self.spots.partition_point(|spot| is_before(spot, after)));
        let rest = self.spots.get(from..).unwrap_or_default().iter().zip(from..);
        rest.filter(|(spot, _)| !spot.is_taken).map(|(_, at)| at)
    }

    /// Those that were told within an earlier boot.
    pub(crate) fn former(&self) -> Vec<usize> {
        let spots = self.spots.iter().enumerate();
        spots.filter(|(_, spot)| spot.is_former && !spot.is_taken).map(|(at, _)| at).collect()
    }

    /// Finds one of them by its id; with the number of its file.
    pub(crate) fn find(&self, id: &SessionId) -> Option<(usize, u64)> {
        if self.left == 0 {
            return None;
        }
        let by_id = self.by_id.get_or_init(|| {
            ById::of(self.spots.len(), self.spots.iter().map(|spot| self.id_at(spot)))
        });
        let is_it = |at| self.spots.get(at).is_some_and(|spot| self.id_at(spot) == id.as_str());
        let at = by_id.find(id.as_str(), is_it)?;
        let spot = self.spots.get(at).filter(|spot| !spot.is_taken)?;
        Some((at, spot.inode))
    }

    /// Takes one of them out, which is known by itself from here on, or gone.
    pub(crate) fn take(&mut self, at: usize) -> Option<(SessionId, Noted)> {
        let row = self.row(at);
        self.remove(at);
        row
    }

    /// Takes out those that are gone.
    pub(crate) fn retain(&mut self, is_there: impl Fn(usize) -> bool) {
        for at in 0..self.spots.len() {
            if !is_there(at) {
                self.remove(at);
            }
        }
    }

    /// Takes one of them out that is gone.
    pub(crate) fn remove(&mut self, at: usize) {
        if let Some(spot) = self.spots.get_mut(at).filter(|spot| !spot.is_taken) {
            spot.is_taken = true;
            self.left -= 1;
        }
    }
}
