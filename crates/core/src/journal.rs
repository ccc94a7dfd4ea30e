//! The journal as bytes: from lines to whole commits, and from damage to what it means.
//!
//! A [`Scanner`] takes the bytes of a journal in order, in pieces of any size, and gives back
//! whole commits and the [failures](Failure) between them. Which failure is damage to what was
//! acknowledged and which is the torn tail of a crash is for [`Extent`] to say, once all is seen:
//! a failure below the greatest `synced` of any valid line is damage, the first one at or above
//! it begins the tail.

mod lines;
mod failure;
mod assembler;
mod scanner;
mod extent;
mod last_word;

pub use extent::Extent;
pub use failure::{Failure, Reason};
pub use last_word::{LastWord, PURGED};
pub use lines::{content_end, first_content};
pub use scanner::{Found, Placed, Scanner};

#[cfg(test)]
mod tests;
