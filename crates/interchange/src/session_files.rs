//! JSONL session files: one log a session, and the two older layouts that lie beside it.
//!
//! Below a root stand `sessions/<id>.jsonl`, the *log*: a header line and the messages. Older
//! versions kept a *record*, `sessions/<id>.json`, and the messages as `messages/<id>.jsonl` or,
//! before that, as one array in `messages/<id>.json`. All of one id are one session.
//!
//! Nothing here reads a folder: [`Part::of`] says what a file is by its name, [`list`] and
//! [`SessionFiles::read`] work on the bytes that the caller found. What can't be read is named and
//! never taken for absent.
//!
//! ```
//! use std::collections::BTreeMap;
//! use sessile_interchange::session_files::{Content, Folder, Part, SessionFiles};
//!
//! let found = [
//!     (Folder::Messages, "ses_1.jsonl", r#"{"role":"user","content":"Old."}"#),
//!     (Folder::Sessions, "ses_1.jsonl", r#"{"type":"message","role":"user","content":"New."}"#),
//!     (Folder::Sessions, "ses_1.831.tmp", ""),
//! ];
//! let mut sessions = BTreeMap::<&str, SessionFiles>::new();
//! for (folder, name, text) in found {
//!     if let Some((part, id)) = Part::of(folder, name) {
//!         sessions.entry(id).or_insert_with(|| SessionFiles::new(id)).add(part, Content::of(text));
//!     }
//! }
//! let whole = sessions["ses_1"].read()?;
//! let messages: Vec<&str> = whole.messages().map(|message| message.as_str()).collect();
//! assert_eq!(messages.len(), 2);
//! assert!(messages[0].contains("Old.") && messages[1].contains("New."));
//! # Ok::<(), sessile_core::Error>(())
//! ```

mod part;
mod header;
mod transcript;
mod merge;
mod whole;
mod files;
mod listing;
mod writing;

pub use files::{Content, SessionFiles};
pub use header::Header;
pub use listing::{Damaged, Listed, Listing, list};
pub use part::{Folder, Part};
pub use transcript::{FileNotice, FileRecord, FileSkipped};
pub use whole::{OTHERS, Whole};
pub use writing::{Written, write};

#[cfg(test)]
mod tests;
