//! Effects that are done once.

use std::sync::Arc;

use sessile_core::{Backend as _, ErrorKind, Limits, Payload, Space};
use sessile_engine::{NewSession, Options, Store};
use sessile_memory::MemoryBackend;
use sessile_records::{Class, Effects, Ended, HandlerError, Kept, Request, Retry, State};

use crate::scene::{Outside, document, effects, keyed, name, payload, text_of, unkeyed};

#[tokio::test]
async fn a_completed_effect_is_answered_from_what_was_stored() {
    let memory = MemoryBackend::new();
    let (effects, outside) = (effects(&memory), Outside::default());
    let request = unkeyed("e", Class::NonIdempotent);
    let done = outside.execute(&effects, &request).await.unwrap();
    assert_eq!((done.replayed, done.is_kept, done.number), (false, true, 2));
    let again = outside.execute(&effects, &request).await.unwrap();
    assert!(again.replayed);
    assert_eq!((&again.effect, again.number, &again.ended), (&done.effect, 2, &done.ended));
    assert_eq!(outside.count(), 1);
}

#[tokio::test]
async fn another_effect_of_the_same_key_is_answered_from_what_was_stored() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let done = outside.execute(&effects, &keyed("e", Class::NonIdempotent)).await.unwrap();
    let again = outside.execute(&effects, &keyed("f", Class::NonIdempotent)).await.unwrap();
    assert!(again.replayed);
    assert_eq!((&again.effect, again.output()), (&name("e"), done.output()));
    assert_eq!(outside.count(), 1);
    let found = effects.find(&name("bank"), &name("order-7")).await.unwrap();
    assert_eq!(found, effects.load(&name("e")).await.unwrap());
    assert_eq!(effects.load(&name("f")).await.unwrap_err().kind(), ErrorKind::Missing);
}

#[tokio::test]
async fn other_work_under_an_id_or_a_key_is_a_conflict_and_does_not_run() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let request = keyed("e", Class::IdempotentWrite);
    outside.execute(&effects, &request).await.unwrap();
    let input = payload(r#"{"amount":6}"#);
    let of = |kind: &str, capability: &str, input: &Payload| {
        let request = Request::new(name("e"), kind.parse().unwrap(), name(capability), input);
        request.class(Class::IdempotentWrite).key(name("order-7"))
    };
    let same = payload(r#"{"amount":5}"#);
    let others =
        [of("acme.pay", "bank", &input), of("acme.refund", "bank", &same), keyed("e", Class::Pure)];
    for other in others {
        let mut by_key = other.clone();
        by_key.id = name("f");
        for other in [other, by_key] {
            let error = outside.execute(&effects, &other).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conflict, "{other:?}");
        }
    }
    // The id alone: the same work with another capability or without the key.
    let others = [of("acme.pay", "shop", &same), unkeyed("e", Class::IdempotentWrite)];
    for other in others {
        let error = outside.execute(&effects, &other).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{other:?}");
    }
    assert_eq!(outside.count(), 1);
    // One key of another capability is another key.
    let mut elsewhere = of("acme.pay", "shop", &input);
    elsewhere.id = name("g");
    assert!(!outside.execute(&effects, &elsewhere).await.unwrap().replayed);
}

#[tokio::test]
async fn a_failure_for_certain_is_answered_again() {
    let (effects, outside) = (effects(&MemoryBackend::new()), Outside::default());
    let request = keyed("e", Class::NonIdempotent);
    let handler = async |_| Err(HandlerError::Failed(payload(r#"{"code":402}"#)));
    let failed = effects.execute(&request, Retry::RetrySafe, None, handler).await.unwrap();
    assert_eq!(failed.output(), Err(&payload(r#"{"code":402}"#)));
    let again = outside.execute(&effects, &request).await.unwrap();
    assert!(again.replayed && matches!(again.ended, Ended::Failed(_)));
    assert_eq!(outside.count(), 0);
}

#[tokio::test]
async fn the_record_is_started_before_the_handler_runs_and_the_token_is_its_number() {
    let effects = effects(&MemoryBackend::new());
    let request = keyed("e", Class::NonIdempotent);
    let handler = async |attempt: sessile_records::Attempt| {
        let record = effects.load(&name("e")).await.unwrap();
        assert_eq!((record.state, record.number), (State::Started, attempt.token));
        assert_eq!(attempt.effect, name("e"));
        Ok(payload("1"))
    };
    let done = effects.execute(&request, Retry::RejectAmbiguous, None, handler).await.unwrap();
    let record = effects.load(&name("e")).await.unwrap();
    assert_eq!(record.state, State::Completed(Kept::Whole(payload("1"))));
    assert_eq!((record.number, record.request), (done.number, request));
}

#[tokio::test]
async fn an_output_above_the_limit_is_answered_once_and_the_effect_stays_done() {
    let memory = MemoryBackend::new();
    let mut limits = Limits::default();
    (limits.document_bytes, limits.nesting) = (600, 3);
    let options = Options::default().limits(limits);
    let backend = Arc::new(memory.clone());
    let effects = Effects::with(backend, Space::default(), options);
    let outputs = [format!("\"{}\"", "x".repeat(600)), "[[[[1]]]]".to_owned()];
    for (number, output) in outputs.into_iter().enumerate() {
        for fails in [false, true] {
            let request = unkeyed(&format!("e{number}{fails}"), Class::NonIdempotent);
            let large = payload(&output);
            let handler =
                async |_| if fails { Err(HandlerError::Failed(large)) } else { Ok(large) };
            let policy = Retry::RejectAmbiguous;
            let done = effects.execute(&request, policy, None, handler).await.unwrap();
            assert!(!done.is_kept && !done.replayed);
            assert_eq!(done.output().is_err(), fails);
            assert_eq!(done.output().unwrap_or_else(|error| error).as_str(), output);
            let outside = Outside::default();
            let error = outside.execute(&effects, &request).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Expired);
            assert_eq!(outside.count(), 0);
        }
    }
}

#[tokio::test]
async fn what_a_later_version_added_stays_while_the_effect_moves_on() {
    let memory = MemoryBackend::new();
    let (effects, key) = (effects(&memory), document("effects", "e"));
    let request = unkeyed("e", Class::NonIdempotent);
    let handler = async |_| {
        let text = text_of(&memory, &key).await;
        let longer = text.replace("\"number\"", "\"later\":[1 ,2],\"number\"");
        let revision = memory.get(&key).await.unwrap().revision;
        // As another version would have put it under the very same revision.
        memory.delete(&key, revision).await.unwrap();
        let new =
            sessile_core::backend::NewDocument { bytes: longer.into(), revision, session: None };
        memory.put(&key, new, sessile_core::backend::Precondition::Absent).await.unwrap();
        Err(HandlerError::unsure("cut off"))
    };
    let cut = effects.execute(&request, Retry::RejectAmbiguous, None, handler).await;
    assert_eq!(cut.unwrap_err().kind(), ErrorKind::Ambiguous);
    let reconciler = crate::reconciling::Says::completed("7");
    let outside = Outside::default();
    let policy = Retry::RejectAmbiguous;
    outside.execute_with(&effects, &request, policy, Some(&reconciler)).await.unwrap();
    let text = text_of(&memory, &key).await;
    assert!(text.contains("\"later\":[1 ,2]") && text.contains("completed"), "{text}");
}

#[tokio::test]
async fn purging_a_session_removes_its_effects_and_frees_their_keys() {
    let memory = MemoryBackend::new();
    let store = Store::on(Arc::new(memory.clone()));
    store.create_as("s", NewSession::new()).await.unwrap();
    let outside = Outside::default();
    let of_session = Effects::from(&store).of_session("s".parse().unwrap());
    outside.execute(&of_session, &keyed("e", Class::NonIdempotent)).await.unwrap();
    let others = Effects::from(&store);
    outside.execute(&others, &unkeyed("other", Class::NonIdempotent)).await.unwrap();
    store.delete("s").await.unwrap();
    store.purge("s").await.unwrap();
    let names = async |of| memory.documents(&document(of, "x").collection, None, 9).await.unwrap();
    assert_eq!(names("effects").await, [name("other")]);
    assert!(names("effect-owners").await.is_empty());
    assert!(!outside.execute(&others, &keyed("f", Class::NonIdempotent)).await.unwrap().replayed);
}

#[tokio::test]
async fn namespaces_have_ids_and_keys_of_their_own() {
    let memory = MemoryBackend::new();
    let outside = Outside::default();
    let request = keyed("e", Class::NonIdempotent);
    for namespace in ["a", "b"] {
        let effects = effects(&memory).namespace(namespace).unwrap();
        assert!(!outside.execute(&effects, &request).await.unwrap().replayed);
    }
    let error = effects(&memory).load(&name("e")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
}
