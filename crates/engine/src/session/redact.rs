//! Removing what entries hold.
//!
//! What is to be removed is recorded first and removed then. Were it the other way round, a crash
//! between the two would leave data that is not what its digest says with nothing that tells why,
//! which is what damage looks like. As it is, the record says what was wanted, and the same call
//! completes it.

use std::collections::{BTreeMap, BTreeSet};

use sessile_core::backend::{Capability, Span};
use sessile_core::entry::shape::{Forgotten, Kept, Redacted};
use sessile_core::error::DamagePlace;
use sessile_core::{Entry, EntryType, Error, ErrorKind, Payload, Seq, StoredCommit, Text, lens};

use super::handle::Session;
use super::planned::{Plan, Planned};
use super::rewind::undone;
use crate::append::{Append, Committed};
use crate::masking;
use crate::mutation;
use crate::reading::Seen;
use crate::removal;
use crate::resident::Resident;

impl Session {
    /// Removes what entries hold, physically; they keep their numbers, types and ordinals.
    ///
    /// That is messages, events, board entries, summaries and the results of requests. Reading
    /// shows `{"redacted":true}` in place of what they held, a [`view`](Self::view) as the one
    /// message of a summary; what others rest on stays in force: a summary goes on standing for
    /// the messages that it stood for. Metadata can't be redacted: set its keys again, and
    /// [vacuum](crate::Store::vacuum). Forks, copies and exports that were made before are not
    /// reached, and neither is what somebody has derived from an entry, a title or a summary.
    ///
    /// It needs neither an expected position nor a commit id: entries are named by their numbers
    /// and never change, and redacting twice is redacting once: where all of them were redacted
    /// before, it is answered what was answered then. A call that fails may have recorded what is to
    /// be removed before it was; the same call again completes it, and so does
    /// [`repair`](Self::repair).
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
        let seqs: BTreeSet<Seq> = seqs.into_iter().collect();
        if seqs.is_empty() {
            let clause = "there is no entry to redact";
            return Err(Error::new(ErrorKind::Refused, clause).about(self.key()));
        }
        let redaction = Redaction { seqs: seqs.clone(), reason: reason.map(Text::from) };
        let planned = Planned::new(Append::at_end(), redaction);
        let done = mutation::carry_out(&*self.admit_change().await?, planned).await?;
        if let Some((committed, ())) = done {
            return Ok(committed);
        }
        let resident = self.at_hand().await?;
        Wanted::find(&resident, &seqs).await?.recorded.ok_or_else(undone)
    }

    /// Removes what all messages and events before an entry hold, and the results of the requests
    /// that ended there, physically and for good.
    ///
    /// Reading one of them is answered with *forgotten* from then on, but for
    /// [`entries`](Self::entries), which shows what was left in its place; the
    /// [`view`](Self::view) begins behind them. Ordinals and positions stay, commit ids are
    /// recognised as before, and so are metadata and summaries kept. Such a request is still known:
    /// sent again it is answered with *expired*, and not done again.
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
        let done = mutation::carry_out(&*self.admit_change().await?, planned).await?;
        Ok(done.map(|(committed, ())| committed))
    }
}

/// To remove what entries hold.
struct Redaction {
    seqs: BTreeSet<Seq>,
    reason: Option<Text>,
}

impl Plan for Redaction {
    type Shape = Redacted;
    type Told = ();

    const TYPE: EntryType = EntryType::Redacted;

    async fn work_out(
        &self,
        resident: &Resident,
        _: &Seen,
    ) -> Result<Option<(Redacted, ())>, Error> {
        resident.opened().requires(Capability::Mask)?;
        let wanted = Wanted::find(resident, &self.seqs).await?;
        if let Some(seq) = self.seqs.iter().find(|seq| !wanted.types.contains_key(seq)) {
            if let Some(place) = wanted.damage.filter(|place| place.seq <= *seq) {
                return Err(Error::corrupt(place, format!("and entry {seq} may be there")));
            }
            return Err(Error::new(
                ErrorKind::Refused,
                format!("there is no entry {seq} to redact"),
            )
            .with_hint("name entries by their numbers"));
        }
        let kept = |(_, it): &(&Seq, &EntryType)| it.kept_when_redacted().is_none();
        if let Some((seq, entry_type)) = wanted.types.iter().find(kept) {
            let clause = format!("entry {seq} is a {entry_type}, which is kept");
            let hint = match entry_type {
                EntryType::Meta => "set its keys again, and vacuum",
                _ => "messages, events, board entries, summaries and results can be redacted",
            };
            return Err(Error::new(ErrorKind::Refused, clause).with_hint(hint));
        }
        let seqs = self.seqs.iter().copied().collect();
        let redacted = Redacted { seqs, kept: wanted.kept, reason: self.reason.clone() };
        Ok(wanted.recorded.is_none().then_some((redacted, ())))
    }

    async fn recall(&self, _: &Resident, _: Seq, made: &Redacted) -> Result<Option<()>, Error> {
        let is_same = made.seqs.iter().eq(&self.seqs) && made.reason == self.reason;
        Ok(is_same.then_some(()))
    }

    async fn finish(&self, resident: &Resident) -> Result<(), Error> {
        let there = Wanted::find(resident, &self.seqs).await?.there;
        masking::mask(resident, &there).await
    }
}

/// Entries that are to be redacted, as they stand in the journal.
#[derive(Default)]
struct Wanted {
    /// The type of each that can be read.
    types: BTreeMap<Seq, EntryType>,
    /// Those that still hold something.
    there: Vec<Seq>,
    /// What of that stays in force.
    kept: Vec<Kept>,
    /// The commit that has recorded the last of them to be redacted.
    recorded: Option<Committed>,
    /// The first damage on the way.
    damage: Option<DamagePlace>,
}

impl Wanted {
    /// Reads from the first of them on: what redacts an entry stands behind it.
    ///
    /// # Errors
    /// Those of reading but for damage.
    async fn find(resident: &Resident, seqs: &BTreeSet<Seq>) -> Result<Self, Error> {
        let mut wanted = Self::default();
        let mut open = seqs.clone();
        let Some(first) = seqs.first() else {
            return Ok(wanted);
        };
        let mut commits = resident.read(Span::From(*first)).await?;
        while let Some(item) = resident.opened().next(&mut commits).await {
            match item {
                Ok(commit) => wanted.take(&commit, seqs, &mut open)?,
                Err(error) => match error.damage() {
                    Some(place) => wanted.damage = wanted.damage.or(Some(place)),
                    None => return Err(error.about(resident.key())),
                },
            }
        }
        Ok(wanted)
    }

    fn take(
        &mut self,
        commit: &StoredCommit,
        seqs: &BTreeSet<Seq>,
        open: &mut BTreeSet<Seq>,
    ) -> Result<(), Error> {
        for entry in &commit.entries {
            if seqs.contains(&entry.seq) {
                self.types.insert(entry.seq, entry.entry_type.clone());
                if !entry.is_redacted() {
                    self.there.push(entry.seq);
                    self.kept.extend(in_force(entry)?);
                }
            }
            if entry.entry_type == EntryType::Redacted && !open.is_empty() {
                let redacted = entry.data.decode::<Redacted>().unwrap_or_default();
                open.retain(|seq| !redacted.seqs.contains(seq));
                if open.is_empty() {
                    self.recorded = Some(answer(commit));
                }
            }
        }
        Ok(())
    }
}

/// What stays in force of an entry; none where nothing rests on it.
fn in_force(entry: &Entry) -> Result<Option<Kept>, Error> {
    let names = entry.entry_type.kept_when_redacted().unwrap_or_default();
    let mut members = BTreeMap::new();
    for (name, value) in lens::View::of(&entry.data).members() {
        if names.contains(&&*name) {
            members.insert(name, Payload::parse(value.as_json().to_owned())?);
        }
    }
    let data = Payload::of(&members)?;
    Ok((!members.is_empty()).then_some(Kept { seq: entry.seq, data }))
}

/// What the append of a commit was answered.
fn answer(commit: &StoredCommit) -> Committed {
    let callers = commit.entries.iter().find(|entry| entry.entry_type != EntryType::State);
    Committed {
        first: callers.map_or_else(|| commit.first_seq(), |entry| entry.seq),
        position: commit.tip().position,
        commit_id: commit.id.clone(),
        replayed: true,
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
            return Err(Error::new(ErrorKind::Refused, clause)
                .with_hint("name an entry that the journal has"));
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
            let there = commit.entries.iter().filter(|entry| !entry.is_redacted());
            let there = there.filter(|entry| removal::is_forgettable(entry));
            seqs.extend(there.map(|entry| entry.seq).filter(|seq| *seq < self.before));
            if commit.tip().position.number() >= self.before.number() {
                break;
            }
        }
        masking::mask(resident, &seqs).await
    }
}
