//! A request that wants to hold a session.

use serde::{Deserialize, Serialize};
use sessile_core::admission::Bid;
use sessile_core::digest::Digest;
use sessile_core::entry::shape::Contract;
use sessile_core::{Error, ErrorKind, RequestId, Text, Usage};

/// The part of a contract that a context policy is.
const CONTEXT: &str = "context";

/// A window or a batch of so many messages at most.
const MOST_MESSAGES: usize = 4096;

/// So many passes at most.
const MOST_PASSES: u16 = 256;

/// A unit of work: its id, its input, its terms, and who does it.
///
/// The id is the caller's, and what makes a repeat safe: the same id with the same input and terms
/// is answered from the journal once it ended, and never done again. The input is compared by the
/// SHA-256 of its exact bytes: other key order, spacing, or `1.0` for `1` is another input.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_core::{ErrorKind, Usage, entry::shape::Contract};
/// use sessile_engine::{Admit, ContextPolicy};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let contract = Contract::new().part("agent", "shop-7")?;
/// let admit = Admit::new(&"req-1".parse()?, "hello", &contract)
///     .holder("worker 3")
///     .usage(Usage::new().with("tokens", 12))
///     .context(ContextPolicy::last(50)?.passes(4)?)?;
/// session.admit_with(admit.clone()).await?.started()?.commit("hi").await?;
///
/// // Sent again it is answered; under the same id with other terms it is another request.
/// assert!(session.admit_with(admit).await?.replayed().is_some());
/// let other = Admit::new(&"req-1".parse()?, "hello", &contract);
/// assert_eq!(session.admit_with(other).await.unwrap_err().kind(), ErrorKind::ConfigurationMismatch);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admit {
    request: RequestId,
    input: Digest,
    contract: Contract,
    usage: Usage,
    holder: Option<Text>,
    policy: Option<ContextPolicy>,
    system_forbidden: bool,
}

impl Admit {
    /// A request with an id, the exact bytes of its input, and its terms.
    pub fn new(request: &RequestId, input: impl AsRef<[u8]>, contract: &Contract) -> Self {
        Self {
            request: request.clone(),
            input: Digest::of(input.as_ref()),
            contract: contract.clone(),
            usage: Usage::new(),
            holder: None,
            policy: None,
            system_forbidden: false,
        }
    }

    /// What its run has used before it; nothing unless given.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// A label of who does it, for people who find the session busy.
    #[must_use]
    pub fn holder(mut self, label: impl Into<Text>) -> Self {
        self.holder = Some(label.into());
        self
    }

    /// How much of the transcript the turn is shown, and how the rest is summarised. It becomes
    /// the part `context` of the terms.
    ///
    /// # Errors
    /// *refused* when the contract has a part of that name.
    pub fn context(mut self, policy: ContextPolicy) -> Result<Self, Error> {
        self.contract = self.contract.part(CONTEXT, &policy)?;
        self.policy = Some(policy);
        Ok(self)
    }

    /// Refuses messages with the role `system` or `developer` that the turn would push.
    #[must_use]
    pub const fn forbid_system(mut self) -> Self {
        self.system_forbidden = true;
        self
    }

    /// The request's id.
    pub const fn request(&self) -> &RequestId {
        &self.request
    }

    pub(crate) const fn policy(&self) -> Option<ContextPolicy> {
        self.policy
    }

    pub(crate) const fn system_is_forbidden(&self) -> bool {
        self.system_forbidden
    }

    /// The request as the rules take it.
    pub(crate) const fn bid(&self) -> Bid<'_> {
        Bid {
            request: &self.request,
            input: self.input,
            contract: &self.contract,
            usage: &self.usage,
            holder: self.holder.as_ref(),
        }
    }
}

/// How much of a transcript a turn is shown, and how older messages are summarised.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_engine::{Admit, ContextPolicy};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let policy = ContextPolicy::last(50)?.batch(20)?.passes(2)?;
/// let admit = Admit::new(&"req-1".parse()?, "hi", &Contract::new()).context(policy)?;
/// let turn = session.admit_with(admit).await?.started()?;
/// assert_eq!(turn.context().await?.messages().count(), 0);
/// assert!(ContextPolicy::last(0).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPolicy {
    window: usize,
    batch: usize,
    passes: u16,
}

impl ContextPolicy {
    /// The last so many messages, 1 to 4,096; as many are summarised in one pass, in 8 passes at
    /// most.
    ///
    /// # Errors
    /// *refused* out of bounds.
    pub fn last(window: usize) -> Result<Self, Error> {
        within("window", window, MOST_MESSAGES)?;
        Ok(Self { window, batch: window, passes: 8 })
    }

    /// Summarises so many messages in one pass, 1 to 4,096.
    ///
    /// # Errors
    /// *refused* out of bounds.
    pub fn batch(mut self, messages: usize) -> Result<Self, Error> {
        within("batch", messages, MOST_MESSAGES)?;
        self.batch = messages;
        Ok(self)
    }

    /// Summarises in so many passes at most, 1 to 256, all recoveries of the request together.
    ///
    /// # Errors
    /// *refused* out of bounds.
    pub fn passes(mut self, passes: u16) -> Result<Self, Error> {
        within("passes", usize::from(passes), usize::from(MOST_PASSES))?;
        self.passes = passes;
        Ok(self)
    }

    pub(crate) const fn window(self) -> usize {
        self.window
    }

    pub(crate) const fn messages_a_pass(self) -> usize {
        self.batch
    }

    pub(crate) const fn most_passes(self) -> u16 {
        self.passes
    }
}

fn within(name: &str, given: usize, most: usize) -> Result<(), Error> {
    if (1..=most).contains(&given) {
        return Ok(());
    }
    let clause = format!("a {name} of {given} is not within 1 to {most}");
    Err(Error::new(ErrorKind::Refused, clause))
}
