//! What commands that change a session answer.

use serde::Serialize;
use sessile::{CommitId, Committed, Lifecycle, Position, Session, SessionId};

use crate::failure::Failure;
use crate::output::{Output, notice};

/// Entries that were added to a session.
#[derive(Debug, Serialize)]
struct Added<'a> {
    session: &'a SessionId,
    position: Position,
    /// None where there was nothing to add.
    commit_id: Option<&'a CommitId>,
    replayed: bool,
}

/// A step in the life of a session.
#[derive(Debug, Serialize)]
struct Stepped<'a> {
    session: &'a SessionId,
    lifecycle: &'a str,
    /// None where nothing can be appended any more.
    position: Option<Position>,
}

/// Tells of entries that were added, and of what was set aside on the way.
pub(crate) fn added(
    session: &Session,
    committed: &Committed,
    output: &mut Output,
) -> Result<(), Failure> {
    receipt(session);
    let Committed { position, commit_id, replayed, .. } = committed;
    if output.is_json() {
        return output.value(&Added {
            session: session.id(),
            position: *position,
            commit_id: Some(commit_id),
            replayed: *replayed,
        });
    }
    let again = if *replayed { ", as an earlier call did" } else { "" };
    output.line(&format!("{} ends at {position}{again}", session.id()))
}

/// Tells that all of it was done before.
pub(crate) fn nothing_to_add(session: &Session, output: &mut Output) -> Result<(), Failure> {
    receipt(session);
    let position = session.position();
    if output.is_json() {
        let session = session.id();
        return output.value(&Added { session, position, commit_id: None, replayed: true });
    }
    output.line(&format!("{} ends at {position}, as an earlier call did", session.id()))
}

/// Tells where a session is in its life.
pub(crate) fn stepped(session: &Session, output: &mut Output) -> Result<(), Failure> {
    receipt(session);
    let (session, info) = (session.id(), session.info());
    let lifecycle = info.lifecycle.name();
    if output.is_json() {
        return output.value(&Stepped { session, lifecycle, position: Some(info.position) });
    }
    output.line(&format!("{session} is {lifecycle}"))
}

/// Tells that only the tombstone of a session speaks any more, and to people why.
pub(crate) fn gone(session: &SessionId, why: &str, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        let lifecycle = Lifecycle::Deleted.name();
        return output.value(&Stepped { session, lifecycle, position: None });
    }
    output.line(&format!("{session} is {why}"))
}

/// Tells people what was found damaged or was set aside.
pub(crate) fn receipt(session: &Session) {
    if let Some(receipt) = session.receipt() {
        notice(&format!("sessile: {receipt}"));
    }
}
