//! Reading what a session holds, piece by piece, with bounded memory.
//!
//! A read begins by looking at the journal, shows what stood there then, and writes nothing. Where
//! it meets damage it ends with an error that says where: what stands behind is for a read that
//! begins there.

mod beginning;
mod message;
mod stretch;
mod seen;
mod gap;
mod course;
mod stream;
mod rewound;
mod kept;
mod pending;
mod window;

pub use beginning::From;
pub(crate) use kept::{by_compaction, by_name, parts};
pub use message::{FromMessage, RawMessage};
pub(crate) use pending::pending;
pub(crate) use rewound::{count_through, hidden_by};
pub(crate) use seen::Seen;
pub use stream::{Entries, Transcript};
pub(crate) use window::view;
pub use window::{View, Window};
