//! Stores and sessions on a backend in memory, and on one that fails as it is told to.

mod faults;

mod appending;
mod closing;
mod creating;
mod foreign;
mod handles;
mod histories;
mod importing;
mod listing;
mod outcomes;
mod reading;
mod repairs;
mod verifying;
