//! Reading what a session holds, piece by piece, with bounded memory.
//!
//! A read begins by looking at the journal, shows what stood there then, and writes nothing. Where
//! it meets damage it ends with an error that says where: what stands behind is for a read that
//! begins there.

mod beginning;
mod message;
mod course;
mod stream;

pub use beginning::From;
pub use message::{FromMessage, RawMessage};
pub use stream::{Entries, Transcript};
