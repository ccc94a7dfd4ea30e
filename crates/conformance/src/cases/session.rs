//! Sessions of the engine over the backend: what its callers are promised, on every backend alike.
//!
//! A backend that passes its own cases passes these; they show that nothing above it takes a
//! promise back, and check the statements that are not about one call of a backend.

mod scene;
mod create;
mod append;
mod repeat;
mod change;
mod share;
mod order;
mod payload;
mod read;
mod list;
mod end;
mod retain;
mod erase;
mod id;
mod identity;
mod space;
mod secret;
mod outcome;
mod large;
mod foreign;
mod copy;
mod file;
mod random;
mod residency;
mod admission;
mod behind;

use crate::case::Case;

/// The tables, each of one group: those of sessions, then those of the requests that hold them.
pub(super) fn groups() -> impl Iterator<Item = &'static [Case]> {
    GROUPS.iter().chain(admission::GROUPS).chain(behind::GROUPS).copied()
}

const GROUPS: &[&[Case]] = &[
    create::CASES,
    append::CASES,
    repeat::CASES,
    change::CASES,
    share::CASES,
    order::CASES,
    payload::CASES,
    read::CASES,
    list::CASES,
    end::CASES,
    retain::CASES,
    erase::CASES,
    id::CASES,
    identity::CASES,
    space::CASES,
    secret::CASES,
    outcome::CASES,
    large::CASES,
    foreign::CASES,
    copy::CASES,
    file::CASES,
    random::CASES,
    residency::CASES,
];
