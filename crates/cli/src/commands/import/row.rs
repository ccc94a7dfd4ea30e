//! What is answered for a session that was imported.

use serde::Serialize;
use sessile::{Imported, SessionId};

use crate::failure::Failure;
use crate::output::{Output, notice};
use crate::reading;

/// The answer for one session of the file.
#[derive(Debug, Serialize)]
struct Row<'a> {
    source: &'a str,
    format: &'a str,
    session: &'a SessionId,
    branch: Option<&'a str>,
    messages: u64,
    added: u64,
    skipped: Vec<Line<'a>>,
    notices: Vec<Line<'a>>,
}

/// A line of the file, and what there is to say of it.
#[derive(Debug, Serialize)]
struct Line<'a> {
    line: u64,
    reason: &'a str,
}

/// Tells what was imported of a session, and what was not.
pub(super) fn tell(place: &str, imported: &Imported, output: &mut Output) -> Result<(), Failure> {
    let notices = &imported.notices;
    if output.is_json() {
        let skipped = imported.skipped.iter();
        return output.value(&Row {
            source: place,
            format: imported.format.name(),
            session: &imported.session,
            branch: imported.branch.as_deref(),
            messages: imported.messages,
            added: imported.added,
            skipped: skipped.map(|s| Line { line: s.line, reason: &s.reason }).collect(),
            notices: notices.iter().map(|n| Line { line: n.line, reason: &n.reason }).collect(),
        });
    }
    let Imported { session, messages, added, .. } = imported;
    let branch = imported.branch.as_deref();
    let branch = branch.map(|branch| format!(" (branch {branch})")).unwrap_or_default();
    let messages = reading::counted(*messages, "message", "messages");
    let added = reading::counted(*added, "entry", "entries");
    output.line(&format!("{session}{branch}: {messages}, {added} added"))?;
    for skipped in &imported.skipped {
        let (line, reason) = (skipped.line, &skipped.reason);
        notice(&format!("sessile: {place}: line {line} was skipped: {reason}"));
    }
    for said in notices {
        let (line, reason) = (said.line, &said.reason);
        notice(&format!("sessile: {place}: line {line} was kept: {reason}"));
    }
    Ok(())
}
