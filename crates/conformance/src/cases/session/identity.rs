//! What a session belongs to: compared before a run goes on with it, and changed by accepting
//! exactly what was shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::digest::Digest;
use sessile_core::entry::shape::AcceptedIdentity;
use sessile_core::fold::Meta;
use sessile_core::{EntryType, ErrorKind, Payload, Seq};
use sessile_engine::{Expected, From, NewSession, Options, Session, Store};
use sessile_memory::MemoryBackend;

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/identity/is_compared_before_anything_is_done",
        &["records/54", "SIDE-4"],
        |place| Box::pin(is_compared(place)),
    ),
    Case::new("session/identity/tells_names_that_look_alike_apart", &["ID-1"], |place| {
        Box::pin(names_that_look_alike(place))
    }),
    Case::new(
        "session/identity/is_changed_by_accepting_what_was_shown",
        &["records/54", "SIDE-4"],
        |place| Box::pin(is_changed_by_accepting(place)),
    ),
    Case::new("session/identity/of_many_who_accept_at_once_one_does", &["SIDE-4"], |place| {
        Box::pin(of_many_one_does(place))
    }),
    Case::new("session/identity/goes_with_forks_and_copies", &["SIDE-4"], |place| {
        Box::pin(goes_with_forks_and_copies(place))
    }),
    Case::new("session/identity/outlives_a_vacuum_with_its_history", &["SIDE-4"], |place| {
        Box::pin(outlives_a_vacuum(place))
    })
    .needing(&[Need::Has(Capability::Rewrite)]),
];

fn run() -> Expected {
    Expected::new()
        .project("shop")
        .workspace("/w")
        .model("large")
        .digest("plan", Digest::of(b"plan"))
        .roster(["ann", "bob"])
}

async fn begun(store: &Store) -> Result<Session, Failed> {
    // A number that no float holds, and half a character.
    let seed = scene::payload(r#"{"n":12345678901234567890123,"t":"\ud83d"}"#)?;
    let new = NewSession::new().expecting(&run().field("seed", &seed));
    let session = store.open_or_create("s1", new).await?;
    session.append(["hi"]).await?;
    Ok(session)
}

/// Fails unless a session is refused, naming a difference.
async fn differs(store: &Store, expected: &Expected, told: &str) -> Result<(), Failed> {
    let what = format!("opening where {told}");
    let error = fails(&what, store.open_with("s1", expected).await, ErrorKind::Mismatch)?;
    ensure!(error.clause().starts_with(told), "it is told as: {}", error.clause());
    let new = NewSession::new().expecting(expected);
    let error = fails(&what, store.open_or_create("s1", new).await, ErrorKind::Mismatch)?;
    ensure!(error.clause().contains(told), "it is told as: {}", error.clause());
    Ok(())
}

async fn is_compared(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = begun(&store).await?;
    let position = session.position();
    let seed = scene::payload(r#"{ "t":"\ud83d", "n":12345678901234567890123 }"#)?;
    for store in [&store, &scene::store(&*place).await?] {
        for expected in [
            Expected::new(),
            run(),
            run().roster(["bob", "ann"]),
            run().field("seed", &seed).exactly(),
        ] {
            same("where it is", store.open_with("s1", &expected).await?.position(), position)?;
        }
        let first = r#"identity.project differs: saved is "shop", current is "x"; so do model"#;
        differs(store, &run().model("y").project("x"), first).await?;
        let (workspace, model) = ("identity.workspace differs: saved", "identity.model differs");
        differs(store, &run().workspace("/v"), workspace).await?;
        differs(store, &run().model("small"), model).await?;
        let plan = run().digest("plan", Digest::of(b"p"));
        differs(store, &plan, "identity.digests.plan differs: saved is").await?;
        differs(store, &run().roster(["ann"]), r#"identity.roster[1] differs: saved is "bob""#)
            .await?;
        let number = scene::payload(r#"{"n":12345678901234567890124,"t":"\ud83d"}"#)?;
        differs(store, &run().field("seed", &number), "identity.seed.n differs").await?;
        differs(store, &run().field("k", &1), "identity.k differs: saved is nothing").await?;
        let bare = Expected::new().project("shop").exactly();
        differs(store, &bare, r#"identity.workspace differs: saved is "/w", current is nothing"#)
            .await?;
        let unasked = store.open_session("s1").await?;
        same("where it is when it was refused", unasked.position(), position)?;
    }
    session.close().await?;
    differs(&store, &run().model("x"), "identity.model differs").await?;
    store.open_with("s1", &run()).await?;
    session.delete().await?;
    for expected in [run(), run().model("x")] {
        fails("a deleted one", store.open_with("s1", &expected).await, ErrorKind::Deleted)?;
    }
    fails("one that never was", store.open_with("s2", &run()).await, ErrorKind::Missing)?;
    Ok(())
}

async fn names_that_look_alike(place: Arc<dyn Place>) -> Result<(), Failed> {
    let projects =
        ["p/data_a", "p/data-a", "p/data.a", "p/data a", "p/DATA_A", "Дата", "Дати", "a\u{1}"];
    let workspaces = ["/a_b", "/a-b", "/a b", "/A_B", "/a_b/", "a", "/a\u{0}_b", "é", "e\u{301}"];
    let fields = projects.map(|name| ("project", name)).into_iter();
    let fields: Vec<_> = fields.chain(workspaces.map(|name| ("workspace", name))).collect();
    let expected = |(field, name): &(&str, &str)| Expected::new().field(*field, name);
    let store = scene::store(&*place).await?;
    for (at, field) in fields.iter().enumerate() {
        let new = NewSession::new().expecting(&expected(field));
        store.create_as(format!("s{at}"), new).await?;
    }
    let store = scene::store(&*place).await?;
    for (at, field) in fields.iter().enumerate() {
        let id = format!("s{at}");
        for other in &fields {
            let opened = store.open_with(id.as_str(), &expected(other)).await;
            if field == other {
                opened?;
            } else {
                fails("another name", opened, ErrorKind::Mismatch)?;
            }
        }
        let identity = store.open_session(id.as_str()).await?.info().identity()?;
        same("the name", identity.get(field.0).cloned(), Some(Payload::of(field.1)?))?;
    }
    Ok(())
}

/// Who accepted what, as the journal tells it: by whom, from which model, to which.
async fn history(session: &Session) -> Result<Vec<String>, Failed> {
    let entries = session.entries(From::start()).await?.all().await?;
    let mut told = Vec::new();
    for entry in entries.iter().filter(|entry| entry.entry_type == EntryType::Meta) {
        let data: BTreeMap<String, Payload> = entry.data.decode()?;
        if let Some(accepted) = data.get(Meta::ACCEPTED_IDENTITY) {
            let AcceptedIdentity { by, saved, current, .. } = accepted.decode()?;
            let model = |side: &BTreeMap<String, Payload>| {
                side.get("model").map_or_else(String::new, |model| model.as_str().to_owned())
            };
            let by = by.as_deref().unwrap_or_default();
            told.push(format!("{by}: {} to {}", model(&saved), model(&current)));
        }
    }
    Ok(told)
}

async fn accept(session: &Session, model: &str, by: &str) -> Result<(), Failed> {
    let differences = session.differences(&run().model(model)).await?;
    let done = session.accept(&differences, Some(by.into())).await?;
    ensure!(done.is_some(), "there was something to be accepted");
    Ok(())
}

async fn is_changed_by_accepting(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = begun(&store).await?;
    let elsewhere = scene::store(&*place).await?.open_session("s1").await?;
    let small = run().model("small");
    let shown = session.differences(&small).await?;
    accept(&elsewhere, "tiny", "bob").await?;
    let late = session.accept(&shown, Some("ann".into())).await;
    let error = fails("what was shown before", late, ErrorKind::Conflict)?;
    ensure!(error.clause().contains("\"tiny\""), "it is told as: {}", error.clause());
    same("the history", history(&session).await?, vec![r#"bob: "large" to "tiny""#.to_owned()])?;
    accept(&session, "small", "ann").await?;
    let position = session.position();
    same("what is left to accept", elsewhere.accept(&shown, None).await?, None)?;
    for store in [&store, &scene::store(&*place).await?] {
        let opened = store.open_with("s1", &small).await?;
        same("where it is", opened.position(), position)?;
        let new = NewSession::new().expecting(&small);
        same("where it is", store.open_or_create("s1", new).await?.position(), position)?;
        differs(store, &run(), r#"identity.model differs: saved is "small", current is "large""#)
            .await?;
        let accepted = opened.info().meta.accepted_identity()?;
        let by = accepted.and_then(|accepted| accepted.by);
        same("who accepted it last", by.as_deref(), Some("ann"))?;
        same(
            "the history",
            history(&opened).await?,
            vec![r#"bob: "large" to "tiny""#.to_owned(), r#"ann: "tiny" to "small""#.to_owned()],
        )?;
    }
    session.close().await?;
    accept(&elsewhere, "large", "eve").await?;
    store.open_with("s1", &run()).await?;
    Ok(())
}

async fn of_many_one_does(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = begun(&scene::store(&*place).await?).await?;
    let mut accepting = Vec::new();
    for number in 0..6 {
        let handle = scene::store(&*place).await?.open_session("s1").await?;
        let differences = handle.differences(&run().model(format!("m{number}"))).await?;
        let by = format!("p{number}");
        accepting
            .push(async move { Ok(handle.accept(&differences, Some(by.as_str().into())).await) });
    }
    let mut done = 0;
    for answer in together(accepting).await? {
        match answer {
            Ok(accepted) => done += usize::from(accepted.is_some()),
            lost => drop(fails("a lost race", lost, ErrorKind::Conflict)?),
        }
    }
    same("how many did", done, 1)?;
    same("how many the journal tells of", history(&session).await?.len(), 1)
}

async fn goes_with_forks_and_copies(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = begun(&store).await?;
    let last = store.open_session("s1").await?.position().number().saturating_sub(1);
    accept(&session, "small", "ann").await?;
    session.append(["more"]).await?;
    let told = history(&session).await?;
    session.fork_as("s2", None).await?;
    session.fork_as("s3", Seq::new(last)).await?;
    let far = Store::on(Arc::new(MemoryBackend::new()));
    store.copy("s1", &far).await?;
    let near = scene::store(&*place).await?;
    for (store, id) in [(&near, "s2"), (&far, "s1")] {
        let opened = store.open_with(id, &run().model("small")).await?;
        same("the history", history(&opened).await?, told.clone())?;
        let refused = store.open_with(id, &run()).await;
        fails("the identity of before", refused, ErrorKind::Mismatch)?;
    }
    // A fork that was cut before has the identity of that time.
    near.open_with("s3", &run()).await?;
    Ok(())
}

async fn outlives_a_vacuum(place: Arc<dyn Place>) -> Result<(), Failed> {
    let options = Options::default().state_every(8, 1 << 20);
    let store = scene::store_with(&*place, options).await?;
    let session = begun(&store).await?;
    for model in ["small", "tiny"] {
        accept(&session, model, model).await?;
        for number in 0..20 {
            session.set_meta([("n", number)]).await?;
        }
    }
    let told = history(&session).await?;
    same("how many were accepted", told.len(), 2)?;
    ensure!(store.vacuum("s1").await?.dropped > 0, "there was something to be dropped");
    for store in [&store, &scene::store(&*place).await?] {
        let opened = store.open_with("s1", &run().model("tiny")).await?;
        same("the history", history(&opened).await?, told.clone())?;
        same("whether it is sound", store.verify("s1").await?.sound, true)?;
    }
    Ok(())
}
