//! Object storage on the wire: what clients and servers do when the way between them has faults,
//! and what is sent where no server can be had.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets what it does not expect has failed; soaks add up what they print"
)]

#[path = "../support/root.rs"]
mod support;

mod gcs_wire;
mod with_servers;
