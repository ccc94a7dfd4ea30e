//! `sessile fork`.

use serde::Serialize;
use sessile::{Position, Seq, SessionId, Store};

use crate::args::ForkArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags};

/// The answer.
#[derive(Debug, Serialize)]
struct Fork<'a> {
    session: &'a SessionId,
    position: Position,
    forked_from: Option<Cut<'a>>,
}

/// Where it was cut.
#[derive(Debug, Serialize)]
struct Cut<'a> {
    session: &'a SessionId,
    seq: Seq,
}

/// Copies a session up to an entry under a new id, and prints that.
pub(crate) async fn run(
    store: &Store,
    args: ForkArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let at = args.at.map(|number| flags::seq(number, "--at")).transpose()?;
    let new_id = args.new_id.map(|text| flags::id::<SessionId>(&text, "--as")).transpose()?;
    let session = store.open_session(id).await?;
    let fork = match new_id {
        Some(id) => session.fork_as(id, at).await?,
        None => session.fork(at).await?,
    };
    answer::receipt(&session);
    if output.is_json() {
        let info = fork.info();
        let cut = info.header.forked_from.as_ref();
        output.value(&Fork {
            session: fork.id(),
            position: info.position,
            forked_from: cut.map(|cut| Cut { session: &cut.session, seq: cut.seq }),
        })?;
    } else {
        output.line(fork.id().as_str())?;
    }
    Ok(Exit::Done)
}
