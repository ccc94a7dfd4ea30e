//! A message as it is stored, and what it may be read as.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sessile_core::{Error, Ordinal, Payload, Seq, UnixMillis};

/// A message as it stands in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawMessage {
    /// Its number in the journal: its only lasting name.
    pub seq: Seq,
    /// When it was appended, by the clock of the store that did.
    pub at: UnixMillis,
    /// Its place among the messages; none where damage before it hides how many there are.
    pub ordinal: Option<Ordinal>,
    /// The message, byte for byte.
    pub data: Payload,
}

impl RawMessage {
    /// Reads the message as a type of the caller's.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`](sessile_core::ErrorKind::Mismatch) when it has another shape.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        self.data.decode()
    }
}

/// What a transcript can be read as: [`RawMessage`], or any type that its JSON can be decoded to.
pub trait FromMessage: Sized {
    /// Reads one message.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`](sessile_core::ErrorKind::Mismatch) when it has another shape.
    fn from_message(message: RawMessage) -> Result<Self, Error>;
}

impl FromMessage for RawMessage {
    fn from_message(message: RawMessage) -> Result<Self, Error> {
        Ok(message)
    }
}

impl<T: DeserializeOwned> FromMessage for T {
    fn from_message(message: RawMessage) -> Result<Self, Error> {
        message.decode().map_err(|error| error.about(format_args!("message {}", message.seq)))
    }
}
