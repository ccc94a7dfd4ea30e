//! What is left in a ledger of a session that was dropped.

use std::fmt;

use sessile_core::Payload;
use sessile_core::digest::Digest;
use sessile_core::lens::View;

use crate::ledger::member::{maybe, text};
use crate::ledger::row::{is_fingerprint, is_session};

/// The member by which a row says that it is one.
const MARK: &str = "retention_tombstone";

/// What is left of a session that was dropped: that its id was somebody's, and is not to be
/// anybody else's.
///
/// # Examples
/// ```
/// use sessile_interchange::ledger::{Tombstone, decode};
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
/// let id = "wc_sess_0000000000000009";
/// let owner = "0a".repeat(32);
/// let said = format!(r#""session_id":"{id}","owner_authority_fingerprint":"{owner}""#);
/// let dropped = format!(r#"{{"retention_tombstone":{{{said}}}}}"#);
/// let ledger = decode(&document(&[row(1, r#","messages":[]"#), dropped]).into())?;
/// // No session is left of it, but its id stays its owner's.
/// let tombstone: &Tombstone = &ledger.tombstones[0];
/// assert_eq!((ledger.rows.len(), tombstone.id.as_str(), tombstone.row), (1, id, 1));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Where it stands in the ledger, counted from 0.
    pub row: usize,
    /// The session's id.
    pub id: String,
    /// Whose it was: the fingerprint of an authority, 64 lower-case hex digits.
    pub owner: String,
    /// The digest of the row as it stands in the ledger.
    pub digest: Digest,
    /// The row as it stands in the ledger.
    pub data: Payload,
}

impl Tombstone {
    /// Whether a row is one, sound or not.
    pub(super) fn is_one(row: View<'_>) -> bool {
        row.member(MARK).is_some()
    }

    /// Reads one, whose members stand in the row or in what the row is marked with. What it says
    /// beside id and owner is kept as it stands: nothing rests on it here.
    ///
    /// # Errors
    /// Why it can't be trusted.
    pub(super) fn read(number: usize, data: &Payload) -> Result<Self, String> {
        let row = View::of(data);
        let inside = maybe(row, MARK).filter(|mark| mark.is_object()).unwrap_or(row);
        let member = |name: &str| match inside.members().filter(|(it, _)| it == name).count() {
            0 => Err(format!("{name} is missing")),
            1 => text(inside, name)?.ok_or_else(|| format!("{name} is missing")),
            _ => Err(format!("{name} stands twice")),
        };
        let id = member("session_id")?;
        if !is_session(&id) {
            return Err("session_id is no id of a session".to_owned());
        }
        let owner = member("owner_authority_fingerprint")?;
        if !is_fingerprint(&owner) {
            let reason = "owner_authority_fingerprint is not 64 lower-case hex digits";
            return Err(reason.to_owned());
        }
        let digest = Digest::of(data.as_str().as_bytes());
        Ok(Self { row: number, id, owner, digest, data: data.clone() })
    }
}

impl fmt::Debug for Tombstone {
    /// Tells the id only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tombstone").field("id", &self.id).finish_non_exhaustive()
    }
}
