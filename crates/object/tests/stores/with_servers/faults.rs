//! The backend over a way that has faults: what it answers is true, and is found by whoever looks
//! past them.

mod words;
mod stage;
mod deeds;
mod lost;
mod unknown;
mod late;
mod asleep;
mod back_and_forth;
mod table;
mod cut_lists;
mod slow;
mod refused;
