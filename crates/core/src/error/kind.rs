//! The kinds of errors: what a caller does next.

/// What went wrong, as far as the caller acts differently on it.
///
/// # Examples
/// ```
/// use sessile_core::{ErrorKind, SessionId};
///
/// let error = "../x".parse::<SessionId>().unwrap_err();
/// match error.kind() {
///     ErrorKind::InvalidId => assert!(error.hint().is_some()),
///     other => panic!("{}", other.name()),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is nothing under this name, and there never was. Create it, or ask for another.
    Missing,
    /// It was deleted, and its name is not free again. Use another name.
    Deleted,
    /// It was there, and was removed on purpose. Read what was kept.
    Forgotten,
    /// Stored bytes are damaged. Stop; the bytes are kept; `verify` says more.
    Corrupt,
    /// Stored bytes are of a format or fold that this program is too old for. Upgrade it.
    UnknownVersion,
    /// The place does not answer. Back off and try again if it [may be](crate::Error::may_retry).
    Unavailable,
    /// The deadline passed before the answer came. Try again, or allow more time.
    Deadline,
    /// The place refuses access. Fix its permissions or credentials.
    Permission,
    /// The journal or document is not where the caller thinks. Read again, decide again.
    Conflict,
    /// It exists already. Open it.
    Exists,
    /// Another request holds the session. Wait, or recover it.
    Busy,
    /// A newer claim holds the session. Stop; nothing more can be written under the old one.
    Fenced,
    /// The session is closed to what was asked.
    Closed,
    /// It was told as done and waited to be written, and what others wrote first does not allow it.
    /// Look again, decide again.
    Superseded,
    /// It is a copy that was cut short before it was whole. Make it again, or delete it.
    Incomplete,
    /// What was given differs from what is recorded under the same name.
    Mismatch,
    /// The request was begun under other terms; the part that differs is named. Go on under those,
    /// or give it up and begin another.
    ConfigurationMismatch,
    /// The usage that a request goes on with is not what was recorded of it. Give that.
    UsageMismatch,
    /// The session is not in a state for that: nothing is active, or what is can't be read.
    InvalidAdmission,
    /// Work may have been under way when its owner stopped, and nobody knows how far it came.
    /// Decide whether it is to be done again.
    Ambiguous,
    /// The request ended, and what it was answered with was removed since. It is not done again.
    Expired,
    /// There is no such approval to be decided or used: it is another's, for another call, refused,
    /// not decided yet, or used up. Ask again.
    StaleApproval,
    /// An id breaks the rule for ids. Choose another; nothing was touched.
    InvalidId,
    /// A place is no place: a bad URL, or a backend that is not compiled in.
    InvalidPlace,
    /// The input is refused: no JSON, over a limit, empty. Fix the call.
    Refused,
    /// This backend or this version does not do that.
    Unsupported,
}

impl ErrorKind {
    /// The stable name of the kind in `--json` output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Deleted => "deleted",
            Self::Forgotten => "forgotten",
            Self::Corrupt => "corrupt",
            Self::UnknownVersion => "unknown-version",
            Self::Unavailable => "unavailable",
            Self::Deadline => "deadline",
            Self::Permission => "permission",
            Self::Conflict => "conflict",
            Self::Exists => "exists",
            Self::Busy => "busy",
            Self::Fenced => "fenced",
            Self::Closed => "closed",
            Self::Superseded => "superseded",
            Self::Incomplete => "incomplete",
            Self::Mismatch => "mismatch",
            Self::ConfigurationMismatch => "configuration-mismatch",
            Self::UsageMismatch => "usage-mismatch",
            Self::InvalidAdmission => "invalid-admission",
            Self::Ambiguous => "ambiguous",
            Self::Expired => "expired",
            Self::StaleApproval => "stale-approval",
            Self::InvalidId => "invalid-id",
            Self::InvalidPlace => "invalid-place",
            Self::Refused => "refused",
            Self::Unsupported => "unsupported",
        }
    }
}
