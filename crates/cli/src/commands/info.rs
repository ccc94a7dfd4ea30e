//! `sessile info`.

use serde::Serialize;
use sessile::{Name, Position, SessionId, Store, UnixMillis};

use crate::args::SessionArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, notice};
use crate::reading;

/// The answer.
#[derive(Debug, Serialize)]
struct Known<'a> {
    id: &'a SessionId,
    lifecycle: &'a str,
    position: Position,
    messages: u64,
    events: u64,
    entries: u64,
    bytes: u64,
    title: Option<String>,
    project: Option<&'a Name>,
    tags: Vec<String>,
    damaged: bool,
    created_at: UnixMillis,
    updated_at: UnixMillis,
    /// No session of this version has an active request.
    admission: &'a str,
    indeterminate: [&'a str; 0],
}

/// Prints what is known of a session without its transcript.
pub(crate) async fn run(
    store: &Store,
    args: SessionArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = store.open_session(args.id).await?;
    let info = session.info();
    let known = Known {
        id: info.id(),
        lifecycle: info.lifecycle.name(),
        position: info.position,
        messages: info.messages,
        events: info.events,
        entries: info.entries,
        bytes: info.payload_bytes,
        title: info.title(),
        project: info.header.project.as_ref(),
        tags: info.tags(),
        damaged: info.damaged,
        created_at: info.header.created_at,
        updated_at: info.updated_at,
        admission: "idle",
        indeterminate: [],
    };
    if output.is_json() {
        output.value(&known)?;
    } else {
        let mut rows = vec![("id", known.id.to_string())];
        rows.extend(known.title.as_deref().map(|title| ("title", reading::visible(title))));
        rows.extend(known.project.map(|name| ("project", reading::visible(name.as_str()))));
        if !known.tags.is_empty() {
            rows.push(("tags", reading::visible(&known.tags.join(", "))));
        }
        rows.extend([
            ("state", known.lifecycle.to_owned()),
            ("created", reading::time(known.created_at)),
            ("updated", reading::time(known.updated_at)),
            ("position", known.position.to_string()),
            ("messages", known.messages.to_string()),
            ("events", known.events.to_string()),
            ("entries", known.entries.to_string()),
            ("bytes", known.bytes.to_string()),
        ]);
        for (name, value) in rows {
            output.line(&format!("{name:<9} {value}"))?;
        }
    }
    if let Some(receipt) = session.receipt() {
        notice(&format!("sessile: {receipt}"));
    }
    Ok(Exit::Done)
}
