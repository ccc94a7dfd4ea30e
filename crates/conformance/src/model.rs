//! Sessions told in the plainest way, and random steps that are taken there and in the product.
//!
//! The [`Ledger`](ledger::Ledger) folds nothing that the product folds: it keeps lists and maps,
//! and is told by each answer only what nobody can foresee, the numbers of entries. Whatever else
//! the product shows is compared after each step. Beside the changes of one session there are the
//! ways from one to another: forks, copies to another store, and files that are written here and
//! imported there.
//!
//! The [`Book`](book::Book) is as plain a model of the requests that hold one session.

mod dice;
mod ledger;
mod expect;
mod changes;
mod passages;
mod steps;
mod book;
mod asked;
mod requests;

pub(crate) use requests::drive_requests;
pub(crate) use steps::drive;
