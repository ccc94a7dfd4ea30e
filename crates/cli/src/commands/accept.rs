//! `sessile accept`.

use serde::Serialize;
use sessile::{Digest, Error, ErrorKind, Position, SessionId, Store, Text};

use crate::args::AcceptArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags, identity};

/// The answer.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    session: &'a SessionId,
    /// Whether it was done now, and not before.
    accepted: bool,
    position: Position,
}

/// Lets a session go on under another identity.
pub(crate) async fn run(
    store: &Store,
    args: AcceptArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let shown: Digest = args.difference.parse().map_err(|_| {
        let hint = "take it from what `sessile info ID --identity KEY=JSON` tells";
        Failure::usage("--difference", "it is not 64 hex digits", hint)
    })?;
    let by = args.by.map(|label| flags::name(label, "--by")).transpose()?.map(Text::from);
    let expected = identity::expected(args.identity)?.unwrap_or_default();
    let session = store.open_session(id).await?;
    let differences = session.differences(&expected).await?;
    if !differences.is_empty() && differences.digest() != shown {
        let clause = format!("it is another difference: {differences}");
        return Err(Error::new(ErrorKind::Conflict, clause)
            .about(format_args!("session {}", session.id()))
            .with_hint(format!("if that is right, accept difference {}", differences.digest()))
            .into());
    }
    let accepted = session.accept(&differences, by).await?.is_some();
    answer::receipt(&session);
    let (session, position) = (session.id(), session.position());
    if output.is_json() {
        output.value(&Answer { session, accepted, position })?;
    } else if accepted {
        output.line(&format!("{session}: it goes on under the identity that was accepted"))?;
    } else {
        output.line(&format!("{session}: nothing differs any more"))?;
    }
    Ok(Exit::Done)
}
