//! From what a format says of each record to the sessions of a file.

use std::collections::BTreeSet;

use sessile_core::entry::shape::Dialect;
use sessile_core::id::MAX_ID_BYTES;
use sessile_core::{EntryType, Payload, SessionId, UnixMillis};

use crate::lines::Line;
use crate::records::{Record, Records, Shared, Strand};
use crate::source::{Belonging, ENVELOPE, Notice, SourceSession};
use crate::tree::{self, Conversation, Conversations, Fault, FaultKind, Lane, Node, Origin};

/// What a format says of one record.
#[derive(Debug, Default)]
pub(crate) struct Sorted<'a> {
    /// Whether it is a message; else it is an event.
    pub(crate) is_message: bool,
    /// When it was made.
    pub(crate) at: Option<UnixMillis>,
    /// Its place among the others.
    pub(crate) node: Node<'a>,
}

/// What a format says of a whole file.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    /// How its messages are to be read.
    pub(crate) dialect: Dialect,
    /// The id that its program gave the session.
    pub(crate) source_id: Option<String>,
    /// The id that its program gave the session that this one comes from.
    pub(crate) source_parent: Option<String>,
}

/// What a format says of one session, by its own records. A fork that says nothing of its own
/// has what the session has that it was cut from.
#[derive(Default)]
pub(crate) struct About {
    /// When it began; where that is not said, its first record that has a time tells.
    pub(crate) created_at: Option<UnixMillis>,
    /// Its title.
    pub(crate) title: Option<String>,
    /// The folder that it began in.
    pub(crate) cwd: Option<String>,
    /// The model that it used last.
    pub(crate) model: Option<String>,
}

/// The sessions of a file, and which lines did not fit.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) sessions: Vec<SourceSession>,
    pub(crate) notices: Vec<Notice>,
    /// The line that is no record, but what the main session has around its messages.
    pub(crate) head: Option<u64>,
}

impl Assembled {
    /// Says what the main session has around its messages.
    pub(crate) fn with_envelope(mut self, envelope: Payload, line: Option<u64>) -> Self {
        if let Some(main) = self.sessions.first_mut() {
            main.belonging.meta.insert(ENVELOPE.to_owned(), envelope);
        }
        self.head = line;
        self
    }
}

/// Puts the sessions together; `about` is asked of each session with the indexes of its own
/// records.
pub(crate) fn assemble(
    lines: &[Line],
    sorted: &[Sorted<'_>],
    whole: &Whole,
    about: impl Fn(&[usize]) -> About,
) -> Assembled {
    let nodes: Vec<&Node<'_>> = sorted.iter().map(|it| &it.node).collect();
    let (found, faults) = tree::grow(&nodes);
    let own = own_of_each(&found);
    let strands = strands(&found.list, &own, |index| {
        let (line, sorted) = (lines.get(index)?, sorted.get(index)?);
        Some(record(line, sorted))
    });
    let records = Records::of_strands(strands);
    let source_id = whole.source_id.as_deref().filter(|name| is_short(name));
    let source_parent = whole.source_parent.as_deref().filter(|name| is_short(name));
    let mut names = Names::default();
    let mut sessions: Vec<SourceSession> = Vec::new();
    for ((records, own), conversation) in records.into_iter().zip(own).zip(&found.list) {
        let parent_branch = match conversation.origin {
            Origin::Main => None,
            Origin::Fork { of, .. } => Some(of),
            Origin::Agent => Some(0),
        };
        let is_fork = matches!(conversation.origin, Origin::Fork { .. });
        let parent = parent_branch.and_then(|index| sessions.get(index));
        let about = about(&own).or(parent, is_fork);
        let first_time = || records.own().iter().find_map(|record| record.at);
        sessions.push(SourceSession {
            branch: conversation
                .first
                .and_then(|first| Some((lines.get(first)?, nodes.get(first)?)))
                .map(|(line, node)| names.give(conversation, node, line.number)),
            parent_branch,
            forked_after: is_fork.then_some(records.shared_count()),
            source_id: source_id.map(str::to_owned),
            source_parent: source_parent.map(str::to_owned),
            dialect: whole.dialect,
            created_at: about.created_at.or_else(first_time),
            title: about.title.as_deref().and_then(on_one_line),
            cwd: about.cwd.filter(|name| is_short(name)),
            model: about.model.filter(|name| is_short(name)),
            belonging: Belonging::default(),
            rest: None,
            whole: None,
            records,
        });
    }
    let notices = faults.iter().filter_map(|it| notice(it, lines)).collect();
    Assembled { sessions, notices, head: None }
}

/// The most bytes of an id, a folder or a model: each fork has them too, and a file could hold one
/// long name and many forks.
const MAX_NAME_BYTES: usize = 4_096;

/// Whether a name is within the limit; what is not names nothing.
fn is_short(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
}

/// The most characters of a title.
const MAX_TITLE: usize = 240;

/// The first line of a title that says something, within the limit.
fn on_one_line(title: &str) -> Option<String> {
    let line = title.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(MAX_TITLE).collect())
}

fn record(line: &Line, sorted: &Sorted<'_>) -> Record {
    Record {
        line: line.number,
        entry_type: if sorted.is_message { EntryType::Message } else { EntryType::Event },
        data: line.data.clone(),
        at: sorted.at,
    }
}

/// The indexes of each conversation's own records, in the order of the file.
fn own_of_each(found: &Conversations) -> Vec<Vec<usize>> {
    let mut own = vec![Vec::new(); found.list.len()];
    for (index, owner) in found.owners.iter().enumerate() {
        if let Some(own) = own.get_mut(*owner) {
            own.push(index);
        }
    }
    own
}

/// Each conversation's own records, and for a fork how much it shares.
fn strands(
    list: &[Conversation],
    own: &[Vec<usize>],
    record: impl Fn(usize) -> Option<Record>,
) -> Vec<Strand> {
    let mut strands: Vec<Strand> = Vec::with_capacity(list.len());
    for (conversation, own_records) in list.iter().zip(own) {
        let shared = match conversation.origin {
            Origin::Fork { of, after } => {
                let of_own = own.get(of).map(Vec::as_slice).unwrap_or_default();
                let before = strands.get(of).map_or(0, Strand::shared_count);
                let count = before + of_own.partition_point(|index| *index <= after);
                Some(Shared { with: of, count })
            }
            Origin::Main | Origin::Agent => None,
        };
        let own = own_records.iter().filter_map(|index| record(*index)).collect();
        strands.push(Strand { shared, own });
    }
    strands
}

impl About {
    /// Fills in what a fork has of the session that it was cut from, and a sub-agent of the one
    /// that started it.
    fn or(mut self, parent: Option<&SourceSession>, is_fork: bool) -> Self {
        if let Some(parent) = parent {
            self.cwd = self.cwd.or_else(|| parent.cwd.clone());
            if is_fork {
                self.title = self.title.or_else(|| parent.title.clone());
                self.model = self.model.or_else(|| parent.model.clone());
            }
        }
        self
    }
}

/// The names of branches, which are all different.
#[derive(Default)]
struct Names(BTreeSet<String>);

/// What the name of a sub-agent's session begins with.
const SIDECHAIN: &str = "sidechain-";

/// What a name made from a line's number begins with; no id that begins so becomes a name.
const LINE: &str = "line-";

impl Names {
    /// Names a branch by its first own record: that one stays the first when the file grows,
    /// whichever record will be the branch's last.
    fn give(&mut self, conversation: &Conversation, node: &Node<'_>, line: u64) -> String {
        let (prefix, id) = match &node.lane {
            Lane::Agent(name) if conversation.origin == Origin::Agent => (SIDECHAIN, Some(name)),
            Lane::Nameless if conversation.origin == Origin::Agent => (SIDECHAIN, node.id.as_ref()),
            Lane::Agent(_) | Lane::Nameless | Lane::Main => ("", node.id.as_ref()),
        };
        let by_line = format!("{LINE}{line}");
        let by_id = id.filter(|id| is_name(id)).map_or(&*by_line, |id| &**id);
        let name = format!("{prefix}{by_id}");
        if self.0.insert(name.clone()) {
            return name;
        }
        self.0.insert(by_line.clone());
        by_line
    }
}

/// Whether an id of another program can stand in an id of ours, with something before it.
fn is_name(id: &str) -> bool {
    id.len() + SIDECHAIN.len() <= MAX_ID_BYTES
        && id.parse::<SessionId>().is_ok()
        && !id.starts_with(LINE)
}

fn notice(fault: &Fault, lines: &[Line]) -> Option<Notice> {
    let reason = match fault.kind {
        FaultKind::RepeatedId => "its id is that of an earlier line too",
        FaultKind::UnknownParent => {
            "its parent is not in the file; it was taken to continue what stands before it"
        }
        FaultKind::OwnParent => {
            "it names itself as its parent; it was taken to continue what stands before it"
        }
        FaultKind::Circle => {
            "its parents run in a circle; it was taken to continue what stands before it"
        }
        FaultKind::ForeignParent => {
            "its parent is a sub-agent's; it was taken to continue what stands before it"
        }
    };
    Some(Notice { line: lines.get(fault.index)?.number, reason: reason.to_owned() })
}
