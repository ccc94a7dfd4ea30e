//! The files of a session, by their names.

use std::fmt;

/// A folder below the root.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Folder, Part};
///
/// // The same name is another part in another folder.
/// assert_eq!(Part::of(Folder::Sessions, "ses_1.jsonl"), Some((Part::Log, "ses_1")));
/// assert_eq!(Part::of(Folder::Messages, "ses_1.jsonl"), Some((Part::Lines, "ses_1")));
/// assert_eq!(Folder::Messages.to_string(), "messages");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Folder {
    /// `sessions`.
    Sessions,
    /// `messages`, of older versions only.
    Messages,
}

/// What a file is to its session, the oldest form first.
///
/// # Examples
/// ```
/// use sessile_interchange::session_files::{Folder, Part};
///
/// assert_eq!(Part::Array.path("ses_1"), "messages/ses_1.json");
/// let parts = Part::ALL.map(|part| (part.folder().name(), part.path("x")));
/// // Every path leads back to its part.
/// for (part, (_, path)) in Part::ALL.into_iter().zip(parts) {
///     let name = path.rsplit('/').next().expect("a name");
///     assert_eq!(Part::of(part.folder(), name), Some((part, "x")));
/// }
/// // What a crash has left is nobody's.
/// assert_eq!(Part::of(Folder::Sessions, "ses_1.831.tmp"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// `messages/<id>.json`: all messages as one array.
    Array,
    /// `messages/<id>.jsonl`: one message a line.
    Lines,
    /// `sessions/<id>.json`: what is known of the session.
    Record,
    /// `sessions/<id>.jsonl`: what is known of the session, then one message a line.
    Log,
}

impl Folder {
    /// Its name below the root.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Messages => "messages",
        }
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Part {
    /// Every part, the oldest form first.
    pub const ALL: [Self; 4] = [Self::Array, Self::Lines, Self::Record, Self::Log];

    /// What a file of a folder is, and the id of its session; none for any other file, such as
    /// the temporary ones that a crash leaves.
    pub fn of(folder: Folder, name: &str) -> Option<(Self, &str)> {
        let (id, extension) = name.rsplit_once('.')?;
        let part = Self::ALL
            .into_iter()
            .find(|part| part.folder() == folder && part.extension() == extension)?;
        (!id.is_empty()).then_some((part, id))
    }

    /// The folder that it stands in.
    pub const fn folder(self) -> Folder {
        match self {
            Self::Array | Self::Lines => Folder::Messages,
            Self::Record | Self::Log => Folder::Sessions,
        }
    }

    /// The way to the file of a session, below the root.
    pub fn path(self, id: &str) -> String {
        format!("{}/{id}.{}", self.folder(), self.extension())
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Array | Self::Record => "json",
            Self::Lines | Self::Log => "jsonl",
        }
    }
}
