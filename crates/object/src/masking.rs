//! Masking: removing the data of entries from the objects that hold it.

use std::collections::BTreeSet;

use bytes::Bytes;
use futures_util::StreamExt as _;
use sessile_core::backend::Span;
use sessile_core::commit::{StoredCommit, Tip};
use sessile_core::digest::Salt;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::journal::Found;
use sessile_core::{Payload, Seq, line};

use crate::client::{Object, Only};
use crate::entropy;
use crate::known::Known;
use crate::look::{Session, deleted};
use crate::piece::{self, Piece};
use crate::ranges;
use crate::settle::{Settled, Whose, settle};

/// What stands in place of data that was removed.
const MASKED: &str = r#"{"redacted":true}"#;

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
        let known = self.look_closely().await?;
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
        let (Some(first), Some(last)) = (seqs.first().copied(), seqs.last().copied()) else {
            return Ok(());
        };
        self.check_there(&seqs, first, last).await?;
        // Before the log changes, so that nothing that was read of it is served on should this
        // end in the middle; and after it, for what others read of it meanwhile.
        self.swap_mark().await?;
        let removed = self.remove_from_log(&known, &seqs, first, last).await;
        let ranges = self.remove_ranges(known.begun.salt).await;
        self.journal.forget();
        removed.and(ranges).map_err(Error::outcome_unknown)
    }

    /// Refuses what is not there before anything is changed.
    async fn check_there(&self, seqs: &BTreeSet<Seq>, first: Seq, last: Seq) -> Result<(), Error> {
        let mut commits = self.read(Span::From(first)).await?;
        let mut found = 0;
        while let Some(commit) = commits.next().await {
            let commit = commit?;
            found += commit.entries.iter().filter(|entry| seqs.contains(&entry.seq)).count();
            if commit.tip().position > last.after() {
                break;
            }
        }
        if found < seqs.len() {
            return Err(refused("there is no such entry to mask"));
        }
        Ok(())
    }

    async fn remove_from_log(
        &self,
        known: &Known,
        seqs: &BTreeSet<Seq>,
        first: Seq,
        last: Seq,
    ) -> Result<(), Error> {
        for number in self.locate(known, first).await?..=known.last {
            let path = self.keys.log(number);
            loop {
                let Some(object) = self.client().get(&path).await? else { break };
                let piece = Piece::read(object.bytes.clone(), known.begun.salt, None);
                let end = piece.end;
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
                if end.position > last.after() {
                    return Ok(());
                }
                break;
            }
        }
        Ok(())
    }

    /// Makes invalid whatever was read of the log, and every range.
    async fn swap_mark(&self) -> Result<(), Error> {
        let path = self.keys.masked();
        loop {
            let now = self.client().get(&path).await?;
            let only = now.as_ref().map_or(Only::IfAbsent, |now| Only::IfStill(now.tag.clone()));
            let body = Bytes::from(entropy::token().to_string());
            let whose = |found: &Object| match () {
                () if found.bytes == body => Whose::Ours,
                () if now.as_ref().is_some_and(|now| now.tag == found.tag) => Whose::Expected,
                () => Whose::Others,
            };
            let sent = settle(self.client(), &path, &body, &only, whose).await?;
            if matches!(sent, Settled::Ours(_)) {
                return Ok(());
            }
        }
    }

    /// Deletes every range, and has them merged anew from the log.
    async fn remove_ranges(&self, salt: Salt) -> Result<(), Error> {
        self.swap_mark().await?;
        let ranges = ranges::delete_all(self).await?;
        let session = self.clone();
        tokio::spawn(async move {
            for range in ranges {
                // Without it reading costs more requests, and nothing else.
                let _merged = ranges::merge_one(&session, range.from, range.to, salt).await;
            }
        });
        Ok(())
    }
}

/// The bytes of a piece without the data of entries; none where there is nothing to remove.
///
/// # Errors
/// *corrupt* where it is damaged: what can't be read can't be told apart.
fn without(piece: Piece, seqs: &BTreeSet<Seq>, salt: Salt) -> Result<Option<Bytes>, Error> {
    let masked = Payload::parse(MASKED)?;
    let holds = |commit: &StoredCommit| {
        let mut entries = commit.entries.iter();
        entries.any(|it| seqs.contains(&it.seq) && (it.data != masked || !it.extra.is_empty()))
    };
    if !piece.commits().any(holds) {
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
                entry.data = masked.clone();
                entry.extra.clear();
            }
        }
        line::encode_commit(&mut body, &commit, salt);
    }
    Ok(Some(body.into()))
}

fn refused(clause: &'static str) -> Error {
    Error::new(ErrorKind::Refused, clause)
}
