//! `sessile new`.

use serde::Serialize;
use sessile::{NewSession, Position, SessionId, Store};

use crate::args::NewArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::identity;
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
    let members = members::read(args.meta, "--meta")?;
    let doubled =
        |key, is_given| if is_given && members.contains_key(key) { Some(key) } else { None };
    let title = doubled("title", args.title.is_some());
    if let Some(key) = title.or_else(|| doubled("tags", !args.tags.is_empty())) {
        let clause = format!("{key} is given twice");
        return Err(Failure::usage("--meta", clause, "give it here or by its own flag"));
    }
    let is_doubled = args.project.is_some() && identity::names(&args.identity, "project");
    if is_doubled {
        return Err(Failure::usage("--identity", "project is given twice", "give it once"));
    }
    let mut new = NewSession::new();
    if let Some(expected) = identity::expected(args.identity)? {
        new = new.expecting(&expected);
    }
    if let Some(title) = args.title {
        new = new.title(title);
    }
    if let Some(project) = args.project {
        new = new.project(flags::name(project, "--project")?);
    }
    if let Some(owner) = args.owner {
        new = new.owner(flags::name(owner, "--owner")?);
    }
    if !args.tags.is_empty() {
        let tags = args.tags.into_iter().map(|tag| flags::name(tag, "--tag"));
        new = new.tags(tags.collect::<Result<Vec<_>, _>>()?);
    }
    for (key, value) in members {
        new = new.meta(key, &value);
    }
    let session = match args.id {
        Some(id) => store.create_as(flags::id::<SessionId>(&id, "--id")?, new).await?,
        None => store.create(new).await?,
    };
    if output.is_json() {
        output.value(&Created { id: session.id(), position: session.position() })?;
    } else {
        output.line(session.id().as_str())?;
    }
    Ok(Exit::Done)
}
