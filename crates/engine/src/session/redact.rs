//! Removing what entries hold.
//!
//! What is to be removed is recorded first and removed then. Were it the other way round, a crash
//! between the two would leave data that is not what its digest says with nothing that tells why,
//! which is what damage looks like. As it is, the record says what was wanted, and the same call
//! completes it.

use sessile_core::backend::{Capability, Span};
use sessile_core::entry::shape::{Forgotten, Redacted};
use sessile_core::{EntryType, Error, ErrorKind, Seq, Text};

use super::handle::Session;
use super::planned::{Plan, Planned};
use super::rewind::undone;
use crate::append::{Append, Committed};
use crate::masking;
use crate::mutation;
use crate::reading::Seen;
use crate::resident::Resident;

impl Session {
    /// Removes what messages and events hold, physically; they keep their numbers, types and
    /// ordinals.
    ///
    /// Reading shows `{"redacted":true}` in place of what they held. Forks, copies and exports
    /// that were made before are not reached, and neither is what somebody has derived from them,
    /// a title or a summary.
    ///
    /// It needs neither an expected position nor a commit id: entries are named by their numbers
    /// and never change, and redacting twice is redacting once. A call that fails may have
    /// recorded what is to be removed before it was; the same call again completes it.
    ///
    /// # Errors
    /// *refused* without entries, and where one is not there or is of a type that can't be
    /// redacted; *unsupported* where the backend can't; *corrupt* when damage hides one;
    /// *deleted*, *unavailable*, *deadline*, *permission*. Closed sessions take it.
    pub async fn redact(
        &self,
        seqs: impl IntoIterator<Item = Seq>,
        reason: Option<&str>,
    ) -> Result<Committed, Error> {
        let mut seqs: Vec<Seq> = seqs.into_iter().collect();
        seqs.sort_unstable();
        seqs.dedup();
        if seqs.is_empty() {
            let clause = "there is no entry to redact";
            return Err(Error::new(ErrorKind::Refused, clause).about(self.resident().key()));
        }
        let redaction = Redaction(Redacted { seqs, reason: reason.map(Text::from) });
        let planned = Planned::new(Append::at_end(), redaction);
        let done = mutation::carry_out(self.resident(), planned).await?;
        done.map(|(committed, ())| committed).ok_or_else(undone)
    }

    /// Removes what all messages and events before an entry hold, physically and for good.
    ///
    /// Reading one of them is answered with *forgotten* from then on, but for
    /// [`entries`](Self::entries), which shows what was left in its place; the
    /// [`view`](Self::view) begins behind them. Ordinals and positions stay, commit ids are
    /// recognised as before, and so are metadata and summaries kept.
    ///
    /// It needs neither an expected position nor a commit id: it names what is kept, and
    /// forgetting twice is forgetting once; none is answered where all of that was recorded as
    /// forgotten before. A call that fails may have recorded it before it was done; the same call
    /// again completes it.
    ///
    /// # Errors
    /// *refused* when nothing stands before the entry or the journal does not reach it;
    /// *unsupported* where the backend can't; *corrupt* when damage hides some of it; *deleted*,
    /// *unavailable*, *deadline*, *permission*. Closed sessions take it.
    pub async fn forget(&self, before: Seq) -> Result<Option<Committed>, Error> {
        let planned = Planned::new(Append::at_end(), Oblivion { before });
        let done = mutation::carry_out(self.resident(), planned).await?;
        Ok(done.map(|(committed, ())| committed))
    }
}

/// What can be redacted: what the fold of a session does not look into.
const fn is_free(entry_type: &EntryType) -> bool {
    matches!(entry_type, EntryType::Message | EntryType::Event)
}

/// To remove what entries hold.
struct Redaction(Redacted);

impl Plan for Redaction {
    type Shape = Redacted;
    type Told = ();

    const TYPE: EntryType = EntryType::Redacted;

    async fn work_out(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> Result<Option<(Redacted, ())>, Error> {
        let opened = resident.opened();
        opened.requires(Capability::Mask)?;
        for seq in &self.0.seqs {
            let missing = || {
                Error::new(ErrorKind::Refused, format!("there is no entry {seq} to redact"))
                    .with_hint("name entries by their numbers")
            };
            if seq.after() > seen.until() {
                return Err(missing());
            }
            let mut commits = opened.read(resident.key(), Span::From(*seq)).await?;
            let commit = opened.next(&mut commits).await.transpose()?;
            let mut entries = commit.into_iter().flat_map(|commit| commit.entries);
            let entry = entries.find(|entry| entry.seq == *seq).ok_or_else(missing)?;
            if !is_free(&entry.entry_type) {
                let clause = format!("entry {seq} is a {}, which is kept", entry.entry_type);
                return Err(Error::new(ErrorKind::Refused, clause)
                    .with_hint("messages and events can be redacted"));
            }
        }
        Ok(Some((self.0.clone(), ())))
    }

    async fn recall(&self, _: &Resident, _: Seq, made: &Redacted) -> Result<Option<()>, Error> {
        Ok((*made == self.0).then_some(()))
    }

    async fn finish(&self, resident: &Resident) -> Result<(), Error> {
        masking::mask(resident, &self.0.seqs).await
    }
}

/// To remove what all entries before one hold.
struct Oblivion {
    before: Seq,
}

impl Plan for Oblivion {
    type Shape = Forgotten;
    type Told = ();

    const TYPE: EntryType = EntryType::Forgotten;

    async fn work_out(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> Result<Option<(Forgotten, ())>, Error> {
        let Self { before } = *self;
        resident.opened().requires(Capability::Mask)?;
        if before.number() > seen.until().number() {
            let clause = format!("entry {before} is beyond position {}, the end", seen.until());
            return Err(Error::new(ErrorKind::Refused, clause));
        }
        if before.number() <= 1 {
            let clause = format!("no message or event stands before entry {before}");
            return Err(Error::new(ErrorKind::Refused, clause)
                .with_hint("name the first entry that is to be kept"));
        }
        let is_news = seen.sight().forgotten().is_none_or(|forgotten| forgotten < before);
        Ok(is_news.then_some((Forgotten { before }, ())))
    }

    async fn recall(&self, _: &Resident, _: Seq, made: &Forgotten) -> Result<Option<()>, Error> {
        Ok((made.before == self.before).then_some(()))
    }

    async fn finish(&self, resident: &Resident) -> Result<(), Error> {
        let opened = resident.opened();
        let mut seqs = Vec::new();
        let mut commits = opened.read(resident.key(), Span::ALL).await?;
        while let Some(item) = opened.next(&mut commits).await {
            let commit = item?;
            let free = commit.entries.iter().filter(|entry| is_free(&entry.entry_type));
            seqs.extend(free.map(|entry| entry.seq).filter(|seq| *seq < self.before));
            if commit.tip().position.number() >= self.before.number() {
                break;
            }
        }
        masking::mask(resident, &seqs).await
    }
}
