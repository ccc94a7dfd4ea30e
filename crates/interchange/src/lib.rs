//! Other programs' session files as pure functions: bytes in, entries and a report out, and back.
//!
//! [`parse`] takes a whole file and gives a [`Source`]: the sessions that the file holds, each
//! source line whole and verbatim as the payload of one record, and a report of what could not be
//! read or did not fit together. Because lines are kept whole, an [`Exporter`] to the same format
//! writes nothing but their concatenation.
//!
//! Nothing of a file is lost without being named: each of its lines that is not blank is a record
//! of exactly one session (its forks repeat it), or stands in [`Source::skipped`].
//!
//! ```
//! use sessile_interchange::{Exporter, Origin, detect, parse};
//!
//! let file = r#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"Hello?"}}
//! {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"content":"Hi."}}
//! {"type":"assi"#;
//! let format = detect(file.as_bytes()).expect("Claude Code writes such records");
//! let source = parse(format, file.into())?;
//! let main = &source.sessions[0];
//! assert_eq!(main.title.as_deref(), Some("Hello?"));
//! assert_eq!(main.records.len(), 2);
//! assert_eq!(source.skipped[0].reason, "torn last line");
//!
//! let mut exporter = Exporter::new(format.into(), main.dialect)?;
//! let mut copy = exporter.head(main.title.as_deref());
//! for record in &main.records {
//!     exporter.entry(&mut copy, &record.entry_type, &record.data, Origin::Imported);
//! }
//! assert!(file.starts_with(&copy));
//! # Ok::<(), sessile_core::Error>(())
//! ```
//!
//! Files that are no transcripts have modules of their own, each with what reads them, what writes
//! them byte for byte, and the rules that go with them: [`snapshot`], [`binding`],
//! [`session_files`], [`ledger`]. [`json`] reads and writes JSON as Python does.
//!
//! This crate does no I/O, never panics on any bytes, takes time in proportion to the file and
//! memory in a bounded multiple of it, and never recurses deeper than [`json::MAX_DEPTH`].
//!
//! The modules stand bottom-up; each uses only those above it. A format is one module: what
//! recognises it, and what reads it.

mod format;
mod member;
pub mod json;
mod records;
mod source;
mod source_identity;
mod lines;
mod document;
mod tree;
mod sessions;
mod jsonl;
mod claude_code;
mod codex;
mod pi;
mod gemini;
mod goose;
pub mod opencode;
mod import;
mod export;
pub mod snapshot;
pub mod binding;
pub mod session_files;
pub mod ledger;

pub use export::{ExportFormat, Exporter, Origin, file_name};
pub use format::Format;
pub use import::{detect, parse};
pub use records::{Iter, Record, Records};
pub use source::{Belonging, ENVELOPE, Notice, Skipped, Source, SourceSession};
pub use source_identity::SourceIdentity;

#[cfg(test)]
mod tests;
