//! Messages, from when they are given to when they wait.

use std::sync::Arc;

use sessile_core::{Error, NewEntry, SessionKey};

use super::book::{Book, Waits};
use super::gathered::Gathered;
use super::line::Line;
use super::writer::Behind;
use crate::generation::Generation;
use crate::resident::Resident;

/// How many bytes of messages wait at most: whoever has more waits until there is room.
const MOST_BYTES: usize = 16 << 20;

/// Messages of one call.
pub(crate) struct Batch {
    pub(crate) entries: Vec<NewEntry>,
    /// How many bytes of payload they have together.
    pub(crate) bytes: usize,
}

impl Behind {
    /// Has messages wait behind what waits of the session, if anything does and there is room for
    /// them and nothing against them; else they are given back.
    ///
    /// # Errors
    /// *unavailable* on a closed store.
    pub(crate) fn add(
        &self,
        key: &SessionKey,
        batch: Batch,
    ) -> Result<Result<Generation, Batch>, Error> {
        let mut book = self.lock();
        book.refuse_closed()?;
        let Book { lines, last, bytes, .. } = &mut *book;
        let line = lines.get_mut(key).filter(|_| *bytes <= MOST_BYTES);
        match line.and_then(|line| line.check_messages().is_ok().then_some(line)) {
            Some(line) => self.put(line, last, bytes, batch).map(Ok),
            None => Ok(Err(batch)),
        }
    }

    /// Has messages wait, once there is room for them.
    ///
    /// # Errors
    /// Those of the session's state, as it is known here with what waits and was read anew; where
    /// there is no room, why what waits could not be written, or *deadline*.
    pub(crate) async fn gather(
        self: &Arc<Self>,
        resident: &Arc<Resident>,
        batch: Batch,
    ) -> Result<Generation, Error> {
        let deadline = resident.opened().deadline();
        let room =
            self.written(
                |book| {
                    if book.bytes <= MOST_BYTES { Waits::Not } else { book.waits(book.last) }
                },
            );
        deadline.bound(room).await.flatten()?;
        if self.is_against(resident)?.is_some() {
            // What stands against them may be gone by now.
            let looking = async {
                self.at_rest(resident.key()).await;
                resident.catch_up().await
            };
            deadline.bound(looking).await.flatten()?;
            self.look_again(resident);
            if let Some(refused) = self.is_against(resident)? {
                return Err(refused);
            }
        }
        let mut book = self.lock();
        book.refuse_closed()?;
        let Book { lines, last, bytes, .. } = &mut *book;
        if let Some(line) = lines.get_mut(resident.key()) {
            return self.put(line, last, bytes, batch);
        }
        let mut line = Line::new(resident);
        let generation = self.put(&mut line, last, bytes, batch)?;
        lines.insert(resident.key().clone(), line);
        self.arm(&mut book);
        Ok(generation)
    }

    /// Why messages can't be appended after what waits.
    ///
    /// # Errors
    /// *unavailable* on a closed store.
    fn is_against(&self, resident: &Arc<Resident>) -> Result<Option<Error>, Error> {
        let mut book = self.lock();
        book.refuse_closed()?;
        let checked = match book.lines.get_mut(resident.key()) {
            Some(line) => line.check_messages(),
            None => Line::new(resident).check_messages(),
        };
        Ok(checked.err())
    }

    fn put(
        &self,
        line: &mut Line,
        last: &mut Generation,
        waiting: &mut usize,
        batch: Batch,
    ) -> Result<Generation, Error> {
        let Batch { mut entries, bytes } = batch;
        if let Some((generation, gathered)) = line.gathering() {
            match gathered.take(entries, bytes) {
                None => {
                    *waiting += bytes;
                    return Ok(generation);
                }
                Some(back) => entries = back,
            }
            // There is a commit's worth of them.
            gathered.close();
            self.hasten();
        }
        let gathered = Gathered::new(line.resident().opened(), entries, bytes)?;
        *waiting += bytes;
        *last = last.next();
        line.gather(*last, gathered);
        Ok(*last)
    }
}
