//! The program as a person or a script uses it: command lines, answers, exit statuses.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed"
)]
#![expect(clippy::disallowed_methods, reason = "tests damage files on purpose")]

mod scene;
mod sessions;
mod statuses;
mod imports;
mod damage;
mod demo;
