//! Taking over a ledger: its rows one by one, each once.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind, SessionKey, Space};
use sessile_interchange::ledger::{Ledger, Row, Tombstone};

use super::course;
use super::imported::Imported;
use crate::opened::Opened;
use crate::resident::Resident;
use crate::session::Session;

/// What became of one row of a ledger.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::Store;
/// use sessile_engine::LedgerRow;
/// use sessile_interchange::ledger;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let id = "wc_sess_00112233445566778899aabbccddeeff";
/// # let row = format!(
/// #     r#"{{"session_id":"{id}","created_at":1790000000,"updated_at":1790000060,
/// #         "owner_authority_fingerprint":"{}","mode":"normal","lifecycle":"active",
/// #         "events":[],"events_observed":0,"messages":[]}}"#,
/// #     "0a".repeat(32)
/// # );
/// # let text = format!(r#"{{"version":2,"sessions":[{{"session_id":"nobody's"}},{row}]}}"#);
/// let ledger = ledger::decode(&text.into())?;
/// let rows: Vec<LedgerRow> = store.import_ledger(&ledger).await?;
/// // The first row can't be trusted, and was dropped; this is the one after it.
/// assert_eq!(ledger.dropped[0].to_string(), "sessions[0]: created_at is missing");
/// assert_eq!((rows.len(), rows[0].row, rows[0].id.as_str()), (1, 1, id));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct LedgerRow {
    /// Where it stands in the ledger, counted from 0.
    pub row: usize,
    /// The id of its session in the ledger.
    pub id: String,
    /// What was done.
    pub done: RowDone,
}

/// What was done for one row of a ledger.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::Store;
/// use sessile_engine::RowDone;
/// use sessile_interchange::ledger;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let text = format!(
/// #     r#"{{"version":2,"sessions":[{{"session_id":"wc_sess_00112233445566778899aabbccddeeff",
/// #         "created_at":1790000000,"updated_at":1790000060,"owner_authority_fingerprint":"{}",
/// #         "mode":"normal","lifecycle":"active","events":[],"events_observed":0,
/// #         "messages":[]}}]}}"#,
/// #     "0a".repeat(32)
/// # );
/// let ledger = ledger::decode(&text.into())?;
/// let done = store.import_ledger(&ledger).await?.remove(0).done;
/// let RowDone::Imported(imported) = done else { panic!("it was not taken over: {done:?}") };
///
/// // Somebody deletes it here; the ledger of the other program does not bring it back.
/// store.delete(&imported.session).await?;
/// let again = store.import_ledger(&ledger).await?.remove(0).done;
/// assert!(matches!(again, RowDone::Deleted));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum RowDone {
    /// Its session is there, now or since an earlier import.
    Imported(Imported),
    /// Its session was deleted since it was imported, and stays so.
    Deleted,
    /// Its tombstone is there: nobody gets the id. It was not before if it is `true`.
    Buried(bool),
    /// Nothing: it can't be taken over. Other rows are not spoilt by it.
    Refused(Error),
}

/// Takes over the rows of a ledger, then its tombstones.
pub(crate) async fn import_ledger(
    opened: &Arc<Opened>,
    space: &Space,
    ledger: &Ledger,
) -> Result<Vec<LedgerRow>, Error> {
    let mut done = Vec::new();
    for row in &ledger.rows {
        let taken = take_over(opened, space, row).await;
        done.push(LedgerRow { row: row.row, id: row.id.clone(), done: told(taken)? });
    }
    for tombstone in &ledger.tombstones {
        let buried = bury(opened, space, tombstone).await.map(RowDone::Buried);
        let (row, id) = (tombstone.row, tombstone.id.clone());
        done.push(LedgerRow { row, id, done: told(buried)? });
    }
    done.sort_by_key(|row| row.row);
    Ok(done)
}

/// An error that is about one row is told with it; one of the store ends the import.
fn told(done: Result<RowDone, Error>) -> Result<RowDone, Error> {
    let of_the_row = [
        ErrorKind::Conflict,
        ErrorKind::Exists,
        ErrorKind::Refused,
        ErrorKind::InvalidId,
        ErrorKind::Closed,
        ErrorKind::Busy,
        ErrorKind::Corrupt,
        ErrorKind::UnknownVersion,
        ErrorKind::Unsupported,
    ];
    match done {
        Err(error) if of_the_row.contains(&error.kind()) => Ok(RowDone::Refused(error)),
        done => done,
    }
}

async fn take_over(opened: &Arc<Opened>, space: &Space, row: &Row) -> Result<RowDone, Error> {
    let source = row.to_source()?;
    let key = SessionKey { space: space.clone(), id: row.id.parse()? };
    // What was deleted since it was imported does not come back, under no other id either.
    if is_deleted(opened, &key).await? {
        return Ok(RowDone::Deleted);
    }
    let imported = course::import(opened, space, &source, None).await?.into_iter().next();
    let none = || Error::new(ErrorKind::Refused, "the row has no session");
    imported.map(RowDone::Imported).ok_or_else(none)
}

/// Makes sure that the id of a tombstone is nobody's; answers whether it could have been before.
///
/// The session is created as its owner's and deleted: cut short in between it is there, empty, and
/// burying again deletes it.
async fn bury(opened: &Arc<Opened>, space: &Space, tombstone: &Tombstone) -> Result<bool, Error> {
    let source = tombstone.to_source();
    let key = SessionKey { space: space.clone(), id: tombstone.id.parse()? };
    if is_deleted(opened, &key).await? {
        return Ok(false);
    }
    let imported = course::import(opened, space, &source, Some(&key.id)).await;
    imported.map_err(|error| match error.kind() {
        ErrorKind::Conflict | ErrorKind::Exists => {
            Error::new(ErrorKind::Exists, "a session has the id of the tombstone, and stays")
                .about(&key)
        }
        _ => error,
    })?;
    let resident = Resident::load(Arc::clone(opened), key).await?;
    Session::new(resident).delete().await?;
    Ok(true)
}

async fn is_deleted(opened: &Arc<Opened>, key: &SessionKey) -> Result<bool, Error> {
    match opened.head(key).await {
        Ok(head) => Ok(head.deleted),
        Err(error) if error.kind() == ErrorKind::Missing => Ok(false),
        Err(error) if error.kind() == ErrorKind::Deleted => Ok(true),
        Err(error) => Err(error),
    }
}
