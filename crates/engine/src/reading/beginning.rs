//! Where a read begins.

use std::num::NonZeroUsize;

use sessile_core::{Error, ErrorKind, Ordinal, Seq};

/// Where a read of a session begins; it always goes on to the end.
///
/// In code that also implements the standard library's trait of this name, name one of the two by
/// its path.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_core::Ordinal;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
/// let session = store.create(NewSession::new()).await?;
/// let done = session.append(["one", "two", "three"]).await?;
/// session.append_events(["not a message"]).await?;
/// for (from, first) in [
///     (From::start(), "one"),
///     (From::seq(done.first), "one"),
///     (From::ordinal(Ordinal::new(2).unwrap()), "two"),
///     (From::last(1), "three"),
/// ] {
///     let mut messages = session.transcript::<String>(from).await?;
///     assert_eq!(messages.next().await.transpose()?.as_deref(), Some(first));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct From(Beginning);

/// The beginnings there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// The first entry with this number or a greater one.
    Seq(Seq),
    /// The message with this ordinal.
    Ordinal(Ordinal),
    /// So many before the end.
    Last(usize),
}

impl From {
    /// The first message, or entry.
    pub const fn start() -> Self {
        Self(Beginning::Seq(Seq::FIRST))
    }

    /// The first message, or entry, whose number is this one or greater.
    pub const fn seq(seq: Seq) -> Self {
        Self(Beginning::Seq(seq))
    }

    /// The message with an ordinal; there is nothing to read if there is no such message yet.
    pub const fn ordinal(ordinal: Ordinal) -> Self {
        Self(Beginning::Ordinal(ordinal))
    }

    /// The last so many messages, or entries; all of them if there are fewer.
    ///
    /// The journal is read backwards from its end, and no further than that takes. None at all
    /// is refused when the read begins.
    pub const fn last(count: usize) -> Self {
        Self(Beginning::Last(count))
    }

    /// What it is, if it is something.
    pub(super) fn beginning(self) -> Result<Beginning, Error> {
        if let Beginning::Last(count) = self.0
            && NonZeroUsize::new(count).is_none()
        {
            return Err(Error::new(
                ErrorKind::Refused,
                "the last 0 of something is nothing to read",
            )
            .with_hint("ask for at least 1"));
        }
        Ok(self.0)
    }
}
