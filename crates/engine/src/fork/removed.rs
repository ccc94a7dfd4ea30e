//! What was removed of the part of a session that is copied by entries that are not.

use sessile_core::backend::Span;
use sessile_core::entry::shape::{Forgotten, Redacted};
use sessile_core::{EntryType, Error, NewEntry, Payload, Seq, StoredCommit, UnixMillis};

use crate::resident::Resident;

/// What was removed of what stands up to a cut, as entries behind it say.
#[derive(Debug, Default)]
pub(super) struct Removed {
    redacted: Redacted,
    forgotten: Option<Seq>,
}

impl Removed {
    /// Looks for it.
    ///
    /// # Errors
    /// Those of reading but for damage.
    pub(super) async fn behind(source: &Resident, last: Seq) -> Result<Self, Error> {
        let mut removed = Self::default();
        let Some(next) = last.next() else {
            return Ok(removed);
        };
        let mut commits = source.opened().read(source.key(), Span::From(next)).await?;
        while let Some(item) = source.opened().next(&mut commits).await {
            match item {
                Ok(commit) => removed.take(&commit, last, next),
                // Damage behind the cut is none of the copy's.
                Err(error) if error.damage().is_some() => {}
                Err(error) => return Err(error),
            }
        }
        removed.redacted.seqs.sort_unstable();
        removed.redacted.seqs.dedup();
        Ok(removed)
    }

    fn take(&mut self, commit: &StoredCommit, last: Seq, next: Seq) {
        for entry in &commit.entries {
            match entry.entry_type {
                EntryType::Redacted => {
                    let redacted = entry.data.decode::<Redacted>().unwrap_or_default();
                    let Redacted { seqs, kept, .. } = &mut self.redacted;
                    seqs.extend(redacted.seqs.into_iter().filter(|seq| *seq <= last));
                    kept.extend(redacted.kept.into_iter().filter(|kept| kept.seq <= last));
                }
                EntryType::Forgotten => {
                    let forgotten = entry.data.decode::<Forgotten>();
                    let before = forgotten.ok().map(|forgotten| forgotten.before.min(next));
                    self.forgotten = self.forgotten.max(before);
                }
                _ => {}
            }
        }
    }

    /// The entries that say so in the copy, where something was forgotten before already.
    ///
    /// # Errors
    /// None of its own: those of making an entry.
    pub(super) fn entries(
        self,
        at: UnixMillis,
        forgotten: Option<Seq>,
    ) -> Result<Vec<NewEntry>, Error> {
        let mut entries = Vec::new();
        if !self.redacted.seqs.is_empty() {
            let data = Payload::of(&self.redacted)?;
            entries.push(NewEntry::new(at, EntryType::Redacted, data));
        }
        if let Some(before) = self.forgotten.max(forgotten) {
            let data = Payload::of(&Forgotten { before })?;
            entries.push(NewEntry::new(at, EntryType::Forgotten, data));
        }
        Ok(entries)
    }
}

/// The entries of a commit whose data was removed.
pub(super) fn of(commit: &StoredCommit) -> impl Iterator<Item = Seq> {
    let removed = commit
        .entries
        .iter()
        .filter(|entry| entry.entry_type.kept_when_redacted().is_some() && entry.is_redacted());
    removed.map(|entry| entry.seq)
}
