//! JSON as Python's `json` module reads and writes it.
//!
//! Files that other programs compare byte for byte are written in the form of
//! `json.dumps(value, indent=2)`: two spaces a level, everything beyond ASCII escaped, floats as
//! Python's `repr` spells them, integers of any size. What is read is kept well enough for that:
//! the order of members, every digit of an integer, half a character on its own.
//!
//! ```
//! use sessile_interchange::json;
//!
//! let value = json::parse(r#"{"n":1e16,"t":"é\ud83d","list":[],"big":123456789012345678901}"#)?;
//! assert_eq!(
//!     json::pretty(&value),
//!     r#"{
//!   "n": 1e+16,
//!   "t": "\u00e9\ud83d",
//!   "list": [],
//!   "big": 123456789012345678901
//! }"#
//! );
//! # Ok::<(), sessile_core::Error>(())
//! ```
//!
//! It is stricter than Python where Python loses or invents something: a name that stands twice in
//! one object, a number beyond the greatest float, `NaN`, `Infinity`, and more than
//! [`MAX_DEPTH`] levels are refused.

mod text;
mod number;
mod value;
mod escape;
mod parse;
mod write;
mod difference;

pub use difference::{Difference, Step, difference};
pub use number::{Float, Integer};
pub use parse::{parse, parse_bytes};
pub use text::JsonText;
pub use value::{MAX_DEPTH, Object, Value};
pub use write::{compact, pretty};

#[cfg(test)]
pub(crate) mod tests;
