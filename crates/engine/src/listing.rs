//! Listing sessions, newest first, a page at a time.

mod filter;
mod summary;
mod page;
mod walk;

pub(crate) use filter::Checked;
pub use filter::Filter;
pub use page::{Cursor, Listing, Page};
pub use summary::Summary;
pub(crate) use walk::{Walk, list};
