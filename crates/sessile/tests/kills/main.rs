//! Processes that are killed in the middle of a turn, and what the next one finds and does.

#![cfg(all(feature = "fs", feature = "aws"))]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed; children tell their parents"
)]

#[path = "../buckets/bucket.rs"]
#[expect(dead_code, reason = "these tests need no Azure")]
mod bucket;
mod site;
mod child;
mod outside;
mod story;
mod rows;
mod history;
mod crowd;
mod halting;
mod moves;
mod on_files;
mod with_servers;
