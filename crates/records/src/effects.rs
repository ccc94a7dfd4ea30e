//! Doing effects: noted before they begin, and how they ended after.

mod listing;

pub use listing::{EffectListing, EffectSummary, ListedEffect};

use std::sync::Arc;

use sessile_core::{Backend, Error, ErrorKind, Limits, Name, Outcome, Payload, SessionId, Space};
use sessile_engine::{Options, Store};

use crate::attempt::{Attempt, Ended, Executed, HandlerError, Reconciler, Reconciliation, Retry};
use crate::effect::{EffectRecord, Request};
use crate::ledger::{Held, Ledger, about, is_overtaken};
use crate::limit;
use crate::patience::Patience;
use crate::state::{Kept, Phase, State};

/// The effects of a space, each under an id of its own.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_core::{Payload, Space};
/// use sessile_memory::MemoryBackend;
/// use sessile_records::{Class, Effects, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// let input = Payload::parse(r#"{"amount":5}"#)?;
/// let pay = |id: &str| {
///     let request = Request::new(id.parse()?, "acme.pay".parse()?, "bank".parse()?, &input);
///     Ok::<_, sessile_core::Error>(request.class(Class::IdempotentWrite).key("order-7".parse()?))
/// };
///
/// // The handler runs after the effect is durably noted as started.
/// let sent = |token: u64| Payload::of(&format!("sent as {token}"));
/// let paid = effects
///     .execute(&pay("call-1")?, Retry::RejectAmbiguous, None, async |attempt| {
///         Ok(sent(attempt.token).expect("a text has a JSON form"))
///     })
///     .await?;
/// assert!(!paid.replayed);
///
/// // The same work by another call: answered from what was stored.
/// let again = effects
///     .execute(&pay("call-2")?, Retry::RejectAmbiguous, None, async |_| unreachable!())
///     .await?;
/// assert!(again.replayed);
/// assert_eq!(again.output(), paid.output());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Effects {
    ledger: Ledger,
}

/// What is done with an effect that was begun.
enum Judged {
    Completed(Payload),
    Run,
    Ambiguous,
}

impl Effects {
    /// The effects of a space of a backend, with the usual options.
    pub fn on(backend: Arc<dyn Backend>, space: Space) -> Self {
        Self::with(backend, space, Options::default())
    }

    /// The same with options: clock, randomness, deadline, and the limits of documents and
    /// nesting. The deadline is of what is asked of the backend; a handler may take longer.
    pub fn with(backend: Arc<dyn Backend>, space: Space, options: Options) -> Self {
        Self { ledger: Ledger::of(backend, space, options) }
    }

    /// Those of a namespace, apart from all others: ids and keys are of one namespace.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`] for a name that is none, or has more than 1,000 bytes.
    pub fn namespace(self, name: impl TryInto<Name, Error: Into<Error>>) -> Result<Self, Error> {
        Ok(Self { ledger: self.ledger.within(name.try_into().map_err(Into::into)?)? })
    }

    /// The same, whose new effects are purged with a session. Their ids and keys are free then, as
    /// if nothing had been done under them.
    #[must_use]
    pub fn of_session(self, session: SessionId) -> Self {
        Self { ledger: self.ledger.of_session(session) }
    }

    /// The effect of an id.
    ///
    /// # Errors
    /// *missing*, *corrupt*, *unknown version*, *unavailable*, *deadline*, *permission*.
    pub async fn load(&self, id: &Name) -> Result<EffectRecord, Error> {
        let held = self.ledger.find(id, &self.ledger.patience()).await?;
        held.map(|held| held.record).ok_or_else(|| about(missing(), id))
    }

    /// The effect that has a key of a capability.
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub async fn find(&self, capability: &Name, key: &Name) -> Result<EffectRecord, Error> {
        let found = self.ledger.find_by_key(capability, key, &self.ledger.patience()).await?;
        found.ok_or_else(missing)
    }

    /// Lists effects in the order of ids, after one: those that came so far, or all if nothing is
    /// named. What a crash left begun is [`Phase::Started`].
    ///
    /// At most so many are looked at for a page, so that one may show fewer, or none; the last one
    /// has no [`next`](EffectListing::next).
    ///
    /// # Errors
    /// *refused* for a page of none or above the limit, *unavailable*, *deadline*, *permission*;
    /// what can't be read is a row.
    pub async fn list(
        &self,
        phases: &[Phase],
        after: Option<&Name>,
        rows: usize,
    ) -> Result<EffectListing, Error> {
        listing::page(&self.ledger, phases, after, rows).await
    }

    /// Does an effect once, or answers how it ended.
    ///
    /// It is found by its id, then by its key, which belongs to the first effect that names it. One
    /// that ended is answered as it ended. One that was not begun is recorded as started, then the
    /// handler runs, then how it ended is recorded. One that was begun is asked about of the
    /// reconciler; where that can't tell, or there is none, it is done again only if the policy
    /// says so and it is [safe](Request::is_retry_safe); else it is *ambiguous*. Of many who begin
    /// at once one does.
    ///
    /// Dropped while the handler runs, or where the handler panics or is unsure, it stays started.
    /// Of an error after the handler ran the same holds: it may have been done.
    ///
    /// # Errors
    /// *conflict* where the id or the key is of work with another kind, capability, input, class
    /// or key; *ambiguous*, with what the handler was unsure of as its source; *expired* where what
    /// it ended with was too large to be kept; *fenced* where a later attempt took it over while
    /// the handler ran; what the reconciler fails with; *corrupt*, *unknown version*,
    /// *unavailable*, *deadline*, *permission*, *refused* for a request above a limit. Nothing was
    /// run after any of them but *fenced*, an unsure handler's, and those of recording the end.
    pub async fn execute<H>(
        &self,
        request: &Request,
        retry: Retry,
        reconciler: Option<&dyn Reconciler>,
        handler: H,
    ) -> Result<Executed, Error>
    where
        H: AsyncFnOnce(Attempt) -> Result<Payload, HandlerError>,
    {
        let started = match self.begin(request, retry, reconciler).await? {
            Begun::Ended(executed) => return Ok(executed),
            Begun::Started(started) => started,
        };
        let EffectRecord { request: owner, number, .. } = &started.record;
        let attempt = Attempt { effect: owner.id.clone(), token: *number };
        let ended = match handler(attempt).await {
            Ok(output) => Ended::Completed(output),
            Err(HandlerError::Failed(error)) => Ended::Failed(error),
            Err(HandlerError::Unsure(why)) => {
                let clause = "the handler can't tell whether it was done";
                return Err(about(ambiguous(clause).with_source(why), &owner.id));
            }
        };
        self.end(&started, ended).await
    }
}

/// Where an effect is before its handler runs.
enum Begun {
    Started(Held),
    Ended(Executed),
}

impl Effects {
    /// Records an effect as started by this attempt, unless it ended.
    async fn begin(
        &self,
        request: &Request,
        retry: Retry,
        reconciler: Option<&dyn Reconciler>,
    ) -> Result<Begun, Error> {
        let mut patience = self.ledger.patience();
        loop {
            let held = self.ledger.resolve(request, &mut patience).await?;
            let record = &held.record;
            let next = match &record.state {
                State::Completed(Kept::Whole(output)) => {
                    return Ok(Begun::Ended(replayed(record, Ended::Completed(output.clone()))));
                }
                State::Failed(Kept::Whole(error)) => {
                    return Ok(Begun::Ended(replayed(record, Ended::Failed(error.clone()))));
                }
                State::Completed(Kept::LeftOut { bytes })
                | State::Failed(Kept::LeftOut { bytes }) => {
                    return Err(about(expired(*bytes), &record.request.id));
                }
                State::Prepared => State::Started,
                State::Started => {
                    let judged = judge(record, retry, reconciler).await?;
                    // Whoever was asked may have taken its time.
                    patience = self.ledger.patience();
                    match judged {
                        Judged::Run => State::Started,
                        Judged::Completed(output) => {
                            let ended = Ended::Completed(output);
                            match self.record_end(&held, &ended, &mut patience).await {
                                Ok((ended_record, is_kept)) => {
                                    let executed = replayed(&ended_record, ended);
                                    return Ok(Begun::Ended(Executed { is_kept, ..executed }));
                                }
                                Err(error) if is_overtaken(&error) => continue,
                                Err(error) => return Err(error),
                            }
                        }
                        Judged::Ambiguous => {
                            let clause = "it was begun, and nobody knows whether it was done";
                            return Err(about(ambiguous(clause), &record.request.id));
                        }
                    }
                }
            };
            match self.ledger.advance(&held, next, &mut patience).await {
                Ok(started) => return Ok(Begun::Started(started)),
                Err(error) if is_overtaken(&error) && patience.pause().await => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Records how an effect ended that this attempt started.
    async fn end(&self, started: &Held, ended: Ended) -> Result<Executed, Error> {
        let mut patience = self.ledger.patience();
        let id = &started.record.request.id;
        let recorded = self.record_end(started, &ended, &mut patience).await;
        let (record, is_kept) = recorded.map_err(|error| match error.kind() {
            ErrorKind::Conflict => about(fenced(), id).with_source(error),
            _ => error,
        })?;
        let effect = record.request.id;
        Ok(Executed { effect, number: record.number, ended, replayed: false, is_kept })
    }

    /// Records an end with what it ended with, or without it where that is above a limit: that it
    /// ended must not be lost, or it would be done again.
    async fn record_end(
        &self,
        held: &Held,
        ended: &Ended,
        patience: &mut Patience,
    ) -> Result<(EffectRecord, bool), Error> {
        let (Ended::Completed(payload) | Ended::Failed(payload)) = ended;
        let state = |kept| match ended {
            Ended::Completed(_) => State::Completed(kept),
            Ended::Failed(_) => State::Failed(kept),
        };
        let limits: &Limits = &self.ledger.options().limits;
        if limit::check_payload(payload, limits).is_ok() {
            let whole = state(Kept::Whole(payload.clone()));
            match self.ledger.advance(held, whole, patience).await {
                Err(error)
                    if error.kind() == ErrorKind::Refused
                        && error.outcome() == Outcome::NotApplied => {}
                answer => return answer.map(|held| (held.record, true)),
            }
        }
        let bytes = u64::try_from(payload.len()).unwrap_or(u64::MAX);
        let held = self.ledger.advance(held, state(Kept::LeftOut { bytes }), patience).await?;
        Ok((held.record, false))
    }
}

/// Decides what is done with an effect that was begun.
async fn judge(
    record: &EffectRecord,
    retry: Retry,
    reconciler: Option<&dyn Reconciler>,
) -> Result<Judged, Error> {
    let found = match reconciler {
        Some(reconciler) => reconciler.reconcile(record).await,
        None => Ok(Reconciliation::Ambiguous),
    };
    Ok(match found.map_err(|error| about(error, &record.request.id))? {
        Reconciliation::Completed(output) => Judged::Completed(output),
        Reconciliation::NotExecuted => Judged::Run,
        Reconciliation::Ambiguous => match retry {
            Retry::RetrySafe if record.request.is_retry_safe() => Judged::Run,
            Retry::RetrySafe | Retry::RejectAmbiguous => Judged::Ambiguous,
        },
    })
}

fn replayed(record: &EffectRecord, ended: Ended) -> Executed {
    let (effect, number) = (record.request.id.clone(), record.number);
    Executed { effect, number, ended, replayed: true, is_kept: true }
}

fn missing() -> Error {
    Error::new(ErrorKind::Missing, "there is no such effect")
}

fn ambiguous(clause: &'static str) -> Error {
    Error::new(ErrorKind::Ambiguous, clause)
        .with_hint("find out with a reconciler, or do it again where that does no harm")
}

fn expired(bytes: u64) -> Error {
    let clause = format!("it ended, and the {bytes} bytes that it ended with were not kept");
    Error::new(ErrorKind::Expired, clause).with_hint("it is not done again")
}

fn fenced() -> Error {
    Error::new(ErrorKind::Fenced, "a later attempt took the effect over while this one ran")
        .with_hint("load it to see how it ended")
}

impl From<&Store> for Effects {
    /// The effects of a store's space, with its options. Closing the store does not wait for them.
    fn from(store: &Store) -> Self {
        let backend = Arc::clone(store.backend());
        Self::with(backend, store.space_name().clone(), store.options().clone())
    }
}
