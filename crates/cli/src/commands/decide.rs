//! `sessile approve` and `sessile deny`.

use serde::Serialize;
use sessile::{Name, Position, Seq, SessionId, Store, Text};

use crate::args::DecideArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags, reading};

/// The answer.
#[derive(Debug, Serialize)]
struct Decided<'a> {
    session: &'a SessionId,
    approval: &'a Name,
    decision: &'a str,
    /// The entry that decides.
    seq: Seq,
    position: Position,
}

/// Gives leave that a turn waits for, or refuses it.
pub(crate) async fn run(
    store: &Store,
    args: DecideArgs,
    allow: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let approval: Name = flags::id(&args.approval, "APPROVAL")?;
    let by = args.by.map(|label| flags::name(label, "--by")).transpose()?.map(Text::from);
    let session = store.open_session(id).await?;
    let seq = session.decide(approval.as_str(), allow, by).await?;
    answer::receipt(&session);
    let (session, position) = (session.id(), session.position());
    let decision = if allow { "allowed" } else { "denied" };
    if output.is_json() {
        output.value(&Decided { session, approval: &approval, decision, seq, position })?;
    } else {
        let approval = reading::visible(approval.as_str());
        output.line(&format!("{session}: approval {approval} is {decision} by entry {seq}"))?;
    }
    Ok(Exit::Done)
}
