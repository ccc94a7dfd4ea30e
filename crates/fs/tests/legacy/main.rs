//! Session files of an older layout, in place beside a store.

#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]
#![expect(clippy::disallowed_methods, reason = "tests write the files of the older program")]

mod scene;
mod suite;
mod reading;
mod damage;
mod taking;
mod again;
mod gate;
mod late;
mod crowd;
