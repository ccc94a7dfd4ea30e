//! Masking: removing the data of entries from the objects that hold it.

use std::collections::BTreeSet;

use bytes::Bytes;
use sessile_core::commit::Tip;
use sessile_core::digest::Salt;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::journal::Found;
use sessile_core::{Entry, Seq, line};

use crate::chain::{Link, Walk};
use crate::client::{Object, Only};
use crate::entropy;
use crate::known::Known;
use crate::look::{Session, deleted};
use crate::mark;
use crate::piece::{self, NOTICE, Piece};
use crate::ranges;
use crate::settle::{Settled, Whose, settle};

impl Session {
    /// Removes the data of entries from the log, and the ranges that held it.
    ///
    /// The objects are swapped one by one: a call that fails may have removed some, and the same
    /// call completes it.
    ///
    /// # Errors
    /// Those of [`mask`](sessile_core::Backend::mask).
    pub(crate) async fn mask(&self, expected: Tip, seqs: &[Seq]) -> Result<(), Error> {
        let _turn = self.journal.turn.lock().await;
        let known = self.look_at_existing().await?;
        if known.word.deleted {
            return Err(deleted());
        }
        if expected != known.tip {
            return Err(Error::conflict(expected.position, known.tip.position));
        }
        let seqs: BTreeSet<Seq> = seqs.iter().copied().collect();
        if seqs.contains(&Seq::FIRST) {
            return Err(refused("the header can't be masked"));
        }
        let Some(first) = seqs.first().copied() else {
            return Ok(());
        };
        let mut start = self.locate(&known, first).await?;
        let holders = loop {
            match self.holders(&known, &seqs, start).await? {
                Some(holders) => break holders,
                // Where the walk began is not on the chain.
                None => start = known.first.max(start / 2),
            }
        };
        // Before the log changes, so that nothing that was read of it is served on should this
        // end in the middle; and after it, for what others read of it meanwhile.
        let before = self.announce(known.taken).await?;
        let removed = self.remove_from_log(&known, &seqs, holders).await;
        let ranges = self.remove_ranges(before, known.begun.salt).await;
        self.journal.forget();
        removed.and(ranges).map_err(Error::outcome_unknown)
    }

    /// Makes invalid whatever was read of the log, and every range, for all who look at the log's
    /// end from then on; answers the number of the notice that tells them, behind a number that is
    /// taken.
    ///
    /// The mark is swapped first, so that whoever meets the notice finds it swapped.
    async fn announce(&self, taken: u64) -> Result<u64, Error> {
        let own = entropy::token().to_string();
        if mark::purged(&mark::swap(self.client(), &self.keys, own).await?).is_some() {
            return Err(deleted());
        }
        let mut number = taken;
        loop {
            number += 1;
            let (path, body) = (self.keys.log(number), Bytes::from_static(NOTICE));
            // Another's looks just like it, and may have been met before the mark was swapped.
            let whose = |_: &Object| Whose::Others;
            match settle(self.client(), &path, &body, &Only::IfAbsent, whose).await? {
                Settled::Ours(_) => return Ok(number),
                // Nothing is put behind what is left of a purged session.
                Settled::Others(object) if piece::is_left_over(&object.bytes, &self.key) => {
                    return Err(deleted());
                }
                Settled::Others(_) | Settled::Gone => {}
            }
        }
    }

    /// The numbers of the objects that hold entries, on the chain or beside it; none where the
    /// object that the walk begins with can't be told to be on the chain. What is not there is
    /// refused before anything is changed.
    async fn holders(
        &self,
        known: &Known,
        seqs: &BTreeSet<Seq>,
        start: u64,
    ) -> Result<Option<Vec<u64>>, Error> {
        let salt = known.begun.salt;
        let is_first = start <= known.first;
        let mut walk = if is_first { Walk::from_first(salt) } else { Walk::from_the_middle(salt) };
        let (mut holders, mut missing, mut damage) = (Vec::new(), seqs.clone(), None);
        for number in start..=known.taken {
            let Some(object) = self.client().get(&self.keys.log(number)).await? else {
                walk.gap = true;
                continue;
            };
            let piece = Piece::read(object.bytes.clone(), salt, None);
            if holds(&piece, seqs) {
                holders.push(number);
            }
            match walk.take(self.client(), &self.keys, (object.bytes, number)).await? {
                Link::Astray => return Ok(None),
                Link::Off | Link::Nothing => {}
                Link::On(piece) => {
                    for found in &piece.found {
                        match found {
                            Found::Commit(placed) => {
                                placed.commit.entries.iter().for_each(|entry| {
                                    missing.remove(&entry.seq);
                                });
                            }
                            Found::Failure(failure) => {
                                damage.get_or_insert_with(|| piece::damage(failure));
                            }
                        }
                    }
                }
            }
            if missing.is_empty() && walk.proven {
                return Ok(Some(holders));
            }
        }
        if !walk.proven && start < known.last {
            return Ok(None);
        }
        if missing.is_empty() {
            return Ok(Some(holders));
        }
        // Damage hides what may be looked for.
        Err(damage.unwrap_or_else(|| refused("there is no such entry to mask")))
    }

    async fn remove_from_log(
        &self,
        known: &Known,
        seqs: &BTreeSet<Seq>,
        holders: Vec<u64>,
    ) -> Result<(), Error> {
        for number in holders {
            let path = self.keys.log(number);
            loop {
                let Some(object) = self.client().get(&path).await? else { break };
                let piece = Piece::read(object.bytes.clone(), known.begun.salt, None);
                if let Some(body) = without(piece, seqs, known.begun.salt)? {
                    let whose = |now: &Object| match () {
                        () if now.bytes == body => Whose::Ours,
                        () if now.tag == object.tag => Whose::Expected,
                        () => Whose::Others,
                    };
                    let only = Only::IfStill(object.tag.clone());
                    let sent = settle(self.client(), &path, &body, &only, whose);
                    if !matches!(sent.await?, Settled::Ours(_)) {
                        // Somebody else removes data from it too.
                        continue;
                    }
                }
                break;
            }
        }
        Ok(())
    }

    /// Deletes every range, and has them merged anew from the log.
    async fn remove_ranges(&self, before: u64, salt: Salt) -> Result<(), Error> {
        let after = self.announce(before).await?;
        let ranges = ranges::delete_all(self).await?;
        let session = self.clone();
        tokio::spawn(async move {
            // Without them reading costs more requests, and nothing else.
            for range in ranges {
                let _merged = ranges::merge_one(&session, range.from, range.to, salt).await;
            }
            for notice in [before, after] {
                let _merged = ranges::merge(&session, notice, salt).await;
            }
        });
        Ok(())
    }
}

/// Whether a piece holds some of the entries.
fn holds(piece: &Piece, seqs: &BTreeSet<Seq>) -> bool {
    piece.commits().flat_map(|commit| &commit.entries).any(|entry| seqs.contains(&entry.seq))
}

/// The bytes of a piece without the data of entries; none where there is nothing to remove.
///
/// # Errors
/// *corrupt* where it is damaged: what can't be read can't be told apart.
fn without(piece: Piece, seqs: &BTreeSet<Seq>, salt: Salt) -> Result<Option<Bytes>, Error> {
    let mut entries = piece.commits().flat_map(|commit| &commit.entries);
    let is_there = |it: &Entry| !it.is_redacted();
    let has = entries.any(|it| seqs.contains(&it.seq) && is_there(it));
    drop(entries);
    if !has {
        return Ok(None);
    }
    let mut body = Vec::new();
    for found in piece.found {
        let mut commit = match found {
            Found::Commit(placed) => placed.commit,
            Found::Failure(failure) => return Err(piece::damage(&failure)),
        };
        for entry in &mut commit.entries {
            if seqs.contains(&entry.seq) {
                entry.redact()?;
            }
        }
        line::encode_commit(&mut body, &commit, salt);
    }
    Ok(Some(body.into()))
}

fn refused(clause: &'static str) -> Error {
    Error::new(ErrorKind::Refused, clause)
}
