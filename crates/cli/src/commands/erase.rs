//! `sessile erase`.

use std::collections::BTreeSet;

use serde::Serialize;
use sessile::records::{self, Bindings};
use sessile::{Erasure, Name, Scope, SessionId, Store};

use crate::args::EraseArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::{Output, remark};
use crate::reading;

/// What became of a session.
#[derive(Debug, Serialize)]
struct Row<'a> {
    session: &'a SessionId,
    erased: bool,
    /// Whether it is deleted at least.
    deleted: bool,
    /// Why it is still there.
    problem: Option<String>,
    dry_run: bool,
}

/// Deletes and purges all sessions of an owner or of the space, with what goes with them.
pub(crate) async fn run(
    store: &Store,
    args: EraseArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let dry_run = args.dry_run;
    let scope = match args.owner {
        Some(owner) => Scope::owner(flags::name(owner, "--owner")?),
        None => Scope::Space,
    };
    let collections: Result<Vec<Name>, _> =
        records::COLLECTIONS.iter().map(|name| name.parse()).collect();
    let mut erasure = Erasure::of(scope).collections(collections?);
    if let Some(word) = args.confirm {
        erasure = erasure.confirmed_by(word);
    }
    let erased = store.erase(&erasure, dry_run).await?;
    for session in &erased.sessions {
        if output.is_json() {
            let row = Row { session, erased: true, deleted: true, problem: None, dry_run };
            output.value(&row)?;
        } else {
            output.line(&format!("{session}: {}erased", if dry_run { "would be " } else { "" }))?;
        }
    }
    for left in &erased.left {
        let (session, deleted, problem) = (&left.id, left.deleted, left.why.to_string());
        if output.is_json() {
            output.value(&Row {
                session,
                erased: false,
                deleted,
                problem: Some(problem),
                dry_run,
            })?;
        } else {
            let state = if deleted { "deleted, not purged" } else { "left as it is" };
            output.line(&format!("{session}: {state}: {}", reading::visible(&problem)))?;
        }
    }
    output.flush()?;
    let forgotten = if dry_run {
        0
    } else {
        let gone: BTreeSet<SessionId> = erased.sessions.iter().cloned().collect();
        Bindings::from(store).forget_sessions(&gone, "sessile erase").await?
    };
    let (sessions, left) = (erased.sessions.len(), erased.left.len());
    let documents = erased.documents;
    let would = if dry_run { "would be " } else { "" };
    remark(
        &format!(
            "{sessions} sessions {would}erased, {left} left, {documents} documents of their own \
             {would}deleted, {forgotten} bindings forgotten"
        ),
        output,
    )?;
    Ok(erased.left.first().map_or(Exit::Done, |left| Exit::of(&left.why)))
}
