//! `sessile recover`.

use serde::Serialize;
use sessile::{Active, Position, RequestId, Seq, Session, SessionId, Store, Text};

use crate::args::RecoverArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, remark};
use crate::{admission, answer, flags};

/// Why a request ended that was given up here.
const REASON: &str = "given up from the command line";

/// The answer.
#[derive(Debug, Serialize)]
struct Recovered<'a> {
    session: &'a SessionId,
    request: &'a RequestId,
    /// `released`, or how the request ended.
    status: &'a str,
    /// The claim that fences the old one.
    claim: Seq,
    position: Position,
}

/// Fences the owner of a request who has stopped; lets the request in again, or gives it up.
pub(crate) async fn run(
    store: &Store,
    args: RecoverArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let request: RequestId = flags::id(&args.request, "REQUEST")?;
    let claim = flags::seq(args.claim, "--claim")?;
    let by = args.by.map(|label| flags::name(label, "--by")).transpose()?.map(Text::from);
    let session = store.open_session(id).await?;
    let found = active(&session, &request).await?;
    // Whether the claim still stands is seen where the answer is appended.
    let mut named = found.clone();
    named.claim = claim;
    let (status, claim) = if args.retry {
        ("released", session.release(&named, by).await?.claim)
    } else {
        let done = session.abandon(&named, REASON, by).await?;
        (done.status.name(), done.claim)
    };
    answer::receipt(&session);
    let (session, position) = (session.id(), session.position());
    if output.is_json() {
        output.value(&Recovered { session, request: &request, status, claim, position })?;
    } else {
        let then = if args.retry { "send it again to go on" } else { "the session is free" };
        output
            .line(&format!("{session}: request {request} is {status} by claim {claim}: {then}"))?;
    }
    if let Some(warning) = admission::warning(&found) {
        remark(&warning, output)?;
    }
    Ok(Exit::Done)
}

/// The request that holds a session, if it is this one.
///
/// # Errors
/// *missing* where none ever did, *invalid admission* where none does, *mismatch* where another does.
async fn active(session: &Session, request: &RequestId) -> Result<Active, Failure> {
    session.recovery_usage(request).await?;
    let active = session.info().active;
    active.ok_or_else(|| {
        let clause = "no request is active";
        sessile::Error::new(sessile::ErrorKind::InvalidAdmission, clause).about(session.id()).into()
    })
}
