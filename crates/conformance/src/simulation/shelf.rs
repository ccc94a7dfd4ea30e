//! The values of a document one after the other, as far as anybody knows of them.

use std::collections::BTreeMap;

use sessile_core::{Outcome, Revision};

use super::history::{Answer, Asked, Call};
use crate::failed::{Failed, ensure};

/// Checks the calls on the document, and the revision that it has at the end.
///
/// A put goes over one revision, so how many came before it is told by what it goes over; of all
/// that went over the same one, at most one may ever have been seen.
pub(super) fn check(calls: &[Call], last: Option<Revision>) -> Result<(), Failed> {
    let mut depths: BTreeMap<String, u64> = BTreeMap::new();
    let depth_of = |depths: &BTreeMap<String, u64>, revision: Option<Revision>| match revision {
        None => Some(0),
        Some(revision) => depths.get(&revision.to_string()).copied(),
    };
    // What a put goes over was seen before it was asked, so it was put before.
    let mut puts: Vec<&Call> =
        calls.iter().filter(|call| matches!(call.asked, Asked::Put { .. })).collect();
    puts.sort_by_key(|call| call.begun);
    for call in &puts {
        let Asked::Put { revision, over } = &call.asked else { continue };
        let before = depth_of(&depths, *over)
            .ok_or_else(|| Failed::new(format!("{over:?} was seen and never put")))?;
        depths.insert(revision.to_string(), before + 1);
    }
    let mut standing: BTreeMap<u64, Revision> = BTreeMap::new();
    let mut seen = Vec::new();
    for call in calls {
        let (revision, is_put) = match (&call.asked, &call.answer) {
            (Asked::Put { revision, .. }, Answer::Holds(_)) => (Some(*revision), true),
            (Asked::Get, Answer::Holds(revision)) => (*revision, false),
            _ => continue,
        };
        // One that was sent again may have been done since it was sent first.
        let same = puts.iter().find(|put| is_put && put.asked == call.asked);
        seen.push((revision, is_put, same.map_or(call.begun, |first| first.begun), call.ended));
    }
    seen.push((last, false, u64::MAX, u64::MAX));
    let mut of = Vec::new();
    for (revision, is_put, begun, ended) in seen {
        let depth = depth_of(&depths, revision)
            .ok_or_else(|| Failed::new(format!("{revision:?} was never put")))?;
        if let Some(revision) = revision {
            let stands = standing.entry(depth).or_insert(revision);
            ensure!(*stands == revision, "{stands} and {revision} went over the same value");
            ensure!(!is_refused(calls, revision), "{revision} was refused and stands");
        }
        of.push((depth, is_put, begun, ended));
    }
    for (depth, _, _, ended) in &of {
        for (later, is_put, begun, _) in &of {
            let goes_back = later < depth || *is_put && later == depth;
            ensure!(
                begun <= ended || !goes_back,
                "value {later} of the document after value {depth} was told"
            );
        }
    }
    Ok(())
}

/// Whether a put was answered as never to be done, each time it was asked for.
fn is_refused(calls: &[Call], revision: Revision) -> bool {
    let answers: Vec<_> = calls
        .iter()
        .filter(|call| matches!(&call.asked, Asked::Put { revision: own, .. } if *own == revision))
        .map(|call| &call.answer)
        .collect();
    let refused =
        |answer: &&Answer| matches!(answer, Answer::Refused { outcome: Outcome::NotApplied, .. });
    !answers.is_empty() && answers.iter().all(refused)
}
