//! Stores in buckets, opened by their places.

#![cfg(all(feature = "aws", feature = "azure"))]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that meets what it does not expect has failed"
)]

mod bucket;
mod with_servers;
