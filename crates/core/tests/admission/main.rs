//! The rules of admission: what each request comes to on each state, and what never happens
//! whatever is asked in whatever order.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed"
)]

mod journal;
mod states;
mod requests;
mod answers;
mod play;
mod kept;
mod found;
mod rivals;
