//! `sessile new`.

use serde::Serialize;
use sessile::{NewSession, Payload, Position, SessionId, Store};

use crate::args::NewArgs;
use crate::exit::Exit;
use crate::failure::Failure;
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
    for member in args.meta {
        let (key, value) =
            member.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
                Failure::Usage("--meta takes KEY=JSON, as in --meta priority=2".to_owned())
            })?;
        let value = Payload::parse(value.to_owned()).map_err(|error| {
            let text = format!("the value of --meta {key} is no JSON: text needs quotes, as in ");
            Failure::Usage(format!("{text}'{key}=\"text\"' ({error})"))
        })?;
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
