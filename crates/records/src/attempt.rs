//! What an attempt to do an effect is given, and what comes of it.

use std::error::Error as StdError;
use std::fmt;

use async_trait::async_trait;
use sessile_core::{Error, Name, Payload};

use crate::effect::EffectRecord;

/// What is done with an effect that was begun and of which nobody knows whether it was done.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_core::ErrorKind;
/// use sessile_records::{Class, Effects, HandlerError, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// let look = Request::new("call-1".parse()?, "acme.look".parse()?, "web".parse()?, &input);
/// let look = look.class(Class::ReadOnly);
/// let cut = async |_| Err(HandlerError::unsure("the line was cut"));
/// effects.execute(&look, Retry::RejectAmbiguous, None, cut).await.unwrap_err();
///
/// // It was begun, and whether it was done nobody knows.
/// let unused = async |_| unreachable!("it may have been done");
/// let again = effects.execute(&look, Retry::RejectAmbiguous, None, unused).await;
/// assert_eq!(again.unwrap_err().kind(), ErrorKind::Ambiguous);
/// // To look once more does no harm.
/// let page = Payload::parse("\"a page\"")?;
/// let looked = effects.execute(&look, Retry::RetrySafe, None, async |_| Ok(page.clone())).await?;
/// assert_eq!(looked.output(), Ok(&page));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// Nothing: it is *ambiguous*.
    #[default]
    RejectAmbiguous,
    /// It is done again if [that does no harm](crate::Request::is_retry_safe).
    RetrySafe,
}

/// What became of an effect, as whoever did it can tell.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// # use async_trait::async_trait;
/// # use sessile_core::Error;
/// # use sessile_records::{EffectRecord, Effects, HandlerError, Reconciler, Request, Retry};
/// use sessile_records::Reconciliation;
///
/// # struct Bank(Reconciliation);
/// # #[async_trait]
/// # impl Reconciler for Bank {
/// #     async fn reconcile(&self, _: &EffectRecord) -> Result<Reconciliation, Error> {
/// #         Ok(self.0.clone())
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// # let pay = Request::new("call-1".parse()?, "acme.pay".parse()?, "bank".parse()?, &input);
/// # let cut = async |_| Err(HandlerError::unsure("the line was cut"));
/// # effects.execute(&pay, Retry::RejectAmbiguous, None, cut).await.unwrap_err();
/// let mut payments = 0;
/// // The payment was begun, and is not to be repeated.
/// for found in [Reconciliation::Ambiguous, Reconciliation::NotExecuted] {
///     let (bank, paid) = (Bank(found), Payload::parse("\"paid\"")?);
///     let pays = async |_| {
///         payments += 1;
///         Ok(paid)
///     };
///     let done = effects.execute(&pay, Retry::RejectAmbiguous, Some(&bank), pays).await;
///     // Only the bank's word that nothing was done lets it be done.
///     assert_eq!(done.is_ok(), bank.0 == Reconciliation::NotExecuted);
/// }
/// assert_eq!(payments, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reconciliation {
    /// It was done, with this output.
    Completed(Payload),
    /// It was not done, and whoever began it is known to be stopped.
    NotExecuted,
    /// Nobody can tell.
    Ambiguous,
}

/// Finds out what became of an effect that was begun: asks the service that was to do it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use async_trait::async_trait;
/// use sessile_core::Error;
/// # use sessile_records::{Effects, HandlerError, Request, Retry};
/// use sessile_records::{EffectRecord, Reconciler, Reconciliation};
///
/// /// Knows which payments were booked, by the ids that they were sent with.
/// struct Bank(Vec<String>);
///
/// #[async_trait]
/// impl Reconciler for Bank {
///     async fn reconcile(&self, effect: &EffectRecord) -> Result<Reconciliation, Error> {
///         let is_booked = self.0.iter().any(|id| id == effect.request.id.as_str());
///         let booked = Payload::parse("\"booked\"")?;
///         // Not to have it proves nothing: the payment may still be on its way.
///         let found = is_booked.then_some(Reconciliation::Completed(booked));
///         Ok(found.unwrap_or(Reconciliation::Ambiguous))
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// # let pay = Request::new("call-1".parse()?, "acme.pay".parse()?, "bank".parse()?, &input);
/// # let cut = async |_| Err(HandlerError::unsure("the line was cut"));
/// # effects.execute(&pay, Retry::RejectAmbiguous, None, cut).await.unwrap_err();
/// // After a crash.
/// let bank = Bank(vec!["call-1".to_owned()]);
/// let unused = async |_| unreachable!("it was done");
/// let paid = effects.execute(&pay, Retry::RejectAmbiguous, Some(&bank), unused).await?;
/// assert_eq!(paid.output().map(Payload::as_str), Ok("\"booked\""));
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Reconciler: Send + Sync {
    /// Finds out what became of an effect that is [started](crate::State::Started).
    ///
    /// # Errors
    /// Any that keeps it from being found out; whoever executes gets it, and the effect stays
    /// started.
    async fn reconcile(&self, effect: &EffectRecord) -> Result<Reconciliation, Error>;
}

/// An attempt to do an effect, which is recorded as started.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Attempt, Class, Effects, HandlerError, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// let write = Request::new("call-1".parse()?, "acme.write".parse()?, "disk".parse()?, &input)
///     .class(Class::IdempotentWrite)
///     .key("file-7".parse()?);
/// let mut tokens = Vec::new();
/// for _ in 0..2 {
///     let writes = async |attempt: Attempt| {
///         tokens.push(attempt.token);
///         Err(HandlerError::unsure("the line was cut"))
///     };
///     effects.execute(&write, Retry::RetrySafe, None, writes).await.unwrap_err();
/// }
/// // A disk that keeps the greatest token it has seen refuses what the first one still sends.
/// assert!(tokens[0] < tokens[1]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The id of the effect: of the owner of the key, where another has it.
    pub effect: Name,
    /// A number that is greater in each later attempt: whoever is to be done to may refuse smaller
    /// ones.
    pub token: u64,
}

/// How a handler failed.
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
/// #     let (id, kind, web) = (id.parse()?, "acme.mail".parse()?, "mail".parse()?);
/// #     Ok::<_, sessile_core::Error>(Request::new(id, kind, web, &input))
/// # };
/// // The server has refused it: that is an end, and is answered from then on.
/// let refused = Payload::parse("\"no such address\"")?;
/// let fails = async |_| Err(HandlerError::Failed(refused.clone()));
/// let failed = effects.execute(&request("a")?, Retry::RejectAmbiguous, None, fails).await?;
/// assert_eq!(failed.output(), Err(&refused));
///
/// // The line was cut while it answered: nobody knows, and that must not look like an end.
/// let cut = async |_| Err(HandlerError::unsure("the line was cut"));
/// effects.execute(&request("b")?, Retry::RejectAmbiguous, None, cut).await.unwrap_err();
/// assert_eq!(effects.load(&"b".parse()?).await?.state.phase(), Phase::Started);
/// # Ok(())
/// # }
/// ```
pub enum HandlerError {
    /// For certain: nothing was done, or nothing more will be. It is recorded with this error,
    /// which is answered from then on.
    Failed(Payload),
    /// Whether anything was done it can't tell. The effect stays started.
    Unsure(Box<dyn StdError + Send + Sync>),
}

impl HandlerError {
    /// A failure that leaves open whether anything was done.
    pub fn unsure(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Unsure(cause.into())
    }
}

impl fmt::Debug for HandlerError {
    /// Does not tell the error, which may hold what was sent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => f.debug_tuple("Failed").field(error).finish(),
            Self::Unsure(_) => f.write_str("Unsure"),
        }
    }
}

/// How an effect ended.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Effects, Ended, HandlerError, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// # let build = Request::new("call-1".parse()?, "acme.build".parse()?, "make".parse()?, &input);
/// let error = Payload::parse("\"exit status 2\"")?;
/// let fails = async |_| Err(HandlerError::Failed(error.clone()));
/// let executed = effects.execute(&build, Retry::RejectAmbiguous, None, fails).await?;
/// // That it failed is no error of the store's: the agent is told as it is told an output.
/// let told = match &executed.ended {
///     Ended::Completed(output) => format!("done: {}", output.as_str()),
///     Ended::Failed(error) => format!("failed: {}", error.as_str()),
/// };
/// assert_eq!(told, "failed: \"exit status 2\"");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was done, with this output.
    Completed(Payload),
    /// It failed, with this error.
    Failed(Payload),
}

/// An effect that ended.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Effects, Executed, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// # let (first, second) = ("call-1".parse()?, "call-2".parse()?);
/// # let of = |id: &sessile_core::Name| {
/// #     let mail = Request::new(id.clone(), "acme.mail".parse()?, "mail".parse()?, &input);
/// #     Ok::<_, sessile_core::Error>(mail.key("order-7".parse()?))
/// # };
/// let sent = Payload::parse("\"sent\"")?;
/// let sends = async |_| Ok(sent.clone());
/// effects.execute(&of(&first)?, Retry::RejectAmbiguous, None, sends).await?;
///
/// // Another call for the same key is told what the first one did, and under which id.
/// let unused = async |_| unreachable!("it was done");
/// let again: Executed = effects.execute(&of(&second)?, Retry::RetrySafe, None, unused).await?;
/// assert!(again.replayed);
/// assert_eq!((&again.effect, again.output()), (&first, Ok(&sent)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Executed {
    /// The id of the effect: of the owner of the key, where another has it.
    pub effect: Name,
    /// The number of its record.
    pub number: u64,
    /// How it ended.
    pub ended: Ended,
    /// Whether that was recorded before, so that the handler was not called.
    pub replayed: bool,
    /// Whether its output or error is kept: what is above the limit of a document, or has no JSON
    /// ([`Payload::absent`]; `null` has), is answered this once, and is *expired* after.
    pub is_kept: bool,
}

impl Executed {
    /// The output; or else the error that it failed with.
    ///
    /// # Errors
    /// The payload of a failure.
    pub const fn output(&self) -> Result<&Payload, &Payload> {
        match &self.ended {
            Ended::Completed(output) => Ok(output),
            Ended::Failed(error) => Err(error),
        }
    }
}
