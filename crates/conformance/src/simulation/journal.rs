//! What a journal's entries say, read in the plainest way.

use std::collections::{BTreeMap, BTreeSet};

use sessile_core::entry::shape::{Claim, Outcome};
use sessile_core::{Entry, EntryType, Seq, StoredCommit};

use crate::failed::{Failed, ensure};

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) seq: Seq,
    pub(super) result: Option<String>,
}

/// A journal as it stands at the end.
#[derive(Debug, Default)]
pub(super) struct Journal {
    pub(super) commits: Vec<StoredCommit>,
    /// The messages in the order in which they became stable, and by which entry each did.
    pub(super) messages: Vec<(Seq, String)>,
    pub(super) ends: BTreeMap<String, End>,
    /// The request of each claim.
    pub(super) claims: BTreeMap<Seq, String>,
    /// What was written under each claim and by whichever entry.
    pub(super) under: BTreeSet<(Seq, String)>,
    /// The claim that stands, unless its request has ended, and whether nobody holds it.
    holder: Option<(Seq, bool)>,
    provisional: Vec<(Seq, String)>,
}

impl Journal {
    /// Reads all commits.
    ///
    /// # Errors
    /// What no journal may hold: a repeated commit, a second holder or outcome, an entry under a
    /// claim that does not stand.
    pub(super) fn read(commits: Vec<StoredCommit>) -> Result<Self, Failed> {
        let mut journal = Self::default();
        let (mut ids, mut last, mut prev) = (BTreeSet::new(), None, None);
        for commit in &commits {
            ensure!(ids.insert(commit.id.clone()), "commit {} stands twice", commit.id);
            ensure!(commit.prev == prev, "commit {} does not follow the one before", commit.id);
            prev = Some(commit.token);
            for entry in &commit.entries {
                ensure!(last < Some(entry.seq), "entry {} does not rise", entry.seq);
                last = Some(entry.seq);
                journal.add(entry)?;
            }
        }
        journal.commits = commits;
        Ok(journal)
    }

    fn add(&mut self, entry: &Entry) -> Result<(), Failed> {
        let text = entry.data.as_str().to_owned();
        if let Some(claim) = entry.claim {
            let stands = self.holder == Some((claim, false));
            ensure!(stands, "entry {} stands behind the fence of claim {claim}", entry.seq);
            self.under.insert((claim, text.clone()));
        }
        match &entry.entry_type {
            EntryType::Message if entry.claim.is_some() => {
                self.provisional.push((entry.seq, text));
            }
            EntryType::Message => {
                ensure!(self.holder.is_none(), "message {} while a request runs", entry.seq);
                self.messages.push((entry.seq, text));
            }
            EntryType::Claim => self.claim(entry.seq, &entry.data.decode()?)?,
            EntryType::Outcome => self.end(entry.seq, entry.data.decode()?)?,
            _ => {}
        }
        Ok(())
    }

    fn claim(&mut self, seq: Seq, claim: &Claim) -> Result<(), Failed> {
        let request = claim.request.to_string();
        ensure!(!self.ends.contains_key(&request), "claim {seq} of {request}, which had ended");
        if let Some((before, released)) = self.holder {
            let same = self.claims.get(&before) == Some(&request);
            let takes_over = released || claim.recovers == Some(before);
            ensure!(same && takes_over, "claim {seq} while {before} stands");
        }
        self.holder = Some((seq, claim.released));
        self.claims.insert(seq, request);
        Ok(())
    }

    fn end(&mut self, seq: Seq, outcome: Outcome) -> Result<(), Failed> {
        let request = outcome.request.to_string();
        let holder = self.holder.take().and_then(|(claim, _)| self.claims.get(&claim));
        ensure!(holder == Some(&request), "outcome {seq} of {request}, which does not hold it");
        let result = outcome.result.map(|result| result.as_str().to_owned());
        let before = self.ends.insert(request.clone(), End { seq, result });
        ensure!(before.is_none(), "{request} ended twice");
        if let Some((from, to)) = outcome.adopts {
            let adopted = self.provisional.iter().filter(|(at, _)| (from..=to).contains(at));
            self.messages.extend(adopted.map(|(_, text)| (seq, text.clone())));
        }
        Ok(())
    }
}
