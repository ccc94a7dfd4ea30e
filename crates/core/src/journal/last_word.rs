//! What the last commit of a caller's tells of its journal.

use crate::commit::StoredCommit;
use crate::entry::{Entry, EntryType};
use crate::time::UnixMillis;

/// The member of a tombstone's line that says that nothing is left behind it.
pub const PURGED: &str = "purged";

/// What the last commit of a caller's tells of its journal.
///
/// # Examples
/// ```
/// use sessile_core::digest::Token;
/// use sessile_core::journal::LastWord;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Position, Tip, UnixMillis};
///
/// let commit = |at, entry_type| {
///     let entry = NewEntry::new(UnixMillis(at), entry_type, Payload::parse("{}")?);
///     Commit::new("c1".parse()?, Token::from_random([1; 16]), vec![entry], &Limits::default())?
///         .stored_at(Tip::ABSENT, Position::START)
/// };
/// let word = LastWord::of(&commit(7, EntryType::Delete)?).expect("a caller has deleted it");
/// assert_eq!((word.deleted, word.updated_at), (true, UnixMillis(7)));
/// // A repair is no caller's: whoever wants the last word looks further back.
/// assert_eq!(LastWord::of(&commit(8, EntryType::Repaired)?), None);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastWord {
    /// Whether it is the tombstone.
    pub deleted: bool,
    /// Whether nothing is left behind the tombstone, which then can't be taken back.
    pub purged: bool,
    /// When it was made.
    pub updated_at: UnixMillis,
}

impl LastWord {
    /// What a commit says, if it is a caller's.
    pub fn of(commit: &StoredCommit) -> Option<Self> {
        let mut callers =
            commit.entries.iter().filter(|entry| !entry.entry_type.is_bookkeeping()).peekable();
        callers.peek()?;
        let deletes = |entry: &&Entry| entry.entry_type == EntryType::Delete;
        let tombstone = commit.entries.iter().find(deletes);
        let purged = |entry: &Entry| entry.extra.iter().any(|member| &*member.name == PURGED);
        Some(Self {
            deleted: tombstone.is_some(),
            purged: tombstone.is_some_and(purged),
            updated_at: callers.map(|entry| entry.at).max().unwrap_or_default(),
        })
    }
}
