//! Where a journal ends, which failures are damage, and where its torn tail begins.

use super::failure::Failure;
use super::scanner::{Found, Placed, Scanner};
use crate::commit::Tip;
use crate::position::Position;

/// What the end of a journal is, from a scan that reached its last byte.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The tip of the whole commits that count.
    pub tip: Tip,
    /// Where the last of them ends, in bytes.
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
    /// Sorts what a scan found, given the commit before the scan (of a scan from the start, none).
    ///
    /// The scan must have been [finished](Scanner::finish).
    pub fn of(scanner: &Scanner, found: &[Found], before: Option<&Placed>) -> Self {
        let synced = scanner.synced();
        let mut extent = Self {
            tip: before.map_or(Tip::ABSENT, |placed| placed.commit.tip()),
            end: before.map_or(0, |placed| placed.end),
            terminated: before.is_none_or(|placed| placed.terminated),
            synced,
            tail: None,
            damage: Vec::new(),
        };
        for found in found {
            match found {
                Found::Commit(placed) => {
                    extent.tip = placed.commit.tip();
                    extent.end = placed.end;
                    extent.terminated = placed.terminated;
                }
                // What is below `synced` was once read as whole by whoever wrote that.
                Found::Failure(failure) if failure.seq.number() < synced.number() => {
                    extent.damage.push(*failure);
                }
                Found::Failure(failure) => {
                    extent.tail = Some(*failure);
                    break;
                }
            }
        }
        extent
    }
}
