//! `sessile show`.

use std::collections::BTreeSet;

use serde::Serialize;
use sessile::{
    Entry, EntryType, ErrorKind, From, Payload, Position, RawMessage, Seq, Session, SessionId,
    Store, UnixMillis,
};

use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags, reading};

/// An entry of the answer, its payload untouched.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    seq: Seq,
    #[serde(rename = "type")]
    entry_type: &'a str,
    at: UnixMillis,
    /// Whether it is a message of a turn that is not committed yet.
    #[serde(skip_serializing_if = "is_false")]
    provisional: bool,
    data: &'a Payload,
}

/// Passes over what is not worth a member.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Prints a transcript, or every entry.
pub(crate) async fn run(
    store: &Store,
    args: ShowArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let first = args.from.map(|number| flags::seq(number, "--from")).transpose()?;
    let from = match (args.last, first) {
        (Some(count), _) => From::last(flags::count(count, "--last")?),
        (None, Some(seq)) => From::seq(seq),
        (None, None) => From::start(),
    };
    let session = store.open_session(id).await?;
    let seen = session.position();
    let shown = if args.events {
        entries(&session, from, output).await
    } else {
        messages(&session, from, first, args.follow, output).await
    };
    // What stands before a hole is shown before the hole is told of.
    output.flush()?;
    answer::receipt(&session);
    let next = shown?;
    if args.follow {
        follow(&session, args.events, seen, next, output).await?;
    }
    Ok(Exit::Done)
}

/// Shows what is added, until somebody stops it or it fails. The first is where the journal ended when
/// all up to the entry before the second was shown.
async fn follow(
    session: &Session,
    events: bool,
    seen: Position,
    mut next: Seq,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut watch = session.watch().from(seen);
    loop {
        watch.next().await?;
        // A turn's messages are older than the commit that makes them part of the transcript, so
        // that it is read from the last one that was shown.
        let from = From::seq(next);
        let last = if events {
            entries(session, from, output).await?
        } else {
            messages(session, from, None, true, output).await?
        };
        next = next.max(last);
        output.flush()?;
    }
}

/// The number after one; the first where there is none.
fn after(last: Option<Seq>) -> Seq {
    last.and_then(|seq| Seq::new(seq.number() + 1)).unwrap_or(Seq::FIRST)
}

/// Shows messages; answers the number after the last one that is part of the transcript.
async fn messages(
    session: &Session,
    from: From,
    first: Option<Seq>,
    settled: bool,
    output: &mut Output,
) -> Result<Seq, Failure> {
    let mut last = None;
    let mut messages = session.transcript::<RawMessage>(from).await?;
    // As of the same moment. What stands before a hole among them is shown first.
    let pending = session.pending().await;
    while let Some(message) = messages.next().await {
        let message = message?;
        show(session, &message, false, output)?;
        last = Some(message.seq);
    }
    let is_asked_for = |message: &RawMessage| first.is_none_or(|first| message.seq >= first);
    // Whoever follows is shown them once they are settled.
    let pending = if settled { Vec::new() } else { pending? };
    for message in pending.iter().filter(|message| is_asked_for(message)) {
        show(session, message, true, output)?;
    }
    Ok(after(last))
}

fn show(
    session: &Session,
    message: &RawMessage,
    provisional: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let (seq, at, data) = (message.seq, message.at, &message.data);
    if output.is_json() {
        let entry_type = EntryType::Message;
        let entry_type = entry_type.as_str();
        return output.value(&Shown { seq, entry_type, at, provisional, data });
    }
    let place = match message.ordinal {
        Some(ordinal) => format!("#{ordinal}"),
        None => place(seq, provisional),
    };
    let dialect = session.info().header.dialect;
    output.line(&reading::message(&place, at, dialect, data))
}

fn place(seq: Seq, provisional: bool) -> String {
    let mark = if provisional { " (provisional)" } else { "" };
    format!("seq {seq}{mark}")
}

/// Shows entries; answers the number after the last one.
async fn entries(session: &Session, from: From, output: &mut Output) -> Result<Seq, Failure> {
    let mut last = None;
    let dialect = session.info().header.dialect;
    let mut entries = session.entries(from).await?;
    let pending = match session.pending().await {
        Ok(pending) => pending.iter().map(|message| message.seq).collect(),
        // The entries come to the same hole.
        Err(error) if error.kind() == ErrorKind::Corrupt => BTreeSet::new(),
        Err(error) => return Err(error.into()),
    };
    while let Some(entry) = entries.next().await {
        let Entry { seq, at, entry_type, data, .. } = entry?;
        let provisional = pending.contains(&seq);
        last = Some(seq);
        if output.is_json() {
            let entry_type = entry_type.as_str();
            output.value(&Shown { seq, entry_type, at, provisional, data: &data })?;
        } else if entry_type == EntryType::Message {
            let place = place(seq, provisional);
            output.line(&reading::message(&place, at, dialect, &data))?;
        } else {
            output.line(&format!("seq {seq} [{entry_type}]  {}", reading::time(at)))?;
            output.line(&format!("    {}", reading::visible(data.as_str())))?;
        }
    }
    Ok(after(last))
}
