//! `sessile show`.

use std::collections::BTreeSet;

use serde::Serialize;
use sessile::{
    Entry, EntryType, ErrorKind, From, Payload, RawMessage, Seq, Session, SessionId, Store,
    UnixMillis,
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
    let shown = if args.events {
        entries(&session, from, output).await
    } else {
        messages(&session, from, first, output).await
    };
    // What stands before a hole is shown before the hole is told of.
    output.flush()?;
    answer::receipt(&session);
    shown
}

async fn messages(
    session: &Session,
    from: From,
    first: Option<Seq>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut messages = session.transcript::<RawMessage>(from).await?;
    // As of the same moment. What stands before a hole among them is shown first.
    let pending = session.pending().await;
    while let Some(message) = messages.next().await {
        show(session, &message?, false, output)?;
    }
    let is_asked_for = |message: &RawMessage| first.is_none_or(|first| message.seq >= first);
    for message in pending?.iter().filter(|message| is_asked_for(message)) {
        show(session, message, true, output)?;
    }
    Ok(Exit::Done)
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

async fn entries(session: &Session, from: From, output: &mut Output) -> Result<Exit, Failure> {
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
    Ok(Exit::Done)
}
