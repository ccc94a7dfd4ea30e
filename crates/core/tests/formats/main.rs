//! The format's golden files: what was written once is read for ever, by this and other readers.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed"
)]

mod golden;
mod reading;
