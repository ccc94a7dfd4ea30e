//! Admission: who holds the session, and what becomes of a request whose owner has stopped.

use std::sync::Arc;

use sessile_core::admission::{self, Hand, Held, Recovery, Request};
use sessile_core::entry::shape::{self, Contract};
use sessile_core::fold::{Active, SessionState};
use sessile_core::{Error, ErrorKind, Name, Payload, RequestId, Seq, Text, Usage};

use super::handle::Session;
use crate::admission::{Admit, Came, Done, Ruled, unasked};
use crate::mutation;
use crate::resident::Resident;
use crate::turn::{Progress, Turn};

/// What a request is answered with.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_engine::Admission;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let contract = Contract::new();
/// let request = "req-1".parse()?;
/// match session.admit(&request, "refund order 7", &contract).await? {
///     Admission::Started(turn) => drop(turn.commit("refunded").await?),
///     Admission::Replay(done) => panic!("it is new, and not {}", done.status.name()),
/// }
/// // Sent again it is answered, and not done again.
/// let again = session.admit(&request, "refund order 7", &contract).await?;
/// assert_eq!(again.replayed().expect("it ended").decode::<String>()?, "refunded");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum Admission {
    /// It ended before; nothing is to be done.
    Replay(Done),
    /// It holds the session: do the work.
    Started(Turn),
}

impl Admission {
    /// The turn to be done.
    ///
    /// # Errors
    /// *exists* when the request ended before.
    pub fn started(self) -> Result<Turn, Error> {
        match self {
            Self::Started(turn) => Ok(turn),
            Self::Replay(done) => {
                let clause = format!("request {} ended before", done.request);
                Err(Error::new(ErrorKind::Exists, clause))
            }
        }
    }

    /// How it ended, if it ended before.
    pub const fn replayed(&self) -> Option<&Done> {
        match self {
            Self::Replay(done) => Some(done),
            Self::Started(_) => None,
        }
    }

    /// What happens from here on: the turn's events, or only how the request ended.
    pub fn progress(&self) -> Progress {
        match self {
            Self::Replay(done) => Progress::of_replay(done.clone()),
            Self::Started(turn) => turn.progress(),
        }
    }
}

/// What is known of a side effect of which nobody knew.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Payload;
/// use sessile_engine::{Action, Reconciled};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// drop(turn.intend(Action::new("call_1", "refund", "{}")).await?);
/// drop(turn);
/// // Somebody has looked, and it did happen.
/// let active = session.refresh().await?.active.expect("its owner has stopped");
/// let output = Payload::of("refunded")?;
/// let active =
///     session.reconcile(&active, "call_1", "refund", Reconciled::Executed(output), None).await?;
/// assert_eq!(active.indeterminate().count(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Reconciled {
    /// It happened, and this came of it.
    Executed(Payload),
    /// It did not happen: say so only if whoever was to carry it out is known to have stopped.
    NotExecuted,
}

impl Session {
    /// Asks for the session, before any work: its id makes a request safe to repeat. See
    /// [`Admit`] for what is compared.
    ///
    /// # Errors
    /// *busy* while another request holds the session, or this one, naming the claim and since
    /// when; *mismatch* when the id stands for another input, or is the session's own;
    /// *configuration mismatch* for other terms, naming the part; *expired* when it ended and its
    /// result was removed; *invalid admission* where what stands in the journal can't be read;
    /// *corrupt* where damage may hide that it ended; *closed*, *deleted*, *unavailable*,
    /// *deadline*, *permission*. When the outcome is unknown the session may be held by the
    /// claim that was sent: the next *busy* tells.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use serde_json::json;
    /// use sessile_core::{ErrorKind, entry::shape::Contract};
    /// use sessile_engine::{Admission, NewSession, Store, Window};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// let session = store.create(NewSession::new()).await?;
    /// let contract = Contract::new().part("agent", "greeter-1")?;
    /// let request = "req-1".parse()?;
    ///
    /// let turn = session.admit(&request, "hi", &contract).await?.started()?;
    /// turn.push(&json!({"role": "user", "content": "hi"})).await?;
    /// turn.push(&json!({"role": "assistant", "content": "hello"})).await?;
    /// // Nobody else gets in meanwhile, and nothing of it is in the transcript yet.
    /// let other = session.admit(&"req-2".parse()?, "yo", &contract).await.unwrap_err();
    /// assert_eq!(other.kind(), ErrorKind::Busy);
    /// assert_eq!(session.info().messages, 0);
    /// turn.commit("hello").await?;
    /// assert_eq!(session.info().messages, 2);
    ///
    /// let again = session.admit(&request, "hi", &contract).await?;
    /// let Admission::Replay(done) = again else { unreachable!("it is not done twice") };
    /// assert_eq!(done.decode::<String>()?, "hello");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn admit(
        &self,
        request: &RequestId,
        input: impl AsRef<[u8]> + Send,
        contract: &Contract,
    ) -> Result<Admission, Error> {
        self.admit_with(Admit::new(request, input, contract)).await
    }

    /// Asks for the session, saying more than the id, the input and the terms.
    ///
    /// # Errors
    /// Those of [`admit`](Self::admit).
    pub async fn admit_with(&self, admit: Admit) -> Result<Admission, Error> {
        let asked = admit.clone();
        let ask =
            move |state: &SessionState| admission::decide(state, &Request::Admit(asked.bid()));
        self.admitted(admit, ask).await
    }

    /// Goes on with a request whose owner has stopped, under a new claim that fences the old one.
    /// It keeps its terms, its checkpoints, its intents, and no less usage than
    /// [`recovery_usage`](Self::recovery_usage) tells.
    ///
    /// Stop the old owner first if you can: what it has sent elsewhere nobody can fence.
    ///
    /// # Errors
    /// Those of [`admit`](Self::admit); *busy* when another claim stands than the named one;
    /// *ambiguous* when work may have been under way and the recovery does not say what is to be
    /// done about it; *usage mismatch*, naming the component; *missing* when no request ever held
    /// the session, *invalid admission* when none does.
    pub async fn recover(
        &self,
        active: &Active,
        input: impl AsRef<[u8]> + Send,
        contract: &Contract,
        recovery: Recovery,
        usage: &Usage,
    ) -> Result<Admission, Error> {
        let admit = Admit::new(&active.request, input, contract).usage(usage.clone());
        self.recover_with(active.claim, admit, recovery).await
    }

    /// Goes on with a request, by the claim to take over from.
    ///
    /// # Errors
    /// Those of [`recover`](Self::recover).
    pub async fn recover_with(
        &self,
        claim: Seq,
        admit: Admit,
        recovery: Recovery,
    ) -> Result<Admission, Error> {
        let asked = admit.clone();
        let ask = move |state: &SessionState| {
            let bid = asked.bid();
            admission::decide(state, &Request::Recover { claim, bid, recovery })
        };
        self.admitted(admit, ask).await
    }

    async fn admitted<F>(&self, admit: Admit, ask: F) -> Result<Admission, Error>
    where
        F: Fn(&SessionState) -> Result<admission::Decision, Error> + Send + Sync + 'static,
    {
        let resident = self.admit_change().await?;
        let ruled = Ruled::new(resident.opened(), Some(admit.request().clone()), ask)?;
        match mutation::carry_out(&resident, ruled).await? {
            Came::Appended { first, .. } => {
                Turn::begin(self.seat(), &resident, &admit, first).map(Admission::Started)
            }
            Came::Ended(ended) => Done::read(&resident, ended, true).await.map(Admission::Replay),
            _ => Err(unasked()),
        }
    }

    /// What the request that holds the session has used, as far as was recorded: whoever recovers
    /// it goes on with no less. Work that nobody recorded may have used more.
    ///
    /// # Errors
    /// *missing* when no request ever held the session, *invalid admission* when none does,
    /// *mismatch* when another does; *deleted*, *unavailable*, *deadline*, *permission*.
    pub async fn recovery_usage(&self, request: &RequestId) -> Result<Usage, Error> {
        let resident = self.at_hand().await?;
        resident.catch_up().await?;
        let folded = resident.folded();
        let active = admission::active(folded.state(), request);
        active.map(|active| active.usage.clone()).map_err(|error| error.about(self.key()))
    }

    /// Gives or refuses leave that a turn has asked for; in whatever process, whoever holds the
    /// session. Deciding alike again changes nothing.
    ///
    /// # Errors
    /// *stale approval* when nobody waits for it; *conflict* when it was decided differently;
    /// *invalid id*, *deleted*, *unavailable*, *deadline*, *permission*.
    pub async fn decide(
        &self,
        approval: &str,
        allow: bool,
        by: Option<Text>,
    ) -> Result<Seq, Error> {
        let decision = shape::Decision { approval: approval.parse()?, allow, by };
        let ask = move |state: &SessionState| admission::decide(state, &Request::Decide(&decision));
        match rule(&*self.admit_change().await?, None, ask).await? {
            Came::Appended { first, .. } => Ok(first),
            Came::Stood(seq) => Ok(seq),
            _ => Err(unasked()),
        }
    }

    /// Says what came of a side effect of which nobody knew, for a request whose owner has stopped;
    /// that owner is fenced by it. Answers the request as it stands then: go on with
    /// [`recover`](Self::recover).
    ///
    /// # Errors
    /// *mismatch* when no such action was intended, something else was called, or another request
    /// is active; *conflict* when something else came of it, as somebody said, or another claim
    /// stands; *missing* and *invalid admission* when nothing is active; *deleted*,
    /// *unavailable*, *deadline*, *permission*.
    pub async fn reconcile(
        &self,
        active: &Active,
        action: &str,
        name: &str,
        reconciled: Reconciled,
        by: Option<Text>,
    ) -> Result<Active, Error> {
        let (action, name): (Name, Name) = (action.parse()?, name.parse()?);
        let (request, claim) = (active.request.clone(), active.claim);
        let output = match reconciled {
            Reconciled::Executed(output) => Some(output),
            Reconciled::NotExecuted => None,
        };
        let ask = move |state: &SessionState| {
            let held = Held { request: &request, claim };
            let hand = Hand::Other { holder: by.as_ref() };
            let (action, name, output) = (&action, &name, output.as_ref());
            admission::decide(state, &Request::Reconcile { held, hand, action, name, output })
        };
        let resident = self.admit_change().await?;
        match rule(&resident, Some(&active.request), ask).await? {
            Came::Appended { .. } | Came::Stood(_) => still_active(&resident, &active.request),
            _ => Err(unasked()),
        }
    }
}

/// Has a rule of admission decide, and does what it says.
///
/// # Errors
/// Those of the rule and of the backend.
pub(super) async fn rule<F>(
    resident: &Arc<Resident>,
    request: Option<&RequestId>,
    ask: F,
) -> Result<Came, Error>
where
    F: Fn(&SessionState) -> Result<admission::Decision, Error> + Send + Sync + 'static,
{
    let ruled = Ruled::new(resident.opened(), request.cloned(), ask)?;
    mutation::carry_out(resident, ruled).await
}

/// The request as it stands now.
///
/// # Errors
/// Those of [`admission::active`].
pub(super) fn still_active(resident: &Resident, request: &RequestId) -> Result<Active, Error> {
    let folded = resident.folded();
    let active = admission::active(folded.state(), request);
    active.cloned().map_err(|error| error.about(resident.key()))
}
