//! Where a journal ends, which failures are damage, and where its torn tail begins.

use super::failure::Failure;
use super::scanner::{Found, Scanner};
use crate::commit::Tip;
use crate::position::{Position, Seq};

/// What the end of a journal is, from a scan that reached its last byte.
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::journal::{Extent, Scanner};
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
/// let whole = bytes.len() as u64;
/// bytes.extend_from_slice(br#"{"seq":8,"at":0,"ty"#); // the power went
/// let (mut scanner, mut found) = (Scanner::after(salt, before, 0), Vec::new());
/// scanner.feed(bytes.into(), &mut found);
/// scanner.finish(&mut found);
///
/// let extent = Extent::of(&scanner, &found, before, 0);
/// assert_eq!((extent.tip.position.number(), extent.end), (8, whole));
/// // Nobody was told of what was torn: it is a tail to set aside, and no damage.
/// assert!(extent.tail.is_some() && extent.damage.is_empty());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The tip: where the whole commits that count end, or the damage that follows the last one.
    pub tip: Tip,
    /// Where that is in bytes: the next commit goes there.
    pub end: u64,
    /// Whether its last line has its line end.
    pub terminated: bool,
    /// The greatest `synced` of any valid line: everything below was acknowledged.
    pub synced: Position,
    /// The failure that begins the torn tail: it and all after it are to be set aside.
    pub tail: Option<Failure>,
    /// Failures below `synced`: damage to what was acknowledged.
    pub damage: Vec<Failure>,
}

impl Extent {
    /// Sorts what a scan found that began where a tip and its bytes end; of a scan from the start,
    /// those are [`Tip::ABSENT`] and 0.
    ///
    /// The scan must have been [finished](Scanner::finish).
    pub fn of(scanner: &Scanner, found: &[Found], tip: Tip, end: u64) -> Self {
        let synced = scanner.synced();
        let mut extent =
            Self { tip, end, terminated: true, synced, tail: None, damage: Vec::new() };
        let mut damaged_to_the_end = false;
        for found in found {
            damaged_to_the_end = false;
            match found {
                Found::Commit(placed) => {
                    extent.tip = placed.commit.tip();
                    extent.end = placed.end;
                    extent.terminated = placed.terminated;
                }
                // What is below `synced` was once read as whole by whoever wrote that.
                Found::Failure(failure) if failure.seq.number() < synced.number() => {
                    extent.damage.push(*failure);
                    damaged_to_the_end = true;
                }
                Found::Failure(failure) => {
                    extent.tail = Some(*failure);
                    break;
                }
            }
        }
        if damaged_to_the_end {
            // What was acknowledged stays where it is, unreadable as it is; no number of it is
            // given again.
            let highest = scanner.highest().map_or(Position::START, Seq::after);
            extent.tip.position = extent.tip.position.max(synced).max(highest);
            (extent.end, extent.terminated) = scanner.content_end();
        }
        extent
    }
}
