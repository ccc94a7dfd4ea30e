//! What most programs name, to be imported whole.
//!
//! [`From`](crate::From) is not among it: it would hide the standard library's trait of that name.

pub use sessile_core::entry::shape::Dialect;
pub use sessile_engine::{Append, Filter, NewSession, Page, RawMessage, Session, Store, Window};

pub use crate::open::OpenUrl;
