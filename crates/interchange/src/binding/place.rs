//! Where the file of a context is.

use std::path::{Component, Path};

/// The name of each context's file.
pub const FILE_NAME: &str = "harness-session.json";

/// Whether a name of a context or a record can be the name of a folder: one segment of a path
/// that does not begin with a dot.
///
/// Nothing else is asked of it: spaces, control characters, any letters and any length are fine
/// here and may be refused by the system later.
pub fn is_segment(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let is_one = matches!(components.next(), Some(Component::Normal(it)) if it == name);
    is_one && components.next().is_none() && !name.starts_with('.') && !name.contains('/')
}

/// The way to the file of a context, below the folder of all conversations; none where the name
/// of the record or the context can't be that of a folder. Such a context has no file, and its
/// binding lives in memory only.
pub fn path<'a>(record: &'a str, context: &'a str) -> Option<[&'a str; 3]> {
    (is_segment(record) && is_segment(context)).then_some([record, context, FILE_NAME])
}
