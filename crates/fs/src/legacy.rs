//! Session files of an older layout, read where they lie beside any backend, until the first write.
//!
//! ```text
//! <folder>/sessions/<id>.jsonl   a session: its header, then its messages
//! <folder>/sessions/<id>.json    of older versions, what is known of it
//! <folder>/messages/<id>.jsonl   of older versions, its messages; <id>.json before that
//! ```
//!
//! A session of these files is the journal that taking it over makes: a function of their bytes,
//! its numbers, times and tokens included. So whoever reads it in place, whoever makes it a journal
//! of the store's, and whoever does so at the same time elsewhere, have the same session. The
//! header of what was made names the files, so that they are known to be taken over wherever it
//! stands, and after it was purged. The files are opened to be read, and nothing else.
//! `docs/adr/0008-legacy-layout.md` says why it is so.

mod marker;
mod folder;
mod journal;
mod standing;
mod rows;
mod backend;

pub use backend::LegacyBackend;
