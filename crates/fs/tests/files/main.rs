//! What only files can show: cuts, lost pages, other processes, permissions, counts of calls.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed"
)]
#![expect(clippy::disallowed_methods, reason = "tests put files in the way of the store")]

mod scene;
mod many;
mod cuts;
mod pages;
mod processes;
mod appends;
mod places;
mod catalog;
mod trusted;
mod listing;
mod back;
mod ends;
mod crowd;
mod killed;
mod altered;
