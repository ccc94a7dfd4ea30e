//! What most programs name, to be imported whole.
//!
//! [`From`](crate::From) is not among it: it would hide the standard library's trait of that name.

pub use sessile_core::admission::Recovery;
pub use sessile_core::entry::shape::{Contract, Dialect};
pub use sessile_engine::{
    Action, Admission, Append, Filter, Intent, NewSession, Page, RawMessage, Session, Store, Turn,
    Window,
};

pub use crate::open::OpenUrl;
