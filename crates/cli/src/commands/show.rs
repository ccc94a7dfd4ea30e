//! `sessile show`.

use serde::Serialize;
use sessile::{Entry, EntryType, From, Payload, Seq, Session, SessionId, Store, UnixMillis};

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
    data: &'a Payload,
}

/// Prints a transcript, or every entry.
pub(crate) async fn run(
    store: &Store,
    args: ShowArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let from = match (args.last, args.from) {
        (Some(count), _) => From::last(flags::count(count, "--last")?),
        (None, Some(number)) => From::seq(flags::seq(number, "--from")?),
        (None, None) => From::start(),
    };
    let session = store.open_session(id).await?;
    let shown = if args.events {
        entries(&session, from, output).await
    } else {
        messages(&session, from, output).await
    };
    // What stands before a hole is shown before the hole is told of.
    output.flush()?;
    answer::receipt(&session);
    shown
}

async fn messages(session: &Session, from: From, output: &mut Output) -> Result<Exit, Failure> {
    let dialect = session.info().header.dialect;
    let mut messages = session.transcript::<sessile::RawMessage>(from).await?;
    while let Some(message) = messages.next().await {
        let message = message?;
        if output.is_json() {
            let entry_type = EntryType::Message;
            let (seq, at, data) = (message.seq, message.at, &message.data);
            output.value(&Shown { seq, entry_type: entry_type.as_str(), at, data })?;
        } else {
            let place = match message.ordinal {
                Some(ordinal) => format!("#{ordinal}"),
                None => format!("seq {}", message.seq),
            };
            output.line(&reading::message(&place, message.at, dialect, &message.data))?;
        }
    }
    Ok(Exit::Done)
}

async fn entries(session: &Session, from: From, output: &mut Output) -> Result<Exit, Failure> {
    let dialect = session.info().header.dialect;
    let mut entries = session.entries(from).await?;
    while let Some(entry) = entries.next().await {
        let Entry { seq, at, entry_type, data, .. } = entry?;
        if output.is_json() {
            let entry_type = entry_type.as_str();
            output.value(&Shown { seq, entry_type, at, data: &data })?;
        } else if entry_type == EntryType::Message {
            output.line(&reading::message(&format!("seq {seq}"), at, dialect, &data))?;
        } else {
            output.line(&format!("seq {seq} [{entry_type}]  {}", reading::time(at)))?;
            output.line(&format!("    {}", reading::visible(data.as_str())))?;
        }
    }
    Ok(Exit::Done)
}
