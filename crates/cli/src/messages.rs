//! Messages that are given as JSON Lines.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use std::thread;

use sessile::{Error, ErrorKind, Payload};
use tokio::sync::oneshot;

use crate::failure::Failure;
use crate::output::notice;

/// Reads standard input to its end: what is appended together must be there together.
pub(crate) async fn from_input() -> Result<Vec<Payload>, Failure> {
    if io::stdin().is_terminal() {
        notice("sessile: reading messages, one JSON value a line, up to Ctrl-D");
    }
    let (sender, receiver) = oneshot::channel();
    let read = move || {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        // Nobody waits any more: the command was stopped.
        let _stopped = sender.send(read.map(|_| bytes));
    };
    // A wait for a terminal can't be called off, and the end of a program waits for no such thread.
    thread::Builder::new().name("input".to_owned()).spawn(read).map_err(Failure::Input)?;
    let read = receiver.await.map_err(|_| Failure::Input(io::ErrorKind::BrokenPipe.into()))?;
    let messages = parse(read.map_err(Failure::Input)?);
    Ok(messages.map_err(|error| error.about("standard input"))?)
}

/// Reads a file; `-` is standard input.
pub(crate) async fn from_file(path: &Path) -> Result<Vec<Payload>, Failure> {
    if path == Path::new("-") {
        return from_input().await;
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, error))?;
    let messages = parse(bytes);
    Ok(messages.map_err(|error| error.about(path.display()))?)
}

/// Why a file can't be read.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> Error {
    let told = |kind, clause, hint| Error::new(kind, clause).with_hint(hint).about(path.display());
    match error.kind() {
        io::ErrorKind::NotFound => {
            told(ErrorKind::Missing, "there is no such file", "see that its name is right")
        }
        io::ErrorKind::IsADirectory => {
            told(ErrorKind::Refused, "it is a folder, not a file", "name one file in it")
        }
        io::ErrorKind::NotADirectory => told(
            ErrorKind::Refused,
            "a file stands where a folder should be",
            "see what stands there",
        ),
        io::ErrorKind::PermissionDenied => {
            told(ErrorKind::Permission, "the file can't be read", "see who may read it")
                .with_source(error)
        }
        _ => told(ErrorKind::Unavailable, "the file can't be read", "see what stands there")
            .with_source(error),
    }
}

/// Reads text that holds at least one message.
fn parse(bytes: Vec<u8>) -> Result<Vec<Payload>, Error> {
    let refused = |clause: String| {
        Error::new(ErrorKind::Refused, clause).with_hint("each line is one JSON value, in UTF-8")
    };
    let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8".to_owned()))?;
    let lines = text.split('\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    let messages = lines.map(|(number, line)| {
        let number = number + 1;
        Payload::parse(line.to_owned()).map_err(|error| {
            // What is parsed is one line: of the place in it the column tells.
            let column = error.clause().rsplit_once("column ").map(|(_, column)| column);
            let column = column.map(|column| format!(": fails at column {column}"));
            let column = column.unwrap_or_default();
            refused(format!("line {number} is not one JSON value{column}"))
        })
    });
    let messages: Vec<Payload> = messages.collect::<Result<_, _>>()?;
    if messages.is_empty() {
        return Err(refused("there is no message in it".to_owned()));
    }
    Ok(messages)
}
