//! The formats that are read and written.

use std::fmt;
use std::str::FromStr;

use sessile_core::{Error, ErrorKind};

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A format of session files.
        ///
        /// # Examples
        /// ```
        /// use sessile_interchange::{Format, detect};
        ///
        /// let at = "2026-01-01T00:00:00Z";
        /// let pi = format!(r#"{{"type":"session","version":3,"id":"s1","timestamp":"{at}"}}"#);
        /// assert_eq!(detect(pi.as_bytes()), Some(Format::Pi));
        /// assert_eq!("claude-code".parse::<Format>()?, Format::ClaudeCode);
        /// // A ledger is no file of one session: it is read row by row.
        /// assert!(!Format::OF_ONE_FILE.contains(&Format::Ledger));
        /// # Ok::<(), sessile_core::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($(#[$doc])* $variant,)*
        }

        impl Format {
            /// Every format.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name of the format, as it stands in `import` entries and on command lines.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

formats! {
    /// One message a line: objects with `role` and `content`.
    Jsonl = "jsonl",
    /// Claude Code's session files, and those of programs that write the same.
    ClaudeCode = "claude-code",
    /// Codex's rollout files, and those of programs that write the same.
    Codex = "codex",
    /// pi's session files in all their versions, and those of its forks.
    Pi = "pi",
    /// Gemini CLI's session files: one object, or lines that are added to.
    Gemini = "gemini",
    /// goose's session files of the time before it kept sessions in a database.
    Goose = "goose",
    /// A session of opencode as one object, which its `export` writes, and which stands for the
    /// folder of small files that it keeps: [`opencode`](crate::opencode).
    Opencode = "opencode",
    /// Session files of several layouts, which are read by their names:
    /// [`session_files`](crate::session_files).
    Legacy = "legacy",
    /// A ledger of many sessions, which is read row by row: [`ledger`](crate::ledger).
    Ledger = "ledger",
}

impl Format {
    /// The formats of which one file is read on its own, by [`parse`](crate::parse).
    pub const OF_ONE_FILE: &'static [Self] = &[
        Self::Jsonl,
        Self::ClaudeCode,
        Self::Codex,
        Self::Pi,
        Self::Gemini,
        Self::Goose,
        Self::Opencode,
    ];
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Self::ALL.iter().find(|format| format.name() == name);
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            let clause = format!("unknown format: choose one of {}", names.join(", "));
            Error::new(ErrorKind::Refused, clause)
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            let is_read_elsewhere = matches!(format, Format::Legacy | Format::Ledger);
            assert_eq!(Format::OF_ONE_FILE.contains(format), !is_read_elsewhere);
            assert_eq!(format.name().parse::<Format>().unwrap(), *format);
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_names_there_are() {
        let error = "Claude".parse::<Format>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(
            error.to_string().contains("jsonl, claude-code, codex, pi, gemini, goose, opencode"),
            "{error}"
        );
    }
}
