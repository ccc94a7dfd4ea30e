//! The board of messages: what can be said of changes since.

use std::collections::{BTreeMap, BTreeSet};

use sessile_core::lens::View;

use crate::ledger::member::{count, maybe, truth};

/// What a row says of changes to its messages.
///
/// # Examples
/// ```
/// use sessile_interchange::ledger::{Board, decode};
///
/// # let row = |id: u64, more: &str| format!(
/// #     r#"{{"session_id":"wc_sess_{id:016}","created_at":1790000000,"updated_at":1790000060,
/// #     "owner_authority_fingerprint":"{}","mode":"normal","lifecycle":"active","events":[],
/// #     "events_observed":0{more}}}"#,
/// #     "0a".repeat(32),
/// # );
/// # let document = |rows: &[String]| {
/// #     format!(r#"{{"version":2,"sessions":[{}]}}"#, rows.join(","))
/// # };
/// // Two messages, of which one was changed last.
/// let messages = r#","messages":[{"message_id":"wc_msg_1"},{"message_id":"wc_msg_2"}],
///     "message_observation_revision":5,"message_observation_floor":2,
///     "message_observation_revisions":{"wc_msg_1":3,"wc_msg_2":5}"#;
/// let ledger = decode(&document(&[row(1, messages)]).into())?;
/// let board: &Board = &ledger.rows[0].board;
/// assert_eq!((board.revision, board.floor, board.revisions["wc_msg_2"]), (5, 2, 5));
/// // Who has seen less than the floor has missed something.
/// assert!(!board.tasks_are_tracked);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The number of the last change.
    pub revision: u64,
    /// Changes up to this one may be lost.
    pub floor: u64,
    /// The last change of each message.
    pub revisions: BTreeMap<String, u64>,
    /// For tasks, the changes up to which direct replies may be lost.
    pub task_floors: BTreeMap<String, u64>,
    /// Whether that is known of every task.
    pub tasks_are_tracked: bool,
    /// For tasks that were completed, the fingerprint of what they were completed against.
    pub fences: BTreeMap<String, String>,
    /// Whether that is known of every completed task.
    pub fences_are_tracked: bool,
}

/// A board, and what was mended of it.
pub(super) struct Read {
    pub(super) board: Board,
    pub(super) mended: Vec<&'static str>,
}

/// Reads the board of a row whose messages have these ids.
///
/// Where the numbers of changes contradict each other nothing is known of them: everything up to
/// the last change counts as lost, so that whoever followed them is told. Where what is known of
/// tasks is wrong, it counts as incomplete.
pub(super) fn read(row: View<'_>, messages: &BTreeSet<String>) -> Result<Read, String> {
    let revision = count(row, "message_observation_revision")?.unwrap_or(0);
    let floor = count(row, "message_observation_floor")?.unwrap_or(0);
    let mut mended = Vec::new();
    let revisions = numbers(row, "message_observation_revisions");
    let consistent = revisions.filter(|revisions| fits(revisions, messages, revision, floor));
    let (floor, revisions) = consistent.map_or_else(
        || {
            mended.push(
                "its numbers of changes contradict each other: all up to the last count as lost",
            );
            (revision, messages.iter().map(|id| (id.clone(), 0)).collect())
        },
        |revisions| (floor, revisions),
    );
    let is_known = |id: &String| messages.contains(id);
    let task_floors = numbers(row, "assignment_history_floors")
        .filter(|it| it.keys().all(is_known) && it.values().all(|floor| *floor <= revision));
    let fences =
        texts(row, "completion_assignment_fence_fingerprints").filter(|it| it.keys().all(is_known));
    let tasks_are_tracked = truth(row, "assignment_history_tracking_complete", false)?;
    let fences_are_tracked = truth(row, "completion_assignment_fence_tracking_complete", false)?;
    if task_floors.is_none() {
        mended.push("what it says of the replies to its tasks is wrong: it counts as incomplete");
    }
    if fences.is_none() {
        mended.push("what it says of its completed tasks is wrong: it counts as incomplete");
    }
    let board = Board {
        revision,
        floor,
        revisions,
        tasks_are_tracked: tasks_are_tracked && task_floors.is_some(),
        task_floors: task_floors.unwrap_or_default(),
        fences_are_tracked: fences_are_tracked && fences.is_some(),
        fences: fences.unwrap_or_default(),
    };
    Ok(Read { board, mended })
}

/// Whether each message has a number of its own, and the last change is one of them or lost.
fn fits(
    revisions: &BTreeMap<String, u64>,
    messages: &BTreeSet<String>,
    revision: u64,
    floor: u64,
) -> bool {
    let positive: Vec<u64> = revisions.values().copied().filter(|it| *it > 0).collect();
    let different: BTreeSet<u64> = positive.iter().copied().collect();
    let last = different.last().copied().unwrap_or(0).max(floor);
    revisions.keys().eq(messages) && different.len() == positive.len() && last == revision
}

/// An object of numbers; none where it is something else.
fn numbers(row: View<'_>, name: &str) -> Option<BTreeMap<String, u64>> {
    object(row, name, View::whole_number)
}

fn texts(row: View<'_>, name: &str) -> Option<BTreeMap<String, String>> {
    object(row, name, |value| value.text().map(std::borrow::Cow::into_owned))
}

fn object<'a, T>(
    row: View<'a>,
    name: &str,
    read: impl Fn(View<'a>) -> Option<T>,
) -> Option<BTreeMap<String, T>> {
    let Some(value) = maybe(row, name) else { return Some(BTreeMap::new()) };
    let mut found = BTreeMap::new();
    for (name, value) in value.members() {
        if found.insert(name.into_owned(), read(value)?).is_some() {
            return None;
        }
    }
    value.is_object().then_some(found)
}
