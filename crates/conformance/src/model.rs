//! Sessions told in the plainest way, and random steps that are taken there and in the product.
//!
//! The [`Ledger`](ledger::Ledger) folds nothing that the product folds: it keeps lists and maps,
//! and is told by each answer only what nobody can foresee, the numbers of entries. Whatever else
//! the product shows is compared after each step.

mod dice;
mod ledger;
mod expect;
mod changes;
mod steps;

pub(crate) use steps::drive;
