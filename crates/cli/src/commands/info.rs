//! `sessile info`.

use serde::Serialize;
use sessile::lens::{self, Pairing};
use sessile::{
    Dialect, ErrorKind, From, Info, Meta, Name, Position, RawMessage, Seq, Session, SessionId,
    Store, UnixMillis,
};

use crate::answer;
use crate::args::SessionArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
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
    meta: &'a Meta,
    dialect: Dialect,
    parent_id: Option<&'a SessionId>,
    forked_from: Option<Cut<'a>>,
    /// The first entry that was kept when those before it were forgotten.
    forgotten_before: Option<Seq>,
    damaged: bool,
    created_at: UnixMillis,
    updated_at: UnixMillis,
    /// None where the transcript can't be read whole.
    calls: Option<Calls>,
    /// No session of this version has an active request.
    admission: &'a str,
    indeterminate: [&'a str; 0],
}

/// Where a fork was cut.
#[derive(Debug, Serialize)]
struct Cut<'a> {
    session: &'a SessionId,
    seq: Seq,
}

/// What does not fit together in the transcript.
#[derive(Clone, Copy, Debug, Serialize)]
struct Calls {
    /// Calls without a result.
    open: u64,
    /// Results without a call.
    orphan_results: u64,
    /// Further results of a call that has one.
    second_results: u64,
}

/// Prints what is known of a session without its transcript.
pub(crate) async fn run(
    store: &Store,
    args: SessionArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = store.open_session(args.id).await?;
    let info = session.info();
    let calls = calls(&session, &info).await?;
    let known = Known::of(&info, calls);
    if output.is_json() {
        output.value(&known)?;
    } else {
        for (name, value) in known.rows() {
            output.line(&format!("{name:<9} {value}"))?;
        }
    }
    answer::receipt(&session);
    Ok(Exit::Done)
}

/// Pairs the calls and results of the transcript.
async fn calls(session: &Session, info: &Info) -> Result<Option<Calls>, Failure> {
    // What was forgotten is not there to be read.
    let from = info.forgotten.map_or(From::start(), From::seq);
    let mut pairing = Pairing::default();
    let mut messages = session.transcript::<RawMessage>(from).await?;
    while let Some(message) = messages.next().await {
        let message = match message {
            Err(error) if error.kind() == ErrorKind::Corrupt => return Ok(None),
            message => message?,
        };
        pairing.message(message.seq, &lens::read(info.header.dialect, &message.data));
    }
    let report = pairing.report();
    Ok(report.stopped_at.is_none().then_some(Calls {
        open: report.open_calls.count,
        orphan_results: report.orphan_results.count,
        second_results: report.second_results.count,
    }))
}

impl<'a> Known<'a> {
    fn of(info: &'a Info, calls: Option<Calls>) -> Self {
        let header = &info.header;
        let cut = header.forked_from.as_ref();
        Self {
            id: info.id(),
            lifecycle: info.lifecycle.name(),
            position: info.position,
            messages: info.messages,
            events: info.events,
            entries: info.entries,
            bytes: info.payload_bytes,
            title: info.title(),
            project: header.project.as_ref(),
            tags: info.tags(),
            meta: &info.meta,
            dialect: header.dialect,
            parent_id: header.parent_id.as_ref(),
            forked_from: cut.map(|cut| Cut { session: &cut.session, seq: cut.seq }),
            forgotten_before: info.forgotten,
            damaged: info.damaged,
            created_at: header.created_at,
            updated_at: info.updated_at,
            calls,
            admission: "idle",
            indeterminate: [],
        }
    }

    /// The same for people.
    fn rows(&self) -> Vec<(&'a str, String)> {
        let mut rows = vec![("id", self.id.to_string())];
        rows.extend(self.title.as_deref().map(|title| ("title", reading::visible(title))));
        rows.extend(self.project.map(|name| ("project", reading::visible(name.as_str()))));
        if !self.tags.is_empty() {
            rows.push(("tags", reading::visible(&self.tags.join(", "))));
        }
        let others = self.meta.iter().filter(|(key, _)| !matches!(*key, "title" | "tags"));
        rows.extend(
            others.map(|(key, value)| {
                ("meta", reading::visible(&format!("{key}={}", value.as_str())))
            }),
        );
        rows.extend(self.parent_id.map(|id| ("parent", id.to_string())));
        let cut = self.forked_from.as_ref();
        rows.extend(cut.map(|cut| ("fork of", format!("{} at {}", cut.session, cut.seq))));
        rows.extend([
            ("state", self.lifecycle.to_owned()),
            ("created", reading::time(self.created_at)),
            ("updated", reading::time(self.updated_at)),
            ("position", self.position.to_string()),
            ("messages", self.messages.to_string()),
            ("events", self.events.to_string()),
            ("entries", self.entries.to_string()),
            ("bytes", self.bytes.to_string()),
        ]);
        let forgotten = self.forgotten_before;
        rows.extend(forgotten.map(|seq| ("forgotten", format!("before entry {seq}"))));
        let calls = self.calls.filter(|calls| calls.open + calls.orphan_results > 0);
        rows.extend(calls.map(|Calls { open, orphan_results, .. }| {
            ("calls", format!("{open} without a result, {orphan_results} results without a call"))
        }));
        rows
    }
}
