//! Tests of the board: what is decided, in which order it is checked, and what it folds to.

mod desk;
mod posting;
mod closing;
mod completing;
mod observing;
mod replaying;
