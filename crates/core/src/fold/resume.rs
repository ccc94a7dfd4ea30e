//! From the folded state to a `state` entry, and back: opening without reading everything.

use super::commits::CommitIndex;
use super::extension::Extensions;
use super::foldings::Foldings;
use super::lookup::Unread;
use super::marks::Marks;
use super::snapshot::{PassedOver, Session, Since, Snapshot};
use super::state::SessionState;
use crate::commit::{StoredCommit, Tip};
use crate::entry::shape::Header;
use crate::error::Error;
use crate::payload::Payload;
use crate::position::Seq;

impl SessionState {
    /// Goes on from the state that a commit carries as if everything before it had been folded,
    /// and folds the commit; none if it carries none.
    ///
    /// # Errors
    /// Why its state is passed over.
    pub fn resume(header: Header, commit: &StoredCommit) -> Result<Option<Self>, PassedOver> {
        Self::resume_with(header, commit, &Extensions::default())
    }

    /// Goes on from the state that a commit carries, for extensions too: what the state does not
    /// have of theirs is told by [`lag`](Self::lag).
    ///
    /// # Errors
    /// Why its state is passed over.
    pub fn resume_with(
        header: Header,
        commit: &StoredCommit,
        extensions: &Extensions,
    ) -> Result<Option<Self>, PassedOver> {
        let Some(snapshot) = Snapshot::of(commit)? else {
            return Ok(None);
        };
        let Snapshot { position, ids: _, members: _, session, marks, admission } = &snapshot;
        let Session {
            updated_at,
            closed,
            deleted,
            meta,
            entries,
            events,
            payload_bytes,
            sight,
            import,
            settled,
            damage,
            uncounted,
            lost,
        } = session.clone();
        let mut state = Self {
            header,
            tip: Tip { position: *position, token: commit.prev },
            updated_at,
            closed,
            deleted,
            meta,
            entries,
            sight,
            events,
            payload_bytes,
            commits: CommitIndex::partial(),
            admission: admission.clone(),
            import,
            blocked: None,
            damage,
            uncounted,
            lost,
            // Nobody adds a state to a copy before it is whole.
            forked: true,
            settled,
            since: Since::default(),
            marks: marks.clone(),
            foldings: Foldings::resume(extensions, &snapshot.members),
        };
        state.apply_with(commit, Some(snapshot));
        if state.commits.states().last() != commit.state {
            return Err(PassedOver::Malformed);
        }
        Ok(Some(state))
    }

    /// The data of a `state` entry to ride before the next commit; none where entries are not
    /// understood by this version. It tells of the damage that was passed over.
    ///
    /// # Errors
    /// None with metadata that came from a journal.
    pub fn to_snapshot(&self) -> Result<Option<Payload>, Error> {
        self.snapshot().map(|snapshot| snapshot.to_data()).transpose()
    }

    /// The states whose runs of ids the next one would take over if they were
    /// [learned](Self::learn).
    pub fn runs_to_merge(&self) -> Vec<Seq> {
        self.commits.unread_to_merge().collect()
    }

    /// Learns what had to be read to be sure of an id; answers whether that was in the
    /// commit.
    pub fn learn(&mut self, unread: Unread, commit: &StoredCommit) -> bool {
        match unread {
            Unread::Commit(seq) => {
                let has_it = commit.entries.iter().any(|entry| entry.seq == seq);
                if has_it {
                    self.commits.confirm(seq, commit);
                }
                has_it
            }
            Unread::Run(seq) => match Snapshot::of(commit) {
                Ok(Some(snapshot)) if commit.state == Some(seq) => {
                    self.commits.fill(seq, &snapshot.ids)
                }
                _ => false,
            },
        }
    }

    /// Whether the state that the next commit carries is what was folded here; none if it carries
    /// none.
    ///
    /// How many entries there are and how great is not compared, since redaction and vacuum
    /// change it.
    ///
    /// # Errors
    /// Why its state is passed over.
    pub fn agrees_with(&self, commit: &StoredCommit) -> Result<Option<bool>, PassedOver> {
        let Some(theirs) = Snapshot::of(commit)? else {
            return Ok(None);
        };
        // What is not all there can't tell, and neither can who wrote it while it was not.
        let Some(ours) = self.snapshot() else {
            return Ok(None);
        };
        if ours.session.lacks_any() || theirs.session.lacks_any() {
            return Ok(None);
        }
        let Session { entries, payload_bytes, .. } = ours.session;
        let sized = Session { entries, payload_bytes, ..theirs.session };
        Ok(Some(
            theirs.position >= ours.position
                && sized == ours.session
                && theirs.admission == ours.admission
                && self.foldings.agree_with(&theirs.members)
                && self.commits.is_covered_by(&theirs.ids),
        ))
    }

    /// The one place that says what of the fold a `state` keeps.
    fn snapshot(&self) -> Option<Snapshot> {
        let Self {
            // Read anyway: it begins the journal.
            header: _,
            tip,
            updated_at,
            closed,
            deleted,
            meta,
            entries,
            sight,
            events,
            payload_bytes,
            commits,
            admission,
            import,
            blocked,
            damage,
            uncounted,
            lost,
            // Only a whole copy is built upon.
            forked: _,
            settled,
            // Begins anew at each state.
            since: _,
            marks,
            foldings,
        } = self;
        if blocked.is_some() {
            return None;
        }
        Some(Snapshot {
            position: tip.position,
            session: Session {
                updated_at: *updated_at,
                closed: *closed,
                deleted: *deleted,
                meta: meta.clone(),
                entries: *entries,
                events: *events,
                payload_bytes: *payload_bytes,
                sight: sight.clone(),
                import: import.clone(),
                settled: *settled,
                damage: damage.clone(),
                uncounted: *uncounted,
                lost: lost.clone(),
            },
            ids: commits.to_ids(),
            marks: marks.clone(),
            admission: admission.clone(),
            members: foldings.to_members(),
        })
    }
}

impl Marks {
    /// The marks that the state of a commit has: those of the states before it.
    pub fn of(commit: &StoredCommit) -> Option<Self> {
        Snapshot::of(commit).ok().flatten().map(|snapshot| snapshot.marks)
    }
}
