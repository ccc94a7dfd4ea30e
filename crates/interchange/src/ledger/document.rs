//! The document: all rows of a ledger.

use std::collections::BTreeSet;

use bytes::Bytes;
use bytestring::ByteString;
use sessile_core::lens::View;
use sessile_core::{Error, ErrorKind, Payload};

use crate::ledger::loss::Loss;
use crate::ledger::member::check;
use crate::ledger::row::{self, Row};

/// A ledger that was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ledger {
    /// The rows that can be taken over, in order.
    pub rows: Vec<Row>,
    /// The rows that can't be trusted.
    pub dropped: Vec<Loss>,
    /// What was mended of the others.
    pub mended: Vec<Loss>,
    /// How many rows there were.
    pub count: usize,
}

/// Reads a ledger of version 2.
///
/// Each row is in [`Ledger::rows`] or named in [`Ledger::dropped`].
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
    for (index, value) in sessions.items().enumerate() {
        count += 1;
        let read = Payload::parse(value.as_json().to_owned())
            .map_err(|error| error.to_string())
            .and_then(|data| row::read(&data));
        let loss = |reason: String| Loss { row: index, reason };
        match read {
            Ok((row, of_row)) if ids.insert(row.id.clone()) => {
                rows.push(row);
                mended.extend(of_row.into_iter().map(loss));
            }
            Ok(_) => dropped.push(loss("an earlier row has the same session_id".to_owned())),
            Err(reason) => dropped.push(loss(reason)),
        }
    }
    Ok(Ledger { rows, dropped, mended, count })
}

fn corrupt(reason: &str) -> Error {
    Error::new(ErrorKind::Corrupt, format!("the ledger can't be read: {reason}"))
        .with_hint("nothing of it was taken over")
}
