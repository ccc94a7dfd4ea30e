//! The commit: entries that appear together or not at all.

use bytes::BytesMut;

use crate::digest::{Digest, Token};
use crate::entry::{Entry, EntryType, NewEntry};
use crate::error::{Error, ErrorKind};
use crate::id::CommitId;
use crate::limits::Limits;
use crate::payload::Payload;
use crate::position::{Position, Seq};
use crate::time::UnixMillis;

mod tip;

pub use tip::Tip;

/// How many bytes an entry counts beside its payload where a journal is read back: fewer than any
/// backend keeps of it, so that entries that hold next to nothing are not read by the thousand.
pub const FRAME_BYTES: u64 = 64;

/// Entries to append together, under an id by which a repeat is recognised.
///
/// # Examples
/// ```
/// use sessile_core::digest::Token;
/// use sessile_core::{Commit, EntryType, ErrorKind, Limits, NewEntry, Payload, UnixMillis};
///
/// let message = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// let token = Token::from_random([1; 16]);
/// let commit = Commit::new("turn-1".parse()?, token, vec![message], &Limits::default())?;
/// // Another attempt has another token, and asks for the same.
/// let again = commit.clone().with_token(Token::from_random([2; 16]));
/// assert_eq!((again.id(), again.digest()), (commit.id(), commit.digest()));
/// // Nothing is no commit.
/// let empty = Commit::new("turn-2".parse()?, token, vec![], &Limits::default());
/// assert_eq!(empty.unwrap_err().kind(), ErrorKind::Refused);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    id: CommitId,
    token: Token,
    entries: Vec<NewEntry>,
    digest: Digest,
    /// That of the commit that it is a copy of.
    vacuumed: u64,
}

impl Commit {
    /// Makes a commit of at least one entry, within the limits.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] without entries, over a limit (which is named), or where numbers
    /// that are given do not rise.
    pub fn new(
        id: CommitId,
        token: Token,
        entries: Vec<NewEntry>,
        limits: &Limits,
    ) -> Result<Self, Error> {
        if entries.is_empty() {
            return Err(Error::new(ErrorKind::Refused, "a commit needs at least one entry"));
        }
        for entry in &entries {
            entry.check(limits)?;
        }
        check_total(&entries, limits)?;
        let given: Vec<Seq> = entries.iter().filter_map(|entry| entry.seq).collect();
        if given.windows(2).any(|pair| pair.first() >= pair.last()) {
            return Err(Error::new(ErrorKind::Refused, "the numbers of the entries do not rise"));
        }
        let digest = digest_of(entries.iter().map(|e| (&e.entry_type, e.data.as_bytes())));
        Ok(Self { id, token, entries, digest, vacuumed: 0 })
    }

    /// The same commit with a `state` before its entries. Its digest leaves that out, and what it has
    /// was checked, so that neither is done again.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] over a limit, which is named.
    pub fn with_state(mut self, state: NewEntry, limits: &Limits) -> Result<Self, Error> {
        state.check(limits)?;
        self.entries.insert(0, state);
        check_total(&self.entries, limits)?;
        Ok(self)
    }

    /// The same commit for another attempt, which has a token of its own.
    #[must_use]
    pub const fn with_token(mut self, token: Token) -> Self {
        self.token = token;
        self
    }

    /// The same commit with no entry older than a time: what a session tells of its last activity
    /// never falls, although clocks do.
    #[must_use]
    pub fn not_before(mut self, at: UnixMillis) -> Self {
        for entry in &mut self.entries {
            entry.at = entry.at.max(at);
        }
        self
    }

    /// Its id: the caller's idempotency key, or minted.
    pub const fn id(&self) -> &CommitId {
        &self.id
    }

    /// The token of this attempt.
    pub const fn token(&self) -> Token {
        self.token
    }

    /// Its entries, in order.
    pub fn entries(&self) -> &[NewEntry] {
        &self.entries
    }

    /// The digest of what the caller asked for: types and data, header and `state` excluded.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Whether one of its entries is of a type.
    pub fn has(&self, entry_type: &EntryType) -> bool {
        self.entries.iter().any(|entry| entry.entry_type == *entry_type)
    }

    /// Gives each entry its number: its own, or the next after the one before it.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] when a number that is given lies below the position,
    /// [`ErrorKind::Refused`] when the journal is full.
    pub fn numbered_from(&self, position: Position) -> Result<Vec<Entry>, Error> {
        let mut next = position;
        let mut numbered = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let seq = match entry.seq {
                Some(seq) if seq.number() < next.number() => {
                    return Err(Error::conflict(
                        Position::new(seq.number()).unwrap_or(position),
                        position,
                    ));
                }
                Some(seq) => seq,
                None => next.seq().ok_or_else(|| {
                    Error::new(ErrorKind::Refused, "the journal has no numbers left")
                })?,
            };
            next = seq.after();
            numbered.push(entry.clone().numbered(seq));
        }
        Ok(numbered)
    }

    /// The commit as it stands in a journal that ended at a tip, written when everything before a
    /// position was known to be durable.
    ///
    /// # Errors
    /// Those of [`numbered_from`](Self::numbered_from).
    pub fn stored_at(&self, tip: Tip, synced: Position) -> Result<StoredCommit, Error> {
        let entries = self.numbered_from(tip.position)?;
        let state = entries.iter().find(|entry| entry.entry_type == EntryType::State);
        Ok(StoredCommit {
            id: self.id.clone(),
            token: self.token,
            prev: tip.token,
            synced,
            digest: self.digest,
            state: state.map(|entry| entry.seq),
            vacuumed: self.vacuumed,
            entries,
        })
    }
}

fn check_total(entries: &[NewEntry], limits: &Limits) -> Result<(), Error> {
    let total = entries.iter().map(|entry| entry.data.len()).sum();
    Limits::check("commit_bytes", limits.commit_bytes, total)
}

/// A commit as it stands in a journal.
///
/// # Examples
/// ```
/// use sessile_core::digest::Token;
/// use sessile_core::{
///     Commit, EntryType, Limits, NewEntry, Payload, Position, StoredCommit, Tip, UnixMillis,
/// };
///
/// let message = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("a password")?);
/// let token = Token::from_random([1; 16]);
/// let commit = Commit::new("c1".parse()?, token, vec![message], &Limits::default())?;
/// let tip = Tip { position: Position::new(7).expect("it is small"), token: None };
/// let mut stored: StoredCommit = commit.stored_at(tip, tip.position)?;
/// assert_eq!((stored.first_seq().number(), stored.tip().position.number()), (7, 8));
/// // Its digest goes on telling what it was.
/// assert!(stored.content_holds());
/// stored.entries[0].redact()?;
/// assert!(!stored.content_holds());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCommit {
    /// Its id.
    pub id: CommitId,
    /// The token of the attempt that wrote it.
    pub token: Token,
    /// The token of the commit before; none for the first.
    pub prev: Option<Token>,
    /// The position known to be durable when it was written.
    pub synced: Position,
    /// The digest of what its caller asked for.
    pub digest: Digest,
    /// The seq of its `state` entry, if it has one.
    pub state: Option<Seq>,
    /// How many superseded entries of its caller's were dropped or emptied since it was written:
    /// where it is not 0, the digest tells of more than is there.
    pub vacuumed: u64,
    /// Its entries, in order; never empty.
    pub entries: Vec<Entry>,
}

impl StoredCommit {
    /// The tip of the journal right after this commit.
    pub fn tip(&self) -> Tip {
        let position = self.entries.last().map_or(Position::START, |entry| entry.seq.after());
        Tip { position, token: Some(self.token) }
    }

    /// The number of its first entry.
    pub fn first_seq(&self) -> Seq {
        self.entries.first().map_or(Seq::FIRST, |entry| entry.seq)
    }

    /// Whether one of its entries is of a type.
    pub fn has(&self, entry_type: &EntryType) -> bool {
        self.entries.iter().any(|entry| entry.entry_type == *entry_type)
    }

    /// How many bytes it counts for whoever reads back: those of its payloads, and
    /// [`FRAME_BYTES`] for each entry.
    pub fn span_bytes(&self) -> u64 {
        let entry = |entry: &Entry| u64::try_from(entry.data.len()).unwrap_or(u64::MAX);
        let bytes = self.entries.iter().map(|it| entry(it).saturating_add(FRAME_BYTES));
        bytes.fold(0, u64::saturating_add)
    }

    /// How many bytes [`move_into`](Self::move_into) puts into the buffer.
    pub fn held_bytes(&self) -> usize {
        self.held().map(Payload::len).sum()
    }

    /// Copies what its entries hold out of the buffers that it shares with what was read beside
    /// it: into the room that is left in one of its own, but for a `state`, which is not kept with
    /// what others keep.
    pub fn move_into(&mut self, buffer: &mut BytesMut) {
        for entry in &mut self.entries {
            if entry.entry_type == EntryType::State {
                let mut own = BytesMut::with_capacity(entry.data.len());
                entry.data.move_into(&mut own);
            } else {
                entry.data.move_into(buffer);
            }
            entry.extra.iter_mut().for_each(|member| member.value.move_into(buffer));
        }
    }

    fn held(&self) -> impl Iterator<Item = &Payload> {
        self.entries.iter().flat_map(|entry| {
            let data = Some(&entry.data).filter(|_| entry.entry_type != EntryType::State);
            data.into_iter().chain(entry.extra.iter().map(|member| &member.value))
        })
    }

    /// The same commit for a copy of its journal, under a token of its own.
    ///
    /// Data of it may have been removed since; its digest goes on telling what it was, so that a
    /// repeat of its id is recognised in the copy too.
    pub fn copied(self, token: Token) -> Commit {
        let Self { id, digest, vacuumed, .. } = self;
        let entries = self.entries.into_iter().map(NewEntry::from).collect();
        Commit { id, token, entries, digest, vacuumed }
    }

    /// Whether its content is still what its digest says; redacted data is not, and neither is
    /// what superseded entries were dropped of.
    pub fn content_holds(&self) -> bool {
        digest_of(self.entries.iter().map(|e| (&e.entry_type, e.data.as_bytes()))) == self.digest
    }
}

/// The digest over types and data, each preceded by its length.
///
/// `state` is left out because it is derived, and the header because a copy of the commit in
/// another file has a header of its own; its line's checksum covers it.
fn digest_of<'a>(entries: impl Iterator<Item = (&'a EntryType, &'a [u8])>) -> Digest {
    let callers = entries
        .filter(|(entry_type, _)| !matches!(entry_type, EntryType::State | EntryType::Session));
    Digest::of_parts(callers.flat_map(|(kind, data)| [kind.as_str().as_bytes(), data]))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::entry::Member;

    fn entry(seq: Option<u64>, text: &str) -> NewEntry {
        let data = Payload::parse(text.to_owned()).unwrap();
        let mut entry = NewEntry::new(UnixMillis(1), EntryType::Message, data);
        entry.seq = seq.and_then(Seq::new);
        entry
    }

    fn commit(entries: Vec<NewEntry>, limits: &Limits) -> Result<Commit, Error> {
        Commit::new("c".parse().unwrap(), Token::from_random([1; 16]), entries, limits)
    }

    #[test]
    fn limits_are_refused_by_name() {
        let limits = Limits { entry_bytes: 4, commit_bytes: 6, nesting: 1, ..Limits::default() };
        let name = |entries| commit(entries, &limits).unwrap_err().to_string();
        assert!(name(vec![]).contains("at least one"));
        assert!(name(vec![entry(None, "12345")]).contains("entry_bytes"));
        assert!(name(vec![entry(None, "1234"), entry(None, "123")]).contains("commit_bytes"));
        assert!(name(vec![entry(None, "[[]]")]).contains("nesting"));
        assert!(commit(vec![entry(None, "1234"), entry(None, "12")], &limits).is_ok());
    }

    #[test]
    fn numbers_are_given_from_the_position_on_and_may_leave_gaps() {
        let commit = commit(
            vec![entry(None, "1"), entry(Some(9), "2"), entry(None, "3")],
            &Limits::default(),
        )
        .unwrap();
        let numbers = |from| {
            let entries = commit.numbered_from(Position::new(from).unwrap());
            entries.map(|list| list.iter().map(|e| e.seq.number()).collect::<Vec<_>>())
        };
        assert_eq!(numbers(4).unwrap(), [4, 9, 10]);
        assert_eq!(numbers(9).unwrap_err().kind(), ErrorKind::Conflict);
    }

    #[test]
    fn what_a_commit_holds_can_leave_the_buffer_that_it_was_read_from() {
        let read = Bytes::from(br#"{"a":1},[2],"state","x""#.to_vec());
        let cut = |range| Payload::from_checked_line(read.slice(range));
        let mut stored = commit(vec![entry(None, "1"), entry(None, "2")], &Limits::default())
            .unwrap()
            .stored_at(Tip::ABSENT, Position::START)
            .unwrap();
        stored.entries[0].data = cut(0..7);
        stored.entries[0].extra = vec![Member { name: "more".into(), value: cut(8..11) }];
        stored.entries[1].data = cut(12..19);
        stored.entries[1].entry_type = EntryType::State;
        let before = stored.clone();
        assert_eq!(stored.held_bytes(), 10);
        let mut buffer = BytesMut::with_capacity(stored.held_bytes());
        stored.move_into(&mut buffer);
        assert_eq!(stored, before);
        drop(before);
        assert!(read.try_into_mut().is_ok(), "something holds on to it");
    }

    #[test]
    fn a_clock_that_fell_back_makes_no_entry_older() {
        let made = commit(vec![entry(None, "1")], &Limits::default()).unwrap();
        let times = |made: &Commit| made.entries().iter().map(|e| e.at.0).collect::<Vec<_>>();
        assert_eq!(times(&made.clone().not_before(UnixMillis(7))), [7]);
        assert_eq!(times(&made.clone().not_before(UnixMillis(0))), [1]);
        assert_eq!(made.clone().not_before(UnixMillis(7)).digest(), made.digest());
    }

    #[test]
    fn the_digest_leaves_the_header_and_state_out_and_nothing_else() {
        let state = NewEntry::new(UnixMillis(1), EntryType::State, Payload::parse("{}").unwrap());
        let limits = Limits::default();
        let plain = commit(vec![entry(None, "1")], &limits).unwrap();
        let header = NewEntry::new(UnixMillis(1), EntryType::Session, Payload::of(&1).unwrap());
        let with_both = commit(vec![header, state, entry(None, "1")], &limits).unwrap();
        let other = commit(vec![entry(None, "2")], &limits).unwrap();
        assert_eq!(plain.digest(), with_both.digest());
        assert_ne!(plain.digest(), other.digest());
        let state =
            || NewEntry::new(UnixMillis(1), EntryType::State, Payload::parse("{}").unwrap());
        let behind_state = plain.clone().with_state(state(), &limits).unwrap();
        assert_eq!(behind_state, commit(vec![state(), entry(None, "1")], &limits).unwrap());
        let narrow = Limits { commit_bytes: 2, ..limits };
        assert_eq!(plain.with_state(state(), &narrow).unwrap_err().kind(), ErrorKind::Refused);
    }
}
