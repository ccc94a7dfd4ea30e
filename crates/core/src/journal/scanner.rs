//! From bytes, in pieces of any size, to commits and failures.

use bytes::{Bytes, BytesMut};
use memchr::memmem;

use super::assembler::{Assembler, Before};
use super::failure::{Failure, Reason};
use super::lines;
use crate::commit::{StoredCommit, Tip};
use crate::digest::Salt;
use crate::line::{self, Line};
use crate::position::{Position, Seq};

/// How many beginnings of a line are tried within a bad one: a flipped LF joins two lines, and
/// payloads may hold text that looks like a beginning.
const BEGINNINGS_TRIED: usize = 4;

/// How every line of ours begins.
const BEGINNING: &[u8] = b"{\"seq\":";

/// A commit and where its bytes stand.
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::journal::{Found, Placed, Scanner};
/// use sessile_core::line::encode_commit;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Position, Tip, UnixMillis};
///
/// # let salt = Salt::from_random([7; 4]);
/// # let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// # let token = Token::from_random([1; 16]);
/// # let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// # let before = Tip { position: Position::new(7).expect("it is small"), token: Some(token) };
/// let mut bytes = Vec::new();
/// encode_commit(&mut bytes, &commit.stored_at(before, before.position)?, salt);
/// let length = bytes.len() as u64;
/// bytes.pop(); // its line end
/// let (mut scanner, mut found) = (Scanner::after(salt, before, 4_096), Vec::new());
/// scanner.feed(bytes.into(), &mut found);
/// scanner.finish(&mut found);
/// let Some(Found::Commit(placed)) = found.pop() else { panic!("it is whole") };
/// let Placed { offset, end, terminated, .. } = *placed;
/// // It is whole without its line end, which the next append has to write.
/// assert_eq!((offset, end, terminated), (4_096, 4_096 + length - 1, false));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Placed {
    /// The commit.
    pub commit: StoredCommit,
    /// Where its first line begins.
    pub offset: u64,
    /// Where its last line ends, its line end included if it has one.
    pub end: u64,
    /// Whether its last line has its line end; the next append writes it otherwise.
    pub terminated: bool,
}

/// What a stretch of a journal is.
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::journal::{Found, Scanner};
/// use sessile_core::line::encode_commit;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Position, Tip, UnixMillis};
///
/// # let salt = Salt::from_random([7; 4]);
/// # let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// # let token = Token::from_random([1; 16]);
/// # let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// # let before = Tip { position: Position::new(7).expect("it is small"), token: Some(token) };
/// let mut bytes = b"somebody's scribble\n".to_vec();
/// encode_commit(&mut bytes, &commit.stored_at(before, before.position)?, salt);
/// let (mut scanner, mut found) = (Scanner::after(salt, before, 0), Vec::new());
/// scanner.feed(bytes.into(), &mut found);
/// scanner.finish(&mut found);
/// // What is no commit is told before the commit that follows it.
/// assert!(matches!(&found[..], [Found::Failure(_), Found::Commit(_)]));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Found {
    /// A whole commit.
    Commit(Box<Placed>),
    /// No whole commit; told when the next one is found, or at the end.
    Failure(Failure),
}

/// Reads the bytes of a journal in order.
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::journal::{Found, Scanner};
/// use sessile_core::line::encode_commit;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Position, Tip, UnixMillis};
///
/// # let salt = Salt::from_random([7; 4]);
/// # let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// # let token = Token::from_random([1; 16]);
/// # let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// # let before = Tip { position: Position::new(7).expect("it is small"), token: Some(token) };
/// # let stored = commit.stored_at(before, before.position)?;
/// let mut bytes = Vec::new();
/// encode_commit(&mut bytes, &stored, salt);
/// // As they come from a disk or a network: in pieces of any size.
/// let (mut scanner, mut found) = (Scanner::of_piece(salt, Some(before)), Vec::new());
/// for piece in Bytes::from(bytes).chunks(50) {
///     scanner.feed(Bytes::copy_from_slice(piece), &mut found);
/// }
/// scanner.finish(&mut found);
/// assert!(matches!(&found[..], [Found::Commit(placed)] if placed.commit == stored));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Scanner {
    salt: Option<Salt>,
    /// Whether the byte at offset 0 begins the header, whose checksum has no salt.
    headed: bool,
    assembler: Assembler,
    /// A line whose end has not come yet.
    carry: BytesMut,
    /// Where `carry` begins.
    offset: u64,
    /// Where the last whole commit ends.
    end: u64,
    /// Where the last line ends, whole or not, and whether it has its line end.
    content: (u64, bool),
    synced: Position,
    highest: Option<Seq>,
    /// The failure since the last whole commit.
    failure: Option<Failure>,
}

impl Scanner {
    /// Reads a journal from its first byte, whose line is the header with the salt.
    pub fn from_start(salt: Salt) -> Self {
        Self::starting(salt, 0, Tip::ABSENT.position, Before::Known(None)).with_header()
    }

    /// Reads on after a commit that ended at an offset.
    pub fn after(salt: Salt, tip: Tip, offset: u64) -> Self {
        Self::starting(salt, offset, tip.position, Before::Known(tip.token))
    }

    /// Reads from the beginning of some line in the middle: the first commit may be cut, and what
    /// stood before it is not known.
    pub fn in_the_middle(salt: Salt, offset: u64) -> Self {
        let scanner = Self::starting(salt, offset, Position::START, Before::Unknown);
        if offset == 0 { scanner.with_header() } else { scanner }
    }

    /// Reads a piece that begins with a whole commit which is not the journal's first, where
    /// offsets count from the piece's own first byte; what stood before it may not be known.
    pub fn of_piece(salt: Salt, before: Option<Tip>) -> Self {
        match before {
            Some(tip) => Self::starting(salt, 0, tip.position, Before::Known(tip.token)),
            None => Self::starting(salt, 0, Position::START, Before::Unknown),
        }
    }

    const fn with_header(mut self) -> Self {
        self.headed = true;
        self
    }

    fn starting(salt: Salt, offset: u64, position: Position, before: Before) -> Self {
        Self {
            salt: Some(salt),
            headed: false,
            assembler: Assembler::new(position, before),
            carry: BytesMut::new(),
            offset,
            end: offset,
            content: (offset, true),
            synced: Position::START,
            highest: None,
            failure: None,
        }
    }

    /// Takes the next bytes and adds what they complete.
    pub fn feed(&mut self, mut bytes: Bytes, found: &mut Vec<Found>) {
        while !bytes.is_empty() {
            if self.carry.is_empty() {
                let padding = lines::first_content(&bytes);
                self.advance(padding);
                let _padding = bytes.split_to(padding);
            }
            let Some(length) = lines::line_end(&bytes) else {
                self.carry.extend_from_slice(&bytes);
                return;
            };
            let piece = bytes.split_to(length);
            let _line_end = bytes.split_to(1);
            let line = if self.carry.is_empty() {
                piece
            } else {
                self.carry.extend_from_slice(&piece);
                self.carry.split().freeze()
            };
            self.take_line(&line, true, found);
            self.advance(line.len() + 1);
        }
    }

    /// Says that no more bytes follow, and adds what that means.
    pub fn finish(&mut self, found: &mut Vec<Found>) {
        let line = self.carry.split().freeze();
        if !line.is_empty() {
            self.take_line(&line, false, found);
            self.advance(line.len());
        }
        let next = self.assembler.next_seq();
        if let Some(from) = self.assembler.interrupt() {
            self.fail(from, next, Reason::NotClosed);
        }
        found.extend(self.failure.take().map(Found::Failure));
    }

    /// The greatest `synced` of any valid line so far.
    pub const fn synced(&self) -> Position {
        self.synced
    }

    /// Where the last line that is no padding ends, whole or not, and whether it has its line end.
    pub const fn content_end(&self) -> (u64, bool) {
        self.content
    }

    /// The greatest number of any valid line so far, of a commit or not.
    pub const fn highest(&self) -> Option<Seq> {
        self.highest
    }

    fn advance(&mut self, bytes: usize) {
        self.offset += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    /// Takes a line without its end; the scanner's offset is where it begins.
    fn take_line(&mut self, bytes: &Bytes, terminated: bool, found: &mut Vec<Found>) {
        if bytes.is_empty() {
            return;
        }
        let line = bytes.slice_ref(lines::without_cr(bytes));
        let end = self.offset + u64::try_from(bytes.len()).unwrap_or(0) + u64::from(terminated);
        self.content = (end, terminated);
        match self.decode(&line) {
            Ok(line) => self.accept(line, self.offset, end, terminated, found),
            Err(bad) => {
                let next = self.assembler.next_seq();
                self.assembler.take_bad();
                self.fail(self.offset, next, Reason::Line(bad));
                if let Some((line, skipped)) = self.joined_line(&line) {
                    self.accept(line, self.offset + skipped, end, terminated, found);
                }
            }
        }
    }

    /// The first line of a journal is read without the salt that it holds.
    fn decode(&self, line: &Bytes) -> Result<Line, line::BadLine> {
        line::decode_line(line, self.salt.filter(|_| !self.headed || self.offset > 0))
    }

    /// A whole line at the end of a bad one.
    fn joined_line(&self, line: &Bytes) -> Option<(Line, u64)> {
        let mut beginnings = memmem::rfind_iter(line, BEGINNING).take(BEGINNINGS_TRIED);
        beginnings.find_map(|at| {
            let skipped = u64::try_from(at).ok().filter(|skipped| *skipped > 0)?;
            Some((line::decode_line(&line.slice(at..), self.salt).ok()?, skipped))
        })
    }

    fn accept(
        &mut self,
        line: Line,
        offset: u64,
        end: u64,
        terminated: bool,
        found: &mut Vec<Found>,
    ) {
        self.highest = self.highest.max(Some(line.entry.seq));
        if let Some(closing) = &line.closing {
            self.synced = self.synced.max(closing.synced);
        }
        let before = self.assembler.position();
        let step = self.assembler.take(line, offset);
        if let Some((at, seq, reason)) = step.failed {
            self.note(before, at, seq, reason);
        }
        if let Some((commit, mut offset)) = step.commit {
            let failure = self.failure.take();
            if step.excused {
                offset = failure.map_or(offset, |failure| failure.offset);
            } else {
                found.extend(failure.map(Found::Failure));
            }
            self.end = end;
            found.push(Found::Commit(Box::new(Placed { commit, offset, end, terminated })));
        }
    }

    fn fail(&mut self, offset: u64, seq: Seq, reason: Reason) {
        self.note(self.assembler.position(), offset, seq, reason);
    }

    /// Keeps the first failure since the last whole commit: what follows is part of it.
    fn note(&mut self, position: Position, offset: u64, seq: Seq, reason: Reason) {
        let from = self.end;
        self.failure.get_or_insert(Failure { position, seq, from, offset, reason });
    }
}
