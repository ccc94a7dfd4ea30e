//! What was lost or mended.

use std::fmt;

/// A row, and what was lost or mended of it.
///
/// # Examples
/// ```
/// use sessile_interchange::ledger::{Loss, decode};
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
/// let message = r#","messages":[{"message_id":"wc_msg_1","session_id":"wc_sess_other"}]"#;
/// let ledger = decode(&document(&[row(1, message)]).into())?;
/// // The row is taken over without what is not of it, and that is told.
/// let loss: &Loss = &ledger.mended[0];
/// let told = "sessions[0]: messages[0] was dropped: it is not of this session";
/// assert_eq!(loss.to_string(), told);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The row, counted from 0.
    pub row: usize,
    /// What, in words that never quote it.
    pub reason: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sessions[{}]: {}", self.row, self.reason)
    }
}
