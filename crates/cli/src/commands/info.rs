//! `sessile info`.

use serde::Serialize;
use sessile::interchange::ENVELOPE;
use sessile::{
    Dialect, Info, Lost, Meta, Name, Position, Reach, Seq, SessionId, Store, UnixMillis,
};

use crate::admission;
use crate::answer;
use crate::args::InfoArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::identity;
use crate::misfits::Told;
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
    #[serde(flatten)]
    identity: identity::Told<'a>,
    dialect: Dialect,
    parent_id: Option<&'a SessionId>,
    forked_from: Option<Cut<'a>>,
    /// The first entry that was kept when those before it were forgotten.
    forgotten_before: Option<Seq>,
    damaged: bool,
    /// What of that could not be read when it was forked.
    lost: &'a [Lost],
    created_at: UnixMillis,
    updated_at: UnixMillis,
    #[serde(flatten)]
    misfits: &'a Told<'a>,
    #[serde(flatten)]
    admission: admission::Told<'a>,
}

/// Where a fork was cut.
#[derive(Debug, Serialize)]
struct Cut<'a> {
    session: &'a SessionId,
    seq: Seq,
}

/// Prints what is known of a session without its transcript.
pub(crate) async fn run(
    store: &Store,
    args: InfoArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let session = identity::open(store, id, args.identity).await?;
    let reach = if args.whole { Reach::Whole } else { Reach::End };
    let misfits = session.misfits(reach).await?;
    let info = session.info();
    let told = Told::of(&misfits, reach);
    let known = Known::of(&info, &told);
    if output.is_json() {
        output.value(&known)?;
    } else {
        for (name, value) in known.rows() {
            output.line(&format!("{name:<15} {value}"))?;
        }
    }
    answer::receipt(&session);
    Ok(Exit::Done)
}

impl<'a> Known<'a> {
    fn of(info: &'a Info, misfits: &'a Told<'a>) -> Self {
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
            identity: identity::Told::of(info),
            dialect: header.dialect,
            parent_id: header.parent_id.as_ref(),
            forked_from: cut.map(|cut| Cut { session: &cut.session, seq: cut.seq }),
            forgotten_before: info.forgotten,
            damaged: info.damaged,
            lost: &info.lost,
            created_at: header.created_at,
            updated_at: info.updated_at,
            misfits,
            admission: admission::Told::of(info),
        }
    }

    /// The same for people.
    fn rows(&self) -> Vec<(&'a str, String)> {
        let mut rows = vec![("id", self.id.to_string())];
        let title = self.title.as_deref().filter(|title| !title.trim().is_empty());
        rows.extend(title.map(|title| ("title", reading::visible(title))));
        rows.extend(self.project.map(|name| ("project", reading::visible(name.as_str()))));
        if !self.tags.is_empty() {
            rows.push(("tags", reading::visible(&self.tags.join(", "))));
        }
        rows.extend(self.identity.rows());
        // What stood around the messages of a file may be long, and is for exports.
        let has_rows =
            |key: &str| matches!(key, "title" | "tags" | ENVELOPE | Meta::ACCEPTED_IDENTITY);
        let others = self.meta.iter().filter(|(key, _)| !has_rows(key));
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
        let lost = self.lost.iter();
        rows.extend(lost.map(|lost| ("lost", format!("entries {} to {}", lost.from, lost.to))));
        rows.extend(self.admission.rows());
        rows.extend(self.misfits.rows());
        rows
    }
}
