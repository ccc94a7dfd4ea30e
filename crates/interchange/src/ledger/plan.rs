//! What is to be done with each row.

use sessile_core::digest::Digest;

use crate::ledger::document::Ledger;

/// What is to be done with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It was never taken over: it is to be.
    Import,
    /// It was taken over as it stands: nothing is to be done.
    Present,
    /// It was taken over when it stood otherwise: nothing is to be done, and it is to be told.
    Changed,
}

/// Says what is to be done with each of [`Ledger::rows`], in order. `known` finds the digest of
/// the row from which the session of an id was taken over, if it was.
pub fn plan(ledger: &Ledger, known: impl Fn(&str) -> Option<Digest>) -> Vec<Action> {
    let actions = ledger.rows.iter().map(|row| match known(&row.id) {
        None => Action::Import,
        Some(digest) if digest == row.digest => Action::Present,
        Some(_) => Action::Changed,
    });
    actions.collect()
}
