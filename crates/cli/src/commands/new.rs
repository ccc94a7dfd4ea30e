//! `sessile new`.

use serde::Serialize;
use sessile::{NewSession, Position, SessionId, Store};

use crate::args::NewArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::members;
use crate::output::Output;

/// The answer.
#[derive(Debug, Serialize)]
struct Created<'a> {
    id: &'a SessionId,
    position: Position,
}

/// Creates a session and prints its id.
pub(crate) async fn run(
    store: &Store,
    args: NewArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut new = NewSession::new();
    if let Some(title) = args.title {
        new = new.title(title);
    }
    if let Some(project) = args.project {
        new = new.project(project);
    }
    if let Some(owner) = args.owner {
        new = new.owner(owner);
    }
    if !args.tags.is_empty() {
        new = new.tags(args.tags);
    }
    for (key, value) in members::read(args.meta)? {
        new = new.meta(key, &value);
    }
    let session = match args.id {
        Some(id) => store.create_as(id, new).await?,
        None => store.create(new).await?,
    };
    if output.is_json() {
        output.value(&Created { id: session.id(), position: session.position() })?;
    } else {
        output.line(session.id().as_str())?;
    }
    Ok(Exit::Done)
}
