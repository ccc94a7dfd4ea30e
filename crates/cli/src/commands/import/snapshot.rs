//! Taking over a snapshot: a session whose only extra is the document with its bytes.

use serde::Serialize;
use sessile::interchange::snapshot::{OwnSnapshot, Snapshot};
use sessile::prelude::*;
use sessile::records::Snapshots;
use sessile::{Digest, Error, ErrorKind, SessionId, Store};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// What a session that was made for a snapshot keeps of it in its header: the SHA-256 of the file.
const IMPORTED: &str = "imported_snapshot";

/// How many hex digits of a digest an id that is derived has.
const DERIVED_DIGITS: usize = 32;

/// The answer.
#[derive(Debug, Serialize)]
struct Row<'a> {
    source: &'a str,
    format: &'a str,
    session: &'a SessionId,
    messages: u64,
    added: u64,
}

/// Imports one snapshot, under an id or one that is made of its bytes.
pub(super) async fn import(
    store: &Store,
    place: &str,
    bytes: &[u8],
    id: Option<SessionId>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let digest = Digest::of(bytes).to_string();
    let id = match id {
        Some(id) => id,
        None => format!("imp_{}", digest.get(..DERIVED_DIGITS).unwrap_or(&digest)).parse()?,
    };
    // Refused before a session is made for it.
    let title = title(bytes).map_err(|error| error.about(place))?;
    let mut new = NewSession::new().host(IMPORTED, &digest);
    if let Some(title) = title {
        new = new.title(title);
    }
    let session = store.open_or_create(id, new).await.map_err(|error| match error.kind() {
        ErrorKind::Mismatch => another(&error),
        _ => error,
    })?;
    let snapshots = Snapshots::from(store).of_session(session.id().clone());
    let added = snapshots.take_over(&session.id().as_str().parse()?, bytes).await?;
    let (id, added) = (session.id(), u64::from(added));
    if output.is_json() {
        let messages = session.info().messages;
        output.value(&Row { source: place, format: "snapshot", session: id, messages, added })?;
    } else {
        let told = if added == 1 { "snapshot added" } else { "the snapshot is there already" };
        output.line(&format!("{id}: {told}"))?;
    }
    Ok(Exit::Done)
}

/// What the run is about, if the snapshot says so.
fn title(bytes: &[u8]) -> Result<Option<String>, Error> {
    match Snapshot::decode(bytes) {
        Ok(snapshot) => Ok(Some(snapshot.contents().identity.topic.to_lossy().into_owned())
            .filter(|topic| !topic.trim().is_empty())),
        Err(error) => match OwnSnapshot::decode(bytes) {
            Ok(_) => Ok(None),
            Err(own) if own.kind() == ErrorKind::UnknownVersion => Err(own),
            Err(_) => Err(error),
        },
    }
}

fn another(error: &Error) -> Error {
    let conflict = Error::new(ErrorKind::Conflict, "the session is not of this snapshot")
        .with_hint("import the file under a new id: --as NEW");
    match error.subject() {
        Some(subject) => conflict.about(subject),
        None => conflict,
    }
}
