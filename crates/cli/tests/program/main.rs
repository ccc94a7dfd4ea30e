//! The program as a person or a script uses it: command lines, answers, exit statuses.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets what it does not expect has failed"
)]
#![expect(clippy::disallowed_methods, reason = "tests damage files on purpose")]

#[path = "../../../sessile/tests/buckets/bucket.rs"]
mod bucket;
mod scene;
mod held;
mod sessions;
mod identity;
mod changing;
mod admission;
mod misfits;
mod searching;
mod doctor;
mod following;
mod paper;
mod lifecycle;
mod retention;
mod statuses;
mod mistakes;
mod help;
mod hostile;
mod golden;
mod stores;
mod imports;
mod folders;
mod samples;
mod exports;
mod snapshots;
mod bindings;
mod legacy;
mod legacy_in_place;
mod ledger;
mod copies;
mod interrupted;
mod screen;
mod terminal;
mod damage;
mod demo;
mod checks;
mod with_servers;
