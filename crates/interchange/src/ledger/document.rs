//! The document: all rows of a ledger.

use std::collections::BTreeSet;

use bytes::Bytes;
use bytestring::ByteString;
use sessile_core::lens::View;
use sessile_core::{Error, ErrorKind, Payload};

use crate::ledger::loss::Loss;
use crate::ledger::member::check;
use crate::ledger::row::{self, Row};
use crate::ledger::tombstone::Tombstone;

/// A ledger that was read.
///
/// # Examples
/// ```
/// use sessile_interchange::ledger::{Ledger, decode};
///
/// # let row = |id: u64, more: &str| format!(
/// #     r#"{{"session_id":"wc_sess_{id:016}","created_at":1790000000,"updated_at":1790000060,
/// #     "owner_authority_fingerprint":"{}","mode":"normal","lifecycle":"active","events":[],
/// #     "events_observed":0{more}}}"#,
/// #     "0a".repeat(32),
/// # );
/// # let document = |rows: &[String]| {
/// #     format!(r#"{{"version":2,"sessions":[{}]}}"#, rows.join(","))
/// # };
/// let twice = [row(1, r#","messages":[]"#), row(1, r#","messages":[]"#)];
/// let ledger: Ledger = decode(&document(&twice).into())?;
/// // Each row is taken over, or named.
/// assert_eq!((ledger.count, ledger.rows.len(), ledger.dropped.len()), (2, 1, 1));
/// assert_eq!(ledger.dropped[0].reason, "an earlier row has the same session_id");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Ledger {
    /// The rows that can be taken over, in order.
    pub rows: Vec<Row>,
    /// What is left of sessions that were dropped, in order: none of them is one of the rows.
    pub tombstones: Vec<Tombstone>,
    /// The rows that can't be trusted.
    pub dropped: Vec<Loss>,
    /// What was mended of the others.
    pub mended: Vec<Loss>,
    /// How many rows there were.
    pub count: usize,
}

/// Reads a ledger of version 2.
///
/// Each row is in [`Ledger::rows`] or [`Ledger::tombstones`], or named in [`Ledger::dropped`].
///
/// # Errors
/// - [`ErrorKind::Corrupt`] when it is not one JSON object of exactly `version` and `sessions`.
/// - [`ErrorKind::UnknownVersion`] that names its version and the one that is read.
pub fn decode(bytes: &Bytes) -> Result<Ledger, Error> {
    let text = ByteString::try_from(bytes.clone()).map_err(|error| {
        corrupt(&format!("not text in UTF-8: fails at byte {}", error.valid_up_to()))
    })?;
    let document = Payload::parse(text)
        .map_err(|error| corrupt(&error.clause().replace("not one JSON value", "not JSON")))?;
    let whole = View::of(&document);
    check(whole, &["version", "sessions"], &[]).map_err(|reason| corrupt(&reason))?;
    let [version, sessions] = whole.pick(["version", "sessions"]);
    match version.and_then(View::whole_number) {
        Some(2) => {}
        Some(other) => {
            let clause = format!("the ledger is of version {other}, and version 2 is read");
            return Err(Error::new(ErrorKind::UnknownVersion, clause)
                .with_hint("have its own program write it as version 2 first"));
        }
        None => return Err(corrupt("version is not an integer from 0 to 2^64 - 1")),
    }
    let sessions = sessions.filter(|it| it.as_json().starts_with('['));
    let sessions = sessions.ok_or_else(|| corrupt("sessions is not a list"))?;
    let (mut rows, mut dropped, mut mended) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ids, mut count) = (BTreeSet::new(), 0);
    let mut buried: Vec<Tombstone> = Vec::new();
    for (index, value) in sessions.items().enumerate() {
        count += 1;
        let loss = |reason: String| Loss { row: index, reason };
        let data = Payload::parse(value.as_json().to_owned()).map_err(|error| error.to_string());
        if Tombstone::is_one(value) {
            match data.and_then(|data| Tombstone::read(index, &data)) {
                Ok(tombstone) => buried.push(tombstone),
                Err(reason) => dropped.push(loss(reason)),
            }
            continue;
        }
        let read = data.and_then(|data| row::read(index, &data));
        match read {
            Ok((row, of_row)) if ids.insert(row.id.clone()) => {
                rows.push(row);
                mended.extend(of_row.into_iter().map(loss));
            }
            Ok(_) => dropped.push(loss("an earlier row has the same session_id".to_owned())),
            Err(reason) => dropped.push(loss(reason)),
        }
    }
    // A session that is there has not been dropped, wherever its row stands.
    let mut tombstones = Vec::new();
    for tombstone in buried {
        if ids.insert(tombstone.id.clone()) {
            tombstones.push(tombstone);
        } else {
            let reason = "another row has the same session_id".to_owned();
            dropped.push(Loss { row: tombstone.row, reason });
        }
    }
    dropped.sort_by_key(|loss| loss.row);
    Ok(Ledger { rows, tombstones, dropped, mended, count })
}

fn corrupt(reason: &str) -> Error {
    Error::new(ErrorKind::Corrupt, format!("the ledger can't be read: {reason}"))
        .with_hint("nothing of it was taken over")
}
