//! How far an effect came, and what it ended with.

use sessile_core::Payload;

/// What an effect ended with, if it was not too large to be kept.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_core::{ErrorKind, Limits};
/// # use sessile_engine::Options;
/// # use sessile_records::{Effects, Request, Retry};
/// use sessile_records::{Kept, State};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let input = Payload::parse("{}")?;
/// # let dump = Request::new("call-1".parse()?, "acme.dump".parse()?, "disk".parse()?, &input);
/// let mut limits = Limits::default();
/// limits.document_bytes = 1_000;
/// let (memory, options) = (Arc::new(MemoryBackend::new()), Options::default().limits(limits));
/// let effects = Effects::with(memory, Space::default(), options);
/// let output = Payload::of(&"x".repeat(2_000))?;
/// let dumps = async |_| Ok(output.clone());
/// // Whoever did it gets all of it, and is told that nobody will again.
/// let executed = effects.execute(&dump, Retry::RejectAmbiguous, None, dumps).await?;
/// assert!(!executed.is_kept);
/// let record = effects.load(&dump.id).await?;
/// assert_eq!(record.state, State::Completed(Kept::LeftOut { bytes: 2_002 }));
/// let again = effects.execute(&dump, Retry::RetrySafe, None, async |_| unreachable!()).await;
/// assert_eq!(again.unwrap_err().kind(), ErrorKind::Expired);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All of it.
    Whole(Payload),
    /// Nothing of it: it was above the limit of a document.
    LeftOut {
        /// How many bytes it had.
        bytes: u64,
    },
}

/// How far an effect came.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Effects, HandlerError, Kept, Phase, Request, Retry, State};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// # let mail = Request::new("call-1".parse()?, "acme.mail".parse()?, "mail".parse()?, &input);
/// // It is noted before the handler runs.
/// let looks = async |_| match effects.load(&mail.id).await {
///     Ok(record) if record.state == State::Started => Ok(sent.clone()),
///     _ => Err(HandlerError::unsure("it was not noted")),
/// };
/// effects.execute(&mail, Retry::RejectAmbiguous, None, looks).await?;
/// let ended = effects.load(&mail.id).await?.state;
/// assert_eq!(ended, State::Completed(Kept::Whole(sent)));
/// assert_eq!(ended.phase(), Phase::Completed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// It is to be done, and was not begun.
    Prepared,
    /// It was begun. Whether it was done nobody knows who was not there.
    Started,
    /// It was done, with an output.
    Completed(Kept),
    /// It failed for certain, with an error.
    Failed(Kept),
}

impl State {
    /// Whether an effect may come from here to there.
    ///
    /// What is started may be started again by whoever knows that it may; what ended stays so.
    pub(crate) const fn may_become(&self, next: &Self) -> bool {
        match self {
            Self::Prepared => matches!(next, Self::Started),
            Self::Started => !matches!(next, Self::Prepared),
            Self::Completed(_) | Self::Failed(_) => false,
        }
    }

    /// How far that is.
    pub const fn phase(&self) -> Phase {
        match self {
            Self::Prepared => Phase::Prepared,
            Self::Started => Phase::Started,
            Self::Completed(_) => Phase::Completed,
            Self::Failed(_) => Phase::Failed,
        }
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Started => "started",
            Self::Completed(_) => "completed",
            Self::Failed(_) => "failed",
        }
    }
}

/// How far an effect came, without what it ended with.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Effects, HandlerError, Phase, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// # let request = |id: &str| {
/// #     let (id, kind, mail) = (id.parse()?, "acme.mail".parse()?, "mail".parse()?);
/// #     Ok::<_, sessile_core::Error>(Request::new(id, kind, mail, &input))
/// # };
/// # let sends = async |_| Ok(sent.clone());
/// effects.execute(&request("call-1")?, Retry::RejectAmbiguous, None, sends).await?;
/// let cut = async |_| Err(HandlerError::unsure("the line was cut"));
/// effects.execute(&request("call-2")?, Retry::RejectAmbiguous, None, cut).await.unwrap_err();
///
/// // When a harness starts: what is there to be found out?
/// let left = effects.list(&[Phase::Started], None, 10).await?.rows;
/// assert_eq!(left.len(), 1);
/// assert_eq!(left[0].id.as_str(), "call-2");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// As [`State::Prepared`].
    Prepared,
    /// As [`State::Started`].
    Started,
    /// As [`State::Completed`].
    Completed,
    /// As [`State::Failed`].
    Failed,
}
