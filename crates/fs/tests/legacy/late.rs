//! The older program goes on after a session was taken over: nothing that it writes is lost.

use std::collections::BTreeSet;
use std::fs;

use sessile_engine::Store;
use sessile_interchange::session_files::Folder;

use crate::scene::{self, Scene};

/// What the older program adds to the log of a session.
fn add(scene: &Scene, id: &str, text: &str) {
    let path = scene.old().join(format!("sessions/{id}.jsonl"));
    let log = fs::read_to_string(&path).unwrap() + &scene::line(text);
    scene.put(Folder::Sessions, &format!("{id}.jsonl"), log.as_bytes());
}

async fn others(store: &Store, id: &str) -> BTreeSet<String> {
    let mut ids = scene::listed(store).await;
    assert!(ids.remove(id), "{ids:?}");
    ids
}

#[tokio::test]
async fn what_a_late_writer_adds_is_shown_as_a_session_of_its_own_each_time() {
    let scene = Scene::empty();
    scene.log("a", &["One."]);
    let store = scene.store().await;
    store.open_session("a").await.unwrap().append([scene::said("Ours.")]).await.unwrap();
    assert!(others(&store, "a").await.is_empty());
    let mut known = BTreeSet::new();
    for round in 0..3 {
        add(&scene, "a", &format!("Late {round}."));
        let before = scene.tree();
        for store in [&store, &scene.store().await] {
            let found = others(store, "a").await;
            assert_eq!(found.len(), round + 1, "{found:?}");
            let new: Vec<_> = found.difference(&known).collect();
            let late = store.open_session(&**new[0]).await.unwrap();
            assert_eq!(scene::messages(&late).await, scene.messages("a"));
        }
        known = others(&store, "a").await;
        // Once that is taken over too, it is found no more, until there is more.
        for id in &known {
            store.open_session(&**id).await.unwrap().touch().await.unwrap();
        }
        assert_eq!(others(&scene.store().await, "a").await, known);
        assert_eq!(scene.tree(), before);
    }
    let ours = scene.store().await.open_session("a").await.unwrap();
    assert_eq!(scene::messages(&ours).await.len(), 2);
}

#[tokio::test]
async fn a_touch_of_the_older_program_adds_nothing() {
    let scene = Scene::empty();
    scene.log("a", &["One.", "Two."]);
    let store = scene.store().await;
    store.open_session("a").await.unwrap().touch().await.unwrap();
    // Longer by its time and a title, and nothing is said in it that was not.
    let path = scene.old().join("sessions/a.jsonl");
    let log = fs::read_to_string(&path).unwrap();
    let touched = log.replace(r#""updated_at":7"#, r#""title":"T","updated_at":7000"#);
    assert_ne!(log, touched);
    scene.put(Folder::Sessions, "a.jsonl", touched.as_bytes());
    for store in [store, scene.store().await] {
        assert!(others(&store, "a").await.is_empty());
    }
}

#[tokio::test]
async fn what_is_added_between_reading_and_writing_is_taken_over() {
    let scene = Scene::empty();
    scene.log("a", &["One."]);
    let store = scene.store().await;
    let session = store.open_session("a").await.unwrap();
    add(&scene, "a", "Late.");
    session.append([scene::said("Ours.")]).await.unwrap();
    let mut wanted = scene.messages("a");
    wanted.push(scene::said("Ours.").as_str().to_owned());
    assert_eq!(scene::messages(&session).await, wanted);
    assert!(others(&scene.store().await, "a").await.is_empty());
}

#[tokio::test]
async fn what_is_added_to_a_deleted_session_is_shown_and_the_rest_of_it_gone() {
    let scene = Scene::empty();
    scene.log("a", &["One."]);
    let store = scene.store().await;
    store.delete("a").await.unwrap();
    store.purge("a").await.unwrap();
    add(&scene, "a", "Late.");
    let rows = scene::rows(&scene.store().await).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0].id.as_str().starts_with("imp_"));
    assert_eq!(rows[0].messages, 2);
}

#[tokio::test]
async fn an_import_of_what_was_added_settles_it() {
    let scene = Scene::empty();
    scene.log("a", &["One."]);
    let store = scene.store().await;
    store.open_session("a").await.unwrap().touch().await.unwrap();
    add(&scene, "a", "Late.");
    assert_eq!(others(&store, "a").await.len(), 1);
    let plain = Store::on(scene.plain().await);
    let imported = plain.import(&scene.whole("a").to_source()).await.unwrap();
    assert_eq!((imported[0].session.as_str(), imported[0].added), ("a", 1));
    assert!(others(&scene.store().await, "a").await.is_empty());
}
