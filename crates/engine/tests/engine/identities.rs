//! What a run expects of a session, and differences that somebody accepts.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed"
)]

use std::sync::Arc;

use serde_json::json;
use sessile_core::backend::{Backend as _, Expected as At};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::shape::AcceptedIdentity;
use sessile_core::{
    Commit, EntryType, Error, ErrorKind, Limits, NewEntry, Payload, Seq, SessionKey, UnixMillis,
};
use sessile_engine::{Expected, From, NewSession, Options, Session, Store};
use sessile_memory::MemoryBackend;

fn store() -> (Store, MemoryBackend) {
    let backend = MemoryBackend::new();
    (Store::on(Arc::new(backend.clone())), backend)
}

fn run() -> Expected {
    Expected::new()
        .project("shop")
        .project_identity("git:abc")
        .workspace("/w/shop")
        .model("large")
        .digest("plan", Digest::of(b"plan"))
        .digest("tools", Digest::of(b"tools"))
        .roster(["ann", "bob"])
        .field("budget", &json!({"usd": 1}))
}

async fn begun(store: &Store) -> Result<Session, Error> {
    let session = store.open_or_create("a", NewSession::new().expecting(&run())).await?;
    session.append(["hi"]).await?;
    Ok(session)
}

fn mismatch(opened: Result<Session, Error>) -> String {
    let error = opened.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    error.clause().to_owned()
}

/// Every acceptance that the journal tells of, in order.
async fn history(session: &Session) -> Result<Vec<AcceptedIdentity>, Error> {
    let entries = session.entries(From::start()).await?.all().await?;
    let metadata = entries.iter().filter(|entry| entry.entry_type == EntryType::Meta);
    let accepted = metadata.filter(|entry| entry.data.as_str().contains("accepted-identity"));
    accepted
        .map(|entry| {
            let data: std::collections::BTreeMap<String, AcceptedIdentity> = entry.data.decode()?;
            Ok(data["accepted-identity"].clone())
        })
        .collect()
}

#[tokio::test]
async fn each_field_is_compared_in_order_and_told_with_both_values() -> Result<(), Error> {
    let (store, backend) = store();
    let session = begun(&store).await?;
    assert_eq!(
        session.info().header.project.as_ref().map(ToString::to_string),
        Some("shop".into())
    );
    let before = backend.digest();
    for same in [run(), run().exactly(), Expected::new(), run().roster(["bob", "ann", "bob"])] {
        assert_eq!(store.open_with("a", &same).await?.position(), session.position());
    }
    let differing = [
        (run().project("x"), r#"identity.project differs: saved is "shop", current is "x""#),
        (run().project_identity("y"), r#"identity.project_identity differs: saved is "git:abc","#),
        (run().workspace("/"), r#"identity.workspace differs: saved is "/w/shop", current is "/""#),
        (run().model("small"), r#"identity.model differs: saved is "large", current is "small""#),
        (run().digest("tools", Digest::of(b"x")), "identity.digests.tools differs: saved is"),
        (run().digest("new", Digest::of(b"")), "identity.digests.new differs: saved is nothing,"),
        (run().field("digests", &json!({})), "identity.digests.plan differs: saved is \""),
        (
            run().roster(["ann"]),
            r#"identity.roster[1] differs: saved is "bob", current is nothing"#,
        ),
        (run().field("budget", &json!({"usd": 1.0})), "identity.budget.usd differs: saved is 1, "),
        (run().field("extra", &()), "identity.extra differs: saved is nothing, current is null"),
        (
            run().field("extra", &1).roster([""]).model("m").project("p"),
            r#"identity.project differs: saved is "shop", current is "p"; so do model, roster, extra"#,
        ),
        (
            Expected::new().project("shop").exactly(),
            r#"identity.project_identity differs: saved is "git:abc", current is nothing; so do"#,
        ),
    ];
    for (expected, told) in differing {
        let opened = store.open_with("a", &expected).await;
        let clause = mismatch(opened);
        assert!(clause.starts_with(told), "{clause}");
        // The same is refused where a session would be created if there were none.
        let new = NewSession::new().expecting(&expected);
        let clause = mismatch(store.open_or_create("a", new).await);
        assert!(clause.contains(told), "{clause}");
    }
    assert_eq!(backend.digest(), before);
    session.close().await?;
    store.open_with("a", &run()).await?;
    assert!(mismatch(store.open_with("a", &run().model("x")).await).contains("model"));
    session.delete().await?;
    for expected in [run(), run().model("x")] {
        let error = store.open_with("a", &expected).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deleted);
    }
    Ok(())
}

#[tokio::test]
async fn a_session_that_says_nothing_of_itself_differs_from_a_run_that_does() -> Result<(), Error> {
    let (store, _) = store();
    store.create_as("a", NewSession::new()).await?;
    store.open_with("a", &Expected::new().exactly()).await?;
    let told = r#"identity.project differs: saved is nothing, current is "shop"; so do"#;
    assert!(mismatch(store.open_with("a", &run()).await).starts_with(told));
    // A project within the block is one too, where the header names none.
    let block = json!({"project": "p", "model": "m"});
    store.create_as("b", NewSession::new().identity(&block)).await?;
    store.open_with("b", &Expected::new().project("p").model("m").exactly()).await?;
    store.create_as("c", NewSession::new().project("q").identity(&block)).await?;
    store.open_with("c", &Expected::new().project("q")).await?;
    Ok(())
}

#[tokio::test]
async fn what_is_accepted_is_the_difference_that_was_shown() -> Result<(), Error> {
    let (store, backend) = store();
    let session = begun(&store).await?;
    let moved = run().workspace("/w/new");
    let shown = session.differences(&moved).await?;
    let fields: Vec<_> = shown.iter().map(|it| (it.field.as_str(), it.saved.clone())).collect();
    assert_eq!(fields, [("workspace", Some(Payload::of("/w/shop")?))]);
    let error = store.open_with("a", &moved).await.unwrap_err();
    let digest = shown.digest().to_string();
    assert!(error.hint().is_some_and(|hint| hint.contains(&digest)), "{error}");

    // Somebody accepts another value of the same field first.
    let other = session.differences(&run().workspace("/w/other")).await?;
    assert_ne!(other.digest(), shown.digest());
    let elsewhere = store.open_session("a").await?;
    assert!(elsewhere.accept(&other, Some("bob".into())).await?.is_some());
    let before = backend.digest();
    let error = session.accept(&shown, Some("ann".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let told = r#"identity.workspace is "/w/other", and the difference that is accepted was shown with "/w/shop""#;
    assert_eq!(error.clause(), told);
    assert_eq!(backend.digest(), before);

    let shown = session.differences(&moved).await?;
    assert!(session.accept(&shown, Some("ann".into())).await?.is_some());
    let position = session.position();
    // Twice is once, by whoever.
    assert_eq!(elsewhere.accept(&shown, None).await?, None);
    assert_eq!(elsewhere.refresh().await?.position, position);
    store.open_with("a", &moved.exactly()).await?;
    store.open_or_create("a", NewSession::new().expecting(&run().workspace("/w/new"))).await?;
    let told = r#"identity.workspace differs: saved is "/w/new", current is "/w/shop""#;
    assert_eq!(mismatch(store.open_with("a", &run()).await), told);

    let history = history(&session).await?;
    let who: Vec<_> = history.iter().map(|it| it.by.as_deref()).collect();
    assert_eq!(who, [Some("bob"), Some("ann")]);
    let workspace = |it: &AcceptedIdentity| {
        (it.saved["workspace"].as_str().to_owned(), it.current["workspace"].as_str().to_owned())
    };
    let places = [r#""/w/shop""#, r#""/w/other""#, r#""/w/new""#].map(str::to_owned);
    let steps = places.windows(2).map(|step| (step[0].clone(), step[1].clone()));
    assert!(history.iter().map(workspace).eq(steps));
    assert_eq!(session.info().meta.accepted_identity()?, history.last().cloned());
    Ok(())
}

#[tokio::test]
async fn fields_come_and_go_by_being_accepted() -> Result<(), Error> {
    let (store, _) = store();
    let session = begun(&store).await?;
    let bare = Expected::new().project("other").field("k", &json!([1, 2])).exactly();
    let differences = session.differences(&bare).await?;
    session.accept(&differences, None).await?;
    let identity = session.info().identity()?;
    let fields: Vec<(&str, &str)> =
        identity.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(fields, [("k", "[1,2]"), ("project", "\"other\"")]);
    store.open_with("a", &bare).await?;
    // What it was created as stays, and with it the project under which it is listed.
    let info = session.info();
    assert_eq!(info.header.project.as_ref().map(ToString::to_string), Some("shop".into()));
    assert!(session.differences(&bare).await?.is_empty());
    let nothing = session.differences(&bare).await?;
    assert_eq!(session.accept(&nothing, None).await?, None);
    Ok(())
}

#[tokio::test]
async fn of_two_who_accept_different_things_at_once_one_does() -> Result<(), Error> {
    for round in 0..8 {
        let (store, _) = store();
        let session = begun(&store).await?;
        let mut tasks = Vec::new();
        for number in 0..4 {
            let handle = store.open_session("a").await?;
            let expected = run().model(format!("m{number}"));
            let differences = session.differences(&expected).await?;
            tasks.push(tokio::spawn(async move { handle.accept(&differences, None).await }));
        }
        let mut done = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(accepted) => done += usize::from(accepted.is_some()),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{round}"),
            }
        }
        assert_eq!(done, 1);
        assert_eq!(history(&session).await?.len(), 1);
    }
    Ok(())
}

#[tokio::test]
async fn an_accepted_identity_goes_with_forks_copies_and_vacuums_and_outlives_closing()
-> Result<(), Error> {
    let backend = MemoryBackend::new();
    let options = Options::default().state_every(4, 1 << 20);
    let store = Store::with(Arc::new(backend), options);
    let session = begun(&store).await?;
    let first = session.position();
    session.close().await?;
    for model in ["small", "tiny"] {
        let differences = session.differences(&run().model(model)).await?;
        session.accept(&differences, Some(model.into())).await?;
        for number in 0..10 {
            session.set_meta([("n", number)]).await?;
        }
    }
    let accepted = history(&session).await?;
    let is_kept = async |store: &Store, id: &str| {
        let opened = store.open_with(id, &run().model("tiny").exactly()).await?;
        assert_eq!(history(&opened).await?, accepted);
        assert!(mismatch(store.open_with(id, &run()).await).contains("identity.model"));
        Ok::<_, Error>(())
    };
    is_kept(&store, "a").await?;
    assert!(store.vacuum("a").await?.dropped > 0);
    is_kept(&store, "a").await?;
    assert!(store.verify("a").await?.sound);
    session.fork_as("b", None).await?;
    is_kept(&store, "b").await?;
    let elsewhere = Store::on(Arc::new(MemoryBackend::new()));
    store.copy("a", &elsewhere).await?;
    is_kept(&elsewhere, "a").await?;
    // A fork that was cut before has the identity of that time.
    let before = Seq::new(first.number() - 1);
    session.fork_as("c", before).await?;
    store.open_with("c", &run()).await?;
    session.delete().await?;
    let differences = store.open_session("b").await?.differences(&run()).await?;
    let error = session.accept(&differences, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deleted);
    is_kept(&store, "b").await
}

#[tokio::test]
async fn nobody_sets_what_was_accepted_by_hand() -> Result<(), Error> {
    let (store, backend) = store();
    let session = begun(&store).await?;
    let before = backend.digest();
    let error = session.set_meta([("accepted-identity", json!(null))]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    let new = NewSession::new().meta("accepted-identity", &1);
    assert_eq!(store.create(new).await.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(backend.digest(), before);

    // Where another program did, nothing is taken for the identity.
    let key = SessionKey { space: session.space().clone(), id: session.id().clone() };
    let tip = backend.head(&key).await?.tip;
    let data = Payload::parse(r#"{"accepted-identity":{"model":"x"}}"#)?;
    let entry = NewEntry::new(UnixMillis(9), EntryType::Meta, data);
    let token = Token::from_random([7; 16]);
    let commit = Commit::new("c".parse()?, token, vec![entry], &Limits::default())?;
    backend.append(&key, At::At(tip), vec![commit]).await?;
    let opened = store.open_session("a").await?;
    for error in [
        store.open_with("a", &run()).await.unwrap_err(),
        store.open_or_create("a", NewSession::new()).await.unwrap_err(),
        opened.differences(&run()).await.unwrap_err(),
        opened.info().identity().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
    Ok(())
}

#[tokio::test]
async fn what_can_not_be_an_identity_is_refused() -> Result<(), Error> {
    let (store, backend) = store();
    let before = backend.digest();
    let no_json = || Expected::new().field("k", &std::collections::BTreeMap::from([((1, 2), 3)]));
    let no_name = || Expected::new().project("");
    let no_text = || Expected::new().field("project", &1);
    for expected in [no_json(), no_name(), no_text()] {
        let new = NewSession::new().expecting(&expected);
        assert!(store.open_or_create("a", new).await.is_err());
    }
    assert_eq!(backend.digest(), before);
    store.create_as("a", NewSession::new()).await?;
    let error = store.open_with("a", &no_json()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    Ok(())
}

#[tokio::test]
async fn no_debugging_form_shows_a_value() -> Result<(), Error> {
    let (store, _) = store();
    let session = begun(&store).await?;
    let differences = session.differences(&run().model("MARKER")).await?;
    session.accept(&differences, None).await?;
    let accepted = session.info().meta.accepted_identity()?;
    let shown = format!("{differences:?} {accepted:?} {:?} {:?}", run().model("MARKER"), session);
    assert!(!shown.contains("MARKER") && shown.contains("model"), "{shown}");
    Ok(())
}
