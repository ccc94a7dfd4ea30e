//! What the lines of a catalog and its block come to.

use std::cmp::Reverse;

use bytes::Bytes;
use sessile_core::id::SessionId;

use super::index::Index;
use super::label::Label;
use super::line::Line;
use super::orders::Orders;
use super::packed::Packed;

impl Index {
    /// Takes what a file has from its beginning on, or what was added to it, as far as that ends
    /// with a line end; answers how many bytes that is.
    pub(crate) fn take(&mut self, bytes: &Bytes, boot: Option<&str>) -> usize {
        let mut taken = 0;
        while let Some(rest) = bytes.get(taken..)
            && let Some(end) = memchr::memchr(b'\n', rest)
        {
            taken += end + 1;
            match rest.get(..end).map(Line::decode) {
                Some(Some(Line::Block(label))) => {
                    let end = self.take_block(&label, bytes, taken);
                    // Without one it can't be told where lines begin again.
                    self.is_broken |= end.is_none();
                    taken = end.unwrap_or(bytes.len());
                }
                Some(Some(line)) => self.apply(line, boot),
                _ => self.is_broken |= end > 0,
            }
        }
        if self.is_broken {
            // What was not read may have opened any of them.
            self.unpack_all();
            self.names = None;
            for (id, entry) in &mut self.entries {
                (entry.is_sure, entry.was_open) = (false, true);
                self.unsure.insert(id.clone());
            }
        }
        self.place_all();
        taken
    }

    /// Takes the block of a file, which stands before all sessions that lines tell of; answers
    /// where it ends.
    fn take_block(&mut self, label: &Label, bytes: &Bytes, from: usize) -> Option<usize> {
        if self.packed.len() > 0 || !self.entries.is_empty() {
            return None;
        }
        let end = from.checked_add(usize::try_from(label.bytes()).ok()?)?;
        let block = (end <= bytes.len()).then(|| bytes.slice(from..end))?;
        self.packed = Packed::read(label, &block)?;
        let former =
            if self.is_of_boot { self.packed.former() } else { self.packed.after(None).collect() };
        for at in former {
            if let Some(id) = self.unpack(at) {
                self.entry(&id).is_sure = false;
                self.unsure.insert(id);
            }
        }
        Some(end)
    }

    fn apply(&mut self, line: Line, boot: Option<&str>) {
        match line {
            Line::Boot(of) => self.is_of_boot = boot == Some(&*of),
            Line::Names(stamp) => self.names = self.is_of_boot.then_some(stamp),
            Line::Open(holder, id) => {
                let of_boot = self.is_of_boot;
                let entry = self.entry(&id);
                // It is told again in a file that took another's place.
                if of_boot && !entry.holders.contains(&holder) {
                    entry.holders.push(holder);
                }
                (entry.is_sure, entry.was_open) = (false, true);
                self.unsure.insert(id);
            }
            Line::Closed(holder, id, noted) => {
                let of_boot = self.is_of_boot;
                let entry = self.entry(&id);
                entry.holders.retain(|it| *it != holder);
                (entry.is_sure, entry.was_open) = (of_boot && noted.is_some(), true);
                entry.noted = match (noted, entry.noted.take()) {
                    (Some(noted), Some(before)) => Some(noted.after(before)),
                    (noted, before) => noted.or(before),
                };
                entry.is_unsaved = false;
                self.noted(&id);
            }
            // It may be older than what is known.
            Line::Found(id, _) | Line::Former(id, _) if self.is_taken(&id) => {}
            Line::Found(id, noted) => {
                let of_boot = self.is_of_boot;
                let entry = self.entry(&id);
                (entry.is_sure, entry.is_unsaved, entry.noted) = (of_boot, false, Some(noted));
                self.noted(&id);
            }
            Line::Former(id, noted) => {
                let entry = self.entry(&id);
                (entry.is_sure, entry.is_unsaved, entry.noted) = (false, false, Some(noted));
                self.noted(&id);
            }
            Line::Told(id, gist) => {
                self.unpack_if_there(&id);
                let noted = self.entries.get_mut(&id).and_then(|entry| entry.noted.as_mut());
                if let Some(noted) = noted.filter(|noted| noted.note.tip == gist.tip) {
                    noted.gist = Some(gist);
                }
            }
            Line::Gone(id) => self.remove(&id),
            // It is taken with what follows it.
            Line::Block(_) => self.is_broken = true,
        }
    }

    /// Whether what somebody found of a session may be older than what is known.
    fn is_taken(&self, id: &SessionId) -> bool {
        self.entries.get(id).is_some_and(|entry| entry.was_open)
    }

    /// Puts those in the order whose note tells where.
    fn place_all(&mut self) {
        if self.orders.all().next().is_none() {
            let mut places = Vec::with_capacity(self.entries.len());
            for (id, entry) in &mut self.entries {
                let Some(noted) = &entry.noted else { continue };
                (entry.placed, entry.scope) = (Some(noted.note.updated_at), None);
                places.push((Reverse(noted.note.updated_at), id.clone()));
                self.unscoped.insert(id.clone());
            }
            self.orders = Orders::of(places);
            self.told.clear();
            return;
        }
        for id in std::mem::take(&mut self.told) {
            let Some(entry) = self.entries.get(&id) else { continue };
            let at = entry.noted.as_ref().map(|noted| noted.note.updated_at);
            if let Some(at) = at.filter(|at| entry.placed != Some(*at)) {
                self.place(&id, at);
            }
        }
    }
}
