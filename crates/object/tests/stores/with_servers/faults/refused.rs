//! Places that refuse: whoever asks is told so, nothing is applied, and nothing is asked without end.

use std::slice;

use sessile_core::backend::{Precondition, Scope};
use sessile_core::{Backend as _, Error, ErrorKind, Outcome};
use sessile_engine::{Filter, From, NewSession, Page};
use sessile_object::ObjectBackend;

use super::deeds::DEEDS;
use super::stage::{Stage, on_each, options, patient_store, read};
use super::words;
use crate::support::proxy::{Fault, Loss, Rule};
use crate::support::servers::PATIENCE;

fn refuse_everything(stage: &Stage) {
    for method in ["GET", "PUT", "POST", "DELETE", "HEAD"] {
        stage.proxy.rule(Rule::on(method, "", Fault::Unseen(Loss::Status(403))).always());
    }
}

fn is_of(error: &Error, kind: ErrorKind, course: &str) {
    let told = (error.kind(), error.outcome(), error.may_retry());
    assert_eq!(told, (kind, Outcome::NotApplied, false), "{course} {error:?}");
}

/// Everything that reads, each with its error.
async fn errors_of_reads(stage: &Stage, backend: &ObjectBackend) -> Vec<Error> {
    let (space, key) = (&stage.space, words::key(&stage.space));
    let document = words::document(space);
    vec![
        backend.head(&key).await.unwrap_err(),
        read(backend, &key).await.unwrap_err(),
        backend.set_aside(&key).await.unwrap_err(),
        backend.journals(space, None, 10).await.unwrap_err(),
        backend.recent(space, &Scope::ALL, None, 10).await.unwrap_err(),
        backend.spaces(None, 10).await.unwrap_err(),
        backend.documents(&document.collection, None, 10).await.unwrap_err(),
        backend.get(&document).await.unwrap_err(),
    ]
}

#[tokio::test]
async fn a_place_that_refuses_all_access_is_told_as_such_at_the_first_request() {
    on_each(async |stage| {
        for deed in DEEDS {
            let planned = deed.plan(&stage).await;
            let course = format!("{:?} {deed:?}", stage.kind);
            refuse_everything(&stage);
            let before = stage.proxy.seen().len();
            let error = planned.carry_out(&stage.patient()).await.unwrap_err();
            is_of(&error, ErrorKind::Permission, &course);
            assert_eq!(stage.proxy.seen().len() - before, 1, "{course}");
            stage.proxy.mend();
            assert!(!planned.is_done(&stage).await, "{course}");
        }
        refuse_everything(&stage);
        let before = stage.proxy.seen().len();
        for error in errors_of_reads(&stage, &stage.patient()).await {
            is_of(&error, ErrorKind::Permission, "reading");
        }
        assert!(stage.proxy.seen().len() - before <= 16, "{:?}", stage.kind);
    })
    .await;
}

#[tokio::test]
async fn a_place_that_refuses_writes_applies_none_and_is_sent_each_once() {
    on_each(async |stage| {
        let through = stage.patient();
        for deed in DEEDS {
            let planned = deed.plan(&stage).await;
            let refused = Fault::Unseen(Loss::Status(403));
            stage.proxy.rule(Rule::on("PUT", &planned.part, refused).always());
            let error = planned.carry_out(&through).await.unwrap_err();
            let course = format!("{:?} {deed:?}", stage.kind);
            is_of(&error, ErrorKind::Permission, &course);
            assert_eq!(stage.proxy.count("PUT", &planned.part), 1, "{course}");
            assert!(!planned.is_done(&stage).await, "{course}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_an_invalid_place_at_once() {
    on_each(async |stage| {
        let backend = || stage.handle(stage.stores_of_no_bucket(PATIENCE), options());
        let key = words::key(&stage.space);
        let creation = vec![words::creation(&key)];
        let expected = sessile_core::backend::Expected::At(sessile_core::Tip::ABSENT);
        let document = words::document(&stage.space);
        for write in [false, true] {
            let backend = backend();
            let before = stage.proxy.seen().len();
            let error = if write {
                backend.append(&key, expected, creation.clone()).await.unwrap_err()
            } else {
                let value = words::value("v");
                backend.put(&document, value, Precondition::Absent).await.unwrap_err()
            };
            is_of(&error, ErrorKind::InvalidPlace, &format!("{:?} {write}", stage.kind));
            let requests = stage.proxy.seen().len() - before;
            assert!(requests <= 5, "{:?} {:?}", stage.kind, stage.proxy.seen());
        }
        let backend = backend();
        let errors = errors_of_reads(&stage, &backend).await;
        for error in errors {
            is_of(&error, ErrorKind::InvalidPlace, &format!("{:?}", stage.kind));
        }
    })
    .await;
}

#[tokio::test]
async fn a_place_that_lets_nobody_write_is_read_and_refuses_before_there_is_a_session() {
    on_each(async |stage| {
        let (key, ..) = stage.session(&["one"]).await;
        for method in ["PUT", "POST", "DELETE"] {
            let refused = Fault::Unseen(Loss::Status(403));
            stage.proxy.rule(Rule::on(method, "", refused).always());
        }
        let before = stage.objects_of("").await;
        let store = patient_store(stage.patient(), &stage.space);
        let session = store.open_session(key.id.clone()).await.unwrap();
        let said: Vec<String> =
            session.transcript(From::start()).await.unwrap().all().await.unwrap();
        assert_eq!(said, ["one"], "{:?}", stage.kind);
        let listing = store.list(Filter::all(), Page::of(9)).await.unwrap();
        let ids: Vec<_> = listing.sessions.iter().map(|row| row.id.clone()).collect();
        assert_eq!(ids, slice::from_ref(&key.id));
        assert!(store.verify(key.id).await.unwrap().sound);
        for error in [
            store.create(NewSession::new()).await.unwrap_err(),
            store.create_as("named", NewSession::new()).await.unwrap_err(),
            session.append(["two"]).await.unwrap_err(),
            session.delete().await.unwrap_err(),
        ] {
            is_of(&error, ErrorKind::Permission, &format!("{:?}", stage.kind));
        }
        assert_eq!(stage.objects_of("").await, before, "{:?}", stage.kind);
    })
    .await;
}
