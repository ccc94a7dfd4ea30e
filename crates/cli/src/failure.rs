//! What goes wrong in a command, and how it is told.

use std::io::{self, Write as _};

use serde::Serialize;
use sessile::Error;

use crate::exit::Exit;

/// Why a command ended before it was done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The store said so.
    Store(Error),
    /// A flag's value can't be.
    Usage(String),
    /// What was to be read could not be.
    Input(io::Error),
    /// Nobody takes what is printed.
    Output(io::Error),
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
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
}

impl Failure {
    /// The exit status.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Store(error) => Exit::of(error),
            Self::Usage(_) => Exit::Usage,
            // A reader that has seen enough (`head`, a pager) is no failure.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Self::Input(_) | Self::Output(_) => Exit::Failed,
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
            let mut text = format!("sessile: {}", self.chain());
            if let Some(hint) = told.hint {
                text.push_str("\n  ");
                text.push_str(hint);
            }
            text
        };
        // There is nowhere left to tell that standard error is closed.
        let _untold = writeln!(io::stderr(), "{text}");
    }

    fn told(&self) -> Told<'_> {
        match self {
            Self::Store(error) => Told {
                kind: error.kind().name(),
                message: error.to_string(),
                hint: error.hint(),
                subject: error.subject(),
            },
            Self::Usage(message) => {
                Told { kind: "usage", message: message.clone(), hint: None, subject: None }
            }
            Self::Input(error) | Self::Output(error) => {
                Told { kind: "failed", message: error.to_string(), hint: None, subject: None }
            }
        }
    }

    /// The message and what caused it, in one line.
    fn chain(&self) -> String {
        let Self::Store(error) = self else { return self.told().message };
        let mut text = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        text
    }
}
