//! How a session is changed: decided on its state, appended where that state ends, and decided
//! anew when somebody else was faster.
//!
//! Whoever wants a change says what it takes on a given state; waiting in turn, conflicts, lost
//! answers and what they leave behind are the business of this module alone.

mod change;
mod attempt;
mod proof;
mod barrier;
mod placing;
mod group;
mod batch;
mod course;

pub(crate) use batch::{Fate, Waiting, write_all};
pub(crate) use change::Mutation;
pub(crate) use course::{carry_out, repair, resolve};
pub(crate) use group::join;
