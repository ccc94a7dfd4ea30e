//! Whether a session is taken over is told of each by itself, by what its journal says.

use sessile_engine::{NewSession, Store};

use crate::scene::{self, Scene};

#[tokio::test]
async fn fifty_older_sessions_are_found_beside_a_store_that_has_sessions_already() {
    let scene = Scene::empty();
    let plain = Store::on(scene.plain().await);
    for id in ["own-1", "own-2"] {
        plain.create_as(id, NewSession::new()).await.unwrap();
    }
    for number in 0..50 {
        scene.log(&format!("ses_{number:02}"), &["One.", "Two."]);
    }
    let mut ids = scene.ids();
    ids.extend(["own-1", "own-2"].map(str::to_owned));
    assert_eq!(ids.len(), 52);
    let (before, store) = (scene.tree(), scene.store().await);
    assert_eq!(scene::listed(&store).await, ids);
    // In small steps: some are taken over, and the others are found as before.
    for number in (0..50).step_by(7) {
        let session = store.open_session(format!("ses_{number:02}")).await.unwrap();
        session.append([scene::said("Three.")]).await.unwrap();
        assert_eq!(scene::listed(&store).await, ids, "{number}");
        assert_eq!(scene::listed(&scene.store().await).await, ids, "{number}");
    }
    let rows = scene::rows(&scene.store().await).await;
    let counts = |messages| rows.iter().filter(|row| row.messages == messages).count();
    assert_eq!((counts(0), counts(2), counts(3)), (2, 42, 8));
    assert_eq!(scene.tree(), before);
}

#[tokio::test]
async fn sessions_that_come_later_are_found_too() {
    let scene = Scene::empty();
    let store = scene.store().await;
    assert!(scene::listed(&store).await.is_empty());
    scene.log("a", &["One."]);
    store.open_session("a").await.unwrap().touch().await.unwrap();
    scene.log("b", &["One."]);
    assert_eq!(scene::listed(&store).await, scene.ids());
}

#[tokio::test]
async fn a_session_of_the_stores_own_hides_no_older_one_of_its_id() {
    let scene = Scene::empty();
    let plain = Store::on(scene.plain().await);
    plain.create_as("a", NewSession::new()).await.unwrap().append(["own"]).await.unwrap();
    scene.log("a", &["Old."]);
    let store = scene.store().await;
    let ids = scene::listed(&store).await;
    assert_eq!(ids.len(), 2, "{ids:?}");
    let other = ids.iter().find(|id| *id != "a").unwrap();
    let own = store.open_session("a").await.unwrap();
    assert_eq!(scene::messages(&own).await, [r#""own""#]);
    let old = store.open_session(&**other).await.unwrap();
    assert_eq!(scene::messages(&old).await, scene.messages("a"));
    old.append([scene::said("New.")]).await.unwrap();
    assert_eq!(scene::listed(&scene.store().await).await, ids);
}
