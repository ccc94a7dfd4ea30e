//! The forms in which something is exported.

use std::fmt;
use std::str::FromStr;

use sessile::Error;
use sessile::interchange::ExportFormat;

/// What is exported of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Its messages.
    Session(ExportFormat),
    /// The log of the session files.
    Legacy,
    /// The snapshot that was imported as it.
    Snapshot,
}

impl Form {
    pub(super) fn all() -> Vec<Self> {
        let sessions = ExportFormat::ALL.iter().copied().map(Self::Session);
        sessions.chain([Self::Legacy, Self::Snapshot]).collect()
    }
}

impl FromStr for Form {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "legacy" => Ok(Self::Legacy),
            "snapshot" => Ok(Self::Snapshot),
            name => name.parse().map(Self::Session),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(format) => format.fmt(f),
            Self::Legacy => f.write_str("legacy"),
            Self::Snapshot => f.write_str("snapshot"),
        }
    }
}
