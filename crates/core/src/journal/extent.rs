//! Where a journal ends, which failures are damage, and where its torn tail begins.

use super::failure::Failure;
use super::scanner::{Found, Scanner};
use crate::commit::Tip;
use crate::position::{Position, Seq};

/// What the end of a journal is, from a scan that reached its last byte.
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
