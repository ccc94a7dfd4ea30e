//! What goes wrong in a command, and how it is told.

use std::borrow::Cow;
use std::error::Error as _;
use std::io::{self, Write as _};
use std::iter;

use serde::Serialize;
use sessile::{Error, ErrorKind, Occupant};

use crate::exit::Exit;
use crate::reading;

/// Where to look for what can be said.
const HELP: &str = "`sessile --help` shows the commands, `sessile COMMAND --help` what one takes";

/// Why a command ended before it was done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The store said so.
    Store(Error),
    /// The command line asks for what can't be.
    Usage(Misuse),
    /// What was to be read could not be.
    Input(io::Error),
    /// Nobody takes what is printed.
    Output(io::Error),
    /// Somebody pressed Ctrl-C.
    Stopped,
}

/// What is wrong with a command line.
#[derive(Debug)]
pub(crate) struct Misuse {
    /// The flag or argument, where it is one.
    subject: Option<&'static str>,
    clause: String,
    hint: Cow<'static, str>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// An error in `--json` output.
#[derive(Debug, Serialize)]
struct Told<'a> {
    kind: &'a str,
    message: String,
    /// What the message's reason comes from, in the words of whoever refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    hint: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    /// Who holds the session that is busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupant: Option<&'a Occupant>,
}

impl Failure {
    /// A flag or argument whose value can't be.
    pub(crate) fn usage(
        flag: &'static str,
        clause: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::Usage(Misuse { subject: Some(flag), clause: clause.into(), hint: hint.into() })
    }

    /// A command line that is none.
    pub(crate) const fn not_understood(clause: String) -> Self {
        Self::Usage(Misuse { subject: None, clause, hint: Cow::Borrowed(HELP) })
    }

    /// The exit status.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Store(error) => Exit::of(error),
            Self::Usage(_) => Exit::Usage,
            // A reader that has seen enough (`head`, a pager) is no failure.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Self::Input(_) | Self::Output(_) => Exit::Failed,
            Self::Stopped => Exit::Stopped,
        }
    }

    /// Tells it on standard error.
    pub(crate) fn tell(&self, json: bool) {
        if self.exit() == Exit::Done {
            return;
        }
        let told = self.told();
        let text = if json {
            serde_json::to_string(&serde_json::json!({ "error": told })).unwrap_or_default()
        } else {
            let cause = told.cause.map(|cause| format!(": {cause}")).unwrap_or_default();
            reading::visible_lines(&format!("sessile: {}{cause}\n  {}", told.message, told.hint))
        };
        // There is nowhere left to tell that standard error is closed.
        let _untold = writeln!(io::stderr(), "{text}");
    }

    fn told(&self) -> Told<'_> {
        match self {
            Self::Store(error) => Told {
                kind: error.kind().name(),
                message: error.to_string(),
                cause: cause(error),
                hint: hint(error),
                subject: error.subject(),
                occupant: error.occupant(),
            },
            Self::Usage(Misuse { subject, clause, hint }) => Told {
                kind: "usage",
                message: match subject {
                    Some(subject) => format!("{subject}: {clause}"),
                    None => clause.clone(),
                },
                cause: None,
                hint: Cow::Borrowed(hint),
                subject: *subject,
                occupant: None,
            },
            Self::Input(error) => Told {
                kind: "failed",
                message: format!("the input can't be read: {error}"),
                cause: None,
                hint: Cow::Borrowed("see that it is there and may be read"),
                subject: None,
                occupant: None,
            },
            Self::Stopped => Told {
                kind: "stopped",
                message: "it was stopped".to_owned(),
                cause: None,
                hint: Cow::Borrowed("what was done by then is whole; the same command goes on"),
                subject: None,
                occupant: None,
            },
            Self::Output(error) => Told {
                kind: "failed",
                message: format!("the answer can't be written: {error}"),
                cause: None,
                hint: Cow::Borrowed("what the command does is done; look before it is run again"),
                subject: None,
                occupant: None,
            },
        }
    }
}

/// What to do about an error: the command that helps, its own words, or those for its kind.
fn hint(error: &Error) -> Cow<'_, str> {
    if let Some(Occupant { request, claim, .. }) = error.occupant() {
        return Cow::Owned(format!(
            "wait until it ends; once its owner is known to have stopped: \
             sessile recover ID {request} --claim {claim} --retry, or --abandon"
        ));
    }
    // The program has a flag for what a caller of the library opens a store with.
    let own = error.hint().filter(|_| error.kind() != ErrorKind::Deadline);
    Cow::Borrowed(own.unwrap_or_else(|| way_out(error.kind())))
}

/// What an error comes from, in one line.
fn cause(error: &Error) -> Option<String> {
    let sources = iter::successors(error.source(), |source| (*source).source());
    let mut told = String::new();
    for cause in sources.map(ToString::to_string) {
        // Some repeat what they come from themselves.
        if told.contains(cause.trim_end_matches([':', ' '])) {
            continue;
        }
        if !told.is_empty() {
            told.push_str(": ");
        }
        told.push_str(&cause);
    }
    (!told.is_empty()).then_some(told)
}

/// The way out of an error that names none of its own.
const fn way_out(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Missing => {
            "`sessile list` shows the sessions of a space; --store and --space say where to look"
        }
        ErrorKind::Deleted => {
            "`sessile undelete` takes a deletion back until the purge; an id is not used again"
        }
        ErrorKind::Mismatch | ErrorKind::Conflict => {
            "`sessile info ID` tells how the session stands"
        }
        ErrorKind::InvalidAdmission | ErrorKind::StaleApproval => {
            "`sessile info ID` tells which request holds the session, and what leave it waits for"
        }
        ErrorKind::Corrupt => "`sessile verify` says what can be read",
        ErrorKind::UnknownVersion => "use the version of sessile that wrote it, or a newer one",
        ErrorKind::Permission => "see who may read and write there",
        ErrorKind::Unavailable | ErrorKind::Deadline => "try again; --timeout gives it more time",
        _ => HELP,
    }
}
