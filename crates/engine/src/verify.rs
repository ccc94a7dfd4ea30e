//! Reading everything there is of a session, and saying whether it is what was written.

use sessile_core::backend::{SetAside, Span};
use sessile_core::entry::shape::Lost;
use sessile_core::fold::{PassedOver, SessionState};
use sessile_core::{Error, ErrorKind, Position, Seq, SessionId, SessionKey, StoredCommit, header};

use crate::folded::{Folded, Taken};
use crate::opened::Opened;
use crate::removal::{Removals, Unfinished};

/// What reading everything of a session has found.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Verification;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let verification: Verification = store.verify("ses_42").await?;
/// assert!(verification.sound);
/// assert_eq!((verification.entries, verification.commits), (2, 2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The session.
    pub session: SessionId,
    /// Whether there is no damage and no torn tail, and all of it is there. Tails that were
    /// repaired and are kept do not count, and neither does what was lost before.
    pub sound: bool,
    /// Whether it is a fork that was cut short: no damage, and no session either until forking
    /// again under its id completes it. What was removed of it is not told from damage before.
    pub incomplete: bool,
    /// Of a copy from another store that was cut short: where its source ended when it was begun.
    /// Copying again completes it; what is there is sound, and a session by itself.
    pub copied_to: Option<Position>,
    /// How many entries can be read.
    pub entries: u64,
    /// How many commits can be read.
    pub commits: u64,
    /// Where they end.
    pub position: Position,
    /// What is kept of torn tails, oldest first; the last one may still stand at the end of the
    /// journal, and is kept nowhere else then.
    pub set_aside: Vec<SetAside>,
    /// What is wrong with what was acknowledged, in the order of the journal.
    pub damage: Vec<Damage>,
    /// What could not be read when it was forked, and so is not here: reads that come across it are
    /// refused. It counts as sound, because this journal is what was written.
    pub lost: Vec<Lost>,
    /// What is recorded to be removed and still there: whoever removed it was cut short, and
    /// [`repair`](crate::Session::repair) completes it. It counts as sound: nothing is lost.
    pub unfinished: Vec<Unfinished>,
    /// Derived states that can't be read. They count as sound: nothing is lost by it.
    pub passed_over: Vec<Seq>,
}

/// Something that is wrong with what was acknowledged.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Damage;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let damage: Vec<Damage> = store.verify("ses_42").await?.damage;
/// for Damage { seq, reason, .. } in &damage {
///     println!("from entry {seq} on: {reason}");
/// }
/// assert!(damage.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The first entry that it concerns.
    pub seq: Seq,
    /// Where its bytes begin; none where they can be read but are not what was written.
    pub offset: Option<u64>,
    /// What is wrong, for people.
    pub reason: String,
}

/// Reads everything of a session; writes nothing, anywhere.
///
/// # Errors
/// *missing*, *unknown version*, *unavailable*, *deadline*, *permission*; damage is what the
/// answer is about.
pub(crate) async fn verify(opened: &Opened, key: &SessionKey) -> Result<Verification, Error> {
    let mut findings = Findings::default();
    let tail = match opened.head(key).await {
        Ok(head) => head.tail,
        Err(error) => {
            findings.note(error)?;
            None
        }
    };
    if let Err(error) = findings.read(opened, key).await {
        findings.note(error)?;
    }
    findings.excuse_removed();
    let unfinished = findings.removals.unfinished(opened, key).await?;
    let kept = opened.backend().set_aside(key);
    let kept = opened.deadline().bound(kept).await.flatten();
    let mut set_aside = kept.map_err(|error| error.about(key))?;
    let torn = tail.is_some();
    set_aside.extend(tail);
    Ok(Verification {
        session: key.id.clone(),
        sound: findings.damage.is_empty() && !torn && !findings.incomplete,
        incomplete: findings.incomplete,
        copied_to: findings.copied_to,
        entries: findings.entries,
        commits: findings.commits,
        position: findings.position.unwrap_or(Position::START),
        set_aside,
        damage: findings.damage,
        lost: findings.lost,
        unfinished,
        passed_over: findings.passed_over,
    })
}

#[derive(Debug, Default)]
struct Findings {
    entries: u64,
    commits: u64,
    position: Option<Position>,
    damage: Vec<Damage>,
    /// Commits whose content is not what their digest says.
    altered: Vec<(Seq, Seq)>,
    /// Derived states that can't be read.
    passed_over: Vec<Seq>,
    /// Derived states that are not what the entries before them fold to.
    wrong: Vec<Seq>,
    /// What was removed on purpose.
    removals: Removals,
    /// Whether it is a fork that was cut short.
    incomplete: bool,
    /// Where the source of a copy ended that was cut short.
    copied_to: Option<Position>,
    /// What was lost before the journal was made.
    lost: Vec<Lost>,
}

impl Findings {
    async fn read(&mut self, opened: &Opened, key: &SessionKey) -> Result<(), Error> {
        let mut commits = opened.read(key, Span::ALL).await?;
        let mut folded: Option<Folded> = None;
        while let Some(item) = opened.next(&mut commits).await {
            match item {
                Ok(commit) => {
                    self.take(&commit);
                    match &mut folded {
                        None => {
                            folded = Some(Folded::start(key, &commit, &opened.options().folds)?);
                        }
                        Some(folded) => {
                            self.check_state(folded.state(), &commit);
                            if folded.take(&commit) == Taken::Elsewhere {
                                self.damage.push(Damage {
                                    seq: commit.first_seq(),
                                    offset: None,
                                    reason: "its commit does not follow the one before".to_owned(),
                                });
                            }
                        }
                    }
                }
                Err(error) => {
                    if let (Some(folded), Some(place)) = (&mut folded, error.damage()) {
                        folded.note_damage(place);
                    }
                    self.note(error)?;
                }
            }
        }
        let folded = folded.ok_or_else(|| header::corrupt("it has no entries"))?;
        self.incomplete = folded.state().is_incomplete();
        self.copied_to = folded.state().unreached();
        self.lost = folded.state().lost().to_vec();
        Ok(())
    }

    fn take(&mut self, commit: &StoredCommit) {
        self.commits += 1;
        self.entries += u64::try_from(commit.entries.len()).unwrap_or(u64::MAX);
        self.position = Some(commit.tip().position);
        // Of what was vacuumed the digest tells of more than is there.
        if commit.vacuumed == 0 && !commit.content_holds() {
            let last = commit.entries.last().map_or_else(|| commit.first_seq(), |entry| entry.seq);
            self.altered.push((commit.first_seq(), last));
        }
        self.removals.take(commit);
    }

    /// Compares the state that a commit carries with what was folded before it.
    fn check_state(&mut self, folded: &SessionState, commit: &StoredCommit) {
        match folded.agrees_with(commit) {
            Ok(Some(false)) => self.wrong.extend(commit.state),
            Ok(_) | Err(PassedOver::OtherFolds) => {}
            Err(_) => self.passed_over.extend(commit.state),
        }
    }

    /// Notes damage; any other error is one.
    fn note(&mut self, error: Error) -> Result<(), Error> {
        if error.kind() != ErrorKind::Corrupt {
            return Err(error);
        }
        let place = error.damage();
        let damage = Damage {
            seq: place.map_or(Seq::FIRST, |place| place.seq),
            offset: place.map(|place| place.offset),
            reason: error.clause().to_owned(),
        };
        // The head and the transcript may tell of the same place.
        if !self.damage.iter().any(|known| (known.seq, known.offset) == (damage.seq, damage.offset))
        {
            self.damage.push(damage);
        }
        Ok(())
    }

    /// Counts commits that differ from their digest, and states from what was folded, as damage,
    /// unless what differs was removed on purpose.
    fn excuse_removed(&mut self) {
        if self.incomplete {
            // What tells of removals comes last.
            self.altered.clear();
        }
        for (first, last) in std::mem::take(&mut self.altered) {
            if !self.removals.explain(first, last) {
                self.damage.push(Damage {
                    seq: first,
                    offset: None,
                    reason: "the content of its commit is not what its digest says".to_owned(),
                });
            }
        }
        for seq in std::mem::take(&mut self.wrong) {
            // Its sizes are those of what was there when it was written.
            if self.removals.is_empty() {
                let reason = "the derived state is not what the entries before it fold to";
                self.damage.push(Damage { seq, offset: None, reason: reason.to_owned() });
            }
        }
        self.damage.sort_by_key(|damage| damage.seq);
    }
}
