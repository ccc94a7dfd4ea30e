//! Who holds a session: what is asked of its admission, and what comes of it.
//!
//! The rules stand in [`sessile_core::admission`]; here they are applied where the journal ends,
//! and applied anew when somebody else was faster.

mod admit;
mod done;
mod ruled;

pub use admit::{Admit, ContextPolicy};
pub use done::Done;
pub(crate) use ruled::{Came, Ruled, unasked};
