//! Stores and sessions on a backend in memory, and on one that fails as it is told to.

mod faults;

mod appending;
mod closing;
mod copying;
mod compacting;
mod creating;
mod exporting;
mod foreign;
mod forking;
mod handles;
mod histories;
mod importing;
mod listing;
mod outcomes;
mod reading;
mod redacting;
mod repairs;
mod states;
mod rewinding;
mod vacuuming;
mod verifying;
