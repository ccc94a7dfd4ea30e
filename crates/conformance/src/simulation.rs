//! Clients of one place under a bad line and a virtual clock, the same in every run of a seed.
//!
//! Each client has a store of its own over a [line](Defect) that delays, loses, repeats and holds
//! back what goes over it. All of them run on one thread, whose time passes only while everybody
//! waits; every choice, wait, token and jump of a clock comes from the seed. What each was asked
//! and answered is a history, which is compared with what stands in the place at the end:
//!
//! - a commit that was told stands there once, with what was sent, where it was told, and after
//!   everything that had been told before it was asked for; one that was refused stands nowhere;
//! - what was read is what stood there at one moment between asking and answering;
//! - a request has one holder at a time and one outcome, which everybody is told;
//! - nothing stands behind a claim that a later one has fenced;
//! - a document has one value after the other, and nobody sees an earlier one again.

mod chance;
mod defect;
mod line;
mod history;
mod journal;
mod shelf;
mod check;
mod client;
mod run;

pub use defect::Defect;
pub use run::{Seen, simulate};
