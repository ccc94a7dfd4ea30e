//! Creating, opening, and what is refused there.

use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::json;
use sessile_core::backend::{Backend as _, Span};
use sessile_core::entry::shape::Dialect;
use sessile_core::{EntryType, Error, ErrorKind, Limits, Name, Payload, Seq, SessionKey};
use sessile_engine::{Filter, NewSession, Options, Page, Store};
use sessile_memory::MemoryBackend;
use tokio::task::JoinSet;

use super::faults::{Fault, Faulty};

fn store() -> (Store, MemoryBackend) {
    let backend = MemoryBackend::new();
    (Store::on(Arc::new(backend.clone())), backend)
}

#[tokio::test]
async fn a_session_is_what_it_was_created_as() -> Result<(), Error> {
    let (store, _) = store();
    let parent = store.create(NewSession::new()).await?;
    let new = NewSession::new()
        .dialect(Dialect::Anthropic)
        .project("shop")
        .project_identity("git:abc")
        .owner("alice")
        .parent(parent.id())
        .identity(&json!({"agent": "a"}))
        .host("run", &json!(1.0))
        .title("A title")
        .tags(["x", "y"])
        .model("m")
        .cwd("/w")
        .meta("priority", &3);
    let created = store.create(new).await?;
    assert!(created.id().as_str().starts_with("ses_"));
    let opened = store.open_session(created.id()).await?;
    for info in [created.info(), opened.info()] {
        assert_eq!(info.header.dialect, Dialect::Anthropic);
        assert_eq!(info.header.project.as_ref().map(Name::as_str), Some("shop"));
        assert_eq!(info.header.project_identity.as_deref(), Some("git:abc"));
        assert_eq!(info.header.parent_id.as_ref(), Some(parent.id()));
        assert_eq!(info.header.identity.as_ref().map(Payload::as_str), Some(r#"{"agent":"a"}"#));
        assert_eq!(info.header.host["run"].as_str(), "1.0");
        let owner = info.header.owner.map(|digest| digest.to_string());
        // SHA-256 of `alice`.
        let fingerprint = "2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90";
        assert_eq!(owner.as_deref(), Some(fingerprint));
        assert_eq!(info.title().as_deref(), Some("A title"));
        assert_eq!(info.tags(), ["x", "y"]);
        assert_eq!(info.meta.value("priority").map(Payload::as_str), Some("3"));
        assert_eq!((info.entries, info.messages, info.position.number()), (2, 0, 2));
    }
    assert!(opened.receipt().is_none());
    Ok(())
}

#[tokio::test]
async fn opening_and_listing_write_nothing() -> Result<(), Error> {
    let (store, backend) = store();
    store.create_as("a", NewSession::new()).await?;
    let before = backend.digest();
    let session = store.open_session("a").await?;
    session.refresh().await?;
    session.entries(sessile_engine::From::start()).await?.all().await?;
    store.list(Filter::all(), Page::of(10)).await?;
    store.verify("a").await?;
    assert_eq!(store.open_session("b").await.unwrap_err().kind(), ErrorKind::Missing);
    assert_eq!(backend.digest(), before);
    Ok(())
}

#[tokio::test]
async fn an_id_is_used_once() -> Result<(), Error> {
    let (store, _) = store();
    store.create_as("a", NewSession::new()).await?;
    let kind = |result: Result<_, Error>| result.err().map(|error| error.kind());
    let exists = store.create_as("a", NewSession::new()).await;
    assert_eq!(kind(exists), Some(ErrorKind::Exists));
    store.delete("a").await?;
    let deleted = store.create_as("a", NewSession::new()).await;
    assert_eq!(kind(deleted), Some(ErrorKind::Deleted));
    let deleted = store.open_or_create("a", NewSession::new()).await;
    assert_eq!(kind(deleted), Some(ErrorKind::Deleted));
    assert_eq!(kind(store.open_session("a").await), Some(ErrorKind::Deleted));
    assert_eq!(kind(store.create_as("../a", NewSession::new()).await), Some(ErrorKind::InvalidId));
    Ok(())
}

#[tokio::test]
async fn open_or_create_names_the_first_difference() -> Result<(), Error> {
    let (store, _) = store();
    let new = || NewSession::new().project("shop").host("k", &1);
    let created = store.open_or_create("a", new().title("t")).await?;
    assert_eq!(created.info().title().as_deref(), Some("t"));
    // What is left out is not compared, and metadata is neither compared nor changed.
    for again in [NewSession::new(), new(), new().title("u"), new().dialect(Dialect::Plain)] {
        let opened = store.open_or_create("a", again).await?;
        assert_eq!(opened.info().title().as_deref(), Some("t"));
    }
    let differing = [
        (NewSession::new().project("other"), "project"),
        (NewSession::new().owner("bob"), "owner"),
        (NewSession::new().dialect(Dialect::Pi).project("other"), "dialect"),
        (NewSession::new().host("k", &2), "host"),
        (NewSession::new().identity(&1), "identity"),
    ];
    for (new, name) in differing {
        let error = store.open_or_create("a", new).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.clause().contains(&format!("another {name} ")), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn identities_are_compared_to_their_innermost_values_before_anything_is_applied()
-> Result<(), Error> {
    let (store, _) = store();
    let of = |json: &str| NewSession::new().identity(&Payload::parse(json.to_owned()).unwrap());
    let saved = r#"{"project":"p","model":"large","roster":["a","b"],"digests":{"plan":"1"}}"#;
    let session = store.open_or_create("a", of(saved)).await?;
    let position = session.append(["hi"]).await?.position;
    // Who takes part is a set.
    let turned = r#"{ "digests":{"plan":"1"},"roster":["b","a"],"model":"large","project":"p" }"#;
    assert_eq!(store.open_or_create("a", of(turned)).await?.position(), position);
    let changes = [
        (
            "\"large\"",
            "\"small\"",
            r#"identity.model differs: saved is "large", current is "small""#,
        ),
        ("\"b\"", "\"c\"", r#"identity.roster[1] differs: saved is "b", current is "c""#),
        (r#""plan":"1""#, "", r#"identity.digests.plan differs: saved is "1", current is nothing"#),
    ];
    for (from, to, told) in changes {
        let error = store.open_or_create("a", of(&saved.replace(from, to))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.clause().ends_with(told), "{error}");
    }
    assert_eq!(store.open_session("a").await?.position(), position);
    Ok(())
}

#[tokio::test]
async fn what_is_refused_leaves_nothing() -> Result<(), Error> {
    let backend = MemoryBackend::new();
    let limits = {
        let mut limits = Limits::default();
        limits.entry_bytes = 1_000;
        limits
    };
    let store = Store::with(Arc::new(backend.clone()), Options::default().limits(limits));
    let empty = backend.digest();
    let unserialisable = std::collections::BTreeMap::from([((1, 2), 3)]);
    let cases = [
        (NewSession::new().project(""), ErrorKind::InvalidId),
        (NewSession::new().parent("a/b").project(""), ErrorKind::InvalidId),
        (NewSession::new().host("k", &unserialisable), ErrorKind::Refused),
        (NewSession::new().title("x".repeat(2_000)), ErrorKind::Refused),
    ];
    for (new, kind) in cases {
        assert_eq!(store.create_as("a", new).await.unwrap_err().kind(), kind);
    }
    let error = store.open_or_create("a", NewSession::new().project("")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidId);
    assert_eq!(backend.digest(), empty);
    Ok(())
}

#[tokio::test]
async fn spaces_are_apart() -> Result<(), Error> {
    let (store, _) = store();
    let (one, two) = (store.space("one")?, store.space("two")?);
    one.create_as("a", NewSession::new()).await?;
    let elsewhere = two.open_session("a").await.unwrap_err();
    let nowhere = two.open_session("b").await.unwrap_err();
    assert_eq!(elsewhere.kind(), nowhere.kind());
    assert_eq!(elsewhere.clause(), nowhere.clause());
    assert!(two.list(Filter::all(), Page::of(1)).await?.sessions.is_empty());
    two.create_as("a", NewSession::new().title("mine")).await?;
    assert_eq!(one.open_session("a").await?.info().title(), None);
    let names: Vec<String> = store.spaces(None, 9).await?.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(store.spaces(None, 0).await.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(store.space("a/b").unwrap_err().kind(), ErrorKind::InvalidId);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_create_whose_answer_is_lost_is_sent_again() -> Result<(), Error> {
    let backend = Faulty::new();
    let store = backend.store();
    backend.script([Fault::AnswerLost, Fault::CallLost, Fault::CallLost]);
    let session = store.create_as("a", NewSession::new()).await?;
    assert_eq!(session.position().number(), 1);
    assert_eq!(backend.appends(), 4);
    session.append([1]).await?;
    Ok(())
}

#[tokio::test]
async fn what_comes_with_a_session_is_in_the_commit_that_creates_it() -> Result<(), Error> {
    let (store, backend) = store();
    let new = NewSession::new()
        .title("t")
        .entry(EntryType::Event, &1)
        .entry(EntryType::Instruct, &json!({"text": "go"}));
    let session = store.create(new).await?;
    assert_eq!(session.info().events, 1);
    let key = SessionKey { space: session.space().clone(), id: session.id().clone() };
    let commits: Vec<_> = backend.read(&key, Span::From(Seq::FIRST)).await?.collect().await;
    let first = commits[0].as_ref().unwrap();
    let types: Vec<&str> = first.entries.iter().map(|it| it.entry_type.as_str()).collect();
    assert_eq!((commits.len(), types), (1, vec!["session", "meta", "event", "instruct"]));
    for refused in [EntryType::Message, EntryType::Claim, EntryType::Session, EntryType::Close] {
        let error = store.create_as("b", NewSession::new().entry(refused, &1)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
    }
    assert_eq!(store.list(Filter::all(), Page::of(9)).await?.sessions.len(), 1);
    Ok(())
}

#[tokio::test]
async fn those_who_create_at_once_get_one_session() -> Result<(), Error> {
    let (store, _) = store();
    let mut creating = JoinSet::new();
    for number in 0..16 {
        let store = store.clone();
        creating.spawn(async move {
            let session = store.open_or_create("a", NewSession::new()).await?;
            session.append([number]).await
        });
    }
    creating.join_all().await.into_iter().collect::<Result<Vec<_>, Error>>()?;
    assert_eq!(store.open_session("a").await?.info().messages, 16);
    Ok(())
}
