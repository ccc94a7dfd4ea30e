//! The journal line: one entry as one line of JSON, checked and chained.
//!
//! ```text
//! {"seq":7,"at":1790000000000,"type":"message","data":{...},"more":true,"crc":"1a2b3c4d"}
//! {"seq":8,"at":1790000000000,"type":"meta","data":{},"commit":"c1","token":"...","n":2,
//!  "prev":"...","synced":7,"digest":"...","sum":"...","crc":"5e6f7a8b"}
//! ```
//!
//! Every line of a commit but its last says `more`; the last one closes it. `docs/formats.md`
//! specifies each member.

mod checksum;
mod whole;
mod straight;
mod decode;
mod encode;

pub use checksum::{CRC_SUFFIX_BYTES, LineSum};
pub use decode::decode_line;
pub use encode::encode_commit;
pub use whole::{BadLine, Closing, Line};

#[cfg(test)]
mod tests;
