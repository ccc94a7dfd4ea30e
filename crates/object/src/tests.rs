//! What a journal in object storage does where the place, other handles or its objects do not do
//! as they should.

mod stage;
mod listed;
mod ranges;
mod chain;
mod middle;
mod looking;
mod sleeping;
mod masking;
mod purging;
mod noting;
mod costs;
