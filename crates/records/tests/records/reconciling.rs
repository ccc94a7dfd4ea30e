//! Effects that were begun and of which nobody knows whether they were done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use sessile_core::{Error, ErrorKind};
use sessile_memory::MemoryBackend;
use sessile_records::{
    Class, EffectRecord, Effects, HandlerError, Reconciler, Reconciliation, Request, Retry, State,
};
use tokio::sync::Notify;

use crate::scene::{Outside, effects, keyed, name, payload, unkeyed};

/// A reconciler that says the same each time.
pub(crate) struct Says {
    what: Result<Reconciliation, ErrorKind>,
    asked: AtomicUsize,
    seen: Mutex<Option<EffectRecord>>,
}

impl Says {
    fn with(what: Result<Reconciliation, ErrorKind>) -> Self {
        Self { what, asked: AtomicUsize::new(0), seen: Mutex::default() }
    }

    pub(crate) fn completed(output: &str) -> Self {
        Self::with(Ok(Reconciliation::Completed(payload(output))))
    }

    pub(crate) fn not_executed() -> Self {
        Self::with(Ok(Reconciliation::NotExecuted))
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Reconciler for Says {
    async fn reconcile(&self, effect: &EffectRecord) -> Result<Reconciliation, Error> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        *self.seen.lock().unwrap() = Some(effect.clone());
        self.what.clone().map_err(|kind| Error::new(kind, "the bank does not answer"))
    }
}

/// Begins an effect and leaves it begun.
async fn begin(effects: &Effects, request: &Request) {
    let handler = async |_| Err(HandlerError::unsure(std::io::Error::other("cut off")));
    let begun = effects.execute(request, Retry::RejectAmbiguous, None, handler).await;
    assert_eq!(begun.unwrap_err().kind(), ErrorKind::Ambiguous);
    assert_eq!(effects.load(&request.id).await.unwrap().state, State::Started);
}

#[tokio::test]
async fn an_unsure_handler_leaves_it_started_and_its_cause_is_told() {
    let effects = effects(&MemoryBackend::new());
    let handler = async |_| Err(HandlerError::unsure(std::io::Error::other("cut off")));
    let request = unkeyed("e", Class::Pure);
    let error = effects.execute(&request, Retry::RetrySafe, None, handler).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ambiguous);
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "cut off");
    assert_eq!(effects.load(&name("e")).await.unwrap().state, State::Started);
}

#[tokio::test]
async fn what_was_begun_runs_again_only_where_policy_and_class_allow_it() {
    let safe = [
        unkeyed("e", Class::Pure),
        unkeyed("e", Class::ReadOnly),
        keyed("e", Class::IdempotentWrite),
    ];
    let unsafe_ones = [
        unkeyed("e", Class::IdempotentWrite),
        unkeyed("e", Class::NonIdempotent),
        keyed("e", Class::NonIdempotent),
    ];
    let all = safe.iter().map(|it| (it, true)).chain(unsafe_ones.iter().map(|it| (it, false)));
    for (request, is_safe) in all {
        for retry in [Retry::RejectAmbiguous, Retry::RetrySafe] {
            let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
            begin(&effects, request).await;
            let answer = outside.execute_with(&effects, request, retry, None).await;
            let runs = is_safe && retry == Retry::RetrySafe;
            assert_eq!(outside.count(), usize::from(runs), "{request:?} {retry:?}");
            match answer {
                Ok(done) => assert!(runs && !done.replayed),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Ambiguous),
            }
        }
    }
}

#[tokio::test]
async fn what_is_proved_not_to_have_been_done_runs_once_with_a_greater_token() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let request = keyed("e", Class::NonIdempotent);
    begin(&effects, &request).await;
    let before = effects.load(&name("e")).await.unwrap();
    let error = outside.execute_with(&effects, &request, Retry::RetrySafe, None).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Ambiguous);
    let proof = Says::not_executed();
    for _ in 0..2 {
        let policy = Retry::RejectAmbiguous;
        let done = outside.execute_with(&effects, &request, policy, Some(&proof)).await.unwrap();
        // Its output is the token of the attempt.
        let token: u64 = done.output().unwrap().decode().unwrap();
        assert!(token > before.number);
    }
    assert_eq!((outside.count(), proof.asked()), (1, 1));
    assert_eq!(proof.seen.lock().unwrap().as_ref(), Some(&before));
}

#[tokio::test]
async fn what_is_found_to_have_been_done_is_recorded_and_replayed() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let request = keyed("e", Class::NonIdempotent);
    begin(&effects, &request).await;
    let found = Says::completed("\"receipt\"");
    for _ in 0..2 {
        let policy = Retry::RejectAmbiguous;
        let done = outside.execute_with(&effects, &request, policy, Some(&found)).await.unwrap();
        assert!(done.replayed);
        assert_eq!(done.output(), Ok(&payload("\"receipt\"")));
    }
    assert_eq!((outside.count(), found.asked()), (0, 1));
}

#[tokio::test]
async fn a_reconciler_that_fails_or_can_not_tell_changes_nothing() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let request = keyed("e", Class::NonIdempotent);
    begin(&effects, &request).await;
    let before = effects.load(&name("e")).await.unwrap();
    let all = [
        (Says::with(Err(ErrorKind::Unavailable)), ErrorKind::Unavailable),
        (Says::with(Ok(Reconciliation::Ambiguous)), ErrorKind::Ambiguous),
    ];
    for (says, kind) in all {
        let policy = Retry::RetrySafe;
        let error = outside.execute_with(&effects, &request, policy, Some(&says)).await;
        assert_eq!(error.unwrap_err().kind(), kind);
        assert_eq!(effects.load(&name("e")).await.unwrap(), before);
    }
    assert_eq!(outside.count(), 0);
    // What may be repeated is, where nobody can tell.
    let pure = unkeyed("p", Class::Pure);
    begin(&effects, &pure).await;
    let unsure = Says::with(Ok(Reconciliation::Ambiguous));
    outside.execute_with(&effects, &pure, Retry::RetrySafe, Some(&unsure)).await.unwrap();
    assert_eq!((outside.count(), unsure.asked()), (1, 1));
}

#[tokio::test]
async fn what_was_not_begun_is_not_asked_about() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let says = Says::completed("1");
    let request = keyed("e", Class::NonIdempotent);
    let policy = Retry::RejectAmbiguous;
    outside.execute_with(&effects, &request, policy, Some(&says)).await.unwrap();
    assert_eq!((outside.count(), says.asked()), (1, 0));
}

#[tokio::test]
async fn cancelled_while_its_handler_runs_it_stays_started() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let request = keyed("e", Class::NonIdempotent);
    let running = Notify::new();
    let handler = async |_| {
        running.notify_one();
        std::future::pending().await
    };
    let executing = effects.execute(&request, Retry::RejectAmbiguous, None, handler);
    tokio::select! {
        _ = executing => panic!("it ended"),
        () = running.notified() => {}
    }
    assert_eq!(effects.load(&name("e")).await.unwrap().state, State::Started);
    let error = outside.execute_with(&effects, &request, Retry::RetrySafe, None).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Ambiguous);
    assert_eq!(outside.count(), 0);
}

#[tokio::test]
async fn an_attempt_that_was_taken_over_is_fenced_and_changes_nothing() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let request = unkeyed("e", Class::Pure);
    // While the first attempt runs a second one is allowed to begin, and ends.
    let handler = async |_| {
        let policy = Retry::RetrySafe;
        let second = outside.execute_with(&effects, &request, policy, None).await.unwrap();
        assert!(!second.replayed);
        Ok(payload("\"late\""))
    };
    let late = effects.execute(&request, Retry::RejectAmbiguous, None, handler).await;
    assert_eq!(late.unwrap_err().kind(), ErrorKind::Fenced);
    let again = outside.execute(&effects, &request).await.unwrap();
    assert_eq!(again.output(), Ok(&payload("2")));
}
