//! What a session of a ledger may do, and whether it goes on.

/// What a session may do at all.
///
/// # Examples
/// ```
/// use sessile_interchange::ledger::{Mode, decode};
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
/// let read_only = row(1, r#","messages":[]"#).replace("normal", "read_only");
/// let ledger = decode(&document(&[read_only]).into())?;
/// let row = &ledger.rows[0];
/// // The guards say at least what the mode says.
/// assert_eq!(row.mode, Mode::ReadOnly);
/// assert!(row.guards.deny_write_tools);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Whatever its guards allow.
    Normal,
    /// Nothing that changes anything.
    ReadOnly,
}

/// Whether a session goes on.
///
/// # Examples
/// ```
/// use sessile_core::EntryType;
/// use sessile_interchange::ledger::{Lifecycle, decode};
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
/// let closed = row(1, r#","messages":[]"#).replace("active", "closed");
/// let ledger = decode(&document(&[closed]).into())?;
/// assert_eq!(ledger.rows[0].lifecycle, Lifecycle::Closed);
/// // Taken over, its session ends as it did.
/// let source = ledger.rows[0].to_source()?;
/// let last = source.sessions[0].records.iter().last();
/// assert_eq!(last.map(|record| &record.entry_type), Some(&EntryType::Close));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// It does.
    Active,
    /// It was closed.
    Closed,
}

/// What a session must not do.
///
/// # Examples
/// ```
/// use sessile_interchange::ledger::{Guards, decode};
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
/// let guards = r#","messages":[],"guards":{"deny_shell_tools":true,"deny_write_tools":false}"#;
/// let ledger = decode(&document(&[row(1, guards), row(2, r#","messages":[]"#)]).into())?;
/// let denied = Guards { deny_shell_tools: true, ..Guards::default() };
/// assert_eq!(ledger.rows[0].guards, denied);
/// // A row that denies nothing allows it.
/// assert_eq!(ledger.rows[1].guards, Guards::default());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guards {
    /// Write.
    pub deny_write_tools: bool,
    /// Run commands.
    pub deny_shell_tools: bool,
}
