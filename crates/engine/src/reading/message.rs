//! A message as it is stored, and what it may be read as.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sessile_core::{Error, Ordinal, Payload, Seq, UnixMillis};

/// A message as it stands in the journal.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{From, RawMessage};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append([["a", "plum"]]).await?;
/// let mut transcript = session.transcript::<RawMessage>(From::start()).await?;
/// let message = transcript.next().await.expect("there is one")?;
/// assert_eq!(message.data.as_str(), r#"["a","plum"]"#);
/// assert_eq!(message.decode::<Vec<String>>()?, ["a", "plum"]);
/// # Ok(())
/// # }
/// ```
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
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Error;
/// use sessile_engine::{From, FromMessage, RawMessage};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// /// A message with its number.
/// struct Numbered(u64, String);
///
/// impl FromMessage for Numbered {
///     fn from_message(message: RawMessage) -> Result<Self, Error> {
///         Ok(Self(message.seq.number(), message.decode()?))
///     }
/// }
///
/// session.append(["hi"]).await?;
/// let all = session.transcript::<Numbered>(From::start()).await?.all().await?;
/// assert_eq!((all[0].0, all[0].1.as_str()), (1, "hi"));
/// # Ok(())
/// # }
/// ```
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
