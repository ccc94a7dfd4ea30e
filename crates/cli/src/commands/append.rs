//! `sessile append`.

use std::io::Read as _;

use serde::Serialize;
use sessile::{Append, CommitId, Error, ErrorKind, Payload, Position, SessionId, Store};

use crate::args::AppendArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, notice};

/// The answer.
#[derive(Debug, Serialize)]
struct Appended<'a> {
    session: &'a SessionId,
    position: Position,
    commit_id: &'a CommitId,
    replayed: bool,
}

/// Appends the lines of standard input as the messages of one commit.
pub(crate) async fn run(
    store: &Store,
    args: AppendArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut append = match args.expect {
        Some(position) => Append::at(
            Position::new(position)
                .ok_or_else(|| Failure::Usage("--expect takes a position below 2^53".to_owned()))?,
        ),
        None => Append::at_end(),
    };
    if let Some(id) = args.commit_id {
        append = append.commit_id(id.parse()?);
    }
    let session = store.open_session(args.id).await?;
    let messages = read_messages()?;
    let committed = session.append_with(append, messages).await?;
    if let Some(receipt) = session.receipt() {
        notice(&format!("sessile: {receipt}"));
    }
    if output.is_json() {
        output.value(&Appended {
            session: session.id(),
            position: committed.position,
            commit_id: &committed.commit_id,
            replayed: committed.replayed,
        })?;
    } else {
        let again = if committed.replayed { ", as an earlier call did" } else { "" };
        output.line(&format!("{} ends at {}{again}", session.id(), committed.position))?;
    }
    Ok(Exit::Done)
}

/// Reads standard input to its end: what is appended together must be there together.
fn read_messages() -> Result<Vec<Payload>, Failure> {
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text).map_err(Failure::Input)?;
    let text = String::from_utf8(text)
        .map_err(|_| Error::new(ErrorKind::Refused, "standard input is not UTF-8"))?;
    let mut messages = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let message = Payload::parse(line.to_owned());
        messages.push(message.map_err(|error| error.about(format_args!("line {}", number + 1)))?);
    }
    Ok(messages)
}
