//! The cases, in groups by what they use.

mod create;
mod append;
mod order;
mod atomic;
mod race;
mod replay;
mod share;
mod payload;
mod read;
mod quiet;
mod head;
mod missing;
mod aside;
mod tombstone;
mod purge;
mod list;
mod recent;
mod scope;
mod gist;
mod space;
mod name;
mod swap;
mod value;
mod damage;
mod revision;
mod shelf;
mod rewrite;
mod mask;
mod lack;
mod session;
mod record;
mod workflow;

use crate::case::Case;

/// The tables, each of one group.
const GROUPS: &[&[Case]] = &[
    create::CASES,
    append::CASES,
    order::CASES,
    atomic::CASES,
    race::CASES,
    replay::CASES,
    share::CASES,
    payload::CASES,
    read::CASES,
    quiet::CASES,
    head::CASES,
    missing::CASES,
    aside::CASES,
    tombstone::CASES,
    purge::CASES,
    list::CASES,
    recent::CASES,
    scope::CASES,
    gist::CASES,
    space::CASES,
    name::CASES,
    swap::CASES,
    value::CASES,
    damage::CASES,
    revision::CASES,
    shelf::CASES,
    rewrite::CASES,
    mask::CASES,
    lack::CASES,
];

/// Every case of the backend contract, in the order of its groups.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    GROUPS.iter().copied().flatten()
}

/// Every case of the sessions that the engine keeps on a backend, in the order of their groups.
pub fn sessions() -> impl Iterator<Item = &'static Case> {
    session::groups().flatten()
}

/// Every case of the records that are kept on a backend: checkpoints and effects.
pub fn records() -> impl Iterator<Item = &'static Case> {
    record::GROUPS.iter().copied().flatten()
}

/// Every case of the workflow sessions that are kept on a backend.
pub fn workflows() -> impl Iterator<Item = &'static Case> {
    workflow::GROUPS.iter().chain(workflow::board::GROUPS).copied().flatten()
}

/// Every case there is, in the order in which they run.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    cases().chain(sessions()).chain(records()).chain(workflows())
}

#[cfg(test)]
mod tests;
