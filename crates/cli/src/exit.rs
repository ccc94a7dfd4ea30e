//! From what happened to the exit status.

use std::process::ExitCode;

use sessile::{Error, ErrorKind};

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Failed in a way that has no status of its own.
    Failed,
    /// A command line, an id or a place that can't be.
    Usage,
    /// Missing, deleted, forgotten or expired.
    Missing,
    /// Not where or as the caller thinks: a conflict, exists, busy, fenced, closed, superseded, a mismatch
    /// of any kind, an invalid admission, ambiguous, or a stale approval.
    Conflict,
    /// Damaged, cut short, or of a version that this program does not know.
    Corrupt,
    /// The place does not answer or refuses access.
    Unavailable,
    /// Stopped by Ctrl-C, as shells tell it.
    Stopped,
}

impl Exit {
    /// The status for an error.
    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidId | ErrorKind::InvalidPlace => Self::Usage,
            ErrorKind::Missing | ErrorKind::Deleted | ErrorKind::Forgotten | ErrorKind::Expired => {
                Self::Missing
            }
            ErrorKind::Conflict
            | ErrorKind::Exists
            | ErrorKind::Busy
            | ErrorKind::Fenced
            | ErrorKind::Closed
            | ErrorKind::Superseded
            | ErrorKind::Mismatch
            | ErrorKind::ConfigurationMismatch
            | ErrorKind::UsageMismatch
            | ErrorKind::InvalidAdmission
            | ErrorKind::Ambiguous
            | ErrorKind::StaleApproval => Self::Conflict,
            // What is incomplete is a fork of which a part is not there.
            ErrorKind::Corrupt | ErrorKind::UnknownVersion | ErrorKind::Incomplete => Self::Corrupt,
            ErrorKind::Unavailable | ErrorKind::Deadline | ErrorKind::Permission => {
                Self::Unavailable
            }
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0_u8,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Missing => 3,
            Exit::Conflict => 4,
            Exit::Corrupt => 5,
            Exit::Unavailable => 6,
            Exit::Stopped => 130,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every kind of error, the name that `--json` tells it by, and the status it ends with.
    const KINDS: &[(ErrorKind, &str, Exit)] = &[
        (ErrorKind::Missing, "missing", Exit::Missing),
        (ErrorKind::Deleted, "deleted", Exit::Missing),
        (ErrorKind::Forgotten, "forgotten", Exit::Missing),
        (ErrorKind::Expired, "expired", Exit::Missing),
        (ErrorKind::Corrupt, "corrupt", Exit::Corrupt),
        (ErrorKind::UnknownVersion, "unknown-version", Exit::Corrupt),
        (ErrorKind::Unavailable, "unavailable", Exit::Unavailable),
        (ErrorKind::Deadline, "deadline", Exit::Unavailable),
        (ErrorKind::Permission, "permission", Exit::Unavailable),
        (ErrorKind::Conflict, "conflict", Exit::Conflict),
        (ErrorKind::Exists, "exists", Exit::Conflict),
        (ErrorKind::Busy, "busy", Exit::Conflict),
        (ErrorKind::Fenced, "fenced", Exit::Conflict),
        (ErrorKind::Closed, "closed", Exit::Conflict),
        (ErrorKind::Superseded, "superseded", Exit::Conflict),
        (ErrorKind::Mismatch, "mismatch", Exit::Conflict),
        (ErrorKind::ConfigurationMismatch, "configuration-mismatch", Exit::Conflict),
        (ErrorKind::UsageMismatch, "usage-mismatch", Exit::Conflict),
        (ErrorKind::InvalidAdmission, "invalid-admission", Exit::Conflict),
        (ErrorKind::Ambiguous, "ambiguous", Exit::Conflict),
        (ErrorKind::StaleApproval, "stale-approval", Exit::Conflict),
        (ErrorKind::InvalidId, "invalid-id", Exit::Usage),
        (ErrorKind::InvalidPlace, "invalid-place", Exit::Usage),
        (ErrorKind::Incomplete, "incomplete", Exit::Corrupt),
        (ErrorKind::Refused, "refused", Exit::Failed),
        (ErrorKind::Unsupported, "unsupported", Exit::Failed),
    ];

    #[test]
    fn each_kind_of_error_has_one_name_and_one_status() {
        for (kind, name, exit) in KINDS {
            let error = Error::new(*kind, "it is so");
            assert_eq!((kind.name(), Exit::of(&error)), (*name, *exit));
        }
        let names: BTreeSet<&str> = KINDS.iter().map(|(_, name, _)| *name).collect();
        assert_eq!(names.len(), KINDS.len());
    }

    /// Kinds that only a program meets which admits requests, as no command does, or writes behind.
    const OF_PROGRAMS: &[ErrorKind] = &[
        ErrorKind::Fenced,
        ErrorKind::ConfigurationMismatch,
        ErrorKind::UsageMismatch,
        ErrorKind::Ambiguous,
        ErrorKind::Expired,
        ErrorKind::Superseded,
    ];

    #[test]
    fn what_is_told_of_each_kind_that_a_person_can_cause_stands_on_a_page() {
        let pages = [
            include_str!("../tests/golden/sessions.txt"),
            include_str!("../tests/golden/errors.txt"),
            include_str!("../tests/golden/places.txt"),
        ];
        let kept: BTreeSet<&str> = pages
            .iter()
            .flat_map(|page| page.lines())
            .filter_map(|line| line.strip_prefix("= ")?.split_once(' '))
            .map(|(_, kind)| kind)
            .collect();
        let of_people = KINDS.iter().filter(|(kind, _, _)| !OF_PROGRAMS.contains(kind));
        let of_people = of_people.map(|(_, name, _)| *name);
        // What is no error of the library has kinds of its own.
        let all: BTreeSet<&str> = of_people.chain(["usage", "failed", "stopped"]).collect();
        assert_eq!(kept, all);
    }
}
