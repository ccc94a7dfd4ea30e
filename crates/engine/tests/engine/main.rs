//! Stores and sessions on a backend in memory, and on one that fails as it is told to.

mod faults;

mod admitting;
mod appending;
mod behind_damage;
mod closing;
mod copying;
mod compacting;
mod creating;
mod cut_short;
mod damaged_histories;
mod exporting;
mod foreign;
mod forking;
mod grouping;
mod handles;
mod histories;
mod importing;
mod lacking;
mod listing;
mod outcomes;
mod misfits;
mod reading;
mod redacting;
mod repairs;
mod states;
mod rewinding;
mod turn_histories;
mod vacuuming;
mod verifying;
