//! The first write makes a session the store's own, whole, and leaves its files alone.

use std::future::Future;
use std::pin::Pin;

use sessile_core::{ErrorKind, Seq};
use sessile_engine::{Append, NewSession, Session, Store};

use crate::scene::{self, LAYOUTS, Scene};

type Writing = Pin<Box<dyn Future<Output = ()>>>;

/// A way to change a session, and how many messages it adds.
type Write = (&'static str, fn(Session, Store) -> Writing, usize);

const WRITES: [Write; 9] = [
    ("append", |it, _| Box::pin(async move { drop(it.append([new()]).await.unwrap()) }), 1),
    ("event", |it, _| Box::pin(async move { drop(it.append_events([1]).await.unwrap()) }), 0),
    ("title", |it, _| Box::pin(async move { drop(it.set_title("T").await.unwrap()) }), 0),
    ("touch", |it, _| Box::pin(async move { drop(it.touch().await.unwrap()) }), 0),
    ("close", |it, _| Box::pin(async move { it.close().await.unwrap() }), 0),
    ("rewind", |it, _| Box::pin(async move { drop(it.rewind(last(&it)).await.unwrap()) }), 0),
    (
        "vacuum",
        |it, store| Box::pin(async move { drop(store.vacuum(it.id().clone()).await.unwrap()) }),
        0,
    ),
    ("fork", |it, _| Box::pin(async move { drop(it.fork_as("fork", None).await.unwrap()) }), 0),
    (
        "append where it ends",
        |it, _| {
            Box::pin(async move {
                let at = Append::at(it.position());
                drop(it.append_with(at, [new()]).await.unwrap());
            })
        },
        1,
    ),
];

fn new() -> sessile_core::Payload {
    scene::said("New.")
}

fn last(session: &Session) -> Seq {
    Seq::new(session.position().number() - 1).unwrap()
}

#[tokio::test]
async fn whatever_is_written_first_all_older_messages_stand_before_it() {
    for layout in LAYOUTS {
        for (name, write, adds) in WRITES {
            for id in Scene::of(layout).ids() {
                let scene = Scene::of(layout).in_memory();
                let (before, store) = (scene.tree(), scene.store().await);
                let told = format!("{layout}: {id}: {name}");
                write(store.open_session(&*id).await.unwrap(), store.clone()).await;
                let mut wanted = scene.messages(&id);
                wanted.extend(vec![new().as_str().to_owned(); adds]);
                let mut ids = scene.ids();
                ids.extend((name == "fork").then(|| "fork".to_owned()));
                // As another process finds it, and one that knows nothing of the older files.
                let plain = (name != "vacuum").then_some(Store::on(scene.plain().await));
                for store in [Some(scene.store().await), plain].into_iter().flatten() {
                    let by_fork = name == "fork";
                    let session = store.open_session(if by_fork { "fork" } else { &*id }).await;
                    assert_eq!(scene::messages(&session.unwrap()).await, wanted, "{told}");
                }
                assert_eq!(scene::listed(&scene.store().await).await, ids, "{told}");
                assert_eq!(scene.tree(), before, "{told}: its own files were changed");
            }
        }
    }
}

#[tokio::test]
async fn on_files_too_and_the_store_has_it_alone_afterwards() {
    let scene = Scene::of("mixed");
    let (before, store) = (scene.tree(), scene.store().await);
    for id in scene.ids() {
        let session = store.open_session(&*id).await.unwrap();
        session.append([new()]).await.unwrap();
    }
    store.close().await.unwrap();
    assert_eq!(scene.tree(), before);
    assert_eq!(scene::listed(&Store::on(scene.plain().await)).await, scene.ids());
    let counts: Vec<usize> = {
        let mut counts = Vec::new();
        for id in scene.ids() {
            let session = store.open_session(&*id).await.unwrap();
            counts.push(scene::messages(&session).await.len() - scene.messages(&id).len());
        }
        counts
    };
    assert_eq!(counts, [1, 1, 1]);
}

#[tokio::test]
async fn the_journal_is_the_one_that_was_read_before() {
    for layout in LAYOUTS {
        let scene = Scene::of(layout);
        let backend = scene.backend().await;
        for id in scene.ids() {
            let read = scene::commits(&*backend, &id).await;
            let store = scene.store().await;
            let session = store.open_session(&*id).await.unwrap();
            let position = session.position();
            session.append_with(Append::at(position), [new()]).await.unwrap();
            let mut made = scene::commits(&*scene.plain().await, &id).await;
            let added = made.pop().unwrap();
            assert_eq!(made, read, "{layout}: {id}");
            assert_eq!(added.first_seq().number(), position.number());
            assert_eq!(made[0].entries[0], read[0].entries[0]);
        }
    }
}

#[tokio::test]
async fn a_long_session_is_taken_over_whole() {
    let scene = Scene::empty();
    let texts: Vec<String> = (0..40).map(|number| format!("{number}").repeat(50_000)).collect();
    scene.log("long", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let store = scene.store().await;
    let session = store.open_session("long").await.unwrap();
    session.touch().await.unwrap();
    let plain = Store::on(scene.plain().await);
    let session = plain.open_session("long").await.unwrap();
    assert_eq!(scene::messages(&session).await, scene.messages("long"));
    assert!(scene::commits(&*scene.plain().await, "long").await.len() > 3);
}

#[tokio::test]
async fn new_sessions_are_the_stores_alone() {
    let scene = Scene::of("older");
    let (before, store) = (scene.tree(), scene.store().await);
    let session = store.create_as("ses_new", NewSession::new()).await.unwrap();
    session.append([new()]).await.unwrap();
    session.close().await.unwrap();
    assert_eq!(scene.tree(), before);
    let mut ids = scene.ids();
    ids.insert("ses_new".to_owned());
    assert_eq!(scene::listed(&store).await, ids);
}

#[tokio::test]
async fn an_older_sessions_id_is_not_free() {
    let scene = Scene::of("older");
    let store = scene.store().await;
    let error = store.create_as("ses_lines", NewSession::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exists);
    assert!(!scene.root().exists());
    let session = store.open_or_create("ses_lines", NewSession::new()).await.unwrap();
    assert_eq!(scene::messages(&session).await, scene.messages("ses_lines"));
}

#[tokio::test]
async fn a_write_that_is_refused_takes_nothing_over() {
    let scene = Scene::of("older");
    let store = scene.store().await;
    let session = store.open_session("ses_lines").await.unwrap();
    let elsewhere = Append::at(sessile_core::Position::new(1).unwrap());
    let error = session.append_with(elsewhere, [new()]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let error = store.purge("ses_lines").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(!scene.root().exists());
}
