//! A row as the source of an import: which entries it becomes.

use std::collections::BTreeMap;

use serde_json::json;
use sessile_core::entry::shape::{Close, Context, Dialect, Instruct};
use sessile_core::lens::View;
use sessile_core::{EntryType, Error, Payload, Text};

use crate::format::Format;
use crate::ledger::guards::{Lifecycle, Mode};
use crate::ledger::member::maybe;
use crate::ledger::posts::{self, with_member};
use crate::ledger::row::Row;
use crate::ledger::secret;
use crate::ledger::tombstone::Tombstone;
use crate::records::{Record, Records, Strand};
use crate::source::{Belonging, Source, SourceSession};

/// The member of an instruction that holds the event as it stands in the ledger.
const EVENT: &str = "event";

/// Where a workflow session keeps what it was created with to be compared with later.
const BASELINE: &str = "workflow.baseline";

/// Where a workflow session keeps what it must not do.
const GUARDS: &str = "workflow.guards";

/// The most characters of an instruction.
const MAX_INSTRUCTION: usize = 4_000;

impl Row {
    /// The row as the source of an import, which takes it over once and does not follow it.
    ///
    /// Its context comes first, then its messages as they stand on its board, then its events in
    /// order: an instruction as such, and the one that closed it as its close. What has no entry of
    /// its own is in [`rest`](SourceSession::rest). All records have the number of the row,
    /// counted from 1, as their line.
    ///
    /// # Errors
    /// None of its own: those of making payloads.
    pub fn to_source(&self) -> Result<Source, Error> {
        let line = u64::try_from(self.row).unwrap_or(u64::MAX).saturating_add(1);
        let record = |(entry_type, data)| Record { line, entry_type, data, at: None };
        let own: Vec<Record> = self.entries()?.into_iter().map(record).collect();
        let baseline = self.others.get("git_baseline_tree").cloned();
        let belonging = Belonging {
            owner: self.owner.parse().ok(),
            project: self.project.clone(),
            project_identity: self.project_identity.clone(),
            host: baseline.map(|it| (BASELINE.to_owned(), it)).into_iter().collect(),
            meta: BTreeMap::from([(GUARDS.to_owned(), self.denied()?)]),
        };
        Ok(Source {
            lines: u64::try_from(own.len()).unwrap_or(u64::MAX),
            ..source(SourceSession {
                title: self.title.clone(),
                created_at: Some(self.created_at),
                belonging,
                rest: Some(self.rest()?),
                whole: Some(self.digest),
                ..bare(self.id.clone(), own)
            })
        })
    }

    fn entries(&self) -> Result<Vec<(EntryType, Payload)>, Error> {
        let mut entries = Vec::new();
        if let Some(context) = &self.execution_context {
            let context = Context { context: context.clone() };
            entries.push((EntryType::Context, Payload::of(&context)?));
        }
        entries.append(&mut posts::entries(&self.messages, &self.board.fences)?);
        let told: Vec<Option<String>> = self.events.iter().map(instruction).collect();
        let last = told.iter().flatten().next_back();
        // The last instruction is kept when its event is not: then it was given before all that
        // are. Where another one is there, what the row says of itself counts.
        let kept = self.instruction.as_ref().filter(|kept| last != Some(*kept));
        if let (Some(kept), None) = (kept, last) {
            entries.push((EntryType::Instruct, instruct(kept)?));
        }
        let closed = self.events.iter().rposition(|event| is_kind(event, "session_closed"));
        let closed = closed.filter(|_| self.lifecycle == Lifecycle::Closed);
        for (index, (event, told)) in self.events.iter().zip(&told).enumerate() {
            entries.push(match told {
                Some(text) => {
                    let data = with_member(&instruct(text)?, EVENT, event.as_str())?;
                    (EntryType::Instruct, data)
                }
                None if closed == Some(index) => {
                    let data = with_member(&close()?, EVENT, event.as_str())?;
                    (EntryType::Close, data)
                }
                None => (EntryType::Event, event.clone()),
            });
        }
        if let (Some(kept), Some(_)) = (kept, last) {
            entries.push((EntryType::Instruct, instruct(kept)?));
        }
        if self.lifecycle == Lifecycle::Closed && closed.is_none() {
            entries.push((EntryType::Close, close()?));
        }
        Ok(entries)
    }

    /// What it must not do, as the metadata of a workflow session says it.
    fn denied(&self) -> Result<Payload, Error> {
        let denied =
            [("shell", self.guards.deny_shell_tools), ("write", self.guards.deny_write_tools)];
        let denied: Vec<&str> =
            denied.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
        Payload::of(&json!({"mode": mode(self.mode), "deny": denied}))
    }

    /// What no entry holds, under the names that it has in the ledger.
    fn rest(&self) -> Result<Payload, Error> {
        let board = &self.board;
        let values = [
            ("created_at", json!(self.created_at.millis())),
            ("updated_at", json!(self.updated_at.millis())),
            ("mode", json!(mode(self.mode))),
            (
                "guards",
                json!({
                    "deny_write_tools": self.guards.deny_write_tools,
                    "deny_shell_tools": self.guards.deny_shell_tools,
                }),
            ),
            ("events_observed", json!(self.events_observed)),
            ("message_observation_revision", json!(board.revision)),
            ("message_observation_floor", json!(board.floor)),
            ("message_observation_revisions", json!(board.revisions)),
            ("assignment_history_floors", json!(board.task_floors)),
            ("assignment_history_tracking_complete", json!(board.tasks_are_tracked)),
            ("completion_assignment_fence_fingerprints", json!(board.fences)),
            ("completion_assignment_fence_tracking_complete", json!(board.fences_are_tracked)),
        ];
        let mut rest: BTreeMap<&str, Payload> = BTreeMap::new();
        for (name, value) in values {
            rest.insert(name, Payload::of(&value)?);
        }
        rest.extend(self.others.iter().map(|(name, value)| (name.as_str(), value.clone())));
        Payload::of(&rest)
    }
}

impl Tombstone {
    /// The tombstone as the source of an import: a session without entries, which is to be deleted
    /// as soon as it is there.
    pub fn to_source(&self) -> Source {
        source(SourceSession {
            belonging: Belonging { owner: self.owner.parse().ok(), ..Belonging::default() },
            rest: Some(self.data.clone()),
            whole: Some(self.digest),
            ..bare(self.id.clone(), Vec::new())
        })
    }
}

/// A session of which nothing is known but its id and its records.
fn bare(id: String, own: Vec<Record>) -> SourceSession {
    let mut records = Records::of_strands(vec![Strand { shared: None, own }]);
    SourceSession {
        branch: None,
        parent_branch: None,
        forked_after: None,
        source_id: Some(id),
        source_parent: None,
        dialect: Dialect::Plain,
        created_at: None,
        title: None,
        cwd: None,
        model: None,
        belonging: Belonging::default(),
        rest: None,
        whole: None,
        records: records.remove(0),
    }
}

fn source(session: SourceSession) -> Source {
    Source {
        format: Format::Ledger,
        sessions: vec![session],
        skipped: Vec::new(),
        notices: Vec::new(),
        head: None,
        lines: 0,
    }
}

fn instruct(text: &str) -> Result<Payload, Error> {
    Payload::of(&Instruct { text: Text::from(text), by: None })
}

fn close() -> Result<Payload, Error> {
    Payload::of(&Close::default())
}

const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Normal => "normal",
        Mode::ReadOnly => "read_only",
    }
}

fn is_kind(event: &Payload, kind: &str) -> bool {
    View::of(event).member("kind").and_then(View::text).as_deref() == Some(kind)
}

/// What an event instructs to; none where it is another event.
fn instruction(event: &Payload) -> Option<String> {
    if !is_kind(event, "task_instruction") {
        return None;
    }
    let event = View::of(event);
    let text = maybe(event, "instruction").or_else(|| maybe(event, "text"))?.text()?;
    Some(secret::bounded(&text, MAX_INSTRUCTION))
}
