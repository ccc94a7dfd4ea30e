//! Checkpoints and effects on handles of their own, and what is stored with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use sessile_core::backend::{Backend, DocKey, NewDocument, Precondition};
use sessile_core::{Error, ErrorKind, Name, Payload, Revision, Space};
use sessile_records::{
    Checkpoint, Checkpoints, Class, EffectRecord, Effects, Executed, HandlerError, Reconciler,
    Reconciliation, Request, Retry,
};

use crate::failed::{Failed, fails, same};
use crate::fixture::Place;
use crate::sample;

/// The name of the checkpoint of most cases.
pub(super) const NAME: &str = "job";

/// The checkpoints of a handle of its own, as another process would open them.
pub(super) async fn checkpoints(place: &dyn Place) -> Result<Checkpoints, Failed> {
    Ok(Checkpoints::on(place.handle().await?, Space::default()))
}

/// The effects of a handle of its own.
pub(super) async fn effects(place: &dyn Place) -> Result<Effects, Failed> {
    Ok(Effects::on(place.handle().await?, Space::default()))
}

pub(super) fn payload(json: &str) -> Result<Payload, Failed> {
    Ok(Payload::parse(json.to_owned())?)
}

pub(super) fn name() -> Result<Name, Failed> {
    Ok(NAME.parse()?)
}

/// The first checkpoint of the name.
pub(super) fn first(json: &str) -> Result<Checkpoint, Failed> {
    let (run, kind) = ("run-1".parse()?, "agent.step".parse()?);
    Ok(Checkpoint::new(name()?, run, kind, 1, payload(json)?))
}

/// Moves a checkpoint on to a number, by two handles in turn.
pub(super) async fn moved_to(place: &dyn Place, number: u64) -> Result<Checkpoint, Failed> {
    let handles = [checkpoints(place).await?, checkpoints(place).await?];
    let mut turns = handles.iter().cycle();
    let mut held = first("0")?;
    for next in 0..=number {
        let checkpoints = turns.next().ok_or_else(|| Failed::new("there is no handle"))?;
        let expected = next.checked_sub(1);
        let new = match expected {
            None => held,
            Some(_) => held.next(payload(&next.to_string())?)?,
        };
        held = checkpoints.compare_and_swap(new, expected).await?;
    }
    Ok(held)
}

/// Fails unless every handle, and one that is opened for it, has this checkpoint.
pub(super) async fn holds(
    place: &dyn Place,
    handles: &[&Checkpoints],
    expected: &Checkpoint,
) -> Result<(), Failed> {
    let reopened = checkpoints(place).await?;
    for checkpoints in handles.iter().copied().chain([&reopened]) {
        same("the checkpoint", &checkpoints.load(&expected.name).await?, expected)?;
    }
    Ok(())
}

/// The document of a checkpoint.
pub(super) fn document() -> Result<DocKey, Failed> {
    sample::document("checkpoints", NAME)
}

/// Puts bytes in place of a checkpoint's, as another program that uses the backend might.
pub(super) async fn put_past(backend: &dyn Backend, bytes: &str) -> Result<Revision, Failed> {
    put_in_place(backend, &document()?, bytes).await
}

/// Puts bytes in place of a document's, whatever stands there.
pub(super) async fn put_in_place(
    backend: &dyn Backend,
    key: &DocKey,
    bytes: &str,
) -> Result<Revision, Failed> {
    let precondition = match backend.get(key).await {
        Ok(held) => Precondition::Revision(held.revision),
        Err(error) if error.kind() == ErrorKind::Missing => Precondition::Absent,
        Err(error) => return Err(error.into()),
    };
    let value: NewDocument = sample::value(bytes);
    let revision = value.revision;
    backend.put(key, value, precondition).await?;
    Ok(revision)
}

/// Fails unless an answer is *corrupt* with a revision.
pub(super) fn is_corrupt<T>(
    what: &str,
    answer: Result<T, Error>,
    revision: Revision,
) -> Result<(), Failed> {
    let error = fails(what, answer, ErrorKind::Corrupt)?;
    same(&format!("{what}: the revision"), error.actual_revision(), Some(revision))
}

/// An effect under a key.
pub(super) fn keyed(id: &str, class: Class) -> Result<Request, Failed> {
    let input = payload(r#"{"amount":5}"#)?;
    let request = Request::new(id.parse()?, "acme.pay".parse()?, "bank".parse()?, &input);
    Ok(request.class(class).key("order-7".parse()?))
}

/// What is done outside, and how often.
#[derive(Debug, Default)]
pub(super) struct Outside(AtomicUsize);

impl Outside {
    pub(super) fn shared() -> Arc<Self> {
        Arc::default()
    }

    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Executes it; the output is the attempt's token.
    pub(super) async fn execute(
        &self,
        effects: &Effects,
        request: &Request,
    ) -> Result<Executed, Error> {
        self.execute_with(effects, request, Retry::RejectAmbiguous, None).await
    }

    /// Executes it with a policy and a reconciler.
    pub(super) async fn execute_with(
        &self,
        effects: &Effects,
        request: &Request,
        retry: Retry,
        reconciler: Option<&dyn Reconciler>,
    ) -> Result<Executed, Error> {
        let handler = async |attempt: sessile_records::Attempt| {
            self.0.fetch_add(1, Ordering::Relaxed);
            Payload::of(&attempt.token).map_err(HandlerError::unsure)
        };
        effects.execute(request, retry, reconciler, handler).await
    }
}

/// Proves that what was begun was not done.
pub(super) struct NotExecuted;

#[async_trait]
impl Reconciler for NotExecuted {
    async fn reconcile(&self, _effect: &EffectRecord) -> Result<Reconciliation, Error> {
        Ok(Reconciliation::NotExecuted)
    }
}

/// Begins an effect and leaves it begun.
pub(super) async fn begin(effects: &Effects, request: &Request) -> Result<(), Failed> {
    let handler = async |_| Err(HandlerError::unsure(Failed::new("cut off").to_string()));
    let begun = effects.execute(request, Retry::RejectAmbiguous, None, handler).await;
    fails("an effect whose handler can't tell", begun, ErrorKind::Ambiguous).map(drop)
}
